//! Borrows text that Python already has as UTF-8, so that it is not copied.
//!
//! This is the only module with `unsafe` code.

use pyo3::ffi::{Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Text of ASCII characters only, which Python stores as one byte each.
pub(crate) struct Ascii<'py> {
    text: Bound<'py, PyString>,
    start: *const u8,
    length: usize,
}

#[cfg(not(windows))]
unsafe extern "C" {
    // Every Python 3 exports this function, but only since 3.10 it is part of the stable interface.
    // So `pyo3` hides it in a build for 3.9. On Windows such a build could not link it.
    fn PyUnicode_AsUTF8AndSize(text: *mut PyObject, length: *mut Py_ssize_t) -> *const u8;
}

impl<'py> Ascii<'py> {
    /// Takes a text if it is ASCII. For other text Python would make a copy and keep it.
    #[cfg(not(windows))]
    pub(crate) fn of(text: &Bound<'py, PyString>) -> Option<Ascii<'py>> {
        let is_ascii = text.call_method0(pyo3::intern!(text.py(), "isascii")).ok()?;
        if !is_ascii.extract::<bool>().ok()? {
            return None;
        }
        let mut length: Py_ssize_t = 0;
        // SAFETY: `text` is a `str`, and this thread has the interpreter's lock.
        let start = unsafe { PyUnicode_AsUTF8AndSize(text.as_ptr(), &mut length) };
        let length = usize::try_from(length).ok()?;
        (!start.is_null()).then(|| Ascii { text: text.clone(), start, length })
    }

    #[cfg(windows)]
    pub(crate) fn of(_: &Bound<'py, PyString>) -> Option<Ascii<'py>> {
        None
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        debug_assert!(!self.text.is_none());
        // SAFETY: the bytes belong to the text, which cannot change and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}
