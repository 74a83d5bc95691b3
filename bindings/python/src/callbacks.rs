//! Calls objects written in Python: a store, a strategy, a predicate, an observer.
//!
//! This module calls each object with the interpreter's lock, on the thread that processes the
//! output. An exception of a store or a strategy becomes an error in the outcome. Exceptions of
//! strategies, predicates and observers also go to `sys.unraisablehook`.

use std::ops::Range;

use overspill::core::{Choice, Policy, Strategy, StrategyError};
use overspill::tool::Verdict;
use overspill::{Call, Error, Event};
use overspill_embed::{CallRequest, Misuse, StoreObject, choice, event, policy};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde_json::{Value, json};

use crate::input::Input;
use crate::values::{Aside, encode, options};

/// A store written in Python.
#[derive(Debug)]
pub(crate) struct PyStore(pub(crate) Py<PyAny>);

impl PyStore {
    fn ask<T>(
        &self,
        verb: &'static str,
        ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, Error> {
        Python::attach(|py| {
            let object = self.0.bind(py);
            if !object.hasattr(verb).unwrap_or_default() {
                return Err(Error::Unsupported { what: verb });
            }
            ask(object).map_err(|error| Error::Other(said(py, &error).into()))
        })
    }
}

impl StoreObject for PyStore {
    fn save(&self, bytes: Vec<u8>, call: &Call) -> Result<Value, Error> {
        self.ask("save", |object| {
            let py = object.py();
            let call = encode(py, &call_json(call))?;
            let bytes = PyBytes::new(py, &bytes);
            let saved = object.call_method1("save", (bytes, call))?;
            match saved.hasattr("__fspath__")? {
                true => options(&saved.call_method0("__fspath__")?),
                false => Aside::default().decode(&saved),
            }
        })
    }

    fn read(&self, id: &str, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.ask("read", |object| {
            let read = object.call_method1("read", (id, range.start, range.end))?;
            Ok(Input::of(&read)?.whole()?.as_bytes().to_vec())
        })
    }

    fn info(&self, id: &str) -> Result<Value, Error> {
        self.ask("info", |object| options(&object.call_method1("info", (id,))?))
    }

    fn list(&self) -> Result<Value, Error> {
        self.ask("list", |object| options(&object.call_method0("list")?))
    }

    fn delete(&self, id: &str) -> Result<(), Error> {
        self.ask("delete", |object| object.call_method1("delete", (id,)).map(drop))
    }
}

fn call_json(call: &Call) -> Value {
    let Call { tool, id, session, command, directory } = call;
    json!({
        "tool": tool, "call_id": id, "session": session, "command": command, "directory": directory,
    })
}

/// A strategy written in Python: a callable, or an object with `choose`.
pub(crate) struct PyStrategy(pub(crate) Py<PyAny>);

impl Strategy for PyStrategy {
    fn choose(&self, output: &[u8], limits: &Policy) -> Result<Choice, StrategyError> {
        let answer = Python::attach(|py| {
            let strategy = self.0.bind(py);
            let asked = (PyBytes::new(py, output), encode(py, &policy(limits))?);
            let answer = match strategy.hasattr("choose")? {
                true => strategy.call_method1("choose", asked),
                false => strategy.call1(asked),
            };
            answer.and_then(|answer| options(&answer))
        });
        let answer = answer.map_err(|error| Python::attach(|py| unraised(py, error, &self.0)))?;
        Ok(choice(&answer, output, limits)?)
    }
}

/// The longest time that Python can wait, in seconds: 292 years.
const LONGEST: f64 = 9e9;

/// The time in seconds that a store, a strategy, a predicate or an observer may take to answer.
pub(crate) struct Patience(Option<f64>);

impl Patience {
    pub(crate) fn of(seconds: Option<f64>) -> PyResult<Patience> {
        match seconds {
            Some(seconds) if !(seconds > 0.0 && seconds < LONGEST) => {
                let wrong = format!("answer_timeout: {seconds} is not a number of seconds above 0");
                Err(crate::error::misuse(Misuse(wrong)))
            }
            seconds => Ok(Patience(seconds)),
        }
    }

    /// Returns an object that answers in time or raises `TimeoutError`.
    pub(crate) fn with(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<Py<PyAny>> {
        let Some(seconds) = self.0 else { return Ok(object) };
        let patience = py.import("overspill._patience")?;
        Ok(patience.call_method1("Patient", (object, seconds))?.unbind())
    }
}

/// Asks a predicate about a result. If the predicate fails, the result is shortened as usual.
pub(crate) fn verdict(predicate: &Py<PyAny>, tool: &str, result: &Value) -> Verdict {
    Python::attach(|py| {
        let asked = || -> PyResult<Verdict> {
            let answer = predicate.bind(py).call1((tool, encode(py, result)?))?;
            if let Ok(yes) = answer.extract::<bool>() {
                return Ok(if yes { Verdict::Yes } else { Verdict::No });
            }
            if answer.is_none() {
                return Ok(Verdict::Yes);
            }
            let asked = CallRequest::from_json(&options(&answer)?).map_err(crate::error::misuse)?;
            Ok(Verdict::With(asked.options.settings))
        };
        asked().unwrap_or_else(|error| {
            unraised(py, error, predicate);
            Verdict::Yes
        })
    })
}

/// Calls an observer. An exception of the observer is reported as Python reports exceptions that
/// cannot be raised.
pub(crate) fn tell(observer: &Py<PyAny>, heard: &Event) {
    let heard = event(heard);
    Python::attach(|py| {
        let told = encode(py, &heard).and_then(|heard| observer.bind(py).call1((heard,)));
        if let Err(error) = told {
            unraised(py, error, observer);
        }
    });
}

/// Reports an exception that cannot be raised, and returns its message.
fn unraised(py: Python<'_>, error: PyErr, by: &Py<PyAny>) -> String {
    let said = said(py, &error);
    error.write_unraisable(py, Some(by.bind(py)));
    said
}

fn said(py: Python<'_>, error: &PyErr) -> String {
    let kind = error.get_type(py).name().map_or_else(|_| "an exception".into(), |n| n.to_string());
    let text = error.value(py).str().unwrap_or_else(|_| PyString::new(py, ""));
    match text.to_string_lossy().chars().take(300).collect::<String>() {
        text if text.is_empty() => kind,
        text => format!("{kind}: {text}"),
    }
}

/// Tells whether a value is a store object, rather than the name of a store.
pub(crate) fn is_store(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.getattr("save") {
        Ok(_) => Ok(true),
        Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => Ok(false),
        Err(error) => Err(error),
    }
}
