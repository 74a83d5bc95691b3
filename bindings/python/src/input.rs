//! Converts an output of Python into bytes.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PySlice, PyString};

use crate::ascii::Ascii;

/// The number of characters over which text is encoded piece by piece, so that memory never has it
/// twice.
const LONG: usize = 1 << 20;
/// The number of characters of a piece.
const PIECE: usize = 1 << 18;

/// An output.
pub(crate) enum Input<'py> {
    /// Bytes that cannot change.
    Bytes(Bound<'py, PyBytes>),
    /// Text that Python already has as UTF-8.
    Ascii(Ascii<'py>),
    /// Text that is too long to be encoded at once.
    Long(Bound<'py, PyString>),
}

impl<'py> Input<'py> {
    /// Takes text, or bytes of any kind.
    pub(crate) fn of(value: &Bound<'py, PyAny>) -> PyResult<Input<'py>> {
        if let Ok(text) = value.cast::<PyString>() {
            if let Some(ascii) = Ascii::of(text) {
                return Ok(Input::Ascii(ascii));
            }
            return if text.len()? > LONG {
                Ok(Input::Long(text.clone()))
            } else {
                encoded(text).map(Input::Bytes)
            };
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.clone()));
        }
        // These can change while other threads run, so they are copied.
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Ok(Input::Bytes(PyBytes::new(value.py(), &bytes.to_vec())));
        }
        if value.cast::<PyMemoryView>().is_ok() {
            return Ok(Input::Bytes(value.call_method0("tobytes")?.cast_into()?));
        }
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("an output is text or bytes, not {kind}")))
    }

    /// Returns the whole output.
    pub(crate) fn whole(self) -> PyResult<All<'py>> {
        match self {
            Input::Bytes(bytes) => Ok(All::Bytes(bytes)),
            Input::Ascii(ascii) => Ok(All::Ascii(ascii)),
            Input::Long(text) => encoded(&text).map(All::Bytes),
        }
    }
}

/// A whole output in memory.
pub(crate) enum All<'py> {
    Bytes(Bound<'py, PyBytes>),
    Ascii(Ascii<'py>),
}

impl All<'_> {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            All::Bytes(bytes) => bytes.as_bytes(),
            All::Ascii(ascii) => ascii.as_bytes(),
        }
    }
}

/// Passes on a long text piece by piece.
pub(crate) fn pieces(
    text: &Bound<'_, PyString>,
    mut take: impl FnMut(&Bound<'_, PyBytes>),
) -> PyResult<()> {
    let length = text.len()?;
    for from in (0..length).step_by(PIECE) {
        let to = (from + PIECE).min(length);
        let piece = text.get_item(PySlice::new(text.py(), from as isize, to as isize, 1))?;
        take(&encoded(piece.cast()?)?);
    }
    Ok(())
}

/// Encodes text. Half a surrogate pair is not text: if it stands for a byte that could not be
/// decoded, it becomes that byte again, otherwise it becomes bytes that are not UTF-8.
fn encoded<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    let with = |errors: &str| -> PyResult<Bound<'py, PyBytes>> {
        Ok(text.call_method1("encode", ("utf-8", errors))?.cast_into()?)
    };
    text.encode_utf8().or_else(|_| with("surrogateescape")).or_else(|_| with("surrogatepass"))
}

/// Returns text unchanged, and decodes bytes.
pub(crate) fn text_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.clone());
    }
    let bytes = Input::of(value)?.whole()?;
    let text: Cow<'_, str> = String::from_utf8_lossy(bytes.as_bytes());
    Ok(PyString::new(value.py(), &text))
}
