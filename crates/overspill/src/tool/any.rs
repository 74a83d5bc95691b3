//! Shortens tool results of an unknown form.

use serde_json::Value;

use super::ShortenedResult;
use super::walk::{PartRoom, ResultRules, ResultWalk};
use crate::profile::PartKinds;
use crate::{Call, CallEnd, CallOptions, Outcome, Overspill};

/// Shortens a result of an unknown form, if it is too large.
///
/// The strings count like strings in a part of MCP. Each string keeps its place, because hosts drop
/// a result in another form than their own. If the rest of the JSON alone is too large, a preview
/// of the whole JSON replaces the result.
pub fn shorten_any(
    engine: &Overspill,
    result: &Value,
    call: &Call,
    rules: &ResultRules,
) -> ShortenedResult {
    let options = CallOptions::default();
    let redacted = engine.redact.value(result);
    let result = redacted.get().as_ref();
    // Secrets are masked also in a short result.
    let unchanged = || match redacted.count() {
        0 => ShortenedResult::Unchanged,
        _ => ShortenedResult::Changed(result.clone()),
    };
    let mut room = PartRoom::of(&engine.policy(call, &options).trigger);
    if PartKinds::Mcp.without_room(result, &mut room).is_some() {
        return match engine.process(result.to_string().as_bytes(), call) {
            Outcome::Spilled(spilled) => ShortenedResult::Changed(Value::String(spilled.text)),
            Outcome::Whole(_) | Outcome::Masked(_) => unchanged(),
        };
    }
    let end = CallEnd::default();
    let mut walk =
        ResultWalk::at_hand(engine, call, (options, end), rules, redacted.part(|_| ()), false);
    let mut places = Vec::new();
    PartKinds::Mcp.each(result, &mut |field, place, text| {
        if field.is_text(text.as_bytes()) {
            walk.next_text();
            walk.push(text.as_bytes());
            places.push(place.to_owned());
        }
    });
    let Some(shares) = walk.finish(None, false).texts else { return unchanged() };
    let mut result = result.clone();
    for (place, share) in places.iter().zip(shares) {
        if let Some(text) = result.pointer_mut(place) {
            *text = share.unwrap_or_default().into();
        }
    }
    ShortenedResult::Changed(result)
}
