//! Answers that JavaScript gave in advance.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overspill::Overspill;
use overspill::tool::{Gates, Verdict};
use overspill_embed::{CallRequest, Misuse, PrecomputedChoice, PrecomputedStore, choice};
use serde_json::Value;

use crate::report::{failed, misuse};

/// Answers of a strategy (`choice`, `choiceError`), a predicate (`verdict`) and a store (`saved`,
/// `saveError`, `entries`; `store` tells that the engine has such a store).
#[derive(Debug, Default, Clone)]
pub(crate) struct PrecomputedAnswers(Value);

impl PrecomputedAnswers {
    pub(crate) fn parse(json: Option<&str>) -> napi::Result<PrecomputedAnswers> {
        let parse = |json| serde_json::from_str(json).map_err(|error| failed("Misuse", error));
        json.map(parse).transpose().map(|given| PrecomputedAnswers(given.unwrap_or_default()))
    }

    /// Returns an engine with these answers. Also returns the store, if it has no answer yet for
    /// saving an output.
    pub(crate) fn told(
        &self,
        overspill: &Overspill,
        output: &[u8],
        asked: &CallRequest,
    ) -> napi::Result<(Overspill, Option<Arc<PrecomputedStore>>)> {
        let mut told = overspill.to_builder();
        if let Some(error) = self.0.get("choiceError").and_then(Value::as_str) {
            told = told.strategy(PrecomputedChoice(Err(error.to_owned())));
        } else if let Some(answer) = self.0.get("choice") {
            let policy = overspill.policy(&asked.call, &asked.options);
            told = told.strategy(PrecomputedChoice(choice(answer, output, &policy)));
        }
        if self.0.get("store").is_none() {
            return Ok((told.build(), None));
        }
        let store = Arc::new(self.store(Vec::new())?);
        told = told.shared_store(store.clone());
        let knows = self.0.get("saved").is_some() || self.0.get("saveError").is_some();
        Ok((told.build(), Some(store).filter(|_| !knows)))
    }

    /// Returns the store with its answers and the bytes that it returned.
    pub(crate) fn store(&self, bytes: Vec<u8>) -> napi::Result<PrecomputedStore> {
        PrecomputedStore::of(&self.0, bytes).map_err(|error| failed("StoreError", error))
    }

    /// Tells whether no answers were given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the gates with the predicate's answer.
    pub(crate) fn gates(&self, gates: &Gates) -> napi::Result<Gates> {
        let verdict = match self.0.get("verdict") {
            None | Some(Value::Null) => return Ok(gates.clone()),
            Some(Value::Bool(false)) => Verdict::No,
            Some(Value::Bool(true)) => Verdict::Yes,
            Some(options @ Value::Object(_)) => {
                Verdict::With(CallRequest::from_json(options).map_err(misuse)?.options.settings)
            }
            Some(other) => {
                let message = format!("shouldSpill: {other} is not true, false or options");
                return Err(misuse(Misuse(message)));
            }
        };
        let predicate = move |_: &str, _: &Value| verdict.clone();
        Ok(Gates { predicate: Some(Arc::new(predicate)), ..gates.clone() })
    }
}

/// Tells whether a result passes the gates before the predicate. This saves no output and reports
/// no event.
pub(crate) fn asks_predicate(
    overspill: &Overspill,
    gates: &Gates,
    result: &Value,
    asked: &CallRequest,
) -> bool {
    let is_asked = Arc::new(AtomicBool::new(false));
    let seen = is_asked.clone();
    let predicate = move |_: &str, _: &Value| {
        seen.store(true, Ordering::Relaxed);
        Verdict::No
    };
    let gates = Gates { predicate: Some(Arc::new(predicate)), ..gates.clone() };
    let trial =
        overspill.to_builder().shared_store(Arc::new(PrecomputedStore::default())).no_observer();
    overspill_embed::apply(&trial.build(), result, asked, &gates);
    is_asked.load(Ordering::Relaxed)
}
