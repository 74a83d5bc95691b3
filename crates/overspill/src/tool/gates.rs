//! Which results are shortened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::rules::ResultRules;
use crate::profile::{Errors, ResultLayout};
use crate::{Call, Layer, Overspill};

/// Which results pass without being shortened, and the rules for the others; beyond the settings.
#[derive(Clone, Default)]
pub struct Gates {
    /// Tools whose results pass.
    pub skip: Vec<String>,
    /// Tools of the host that are believed when they say that their output is cut already. This is for
    /// profiles that believe no flag otherwise.
    pub trusted: Vec<String>,
    /// Decides for each result.
    pub predicate: Option<Arc<Predicate>>,
    /// The rules for structured content and media.
    pub rules: ResultRules,
}

/// Decides whether the result of a tool is shortened.
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
        // A source system believes a tool that says so. Any tool can write a record like ours, so it is no
        // proof.
        let is_handled = layout.record.is_none() && layout.handled.get(fields).is_some();
        if says_so || is_handled || is_among(&gates.skip) {
            return Gate::Shut;
        }
        let ask = |predicate: &Arc<Predicate>| {
            // A predicate that fails has not said no.
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
