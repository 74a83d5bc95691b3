//! Takes an output while it is written.

use std::sync::{Mutex, PoisonError};

use overspill::CallEnd;
use overspill::core::LineRule;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::input::{Input, pieces};
use crate::outcome;

/// Takes an output piece by piece, as text or bytes. It is a context manager and a file to print
/// to.
#[pyclass(frozen, module = "overspill")]
pub(crate) struct Spill {
    /// The output, and the end of its call as far as it is known.
    open: Mutex<Option<(overspill::Spill<'static>, CallEnd)>>,
    outcome: PyOnceLock<Py<PyAny>>,
    lines: LineRule,
}

impl Spill {
    pub(crate) fn new(spill: overspill::Spill<'static>, end: CallEnd, lines: LineRule) -> Spill {
        Spill { open: Mutex::new(Some((spill, end))), outcome: PyOnceLock::new(), lines }
    }

    /// Runs a function on the open output, without the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut overspill::Spill<'static>, &mut CallEnd) -> T + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.as_mut().map(|(spill, end)| act(spill, end))
        });
        done.ok_or_else(|| PyValueError::new_err("the spill is closed: nothing can be written"))
    }
}

#[pymethods]
impl Spill {
    fn write(&self, py: Python<'_>, chunk: &Bound<'_, PyAny>) -> PyResult<usize> {
        match Input::of(chunk)? {
            Input::Long(text) => {
                let mut written = Ok(());
                pieces(&text, |piece| {
                    let piece = piece.as_bytes();
                    if written.is_ok() {
                        written = self.with(py, |spill, _| spill.push(piece));
                    }
                })?;
                written?;
            }
            input => {
                let all = input.whole()?;
                let bytes = all.as_bytes();
                self.with(py, |spill, _| spill.push(bytes))?;
            }
        }
        chunk.len()
    }

    /// Tells whether the output is too large already, and being saved.
    #[getter]
    fn over(&self, py: Python<'_>) -> PyResult<bool> {
        match self.outcome.get(py) {
            Some(outcome) => outcome.getattr(py, "spilled")?.extract(py),
            None => self.with(py, |spill, _| spill.is_over()),
        }
    }

    /// Ends the output and returns its outcome. A second call returns the same outcome.
    fn close(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let closed = py.detach(|| {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
            open.map(|(spill, end)| spill.finish(end))
        });
        if let Some(closed) = closed {
            let _ = self.outcome.set(py, outcome::spilled(py, closed, self.lines)?);
        }
        self.outcome(py)
    }

    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let open = || PyValueError::new_err("the spill is still open: there is no outcome yet");
        self.outcome.get(py).map(|outcome| outcome.clone_ref(py)).ok_or_else(open)
    }

    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        self.outcome.get(py).is_some()
    }

    fn writable(&self) -> bool {
        true
    }

    fn flush(&self) {}

    fn __enter__(this: Py<Spill>) -> Py<Spill> {
        this
    }

    #[pyo3(signature = (kind, _value, _traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        if !kind.is_none() && self.outcome.get(py).is_none() {
            self.with(py, |_, end| end.interrupted = true)?;
        }
        self.close(py).map(|_| false)
    }
}
