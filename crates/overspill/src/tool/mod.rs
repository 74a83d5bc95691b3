//! Shortens tool results.
//!
//! A result is a JSON value in the form of the host. `ResultLayout` (in `profile/`) names the place
//! of its text, and `walk.rs` has one rule for each kind of content. All other parts stay
//! unchanged.

pub(crate) mod any;
mod gates;
pub(crate) mod media;
pub(crate) mod multi_text;
mod parts;
#[cfg(feature = "registry")]
pub mod registry;
mod result;
mod rules;
mod same;
pub(crate) mod schema;
mod shrink;
pub(crate) mod walk;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub use self::gates::{Gates, Verdict};

use self::gates::Gate;
use self::result::Contents;
use self::walk::{PartRoom, ResultWalk, StructuredChange, StructuredJson};
use crate::engine::Output;
use crate::profile::Unmarked;
use crate::redact::Redacted;
use crate::{Call, CallEnd, CallOptions, Layer, Outcome, Overspill};

/// The result of shortening a tool result.
#[derive(Debug, Clone, PartialEq)]
pub enum ShortenedResult {
    /// The result is short, or passes a gate. The host keeps it.
    Unchanged,
    /// The host uses this result instead.
    Changed(Value),
}

impl Overspill {
    /// Shortens the result of a tool, if it is too large.
    ///
    /// The result is a string, an object with the layout of the profile, or, with our own profile,
    /// a result of MCP: `content`, `structuredContent` and `isError`.
    ///
    /// The gates, in order: no text, handled already, on the skip list, the predicate, an error
    /// that passes, switched off. A result that passes a gate is still cut if it is over the
    /// ceiling.
    pub fn shorten_result(
        &self,
        result: &Value,
        call: &Call,
        options: &CallOptions,
        gates: &Gates,
    ) -> ShortenedResult {
        self.shorten_result_ended(result, call, options, CallEnd::default(), gates)
    }

    /// Like [`Overspill::shorten_result`], and records how the call ended.
    pub fn shorten_result_ended(
        &self,
        result: &Value,
        call: &Call,
        options: &CallOptions,
        end: CallEnd,
        gates: &Gates,
    ) -> ShortenedResult {
        // Secrets are masked also in a result that passes a gate.
        let result = self.redact.value(result);
        match self.shorten_redacted(&result, call, (options, end), gates) {
            ShortenedResult::Unchanged if result.count() > 0 => {
                ShortenedResult::Changed(result.into_inner().into_owned())
            }
            shortened => shortened,
        }
    }

    fn shorten_redacted(
        &self,
        redacted: &Redacted<Cow<Value>>,
        call: &Call,
        (options, end): (&CallOptions, CallEnd),
        gates: &Gates,
    ) -> ShortenedResult {
        match redacted.get().as_ref() {
            Value::Object(fields) => {
                self.shorten_object(redacted, fields, call, (options, end), gates)
            }
            Value::String(text) => {
                let output = redacted.part(|_| Output::of(text.as_bytes()));
                match self.shorten(&output, call, options, end) {
                    Outcome::Whole(_) | Outcome::Masked(_) => ShortenedResult::Unchanged,
                    Outcome::Spilled(spilled) => {
                        ShortenedResult::Changed(Value::String(spilled.text))
                    }
                }
            }
            _ => ShortenedResult::Unchanged,
        }
    }

    fn shorten_object(
        &self,
        redacted: &Redacted<Cow<Value>>,
        fields: &Map<String, Value>,
        call: &Call,
        (options, end): (&CallOptions, CallEnd),
        gates: &Gates,
    ) -> ShortenedResult {
        let layout = self.profile.shape.of(fields);
        let listed = layout.listed(fields);
        let fields = &*listed;
        let room = |options: &CallOptions| PartRoom::of(&self.policy(call, options).trigger);
        let mut contents = layout.contents(fields, &gates.rules, room(options));
        if contents.is_empty() && layout.nothing == Unmarked::Unchanged {
            return ShortenedResult::Unchanged;
        }
        let mut options = options.clone();
        let passes = match self.gate(&layout, fields, redacted.get(), call, gates) {
            Gate::Open => false,
            Gate::With(settings) => {
                options.settings = settings;
                contents = layout.contents(fields, &gates.rules, room(&options));
                false
            }
            Gate::Shut => true,
        };
        // A result that we shortened before is not shortened again. The record alone is not proof:
        // the result must also be within the limits.
        let is_ours = layout.record.is_some() && layout.handled.get(fields).is_some();
        if is_ours && contents.media.is_empty() {
            let policy = self.policy(call, &options);
            if policy.fired_by(contents.joined().as_bytes()).is_none() {
                return ShortenedResult::Unchanged;
            }
        }
        let plan = self.plan(call, &options);
        if passes || layout.disabled == Unmarked::Unchanged && !plan.enabled {
            let has_media = !passes && !contents.media.is_empty();
            if !has_media && plan.is_below_ceiling(contents.joined().as_bytes()) {
                return ShortenedResult::Unchanged;
            }
            options.settings =
                Layer { ceiling: options.settings.ceiling, ..Layer::new().enabled(false) };
        }
        let compares = contents.structured.is_some();
        let redacted = redacted.part(|_| ());
        let mut walk =
            ResultWalk::at_hand(self, call, (options, end), &gates.rules, redacted, compares);
        for text in &contents.texts {
            walk.next_text();
            walk.push(text.as_bytes());
        }
        let media = if passes { Vec::new() } else { contents.saved_media(&walk) };
        let Contents { texts, structured, as_text, .. } = &mut contents;
        let is_halved = layout.halves_errors() && layout.is_error(fields);
        let structured = structured.as_mut().map(|json| json as &mut dyn StructuredJson);
        let change = walk.finish(structured, is_halved);
        let is_same = change.texts.is_none()
            && change.structured == StructuredChange::Stays
            && media.is_empty();
        if is_same && (texts.is_empty() && layout.nothing == Unmarked::Unchanged || !layout.marks())
        {
            return ShortenedResult::Unchanged;
        }
        ShortenedResult::Changed(Value::Object(layout.changed(fields, change, &media, as_text)))
    }
}
