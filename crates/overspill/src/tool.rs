//! Tool result in, tool result out.
//!
//! A result is a JSON object as the host has it; [`ResultLayout`] says where in it things stand. What we
//! do not understand stays as it is, where it is.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use overspill_core::LeftOut;
use serde_json::{Map, Value};

use crate::engine::Output;
use crate::parts;
use crate::profile::{Errors, ResultField, ResultLayout, Unmarked};
use crate::redact::Redacted;
use crate::store::OutputId;
use crate::{Call, CallEnd, CallOptions, Layer, Outcome, Overspill, Spilled};

/// What keeps a result from being bounded, beyond the settings.
#[derive(Clone, Default)]
pub struct Gates {
    /// Tools whose results pass.
    pub skip: Vec<String>,
    /// Tools of the host's own that are believed when they say that they have cut their output;
    /// for profiles that believe no flag otherwise.
    pub trusted: Vec<String>,
    /// Decides for each result.
    pub predicate: Option<Arc<Predicate>>,
}

/// Decides whether a tool's result is bounded.
pub type Predicate = dyn Fn(&str, &Value) -> Verdict + Send + Sync;

/// What a predicate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The result passes.
    No,
    /// It is bounded as usual.
    Yes,
    /// It is bounded with these settings of the call.
    With(Layer),
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Bounded {
    /// Nothing; the host keeps what it has.
    Unchanged,
    /// This one goes on in its place.
    Changed(Value),
}

impl Overspill {
    /// Bounds the result of a tool.
    ///
    /// The gates, in order: nothing to measure, handled already, on the skip list, the predicate, an
    /// error that passes, switched off. Whatever passes a gate is cut all the same beyond the
    /// ceiling.
    pub fn bound_result(
        &self,
        result: &Value,
        call: &Call,
        options: &CallOptions,
        gates: &Gates,
    ) -> Bounded {
        self.bound_result_ended(result, call, options, CallEnd::default(), gates)
    }

    /// Like [`Overspill::bound_result`], and the record of a saved output says how the call ended.
    pub fn bound_result_ended(
        &self,
        result: &Value,
        call: &Call,
        options: &CallOptions,
        end: CallEnd,
        gates: &Gates,
    ) -> Bounded {
        // A result that passes a gate is masked as well.
        let result = self.redact.value(result);
        match self.bound_redacted(&result, call, options, end, gates) {
            Bounded::Unchanged if result.count() > 0 => {
                Bounded::Changed(result.into_inner().into_owned())
            }
            bounded => bounded,
        }
    }

    fn bound_redacted(
        &self,
        redacted: &Redacted<Cow<Value>>,
        call: &Call,
        options: &CallOptions,
        end: CallEnd,
        gates: &Gates,
    ) -> Bounded {
        let result: &Value = redacted.get();
        let shape = &self.profile.shape;
        let fields = match result {
            Value::Object(fields) => fields,
            Value::String(text) => {
                let output = redacted.part(|_| Output::of(text.as_bytes()));
                return match self.bound(&output, call, options, end) {
                    Outcome::Whole(_) | Outcome::Masked(_) => Bounded::Unchanged,
                    Outcome::Spilled(spilled) => Bounded::Changed(Value::String(spilled.text)),
                };
            }
            _ => return Bounded::Unchanged,
        };
        let text = parts::text_of(fields.get(shape.text));
        if text.is_none() && shape.nothing == Unmarked::Unchanged {
            return Bounded::Unchanged;
        }
        let text = text.unwrap_or_default();
        let output = redacted.part(|_| Output::of(text.as_bytes()));
        let mut options = options.clone();
        let passes = match self.gate(fields, result, call, gates) {
            Gate::Open => false,
            Gate::With(settings) => {
                options.settings = settings;
                false
            }
            Gate::Shut => true,
        };
        let plan = self.plan(call, &options);
        let unmarked = passes || !plan.enabled && shape.disabled == Unmarked::Unchanged;
        let outcome = if unmarked {
            if self.is_below_ceiling(text.as_bytes()) {
                return Bounded::Unchanged;
            }
            self.pass(&output, call, &options, end)
        } else {
            self.bound_by(plan, &output, call, end)
        };
        let mut fields = fields.clone();
        match outcome {
            Outcome::Whole(_) | Outcome::Masked(_) => shape.mark_whole(&mut fields),
            Outcome::Spilled(spilled) => shape.mark_spilled(&mut fields, &spilled),
        }
        Bounded::Changed(Value::Object(fields))
    }

    fn gate(
        &self,
        fields: &Map<String, Value>,
        result: &Value,
        call: &Call,
        gates: &Gates,
    ) -> Gate {
        let tool = call.tool.as_deref().unwrap_or_default();
        let is_among = |tools: &[String]| tools.iter().any(|one| one == tool);
        let shape = &self.profile.shape;
        let says_so = is_among(&gates.trusted) && shape.flag.get(fields).is_some();
        if says_so || self.is_handled(fields) || is_among(&gates.skip) {
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
        let is_error = shape.error.is_some_and(|key| fields.get(key) == Some(&Value::Bool(true)));
        if is_error && self.profile.errors == Errors::Pass { Gate::Shut } else { Gate::Open }
    }

    /// Tells whether a result was cut before: by a tool that says so, where the profile believes
    /// it; or by us, which our store must confirm.
    fn is_handled(&self, fields: &Map<String, Value>) -> bool {
        let shape = &self.profile.shape;
        match (shape.handled.get(fields), shape.record) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(record), Some(_)) => {
                let stored = record.get("id").and_then(Value::as_str).and_then(OutputId::parse);
                let unsaved = record.get("saveError").is_some_and(Value::is_string);
                stored.map_or(unsaved, |name| self.store.entry(&name).is_ok())
            }
        }
    }
}

impl ResultField {
    /// Returns what stands there.
    fn get(self, fields: &Map<String, Value>) -> Option<&Value> {
        match self {
            ResultField::Top(key) => fields.get(key),
            ResultField::Metadata(key) => fields.get("metadata")?.as_object()?.get(key),
            ResultField::Nowhere => None,
        }
    }
}

enum Gate {
    Open,
    With(Layer),
    Shut,
}

impl ResultLayout {
    /// Returns the text of a tool result, or `None` if it has no text.
    ///
    /// The result is an object with this layout, a list of parts, or a string. Line feeds join the
    /// text parts of a list.
    pub fn text_of(&self, result: &Value) -> Option<String> {
        match result {
            Value::Object(fields) => parts::text_of(fields.get(self.text)),
            content => parts::text_of(Some(content)),
        }
    }

    fn mark_whole(&self, fields: &mut Map<String, Value>) {
        set(fields, self.flag, Some(Value::Bool(false)));
    }

    fn mark_spilled(&self, fields: &mut Map<String, Value>, spilled: &Spilled) {
        if let Some(content) = fields.get_mut(self.text) {
            *content = parts::replaced(content, spilled);
        }
        set(fields, self.flag, Some(Value::Bool(true)));
        set(fields, self.path, spilled.path().map(Value::from));
        if let Some((lines, bytes)) = self.left_out {
            let (in_lines, in_bytes) = match spilled.left_out {
                LeftOut::Lines(n) => (Some(Value::from(n)), None),
                LeftOut::Bytes(n) => (None, Some(Value::from(n))),
                LeftOut::Chars(_) => (None, None),
            };
            set(fields, lines, in_lines);
            set(fields, bytes, in_bytes);
        }
        if let Some(record) = self.record {
            set(fields, record, Some(own_record(spilled)));
        }
        if let Some(display) = self.display {
            self.replace_display(fields, display);
        }
    }

    /// What a person is shown stays if it is short or not text; otherwise it is what the model gets.
    fn replace_display(&self, fields: &mut Map<String, Value>, display: &str) {
        const SHORT: usize = 5000;
        let stays = match fields.get(display) {
            Some(Value::String(text)) => text.len() <= SHORT,
            Some(Value::Object(_)) => true,
            _ => false,
        };
        if !stays && let Some(text) = parts::text_of(fields.get(self.text)) {
            fields.insert(display.to_owned(), Value::String(text));
        }
    }
}

/// Returns the record by which we know our own work again.
fn own_record(spilled: &Spilled) -> Value {
    let mut record = serde_json::json!({
        "id": spilled.saved.as_ref().ok().map(|saved| saved.name.to_string()),
        "bytes": spilled.total.bytes,
        "lines": spilled.total.lines,
        "shownBytes": spilled.shown.bytes,
        "shownLines": spilled.shown.lines,
        "saveError": spilled.saved.as_ref().err().map(ToString::to_string),
    });
    if spilled.masked > 0 {
        record["masked"] = spilled.masked.into();
    }
    record
}

/// Sets a value in its slot, or removes it.
fn set(fields: &mut Map<String, Value>, slot: ResultField, value: Option<Value>) {
    let (fields, key) = match slot {
        ResultField::Nowhere => return,
        ResultField::Top(key) => (fields, key),
        ResultField::Metadata(key) => {
            let metadata = fields.entry("metadata").or_insert(Value::Null);
            if metadata.is_null() {
                *metadata = Value::Object(Map::new());
            }
            // Metadata that is something else is not ours to throw away.
            let Value::Object(metadata) = metadata else { return };
            (metadata, key)
        }
    };
    match value {
        Some(value) => drop(fields.insert(key.to_owned(), value)),
        None => drop(fields.shift_remove(key)),
    }
}
