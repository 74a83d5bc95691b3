//! Turns a panic of a store into an error, so that a faulty store of a user cannot lose the output.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Error;
use crate::store::{Draft, Excerpt, SpillRef};

/// Calls a store. A panic of the store becomes an error.
pub(super) fn catch_panic<T>(ask: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let panicked = |_| Err(Error::Other("the store panicked".into()));
    catch_unwind(AssertUnwindSafe(ask)).unwrap_or_else(panicked)
}

/// A draft whose panics become errors. The engine does not use a draft again after an error.
#[derive(Debug)]
pub(super) struct PanicSafeDraft(pub(super) Box<dyn Draft>);

impl Draft for PanicSafeDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        catch_panic(|| self.0.append(bytes))
    }

    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        catch_panic(|| self.0.hole())
    }

    fn keep(&mut self, excerpts: Vec<Excerpt>) -> Result<(), Error> {
        catch_panic(|| self.0.keep(excerpts))
    }

    fn skip_network(&mut self) {
        let _ = catch_panic(|| {
            self.0.skip_network();
            Ok(())
        });
    }

    fn go_live(&mut self) -> Option<SpillRef> {
        catch_panic(|| Ok(self.0.go_live())).ok().flatten()
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        catch_panic(|| self.0.publish())
    }
}
