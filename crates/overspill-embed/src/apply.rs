//! Shortens any value that a tool returns, as JSON.

use overspill::Overspill;
use overspill::internal::seeds::envelope;
use overspill::tool::{Gates, ShortenedResult};
use serde_json::{Value, json};

use crate::CallRequest;

/// Shortens the return value of a tool: a text, a list of parts with text among them, an object
/// with the layout of the profile, or for `unified` the envelope, as text or as an object.
pub fn apply(
    overspill: &Overspill,
    result: &Value,
    asked: &CallRequest,
    gates: &Gates,
) -> ShortenedResult {
    let &CallRequest { ref call, ref options, end } = asked;
    let in_envelope = overspill.profile().envelope;
    match result {
        Value::String(text) if in_envelope => {
            match envelope::respond_ended(overspill, text, call, options, end) {
                answer if answer == text.as_str() => ShortenedResult::Unchanged,
                answer => ShortenedResult::Changed(Value::String(answer.into_owned())),
            }
        }
        Value::Object(_) if in_envelope => {
            let text = result.to_string();
            match envelope::respond_ended(overspill, &text, call, options, end) {
                answer if answer == text.as_str() => ShortenedResult::Unchanged,
                answer => serde_json::from_str(&answer)
                    .map_or(ShortenedResult::Unchanged, ShortenedResult::Changed),
            }
        }
        Value::Array(parts) => {
            let key = overspill.profile().shape.text;
            let result = json!({ key: parts });
            match overspill.shorten_result_ended(&result, call, options, end, gates) {
                ShortenedResult::Changed(Value::Object(mut fields)) => {
                    match fields.shift_remove(key) {
                        Some(shortened) if shortened != result[key] => {
                            ShortenedResult::Changed(shortened)
                        }
                        _ => ShortenedResult::Unchanged,
                    }
                }
                _ => ShortenedResult::Unchanged,
            }
        }
        _ => overspill.shorten_result_ended(result, call, options, end, gates),
    }
}

/// Returns the text of a tool's return value, as it would be saved.
pub fn text(overspill: &Overspill, result: &Value) -> Option<String> {
    let masked = overspill.redaction().rules().map(|rules| {
        let mut masked = result.clone();
        rules.value(&mut masked);
        masked
    });
    match masked.as_ref().unwrap_or(result) {
        Value::String(text) => Some(text.clone()),
        envelope @ Value::Object(_) if overspill.profile().envelope => Some(envelope.to_string()),
        other => overspill.profile().shape.text_of(other),
    }
}
