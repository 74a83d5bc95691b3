//! Tool result in, tool result out.
//!
//! A result is a JSON object as the host has it; [`Shape`] says where in it things stand. What we
//! do not understand stays as it is, where it is.

use std::sync::Arc;

use overspill_core::LeftOut;
use serde_json::{Map, Value};

use crate::parts;
use crate::profile::{Errors, Shape, Slot, Unmarked};
use crate::{Call, Layer, Options, Outcome, Overspill, Spilled};

/// What keeps a result from being bounded, beyond the settings.
#[derive(Clone, Default)]
pub struct Gates {
    /// Tools whose results pass.
    pub skip: Vec<String>,
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
    /// The gates, in order: nothing to measure, switched off, handled already, on the skip list,
    /// the predicate, an error that passes. Whatever passes a gate is cut all the same beyond the
    /// ceiling.
    pub fn bound_result(
        &self,
        result: &Value,
        call: &Call,
        options: &Options,
        gates: &Gates,
    ) -> Bounded {
        let shape = &self.profile.shape;
        let Some(fields) = result.as_object() else { return Bounded::Unchanged };
        let text = parts::text_of(fields.get(shape.text));
        if text.is_none() && shape.nothing == Unmarked::Unchanged {
            return Bounded::Unchanged;
        }
        let text = text.unwrap_or_default();
        let mut options = options.clone();
        let passes = match self.gate(fields, result, call, gates) {
            Gate::Open => false,
            Gate::With(settings) => {
                options.settings = settings;
                false
            }
            Gate::Shut => true,
        };
        let enabled = self.plan(call, &options).enabled;
        let unmarked = passes || !enabled && shape.disabled == Unmarked::Unchanged;
        let outcome = if unmarked {
            if self.is_below_ceiling(text.as_bytes()) {
                return Bounded::Unchanged;
            }
            self.pass(text.as_bytes(), call, &options)
        } else {
            self.process_with(text.as_bytes(), call, &options)
        };
        let mut fields = fields.clone();
        match outcome {
            Outcome::Whole(_) => shape.mark_whole(&mut fields),
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
        let shape = &self.profile.shape;
        if shape.is_handled(fields) || gates.skip.iter().any(|skipped| skipped == tool) {
            return Gate::Shut;
        }
        match gates.predicate.as_ref().map(|predicate| predicate(tool, result)) {
            Some(Verdict::No) => return Gate::Shut,
            Some(Verdict::With(settings)) => return Gate::With(settings),
            Some(Verdict::Yes) | None => {}
        }
        let is_error = shape.error.is_some_and(|key| fields.get(key) == Some(&Value::Bool(true)));
        if is_error && self.profile.errors == Errors::Pass { Gate::Shut } else { Gate::Open }
    }
}

enum Gate {
    Open,
    With(Layer),
    Shut,
}

impl Shape {
    /// Tells whether a result was cut before: by us, or by a tool that says so.
    fn is_handled(&self, fields: &Map<String, Value>) -> bool {
        match self.handled {
            Slot::Top(key) => fields.contains_key(key),
            Slot::Metadata(key) => {
                let metadata = fields.get("metadata").and_then(Value::as_object);
                metadata.is_some_and(|metadata| metadata.contains_key(key))
            }
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
            let (slot, n) = match spilled.left_out {
                LeftOut::Lines(n) => (lines, n),
                LeftOut::Bytes(n) => (bytes, n),
            };
            set(fields, slot, Some(Value::from(n)));
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
    serde_json::json!({
        "id": spilled.saved.as_ref().ok().map(|saved| saved.name.to_string()),
        "bytes": spilled.total.bytes,
        "lines": spilled.total.lines,
        "shownBytes": spilled.shown.bytes,
        "shownLines": spilled.shown.lines,
        "saveError": spilled.saved.as_ref().err().map(ToString::to_string),
    })
}

/// Sets a value in its slot, or removes it.
fn set(fields: &mut Map<String, Value>, slot: Slot, value: Option<Value>) {
    let (fields, key) = match slot {
        Slot::Top(key) => (fields, key),
        Slot::Metadata(key) => {
            let metadata = fields.entry("metadata").or_insert(Value::Null);
            if !metadata.is_object() {
                *metadata = Value::Object(Map::new());
            }
            let Value::Object(metadata) = metadata else { return };
            (metadata, key)
        }
    };
    match value {
        Some(value) => drop(fields.insert(key.to_owned(), value)),
        None => drop(fields.shift_remove(key)),
    }
}
