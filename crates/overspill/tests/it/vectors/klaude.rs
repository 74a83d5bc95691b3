//! Runs the vectors of the profile `klaude`.

use overspill::internal::seeds::{TruncationResult, TruncationUiExtra};
use overspill::{Call, Profile};
use serde_json::{Value, json};

use crate::vectors::Vector;
use crate::vectors::fixture::Fixture;
use crate::vectors::text;

pub(crate) fn truncate(vector: &Vector) {
    let params = vector.get("params").cloned().unwrap_or_else(|| json!({}));
    for key in params.as_object().unwrap().keys() {
        assert!(["max_length", "head_chars", "tail_chars"].contains(&key.as_str()), "{key}");
    }
    let param = |key: &str, default: u64| params.get(key).map_or(default, |n| n.as_u64().unwrap());
    let (head, tail) = (param("head_chars", 10_000), param("tail_chars", 10_000));
    run(vector, Profile::klaude(param("max_length", 40_000), head as u32, tail as u32));
}

pub(crate) fn simple(vector: &Vector) {
    let params = vector.get("params").cloned().unwrap_or_else(|| json!({}));
    let max_length = params.get("max_length").map_or(40_000, |n| n.as_u64().unwrap());
    run(vector, Profile::klaude_simple(max_length));
}

fn run(vector: &Vector, profile: Profile) {
    let fixture = Fixture::new(profile, vector.get("fault"));
    let input = text::make(vector.field("input"));
    let call = Call { tool: vector.text("tool"), id: vector.text("call_id"), ..Call::default() };
    vector.get("tool");
    let result = TruncationResult::of(&fixture.overspill.process(input.as_bytes(), &call));

    let expect = vector.expect();
    let path = result.saved_file_path.clone().unwrap_or_default();
    let places = [("{PATH}", path.as_str())];
    text::check(expect.field("output"), &result.output, &input, &places);
    assert_eq!(*expect.field("was_truncated"), result.was_truncated);
    assert_eq!(*expect.field("original_length"), result.original_length);
    assert_eq!(*expect.field("truncated_length"), result.truncated_length);
    assert_eq!(expect.field("saved_file_path").is_null(), result.saved_file_path.is_none());
    let extra = result.ui_extra().map(|extra| json!({"type": "truncation", "truncation": extra}));
    let extra = extra.unwrap_or(Value::Null).to_string();
    let extra = if path.is_empty() { extra } else { extra.replace(&path, "{PATH}") };
    assert_eq!(*expect.field("ui_extra"), serde_json::from_str::<Value>(&extra).unwrap());
    fixture.check_saved(expect.field("saved"), &input);
    expect.done();
}

pub(crate) fn ui(vector: &Vector) {
    let extra: Option<TruncationUiExtra> =
        serde_json::from_value(vector.field("extra").clone()).unwrap();
    let expect = vector.expect();
    let text = extra.map(|extra| extra.render());
    assert_eq!(*expect.field("text"), serde_json::to_value(text).unwrap());
    expect.done();
}
