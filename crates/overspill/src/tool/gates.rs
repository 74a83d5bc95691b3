//! Decides which results are shortened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::rules::ResultRules;
use crate::profile::{Errors, ResultLayout};
use crate::{Call, Layer, Overspill};

/// The results that pass unchanged, and the rules for the others, in addition to the settings.
#[derive(Clone, Default)]
pub struct Gates {
    /// The tools whose results pass.
    pub skip: Vec<String>,
    /// Tools of the host whose results pass if their flag says that the output is already cut. By
    /// default some profiles trust no flag.
    pub trusted: Vec<String>,
    /// A function that decides for each result.
    pub predicate: Option<Arc<Predicate>>,
    /// The rules for structured content and media.
    pub rules: ResultRules,
}

/// A function that decides whether the result of a tool is shortened.
type Predicate = dyn Fn(&str, &Value) -> Verdict + Send + Sync;

/// The answer of a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The result passes.
    No,
    /// The result is shortened as usual.
    Yes,
    /// The result is shortened with these settings of the call.
    With(Layer),
}

/// The answer of the gates for one result.
pub(super) enum Gate {
    Open,
    With(Layer),
    Shut,
}

impl Overspill {
    pub(super) fn gate(
        &self,
        layout: &ResultLayout,
        fields: &Map<String, Value>,
        result: &Value,
        call: &Call,
        gates: &Gates,
    ) -> Gate {
        let tool = call.tool.as_deref().unwrap_or_default();
        let is_among = |tools: &[String]| tools.iter().any(|one| one == tool);
        let says_so = is_among(&gates.trusted) && layout.flag.get(fields).is_some();
        // A source system trusts the flag of a tool. Any tool can write a record like ours, so our
        // record alone is not proof.
        let is_handled = layout.record.is_none() && layout.handled.get(fields).is_some();
        if says_so || is_handled || is_among(&gates.skip) {
            return Gate::Shut;
        }
        let ask = |predicate: &Arc<Predicate>| {
            // If a predicate panics, the result is shortened as usual.
            catch_unwind(AssertUnwindSafe(|| predicate(tool, result))).unwrap_or(Verdict::Yes)
        };
        match gates.predicate.as_ref().map(ask) {
            Some(Verdict::No) => return Gate::Shut,
            Some(Verdict::With(settings)) => return Gate::With(settings),
            Some(Verdict::Yes) | None => {}
        }
        let passes = layout.is_error(fields) && self.profile.errors == Errors::Pass;
        if passes { Gate::Shut } else { Gate::Open }
    }
}
