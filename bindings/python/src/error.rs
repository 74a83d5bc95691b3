//! Raises exceptions. Their classes are written in Python, because there they can have two base
//! classes.

use overspill::Error;
use overspill_embed::{Misuse, Question};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

fn raised(class: &'static str, lock: &PyOnceLock<Py<PyType>>, message: String) -> PyErr {
    Python::attach(|py| match lock.import(py, "overspill.errors", class) {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    })
}

/// Converts an invalid option.
pub(crate) fn misuse(misuse: Misuse) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raised("Misuse", &CLASS, misuse.0)
}

/// Converts an error of a store.
pub(crate) fn store(error: Error) -> PyErr {
    static NOT_FOUND: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static OTHER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match error {
        Error::NotFound { .. } => raised("NotFound", &NOT_FOUND, error.to_string()),
        error => raised("StoreError", &OTHER, error.to_string()),
    }
}

/// Converts the failure of a question about saved outputs.
pub(crate) fn question(question: Question) -> PyErr {
    match question {
        Question::Misuse(bad) => misuse(bad),
        Question::Store(error) => store(error),
    }
}
