//! Runs work with files on the threads that Node has for it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};

use crate::report::failed;

/// The Rust side of a promise.
pub(crate) type Promise<A, J = A> = AsyncTask<Work<A, J>>;

/// Work that runs on another thread. JavaScript's thread converts the answer.
pub struct Work<A, J> {
    work: Option<Box<dyn FnOnce() -> napi::Result<A> + Send>>,
    answer: fn(A) -> J,
}

impl<A, J> Work<A, J> {
    pub(crate) fn new(
        work: impl FnOnce() -> napi::Result<A> + Send + 'static,
        answer: fn(A) -> J,
    ) -> Work<A, J> {
        Work { work: Some(Box::new(work)), answer }
    }
}

impl<A: Send + 'static, J> Task for Work<A, J>
where
    J: napi::bindgen_prelude::ToNapiValue + napi::bindgen_prelude::TypeName,
{
    type Output = A;
    type JsValue = J;

    fn compute(&mut self) -> napi::Result<A> {
        let Some(work) = self.work.take() else { return Err(failed("StoreError", "done twice")) };
        // A panic must not unwind into Node.
        catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Err(failed("StoreError", "overspill itself has failed")))
    }

    fn resolve(&mut self, _: Env, answer: A) -> napi::Result<J> {
        Ok((self.answer)(answer))
    }
}
