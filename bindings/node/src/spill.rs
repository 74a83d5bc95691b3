//! Takes an output while it is written.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use napi::Either;
use napi::bindgen_prelude::{AsyncTask, Uint8Array};
use napi_derive::napi;
use overspill::CallEnd;
use overspill::core::LineRule;

use crate::report::{Spilled, failed, spilled};
use crate::tasks::{Promise, Work};

/// The preview of a long output, or the bytes of a short output.
type Closed<Bytes> = Either<Spilled, Bytes>;
/// An open output, and the end of its call as far as it is known.
type Open = Arc<Mutex<Option<(overspill::Spill<'static>, CallEnd)>>>;

/// Takes an output piece by piece. Wait for one piece before you write the next one.
#[napi]
pub struct NativeSpill {
    open: Open,
    lines: LineRule,
    masked: Arc<AtomicU64>,
}

impl NativeSpill {
    pub(crate) fn new(
        spill: overspill::Spill<'static>,
        end: CallEnd,
        lines: LineRule,
    ) -> NativeSpill {
        let open = Arc::new(Mutex::new(Some((spill, end))));
        NativeSpill { open, lines, masked: Arc::default() }
    }
}

fn push(open: &Open, piece: &[u8]) -> napi::Result<()> {
    let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
    let closed = || failed("Misuse", "the spill is closed: nothing can be written");
    open.as_mut().map(|(spill, _)| spill.push(piece)).ok_or_else(closed)
}

fn finish(open: &Open) -> napi::Result<overspill::Outcome<'static>> {
    let open = open.lock().unwrap_or_else(PoisonError::into_inner).take();
    let closed = || failed("Misuse", "the spill is closed already");
    open.map(|(spill, end)| spill.finish(end)).ok_or_else(closed)
}

#[napi]
impl NativeSpill {
    /// Takes the next piece.
    #[napi(catch_unwind)]
    pub fn write_sync(&self, piece: Either<String, &[u8]>) -> napi::Result<()> {
        match piece {
            Either::A(text) => push(&self.open, text.as_bytes()),
            Either::B(bytes) => push(&self.open, bytes),
        }
    }

    /// Takes the next piece, on another thread.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn write(&self, piece: Either<String, Uint8Array>) -> Promise<()> {
        let open = self.open.clone();
        let work = move || match piece {
            Either::A(text) => push(&open, text.as_bytes()),
            Either::B(bytes) => push(&open, &bytes),
        };
        AsyncTask::new(Work::new(work, |()| ()))
    }

    /// Returns the number of masked secrets in a short output, after it is closed.
    #[napi(getter)]
    pub fn masked(&self) -> i64 {
        self.masked.load(Ordering::Relaxed) as i64
    }

    /// Marks the output as incomplete.
    #[napi]
    pub fn interrupted(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter_mut().for_each(|(_, end)| end.interrupted = true);
    }

    /// Ends the output. Returns its preview, or null for a short output.
    #[napi(catch_unwind)]
    pub fn close_sync(&self) -> napi::Result<Option<Spilled>> {
        finish(&self.open).map(|done| spilled(done, self.lines))
    }

    /// Ends the output on another thread. Resolves to its preview, or to the bytes of a short
    /// output.
    #[napi(ts_return_type = "Promise<Spilled | Uint8Array>")]
    pub fn close(&self) -> Promise<Closed<Vec<u8>>, Closed<Uint8Array>> {
        let (open, lines, masked) = (self.open.clone(), self.lines, self.masked.clone());
        let work = move || {
            let done = match finish(&open)? {
                overspill::Outcome::Whole(bytes) => return Ok(Either::B(bytes.into_owned())),
                overspill::Outcome::Masked(done) => {
                    masked.store(done.count, Ordering::Relaxed);
                    return Ok(Either::B(done.bytes));
                }
                done => spilled(done, lines),
            };
            done.map(Either::A).ok_or_else(|| failed("StoreError", "there is no outcome"))
        };
        let answer = |done| match done {
            Either::A(spilled) => Either::A(spilled),
            Either::B(bytes) => Either::B(Uint8Array::new(bytes)),
        };
        AsyncTask::new(Work::new(work, answer))
    }
}
