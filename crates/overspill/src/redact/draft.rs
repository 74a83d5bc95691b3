//! A draft that masks secrets before the bytes reach a store.

use std::ops::Range;

use super::Redactor;
use crate::Error;
use crate::store::{Draft, Excerpt, SpillRef};

/// A draft that masks the appended bytes. The command never writes to the file itself.
#[derive(Debug)]
pub(crate) struct RedactingDraft {
    draft: Box<dyn Draft>,
    redactor: Redactor,
}

impl RedactingDraft {
    pub(crate) fn new(draft: Box<dyn Draft>, redactor: Redactor) -> RedactingDraft {
        RedactingDraft { draft, redactor }
    }

    /// Passes on the bytes that were held back.
    fn flush(&mut self) -> Result<(), Error> {
        let mut done = Ok(());
        self.redactor.finish(|bytes| done = self.draft.append(bytes));
        done
    }
}

impl Draft for RedactingDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut done = Ok(());
        self.redactor.push(bytes, |bytes| {
            if done.is_ok() {
                done = self.draft.append(bytes);
            }
        });
        done
    }

    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        self.flush()?;
        self.draft.hole()
    }

    fn keep(&mut self, excerpts: Vec<Excerpt>) -> Result<(), Error> {
        self.draft.keep(self.redactor.mask_excerpts(excerpts))
    }

    fn skip_network(&mut self) {
        self.draft.skip_network();
    }

    fn go_live(&mut self) -> Option<SpillRef> {
        self.draft.go_live()
    }

    fn publish(mut self: Box<Self>) -> Result<SpillRef, Error> {
        self.flush()?;
        let masked = self.redactor.masked();
        self.draft.publish().map(|saved| SpillRef { masked, ..saved })
    }
}
