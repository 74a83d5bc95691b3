//! The object that a Python program creates: it shortens, saves and reads outputs.

use overspill::core::LineRule;
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Outcome, Overspill};
use overspill_embed::{CallRequest, CallbackStore, Setup, StoreChoice};
use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::{Map, Value};

use crate::callbacks::{Patience, PyStore, PyStrategy, is_store, tell, verdict};
use crate::error;
use crate::input::{All, Input, pieces};
use crate::outcome;
use crate::spill::Spill;
use crate::values::{self, Aside};

/// Shortens outputs by the rules of a profile, and saves outputs that are too large.
#[pyclass(frozen, subclass, module = "overspill")]
pub(crate) struct Engine {
    overspill: Overspill,
    gates: Gates,
    lines: LineRule,
    profile: &'static str,
    /// The engine has a strategy of the user, which needs the whole output at once.
    asks: bool,
    directory: Option<std::path::PathBuf>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, store=None, strategy=None, on_event=None, should_spill=None, answer_timeout=None, **options))]
    fn new(
        py: Python<'_>,
        store: Option<Bound<'_, PyAny>>,
        strategy: Option<Py<PyAny>>,
        on_event: Option<Py<PyAny>>,
        should_spill: Option<Py<PyAny>>,
        answer_timeout: Option<f64>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Engine> {
        let mut json = options_json(options.as_ref())?;
        let mut own = None;
        match store {
            None => {}
            Some(store) if is_store(&store)? => own = Some(PyStore(store.unbind())),
            Some(store) => drop(json.insert("store".into(), values::options(&store)?)),
        }
        for (name, callback) in [("on_event", &on_event), ("should_spill", &should_spill)] {
            if callback.as_ref().is_some_and(|callback| !callback.bind(py).is_callable()) {
                return Err(PyTypeError::new_err(format!("{name} cannot be called")));
            }
        }
        if let Some(strategy) = strategy.as_ref().map(|strategy| strategy.bind(py))
            && !strategy.is_callable()
            && !strategy.hasattr("choose")?
        {
            return Err(PyTypeError::new_err("strategy cannot be called and has no choose"));
        }
        let patience = Patience::of(answer_timeout)?;
        let mut setup = Setup::from_json(&Value::Object(json)).map_err(error::misuse)?;
        if let Some(PyStore(own)) = own {
            let own = PyStore(patience.with(py, own)?);
            setup.store = StoreChoice::Own(std::sync::Arc::new(CallbackStore::new(own)));
        }
        let working = std::env::current_dir().unwrap_or_default();
        let variable = |name: &str| std::env::var_os(name);
        for warning in setup.warnings(&variable) {
            let warning = std::ffi::CString::new(warning.replace('\0', ""))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &warning, 1)?;
        }
        let directory = setup.directory(&variable, working.clone());
        let mut overspill = setup.overspill(&variable, working).to_builder();
        let asks = strategy.is_some();
        if let Some(strategy) = strategy {
            overspill = overspill.strategy(PyStrategy(patience.with(py, strategy)?));
        }
        if let Some(observer) = on_event {
            let observer = patience.with(py, observer)?;
            overspill = overspill.observer(move |event| tell(&observer, event));
        }
        let mut gates = setup.gates.clone();
        if let Some(predicate) = should_spill {
            let predicate = patience.with(py, predicate)?;
            let ask = move |tool: &str, result: &Value| verdict(&predicate, tool, result);
            gates.predicate = Some(std::sync::Arc::new(ask));
        }
        let (lines, profile) = (setup.profile.policy.lines, setup.profile.name);
        Ok(Engine { overspill: overspill.build(), gates, lines, profile, asks, directory })
    }

    /// The directory in which outputs are saved. None if they are saved elsewhere or not at all.
    #[getter]
    fn directory(&self) -> Option<String> {
        self.directory.as_ref().map(|path| path.display().to_string())
    }

    #[pyo3(signature = (output, *, tool=None, call_id=None, session=None, **options))]
    fn process(
        &self,
        py: Python<'_>,
        output: &Bound<'_, PyAny>,
        tool: Option<String>,
        call_id: Option<String>,
        session: Option<String>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let asked = asked(tool, call_id, session, options.as_ref())?;
        match Input::of(output)? {
            Input::Long(text) if !self.asks => {
                let mut spill = Some(self.overspill.spill(asked.call, asked.options));
                pieces(&text, |piece| {
                    let piece = piece.as_bytes();
                    py.detach(|| spill.iter_mut().for_each(|spill| spill.push(piece)));
                })?;
                let done = py.detach(|| spill.map(|spill| spill.finish(asked.end)));
                let done = done.unwrap_or(Outcome::Whole(Default::default()));
                outcome::outcome(py, done, output.clone().unbind(), self.lines)
            }
            input => {
                let bytes = input.whole()?;
                let bytes = bytes.as_bytes();
                let done = py.detach(|| asked.process(&self.overspill, bytes));
                outcome::outcome(py, done, output.clone().unbind(), self.lines)
            }
        }
    }

    /// Returns a short output. Returns None if the output is not short, or if an object of the user
    /// must decide.
    #[pyo3(signature = (output, *, tool=None, call_id=None, session=None, **options))]
    fn process_if_whole(
        &self,
        py: Python<'_>,
        output: &Bound<'_, PyAny>,
        tool: Option<String>,
        call_id: Option<String>,
        session: Option<String>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        let asked = asked(tool, call_id, session, options.as_ref())?;
        let bytes = match Input::of(output)? {
            Input::Long(_) => return Ok(None),
            input => input.whole()?,
        };
        let (bytes, CallRequest { call, options, .. }) = (bytes.as_bytes(), &asked);
        if self.asks || self.overspill.policy(call, options).fired_by(bytes).is_some() {
            return Ok(None);
        }
        let done = py.detach(|| asked.process(&self.overspill, bytes));
        outcome::outcome(py, done, output.clone().unbind(), self.lines).map(Some)
    }

    #[pyo3(signature = (result, *, tool=None, call_id=None, session=None, **options))]
    fn apply(
        &self,
        py: Python<'_>,
        result: &Bound<'_, PyAny>,
        tool: Option<String>,
        call_id: Option<String>,
        session: Option<String>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let asked = asked(tool, call_id, session, options.as_ref())?;
        let mut aside = Aside::default();
        let json = aside.decode(result)?;
        match py.detach(|| overspill_embed::apply(&self.overspill, &json, &asked, &self.gates)) {
            ShortenedResult::Unchanged => Ok(result.clone().unbind()),
            ShortenedResult::Changed(json) => aside.encode(py, &json),
        }
    }

    #[pyo3(signature = (outputs, **budget))]
    fn batch(
        &self,
        py: Python<'_>,
        outputs: &Bound<'_, PyAny>,
        budget: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let budget = Value::Object(options_json(budget.as_ref())?);
        let mut given: Vec<(Py<PyAny>, All<'_>, CallRequest)> = Vec::new();
        for item in outputs.try_iter()? {
            let item = item?;
            let (output, asked) = match item.cast::<PyTuple>() {
                Ok(pair) => {
                    let (output, options): (Bound<'_, PyAny>, Bound<'_, PyDict>) =
                        pair.extract()?;
                    (output, asked(None, None, None, Some(&options))?)
                }
                Err(_) => (item, CallRequest::default()),
            };
            let bytes = Input::of(&output)?.whole()?;
            given.push((output.unbind(), bytes, asked));
        }
        let outputs: Vec<(&[u8], CallRequest)> =
            given.iter().map(|(_, bytes, asked)| (bytes.as_bytes(), asked.clone())).collect();
        let done = py.detach(|| overspill_embed::batch(&self.overspill, &outputs, &budget));
        let done = done.map_err(error::misuse)?.into_iter();
        done.zip(&given)
            .map(|(done, (output, ..))| {
                outcome::outcome(py, done, output.clone_ref(py), self.lines)
            })
            .collect()
    }

    #[pyo3(signature = (*, tool=None, call_id=None, session=None, **options))]
    fn spill(
        &self,
        tool: Option<String>,
        call_id: Option<String>,
        session: Option<String>,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Spill> {
        let CallRequest { call, options, end } = asked(tool, call_id, session, options.as_ref())?;
        Ok(Spill::new(self.overspill.clone().into_spill(call, options), end, self.lines))
    }

    #[pyo3(signature = (id, **options))]
    fn read(
        &self,
        py: Python<'_>,
        id: &str,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let asked = Value::Object(options_json(options.as_ref())?);
        let page = py.detach(|| overspill_embed::read(&self.overspill, id, &asked));
        values::encode(py, &page.map_err(error::question)?)
    }

    #[pyo3(signature = (pattern, id, **options))]
    fn grep(
        &self,
        py: Python<'_>,
        pattern: &str,
        id: &str,
        options: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let asked = Value::Object(options_json(options.as_ref())?);
        let found = py.detach(|| overspill_embed::grep(&self.overspill, id, pattern, &asked));
        values::encode(py, &found.map_err(error::question)?)
    }

    fn list(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let all = py.detach(|| overspill_embed::list(&self.overspill));
        values::encode(py, &all.map_err(error::store)?)
    }

    fn sweep(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let swept = py.detach(|| overspill_embed::sweep(&self.overspill));
        values::encode(py, &swept.map_err(error::store)?)
    }

    /// Whether results are envelopes, which are saved as JSON text.
    #[getter]
    fn _in_envelope(&self) -> bool {
        self.overspill.profile().envelope
    }

    fn __repr__(&self) -> String {
        format!("Overspill(profile={:?})", self.profile)
    }
}

/// Reads the options of a call. Most calls have only these three.
fn asked(
    tool: Option<String>,
    call_id: Option<String>,
    session: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<CallRequest> {
    let mut asked = match options {
        None => CallRequest::default(),
        Some(_) => {
            let json = Value::Object(options_json(options)?);
            CallRequest::from_json(&json).map_err(error::misuse)?
        }
    };
    asked.call.tool = tool.or(asked.call.tool);
    asked.call.id = call_id.or(asked.call.id);
    asked.call.session = session.or(asked.call.session);
    Ok(asked)
}

fn options_json(options: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    match options.map(|options| values::options(options.as_any())).transpose()? {
        Some(Value::Object(json)) => Ok(json),
        _ => Ok(Map::new()),
    }
}
