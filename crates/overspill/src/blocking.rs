//! Runs blocking work on a thread of its own, for callers in any async runtime.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

/// The state that the thread and the future share.
struct Shared<T> {
    answer: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

/// Starts `work` on a thread of its own when the future is first polled. A panic of `work`
/// continues in the caller.
///
/// If no thread can be started, `work` runs in the caller.
pub(crate) fn unblock<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    let shared = Arc::new(Mutex::new(Shared { answer: None, waker: None }));
    // The thread takes the work, or the caller does if no thread could be started.
    let work = Arc::new(Mutex::new(Some(work)));
    let mut is_started = false;
    poll_fn(move |context| {
        if !is_started {
            is_started = true;
            let run = {
                let (shared, work) = (shared.clone(), work.clone());
                move || {
                    let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
                    let Some(work) = work else { return };
                    let answer = catch_unwind(AssertUnwindSafe(work));
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    shared.answer = Some(answer);
                    if let Some(waker) = shared.waker.take() {
                        waker.wake();
                    }
                }
            };
            let name = "overspill".to_owned();
            if thread::Builder::new().name(name).spawn(run.clone()).is_err() {
                run();
            }
        }
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        match shared.answer.take() {
            Some(Ok(answer)) => Poll::Ready(answer),
            Some(Err(panic)) => resume_unwind(panic),
            None => {
                shared.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    })
}
