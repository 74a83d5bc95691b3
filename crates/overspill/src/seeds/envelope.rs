//! The common JSON response of tools: `status`, `data`, `text`, `stats`, `context`, `error`.
//!
//! ```
//! use overspill::store::Memory;
//! use overspill::internal::seeds::envelope;
//! use overspill::{Call, CallOptions, Overspill, Profile};
//!
//! let overspill = Overspill::new(Profile::UNIFIED, Memory::default());
//! let response = format!(r#"{{"status":"success","text":"{}"}}"#, "line\\n".repeat(5000));
//! let answer = envelope::respond(&overspill, &response, &Call::new("Read"), &CallOptions::default());
//! assert!(answer.starts_with(r#"{"status":"partial","data":{"truncated":true,"#));
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

use overspill_core::Limits;
use serde_json::Value;
use serde_json::value::RawValue;

use super::words::LONGEST_MARK;
use crate::engine::Output;
use crate::redact::Redacted;
use crate::{Call, CallEnd, CallOptions, Masked, Outcome, Overspill, Spilled};

/// Shortens a response. A short response is unchanged. A long response becomes a response that
/// names the missing part.
pub fn respond<'a>(
    overspill: &Overspill,
    response: &'a str,
    call: &Call,
    options: &CallOptions,
) -> Cow<'a, str> {
    respond_ended(overspill, response, call, options, CallEnd::default())
}

/// Like [`respond`], and records how the call ended.
pub fn respond_ended<'a>(
    overspill: &Overspill,
    response: &'a str,
    call: &Call,
    options: &CallOptions,
    end: CallEnd,
) -> Cow<'a, str> {
    answer(overspill, response, call, options, end).text
}

/// Like [`respond_ended`], but returns an outcome whose text is the response.
pub fn process_ended<'a>(
    overspill: &Overspill,
    response: &'a str,
    call: &Call,
    options: &CallOptions,
    end: CallEnd,
) -> Outcome<'a> {
    let Answer { text, spilled, masked } = answer(overspill, response, call, options, end);
    let whole = |text: Cow<'a, str>| match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    match spilled {
        Some(spilled) => {
            Outcome::Spilled(Box::new(Spilled { text: text.into_owned(), ..*spilled }))
        }
        None if masked > 0 => {
            Outcome::Masked(Masked { bytes: text.into_owned().into_bytes(), count: masked })
        }
        None => Outcome::Whole(whole(text)),
    }
}

/// A response, with the facts about shortening it.
struct Answer<'a> {
    text: Cow<'a, str>,
    /// The preview, if the response was too large.
    spilled: Option<Box<Spilled>>,
    /// The number of masked secrets.
    masked: u64,
}

fn answer<'a>(
    overspill: &Overspill,
    response: &'a str,
    call: &Call,
    options: &CallOptions,
    end: CallEnd,
) -> Answer<'a> {
    // Secrets are masked also in a response with `truncation_skip`.
    let redacted = overspill.redact.json(response);
    match redacted.get() {
        Cow::Borrowed(text) => answered(overspill, &redacted.part(|_| *text), call, options, end),
        Cow::Owned(text) => {
            let answer = answered(overspill, &redacted.part(|_| text.as_str()), call, options, end);
            Answer { text: Cow::Owned(answer.text.into_owned()), ..answer }
        }
    }
}

fn answered<'a>(
    overspill: &Overspill,
    redacted: &Redacted<&'a str>,
    call: &Call,
    options: &CallOptions,
    end: CallEnd,
) -> Answer<'a> {
    let response: &'a str = redacted.get();
    let decoded = Decoded::of(response);
    let measured = match decoded {
        Decoded::Text => Cow::Borrowed(response),
        Decoded::Json(_) => breaks_undone(response),
    };
    let fields = decoded.fields();
    let passes = skips(&fields) || is_ours(&fields, overspill);
    let whole = Answer { text: Cow::Borrowed(response), spilled: None, masked: redacted.count() };
    let plan = overspill.plan(call, options);
    if passes && plan.is_below_ceiling(measured.as_bytes()) {
        return whole;
    }
    let output =
        redacted.part(|_| Output { measured: measured.as_bytes(), stored: response.as_bytes() });
    let (limits, ceiling) = (plan.policy.limits, plan.ceiling);
    match overspill.shorten_by(plan, &output, call, end) {
        Outcome::Whole(_) | Outcome::Masked(_) => whole,
        Outcome::Spilled(spilled) => {
            let mut text = encode(&fields, &spilled, &limits);
            if text.len() as u64 > ceiling.bytes.unwrap_or(u64::MAX) {
                // The other fields are too large themselves, so they are left out. The saved output
                // has them.
                let status = fields.into_iter().filter(|(key, _)| key == "status").collect();
                text = encode(&status, &spilled, &limits);
            }
            Answer { text: Cow::Owned(text), spilled: Some(spilled), ..whole }
        }
    }
}

/// The fields of a response, each as JSON text. Only few values are parsed, so deep nesting,
/// large numbers and odd strings in the others do no harm.
type Fields = BTreeMap<String, Box<RawValue>>;

enum Decoded {
    /// JSON, with its fields if it is an object.
    Json(Fields),
    /// Text that is not JSON.
    Text,
}

impl Decoded {
    fn of(response: &str) -> Decoded {
        if let Ok(fields) = serde_json::from_str::<Fields>(response) {
            return Decoded::Json(fields);
        }
        match serde_json::from_str::<&RawValue>(response) {
            Ok(_) => Decoded::Json(Fields::new()),
            Err(_) => Decoded::Text,
        }
    }

    fn fields(self) -> Fields {
        match self {
            Decoded::Json(fields) => fields,
            Decoded::Text => Fields::new(),
        }
    }
}

/// Tells whether a response must not be shortened: its `truncation_skip` is `true`.
fn skips(fields: &Fields) -> bool {
    let context =
        fields.get("context").and_then(|raw| serde_json::from_str::<Fields>(raw.get()).ok());
    let skip = context.as_ref().and_then(|context| context.get("truncation_skip"));
    skip.is_some_and(|raw| raw.get() == "true")
}

/// Tells whether this library has shortened a response already. Such a response has our record, and
/// either the store has the output in the record, or the preview has the length in the record.
fn is_ours(fields: &Fields, overspill: &Overspill) -> bool {
    let ours = || {
        let data: Value = serde_json::from_str(fields.get("data")?.get()).ok()?;
        let truncation = data.get("truncation")?.as_object()?;
        let keys = ["direction", "original_lines", "original_bytes", "kept_lines", "kept_bytes"];
        if !keys.iter().all(|key| truncation.contains_key(*key)) {
            return None;
        }
        let stored = || {
            let path = truncation.get("full_output_path")?.as_str()?;
            let file = path.rsplit(['/', '\\', ':']).next()?;
            let name = overspill.profile.names.name_of(file)?;
            overspill.store.entry(&name).ok()
        };
        let preview = data.get("preview")?.as_str()?.len() as u64;
        let kept = truncation.get("kept_bytes")?.as_u64()?;
        let most = truncation.get("max_bytes")?.as_u64()?;
        let unsaved = !truncation.contains_key("full_output_path");
        // The mark between two ends is not part of the output.
        let marks = match truncation.get("direction")?.as_str()? {
            "ends" => LONGEST_MARK as u64,
            _ => 0,
        };
        let is_kept = (kept..=kept.saturating_add(marks)).contains(&preview) && kept <= most;
        Some(stored().is_some() || unsaved && is_kept)
    };
    ours().unwrap_or(false)
}

/// Replaces every `\n` escape in JSON by a line feed, so that lines can be counted.
fn breaks_undone(json: &str) -> Cow<'_, str> {
    if !json.contains("\\n") {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    let mut chars = json.chars();
    while let Some(char) = chars.next() {
        match (char, char == '\\') {
            (_, false) => text.push(char),
            // In `\\n` the first backslash escapes the second one.
            (_, true) => match chars.next() {
                Some('n') => text.push('\n'),
                next => {
                    text.push(char);
                    text.extend(next);
                }
            },
        }
    }
    Cow::Owned(text)
}

fn encode(response: &Fields, spilled: &Spilled, limits: &Limits) -> String {
    let status = response.get("status").and_then(|raw| serde_json::from_str(raw.get()).ok());
    let failed = status == Some(Value::from("error"));
    let mut truncation = serde_json::json!({
        "direction": spilled.direction().name(),
        "max_lines": limits.lines,
        "max_bytes": limits.bytes,
        "original_lines": spilled.total.lines,
        "original_bytes": spilled.total.bytes,
        "kept_lines": if spilled.preview.is_empty() { 0 } else { spilled.shown.lines },
        "kept_bytes": spilled.shown.bytes,
    });
    if let Some(path) = spilled.path() {
        truncation["full_output_path"] = Value::from(path);
    }
    let data = serde_json::json!({
        "truncated": true,
        "truncation": truncation,
        "preview": spilled.preview,
    });
    let carried = |key: &str| response.get(key).map(|raw| compact(raw.get()));
    let or_empty = |key: &str| carried(key).filter(|json| json != "null").unwrap_or("{}".into());
    let is_empty = |json: &String| ["null", "\"\"", "[]", "{}"].contains(&json.as_str());
    let error = carried("error").filter(|json| failed && !is_empty(json));
    let error = error.map_or(String::new(), |json| format!(",\"error\":{json}"));
    let status = if failed { "error" } else { "partial" };
    let (text, stats, context) =
        (Value::from(&*spilled.notice), or_empty("stats"), or_empty("context"));
    format!(
        "{{\"status\":\"{status}\",\"data\":{data},\"text\":{text},\"stats\":{stats},\"context\":{context}{error}}}"
    )
}

/// Removes white space and needless escapes from JSON. Numbers keep their spelling.
fn compact(json: &str) -> String {
    // A `Value` cannot represent very deep nesting or half of a surrogate pair.
    match serde_json::from_str::<Value>(json) {
        Ok(value) if !json.contains("$serde_json::private") => value.to_string(),
        _ => without_blanks(json),
    }
}

fn without_blanks(json: &str) -> String {
    let (mut text, mut in_string, mut escaped) = (String::with_capacity(json.len()), false, false);
    for char in json.chars() {
        if in_string || !matches!(char, ' ' | '\t' | '\n' | '\r') {
            text.push(char);
        }
        in_string ^= char == '"' && !escaped;
        escaped = in_string && char == '\\' && !escaped;
    }
    text
}
