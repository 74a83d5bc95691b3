//! The result of shortening an output, for Python.

use overspill::core::{LineRule, Size as CoreSize, Span as CoreSpan};
use overspill::{Masked, Outcome, Report};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::input::{Input, text_of};
use crate::values;

/// A short output: it is shown unchanged except for masked secrets, and not saved.
#[pyclass(frozen, module = "overspill")]
pub(crate) struct Whole {
    /// The output as it was given, except for masked secrets.
    #[pyo3(get)]
    pub(crate) output: Py<PyAny>,
    pub(crate) lines: LineRule,
    /// The number of masked secrets.
    #[pyo3(get)]
    pub(crate) masked: u64,
}

#[pymethods]
impl Whole {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str,) = ("text",);

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text_of(self.output.bind(py))
    }

    #[classattr]
    #[pyo3(name = "spilled")]
    const SPILLED: bool = false;

    #[getter]
    fn total(&self, py: Python<'_>) -> PyResult<Size> {
        let bytes = Input::of(self.output.bind(py))?.whole()?;
        let (bytes, lines) = (bytes.as_bytes(), self.lines);
        Ok(Size(py.detach(|| CoreSize::of(bytes, lines))))
    }

    #[getter]
    fn shown(&self, py: Python<'_>) -> PyResult<Size> {
        self.total(py)
    }

    #[getter]
    fn lossy(&self, py: Python<'_>) -> PyResult<bool> {
        self.report(py).map(|report| report.lossy)
    }

    #[getter]
    fn complete(&self, py: Python<'_>) -> PyResult<bool> {
        self.report(py).map(|report| report.complete)
    }

    // The fields of `Spilled`, so that every outcome has them.
    #[classattr]
    #[pyo3(name = "id")]
    const ID: Option<bool> = None;
    #[classattr]
    #[pyo3(name = "path")]
    const PATH: Option<bool> = None;
    #[classattr]
    #[pyo3(name = "limit")]
    const LIMIT: Option<bool> = None;
    #[classattr]
    #[pyo3(name = "left_out")]
    const LEFT_OUT: Option<bool> = None;
    #[classattr]
    #[pyo3(name = "error")]
    const ERROR: Option<bool> = None;
    #[classattr]
    #[pyo3(name = "notice")]
    const NOTICE: Option<bool> = None;

    #[getter]
    fn preview<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    #[getter]
    fn gaps(&self) -> Option<Vec<Span>> {
        Some(Vec::new())
    }

    #[getter]
    fn pieces(&self, py: Python<'_>) -> PyResult<Option<Vec<Span>>> {
        self.report(py).map(|report| spans(&report.pieces))
    }

    fn to_dict(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        report_dict(py, &self.report(py)?, "", "")
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Whole({} bytes)", Input::of(self.output.bind(py))?.whole()?.as_bytes().len()))
    }
}

impl Whole {
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        let bytes = Input::of(self.output.bind(py))?.whole()?;
        let report = Report::of(&Outcome::Whole(bytes.as_bytes().into()), self.lines);
        Ok(Report { masked: self.masked, ..report })
    }
}

/// An output that was too large.
#[pyclass(frozen, module = "overspill")]
pub(crate) struct Spilled {
    report: Report,
    #[pyo3(get)]
    preview: String,
    #[pyo3(get)]
    notice: String,
}

#[pymethods]
impl Spilled {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("text", "path");

    #[classattr]
    #[pyo3(name = "spilled")]
    const SPILLED: bool = true;

    #[getter]
    fn text(&self) -> &str {
        &self.report.text
    }

    #[getter]
    fn id(&self) -> Option<&str> {
        self.report.id.as_deref()
    }

    #[getter]
    fn path(&self) -> Option<&str> {
        self.report.path.as_deref()
    }

    #[getter]
    fn error(&self) -> Option<&str> {
        self.report.error.as_deref()
    }

    #[getter]
    fn limit(&self) -> Option<&'static str> {
        self.report.limit
    }

    #[getter]
    fn lossy(&self) -> bool {
        self.report.lossy
    }

    #[getter]
    fn masked(&self) -> u64 {
        self.report.masked
    }

    #[getter]
    fn complete(&self) -> bool {
        self.report.complete
    }

    #[getter]
    fn total(&self) -> Size {
        Size(self.report.total)
    }

    #[getter]
    fn shown(&self) -> Size {
        Size(self.report.shown)
    }

    #[getter]
    fn pieces(&self) -> Option<Vec<Span>> {
        spans(&self.report.pieces)
    }

    #[getter]
    fn gaps(&self) -> Option<Vec<Span>> {
        spans(&self.report.gaps)
    }

    /// The amount that is left out, with its unit: `(1200, "lines")`.
    #[getter]
    fn left_out(&self) -> Option<(u64, &'static str)> {
        self.report.left_out.map(|left_out| (left_out.count, left_out.unit))
    }

    fn to_dict(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        report_dict(py, &self.report, &self.preview, &self.notice)
    }

    fn __str__(&self) -> &str {
        &self.report.text
    }

    fn __repr__(&self) -> String {
        let Report { path, shown, total, .. } = &self.report;
        let place = path.as_deref().unwrap_or("nowhere");
        format!("Spilled({} of {} bytes shown, saved in {place})", shown.bytes, total.bytes)
    }
}

fn report_dict(
    py: Python<'_>,
    report: &Report,
    preview: &str,
    notice: &str,
) -> PyResult<Py<PyAny>> {
    let json = serde_json::to_value(report).unwrap_or_default();
    let dict = values::encode(py, &json)?;
    if report.spilled {
        let fields = dict.bind(py).cast::<PyDict>()?;
        fields.set_item("preview", preview)?;
        fields.set_item("notice", notice)?;
    }
    Ok(dict)
}

fn spans(spans: &Option<Vec<CoreSpan>>) -> Option<Vec<Span>> {
    spans.as_ref().map(|spans| spans.iter().map(Span::of).collect())
}

/// Converts the outcome for `output`.
pub(crate) fn outcome(
    py: Python<'_>,
    outcome: Outcome<'_>,
    output: Py<PyAny>,
    lines: LineRule,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Outcome::Whole(_) => whole(py, output, lines, 0),
        // The same type as the given output.
        Outcome::Masked(Masked { bytes, count })
            if output.bind(py).is_instance_of::<PyString>() =>
        {
            let text = text_of(PyBytes::new(py, &bytes).as_any())?;
            whole(py, text.into_any().unbind(), lines, count)
        }
        outcome => spilled(py, outcome, lines),
    }
}

fn whole(py: Python<'_>, output: Py<PyAny>, lines: LineRule, masked: u64) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, Whole { output, lines, masked })?.into_any())
}

/// Converts an output that was too large. Returns the bytes of an output that is short.
pub(crate) fn spilled(
    py: Python<'_>,
    outcome: Outcome<'_>,
    lines: LineRule,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Outcome::Whole(bytes) => whole(py, PyBytes::new(py, &bytes).into_any().unbind(), lines, 0),
        Outcome::Masked(Masked { bytes, count }) => {
            whole(py, PyBytes::new(py, &bytes).into_any().unbind(), lines, count)
        }
        Outcome::Spilled(spilled) => {
            let (preview, notice) = (spilled.preview.clone(), spilled.notice.clone());
            let report = Report::of(&Outcome::Spilled(spilled), lines);
            Ok(Py::new(py, Spilled { report, preview, notice })?.into_any())
        }
    }
}

/// A size.
#[pyclass(frozen, eq, hash, module = "overspill")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Size(CoreSize);

#[pymethods]
impl Size {
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }

    #[getter]
    fn lines(&self) -> u64 {
        self.0.lines
    }

    #[getter]
    fn chars(&self) -> u64 {
        self.0.chars
    }

    fn __repr__(&self) -> String {
        let CoreSize { bytes, lines, chars } = self.0;
        format!("Size(bytes={bytes}, lines={lines}, chars={chars})")
    }
}

/// A part of an output: `bytes` from one offset up to another, `lines` first and last.
#[pyclass(frozen, eq, hash, module = "overspill")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    bytes: (u64, u64),
    lines: (u64, u64),
}

impl Span {
    fn of(span: &CoreSpan) -> Span {
        let CoreSpan { bytes, first_line, last_line, .. } = span;
        Span { bytes: (bytes.start, bytes.end), lines: (*first_line, *last_line) }
    }
}

#[pymethods]
impl Span {
    #[getter]
    fn bytes(&self) -> (u64, u64) {
        self.bytes
    }

    #[getter]
    fn lines(&self) -> (u64, u64) {
        self.lines
    }

    fn __repr__(&self) -> String {
        format!("Span(bytes={:?}, lines={:?})", self.bytes, self.lines)
    }
}
