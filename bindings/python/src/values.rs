//! Converts Python's values into JSON, and back.
//!
//! A value that JSON does not have is set aside and returned as the same object at its place.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// The key of an object that stands for a value set aside. No tool's result has this key: a result
/// with it is set aside as well.
const ASIDE: &str = "\0overspill";
/// The depth to which values are converted into JSON. Deeper values are set aside.
const DEEPEST: usize = 64;
/// The number of lists and dicts of a result that are converted into JSON at most.
const MOST: usize = 1_000_000;

/// Converts options into JSON. A path becomes its text.
pub(crate) fn options(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    plain(value, 0)
}

fn plain(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if let Some(leaf) = leaf(value)? {
        return Ok(leaf);
    }
    let refuse = || {
        let kind = value.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
        PyTypeError::new_err(format!("an option cannot be of type {kind}"))
    };
    if depth > DEEPEST {
        return Err(refuse());
    }
    if let Ok(number) = value.cast::<PyInt>() {
        // A number that is too large for a limit is rejected later.
        return Ok(match number.extract::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => number.extract::<u64>().map_or(Value::from(-1), Value::from),
        });
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = Number::from_f64(number.extract()?);
        return Ok(number.map_or_else(|| "not a number".into(), Value::Number));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().map(|item| plain(&item, depth + 1)).collect();
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return tuple.iter().map(|item| plain(&item, depth + 1)).collect();
    }
    if value.hasattr("__fspath__")? {
        return plain(&value.call_method0("__fspath__")?, depth + 1);
    }
    let Ok(fields) = value.cast::<PyDict>() else { return Err(refuse()) };
    let mut map = Map::new();
    for (key, value) in fields.iter() {
        map.insert(key.extract()?, plain(&value, depth + 1)?);
    }
    Ok(Value::Object(map))
}

/// The values that were set aside while a result was converted into JSON.
#[derive(Default)]
pub(crate) struct Aside {
    kept: Vec<Py<PyAny>>,
    seen: usize,
    /// The lists and dicts around the current value. A list or dict that contains itself is set
    /// aside.
    around: Vec<usize>,
}

impl Aside {
    /// Converts a result into JSON.
    pub(crate) fn decode(&mut self, value: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.at(value, 0)
    }

    fn at(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
        if let Some(leaf) = leaf(value)? {
            return Ok(leaf);
        }
        if let Some(number) = number(value) {
            return Ok(Value::Number(number));
        }
        self.seen += 1;
        let place = value.as_ptr() as usize;
        if depth < DEEPEST && self.seen < MOST && !self.around.contains(&place) {
            self.around.push(place);
            let inside = self.inside(value, depth);
            self.around.pop();
            if let Some(inside) = inside? {
                return Ok(inside);
            }
        }
        self.kept.push(value.clone().unbind());
        Ok(Value::Object(Map::from_iter([(ASIDE.to_owned(), Value::from(self.kept.len() - 1))])))
    }

    /// Converts a list or a dict into JSON.
    fn inside(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Option<Value>> {
        if let Ok(list) = value.cast_exact::<PyList>() {
            let items: PyResult<Value> =
                list.iter().map(|item| self.at(&item, depth + 1)).collect();
            return items.map(Some);
        }
        let Ok(fields) = value.cast_exact::<PyDict>() else { return Ok(None) };
        let named =
            |(key, _): (Bound<'_, PyAny>, _)| key.extract::<String>().is_ok_and(|key| key != ASIDE);
        if !fields.iter().all(named) {
            return Ok(None);
        }
        let mut map = Map::new();
        for (key, value) in fields.iter() {
            map.insert(key.extract()?, self.at(&value, depth + 1)?);
        }
        Ok(Some(Value::Object(map)))
    }

    /// Converts JSON into Python's values, with the values that were set aside.
    pub(crate) fn encode(&self, py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
        encoded(py, value, &self.kept)
    }
}

/// Converts JSON into Python's values.
pub(crate) fn encode(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    encoded(py, value, &[])
}

fn encoded(py: Python<'_>, value: &Value, aside: &[Py<PyAny>]) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Null => py.None(),
        Value::Bool(switch) => PyBool::new(py, *switch).to_owned().into_any().unbind(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any().unbind(),
            (_, Some(number)) => number.into_pyobject(py)?.into_any().unbind(),
            _ => number.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any().unbind(),
        },
        Value::String(text) => PyString::new(py, text).into_any().unbind(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(encoded(py, item, aside)?)?;
            }
            list.into_any().unbind()
        }
        Value::Object(fields) => {
            let index = fields.get(ASIDE).and_then(Value::as_u64);
            if let Some(kept) = index.and_then(|index| aside.get(index as usize)) {
                return Ok(kept.clone_ref(py));
            }
            let dict = PyDict::new(py);
            for (key, value) in fields {
                dict.set_item(key, encoded(py, value, aside)?)?;
            }
            dict.into_any().unbind()
        }
    })
}

/// Converts a number that JSON can represent exactly. It may be shown or saved as a part of a text.
fn number(value: &Bound<'_, PyAny>) -> Option<Number> {
    if let Ok(whole) = value.cast_exact::<PyInt>() {
        let signed = whole.extract::<i64>().map(Number::from);
        return signed.or_else(|_| whole.extract::<u64>().map(Number::from)).ok();
    }
    let float: f64 = value.cast_exact::<PyFloat>().ok()?.extract().ok()?;
    Number::from_f64(float)
}

/// Converts text, true, false and None.
fn leaf(value: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if value.is_none() {
        return Ok(Some(Value::Null));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(Value::String(text.to_string_lossy().into_owned())));
    }
    Ok(value.cast::<PyBool>().ok().map(|switch| Value::Bool(switch.is_true())))
}
