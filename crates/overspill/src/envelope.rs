//! The common JSON response of tools: `status`, `data`, `text`, `stats`, `context`, `error`.
//!
//! ```
//! use overspill::store::Memory;
//! use overspill::{Call, Options, Overspill, Profile, envelope};
//!
//! let overspill = Overspill::new(Profile::UNIFIED, Memory::default());
//! let response = format!(r#"{{"status":"success","text":"{}"}}"#, "line\\n".repeat(5000));
//! let answer = envelope::respond(&overspill, &response, &Call::of("Read"), &Options::default());
//! assert!(answer.starts_with(r#"{"status":"partial","data":{"truncated":true,"#));
//! ```

use std::borrow::Cow;

use overspill_core::Keep;
use serde_json::{Map, Value};

use crate::settings::Warning;
use crate::{Call, Layer, Most, Options, Outcome, Overspill, Spilled};

/// Bounds a response: what fits comes back byte for byte, anything else as a response that says
/// what is missing.
pub fn respond<'a>(
    overspill: &Overspill,
    response: &'a str,
    call: &Call,
    options: &Options,
) -> Cow<'a, str> {
    let parsed: Option<Value> = serde_json::from_str(response).ok();
    let passes = skips(parsed.as_ref()) || is_ours(parsed.as_ref(), overspill);
    if passes && overspill.is_below_ceiling(response.as_bytes()) {
        return Cow::Borrowed(response);
    }
    let measured = match parsed {
        Some(_) => breaks_undone(response),
        None => Cow::Borrowed(response),
    };
    let outcome = overspill.bound(measured.as_bytes(), response.as_bytes(), call, options);
    match outcome {
        Outcome::Whole(_) => Cow::Borrowed(response),
        Outcome::Spilled(spilled) => {
            let policy = overspill.plan(call, options).policy;
            let fields = match parsed {
                Some(Value::Object(fields)) => fields,
                _ => Map::new(),
            };
            let limits = (policy.limits.lines, policy.limits.bytes);
            Cow::Owned(encode(&fields, &spilled, limits).to_string())
        }
    }
}

/// Tells whether a response asks to be left alone. Only `true` does.
fn skips(response: Option<&Value>) -> bool {
    let skip = |response: &Value| response.get("context")?.get("truncation_skip").cloned();
    response.and_then(skip) == Some(Value::Bool(true))
}

/// Tells whether a response is an answer of ours already: it has our record, and the output that
/// the record speaks of is there.
fn is_ours(response: Option<&Value>, overspill: &Overspill) -> bool {
    let ours = |response: &Value| {
        let truncation = response.get("data")?.get("truncation")?.as_object()?;
        let keys = ["direction", "original_lines", "original_bytes", "kept_lines", "kept_bytes"];
        let complete = keys.iter().all(|key| truncation.contains_key(*key));
        let path = truncation.get("full_output_path")?.as_str()?;
        let file = path.rsplit(['/', '\\', ':']).next()?;
        let name = overspill.profile.names.name_of(file)?;
        Some(complete && overspill.store.entry(&name).is_ok())
    };
    response.and_then(ours).unwrap_or(false)
}

/// Returns JSON text in which every `\n` escape is a line feed, so that lines can be counted.
fn breaks_undone(json: &str) -> Cow<'_, str> {
    if !json.contains("\\n") {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    let mut chars = json.chars();
    while let Some(char) = chars.next() {
        match (char, char == '\\') {
            (_, false) => text.push(char),
            // Escapes go in pairs: in `\\n` it is the backslash that is escaped.
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

fn encode(
    response: &Map<String, Value>,
    spilled: &Spilled,
    limits: (Option<u64>, Option<u64>),
) -> Value {
    let failed = response.get("status") == Some(&Value::from("error"));
    let direction = if spilled.keep == Keep::Tail { "tail" } else { "head" };
    let mut truncation = serde_json::json!({
        "direction": direction,
        "max_lines": limits.0,
        "max_bytes": limits.1,
        "original_lines": spilled.total.lines,
        "original_bytes": spilled.total.bytes,
        "kept_lines": if spilled.preview.is_empty() { 0 } else { spilled.shown.lines },
        "kept_bytes": spilled.shown.bytes,
    });
    if let Some(path) = spilled.path() {
        truncation["full_output_path"] = Value::from(path);
    }
    let or_empty = |key: &str| match response.get(key) {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(value) => value.clone(),
    };
    let mut answer = serde_json::json!({
        "status": if failed { "error" } else { "partial" },
        "data": {
            "truncated": true,
            "truncation": truncation,
            "preview": spilled.preview,
        },
        "text": spilled.notice,
        "stats": or_empty("stats"),
        "context": or_empty("context"),
    });
    if failed && let Some(error) = response.get("error").filter(|error| !is_empty(error)) {
        answer["error"] = error.clone();
    }
    answer
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// What the variables of this profile set, as the edge read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variables {
    /// Limits and direction.
    pub layer: Layer,
    /// The directory below the project's root.
    pub directory: String,
    /// After how many days a file goes.
    pub retention_days: u32,
}

/// Reads `TOOL_OUTPUT_MAX_LINES`, `…_MAX_BYTES`, `…_TRUNCATE_DIRECTION`, `…_DIR` and
/// `…_RETENTION_DAYS`; `variable` says what each is set to.
///
/// A bad value is warned of, and the default holds.
pub fn variables(variable: impl Fn(&str) -> Option<String>) -> (Variables, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut warn = |key: &str, value: &str, allowed: &str| {
        let message = format!("{value:?} is not {allowed}");
        warnings.push(Warning { key: key.to_owned(), place: None, message });
    };
    let mut limit = |key: &str| {
        let value = variable(key)?;
        match value.trim().parse() {
            Ok(limit) => Some(Most::Of(limit)),
            Err(_) => {
                warn(key, &value, "a whole number, 0 or more");
                None
            }
        }
    };
    let max_lines = limit("TOOL_OUTPUT_MAX_LINES");
    let max_bytes = limit("TOOL_OUTPUT_MAX_BYTES");
    // Anything that is not `tail` means `head`.
    let keep = variable("TOOL_OUTPUT_TRUNCATE_DIRECTION").map(|direction| {
        if direction.trim().to_lowercase() == "tail" { Keep::Tail } else { Keep::Head }
    });
    let days = "TOOL_OUTPUT_RETENTION_DAYS";
    let retention_days = variable(days).and_then(|value| match value.trim().parse() {
        Ok(days) if days >= 1 => Some(days),
        _ => {
            warn(days, &value, "a whole number, 1 or more");
            None
        }
    });
    let directory = variable("TOOL_OUTPUT_DIR").and_then(|value| {
        if is_below_project(&value) {
            return Some(value);
        }
        warn("TOOL_OUTPUT_DIR", &value, "a directory below the project's root");
        None
    });
    let variables = Variables {
        layer: Layer { max_lines, max_bytes, keep, ..Layer::default() },
        directory: directory.unwrap_or_else(|| "tool-output".into()),
        retention_days: retention_days.unwrap_or(7),
    };
    (variables, warnings)
}

/// Tells whether a path names something below the directory it is taken from.
fn is_below_project(path: &str) -> bool {
    use std::path::{Component, Path};
    let mut components =
        Path::new(path).components().filter(|c| *c != Component::CurDir).peekable();
    components.peek().is_some() && components.all(|c| matches!(c, Component::Normal(_)))
}
