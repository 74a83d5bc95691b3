//! Checks that the rewriter of bytes decides like the library does for a JSON value.

use overspill::core::{Limits, Policy};
use overspill::internal::tool::walk::{ResultRules, Structured};
use overspill::store::Memory;
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, CallOptions, Overspill, Profile};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Done, ResultRewriter};
use crate::env::Env;

fn engine() -> Overspill {
    let limits = Limits::NONE.bytes(6_000).lines(60).chars(3_000);
    let policy = Policy { trigger: limits, limits, ..Profile::OWN.policy };
    Overspill::new(Profile { policy, ..Profile::OWN }, Memory::default())
}

/// Returns a result without the ids of saved outputs, and the saved outputs.
fn settled(engine: &Overspill, result: &Value) -> (Value, Vec<Vec<u8>>) {
    let store = engine.store();
    let (mut text, mut saved) = (result.to_string(), Vec::new());
    for entry in store.list().unwrap() {
        text = text.replace(entry.name.as_str(), "ID").replace(&entry.name.short_id(), "TOKEN");
        saved.push(store.read(&entry.name, 0..u64::MAX).unwrap());
    }
    saved.sort();
    (serde_json::from_str(&text).unwrap(), saved)
}

fn by_value(result: &Value, rules: &ResultRules) -> (Value, Vec<Vec<u8>>) {
    let engine = engine();
    let gates = Gates { rules: rules.clone(), ..Gates::default() };
    let after =
        match engine.shorten_result(result, &Call::new("t"), &CallOptions::default(), &gates) {
            ShortenedResult::Unchanged => result.clone(),
            ShortenedResult::Changed(after) => after,
        };
    settled(&engine, &after)
}

fn by_bytes(result: &Value, rules: &ResultRules, chunk: usize) -> (Value, Vec<Vec<u8>>) {
    let engine = engine();
    let frame = format!(r#"{{"id":1,"result":{result}}}"#);
    let mut rewriter =
        ResultRewriter::new(&engine, Call::new("t"), rules.clone(), None, &Env::of_process());
    for chunk in frame.as_bytes().chunks(chunk) {
        rewriter.push(chunk).unwrap();
    }
    let (Done::Same(frame) | Done::Changed(frame)) = rewriter.finish();
    let message: Value = serde_json::from_slice(&frame).unwrap();
    settled(&engine, &message["result"])
}

/// Returns a result with one word in place of each text.
fn outline(result: &Value) -> Value {
    match result {
        Value::String(text) if text.starts_with("[overspill ") => "shortened".into(),
        Value::String(text) if text.len() > 40 => "long".into(),
        Value::String(_) => "short".into(),
        Value::Array(values) => values.iter().map(outline).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), outline(value))).collect()
        }
        other => other.clone(),
    }
}

/// Returns a strategy for text of up to 200 lines, with characters that JSON escapes.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z \"\\\\é]{0,30}",
        (1..200_u32, "[a-z \"\\\\é\t]{0,40}")
            .prop_map(|(count, line)| (0..count).map(|n| format!("{n} {line}\n")).collect()),
    ]
}

fn part() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        text().prop_map(|text| json!({"resource": {"text": text, "uri": "a"}, "type": "resource"})),
        (0..300_usize).prop_map(
            |len| json!({"type": "image", "mimeType": "a/b", "data": "TUFQ".repeat(len)})
        ),
        (0..300_usize)
            .prop_map(|len| json!({"type": "resource", "resource": {"blob": "TUFQ".repeat(len)}})),
        text().prop_map(|text| json!({"type": "resource_link", "uri": "a", "description": text})),
        text()
            .prop_map(|text| json!({"type": "x", "y": [1, {"z": text}], "_meta": {"text": text}})),
        Just(json!("no part")),
        Just(json!(["no part", {"data": "either"}])),
        prop::collection::vec(text(), 0..40).prop_map(|texts| json!({"type": "y", "z": texts})),
    ]
}

fn result() -> impl Strategy<Value = Value> {
    let structured = prop_oneof![
        Just(None),
        text().prop_map(|text| Some(json!({"result": text}))),
        (0..2_000_u32).prop_map(|count| Some((0..count).collect())),
    ];
    (
        prop::option::of(prop::collection::vec(part(), 0..6)),
        structured,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(parts, structured, repeats, is_error)| {
            let mut result = json!({"isError": is_error});
            let mut parts = parts;
            // Servers repeat structured content as text.
            if let (true, Some(value)) = (repeats, &structured) {
                parts = Some(vec![json!({"type": "text", "text": value.to_string()})]);
            }
            if let Some(parts) = parts {
                result["content"] = parts.into();
            }
            if let Some(structured) = structured {
                result["structuredContent"] = structured;
            }
            result
        })
}

proptest! {
    #[test]
    fn bytes_and_value_of_a_result_are_decided_alike(
        result in result(),
        chunk in prop_oneof![Just(1_usize), 2..3_000_usize],
        structured in prop_oneof![Just(Structured::Drop), Just(Structured::Shrink), Just(Structured::Keep)],
    ) {
        let schema = Some(std::sync::Arc::new(json!(true)));
        let rules = ResultRules { structured, schema, max_media: 600 };
        let (by_bytes, by_value) = (by_bytes(&result, &rules, chunk), by_value(&result, &rules));
        prop_assert_eq!(&by_bytes.1, &by_value.1, "saved");
        // If the room shrinks late, a stream chooses slightly different lines.
        let is_late = structured == Structured::Shrink || result["isError"] == true;
        let (bytes, value) = if is_late {
            (outline(&by_bytes.0), outline(&by_value.0))
        } else {
            (by_bytes.0, by_value.0)
        };
        prop_assert!(bytes == value, "by bytes: {}\nby value: {}\nof: {}", bytes, value, result);
    }
}
