//! Makes structured content smaller without breaking its schema.
//!
//! Nothing is made shorter unless the schema is understood at that place and admits it; what comes out
//! is then as valid as what went in.

use overspill::core::Policy;
use serde_json::{Map, Value};

use super::edit::{Change, Edit, edited};
use super::tokens::Token;
use super::walk::{Key, Walk};

/// Words that a schema may have where a value is made shorter.
const HARMLESS: [&str; 12] = [
    "type",
    "title",
    "description",
    "default",
    "examples",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "maxItems",
    "maxLength",
    "$schema",
];

/// Returns the message with smaller structured content, of at most `room` bytes; nothing if text and
/// structured content fit as they are, or if there is no way.
pub(super) fn shrunk(
    frame: &[u8],
    result: &Value,
    schema: &Value,
    room: u64,
    policy: &Policy,
) -> Option<Vec<u8>> {
    let structured = result.get("structuredContent")?;
    let texts = result["content"].as_array().into_iter().flatten();
    let texts = texts.filter_map(|part| part.get("text").or(part.pointer("/resource/text")));
    let mut all: Vec<String> = texts.filter_map(|text| text.as_str().map(str::to_owned)).collect();
    all.push(structured.to_string());
    policy.trigger.exceeded_by(all.join("\n").as_bytes(), policy.lines, &policy.tokens)?;
    let smaller = smaller(structured, schema, room)?;
    let place = place_of(frame)?;
    let change = Change::Put(smaller.to_string().into_bytes());
    Some(edited(frame, vec![Edit { place, change }]))
}

/// Returns the value with its lists and strings cut to the largest size that fits.
fn smaller(value: &Value, schema: &Value, room: u64) -> Option<Value> {
    let mut most = 4096;
    loop {
        let mut value = value.clone();
        shorten(&mut value, schema, most);
        if value.to_string().len() as u64 <= room {
            return Some(value);
        }
        if most == 0 {
            return None;
        }
        most /= 2;
    }
}

/// Cuts lists to `most` values and strings to as many characters, wherever that is admitted.
fn shorten(value: &mut Value, schema: &Value, most: usize) {
    let Some(schema) = schema.as_object().filter(|schema| is_understood(schema)) else { return };
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(most.max(16)) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(values) => {
            values.truncate(most);
            if let Some(items) = schema.get("items") {
                values.iter_mut().for_each(|value| shorten(value, items, most));
            }
        }
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return;
            };
            for (name, value) in fields {
                if let Some(schema) = properties.get(name) {
                    shorten(value, schema, most);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_understood(schema: &Map<String, Value>) -> bool {
    let harmless = schema.keys().all(|key| HARMLESS.contains(&key.as_str()));
    let longest = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    // The dots that are added must not be what is one too many.
    harmless && longest > 16
}

/// Returns where the structured content stands.
fn place_of(frame: &[u8]) -> Option<std::ops::Range<usize>> {
    let (mut walk, mut at, mut start) = (Walk::default(), 0, None);
    while at < frame.len() {
        let step = walk.next(&frame[at..]).ok()?;
        let is_it = step.path == [Key::Result, Key::Structured];
        let (token, len) = (step.token, step.len);
        match token {
            Token::Open(b'{') if is_it && start.is_none() => start = Some(at),
            Token::Close if is_it => return Some(start?..at + len),
            _ => {}
        }
        at += len;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_schema_admits_is_cut() {
        let schema = json!({"type": "object", "properties": {
            "rows": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
            "count": {"type": "integer"},
        }, "required": ["rows", "count"]});
        let rows: Vec<Value> = (0..10_000).map(|n| json!({"name": format!("row {n}")})).collect();
        let small = smaller(&json!({"rows": rows, "count": 10_000}), &schema, 4_000).unwrap();
        assert!(small.to_string().len() <= 4_000);
        assert_eq!(small["count"], 10_000);
        assert_eq!(small["rows"][0]["name"], "row 0");
        assert!(small["rows"].as_array().unwrap().len() > 50);
    }

    #[test]
    fn what_it_does_not_admit_stays_or_there_is_no_way() {
        let value = json!({"a": "x".repeat(10_000)});
        for a in [
            json!({"type": "string", "pattern": "x+"}),
            json!({"type": "string", "minLength": 5000}),
            json!({"$ref": "#/$defs/a"}),
            json!({"enum": ["y"]}),
        ] {
            let schema = json!({"type": "object", "properties": {"a": a}});
            assert_eq!(smaller(&value, &schema, 4_000), None, "{schema}");
        }
    }
}
