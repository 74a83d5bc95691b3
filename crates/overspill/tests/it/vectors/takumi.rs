//! Runs the vectors of the profile `takumi`.

use overspill::internal::seeds::{takumi_enabled, takumi_set};
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, CallOptions, Layer, Profile, Settings};
use serde_json::{Map, Value};

use crate::vectors::Vector;
use crate::vectors::fixture::Fixture;
use crate::vectors::text;

pub(crate) fn hook(vector: &Vector) {
    let fixture = Fixture::new(Profile::TAKUMI, vector.get("fault"));
    let (enabled, warnings) = takumi_enabled(vector.get("config"), None);
    let user = Layer { enabled: Some(enabled), ..Layer::default() };
    let settings = Settings { user, ..Settings::default() };
    let overspill = fixture.overspill.to_builder().settings(settings).build();

    let (content, joined) = match (vector.get("input"), vector.get("parts")) {
        (Some(spec), None) => (Value::String(text::make(spec)), text::make(spec)),
        (None, Some(parts)) => parts_of(parts),
        _ => panic!("either input or parts"),
    };
    let mut result: Map<String, Value> =
        vector.get("result").and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(spec) = result.get_mut("returnDisplay").filter(|display| is_spec(display)) {
        *spec = Value::String(text::make(spec));
    }
    result.insert("llmContent".into(), content.clone());
    let session = vector.text("sessionId").or(Some("test-session".into()));
    let call = Call { session, ..Call::default() };
    let before = Value::Object(result.clone());
    let shortened =
        overspill.shorten_result(&before, &call, &CallOptions::default(), &Gates::default());

    let expect = vector.expect();
    let returned = expect.field("returned").as_str().unwrap();
    let ShortenedResult::Changed(after) = shortened else {
        assert_eq!(returned, "input-unchanged");
        if expect.get("warned") == Some(&Value::Bool(true)) {
            assert!(!warnings.is_empty(), "nothing was warned of");
        }
        fixture.check_saved(expect.field("saved"), &joined);
        return expect.done();
    };
    assert_eq!(returned, "new-object");
    let path = after["outputPath"].as_str().unwrap_or_default().to_owned();
    let places = [("{PATH}", path.as_str())];
    assert_eq!(*expect.field("truncated"), after["truncated"]);
    match expect.field("outputPath") {
        Value::Null if after["truncated"] == true => assert!(after.get("outputPath").is_none()),
        Value::Null => assert_eq!(after.get("outputPath"), result.get("outputPath")),
        _ => assert!(!path.is_empty()),
    }
    if let Some(expected) = expect.get("llmContent") {
        text::check(expected, after["llmContent"].as_str().unwrap(), &joined, &places);
    }
    match expect.get("parts") {
        None => {}
        Some(Value::String(word)) if word == "unchanged" => {
            assert_eq!(after["llmContent"], content)
        }
        Some(expected) => check_parts(expected, &after["llmContent"], &places),
    }
    match expect.field("returnDisplay").as_str().unwrap() {
        "unchanged" => assert_eq!(after.get("returnDisplay"), result.get("returnDisplay")),
        "same-as-text" => assert_eq!(after["returnDisplay"], texts(&after["llmContent"])),
        other => panic!("unknown returnDisplay {other}"),
    }
    let ours = ["llmContent", "truncated", "outputPath", "returnDisplay"];
    for (key, value) in result.iter().filter(|(key, _)| !ours.contains(&key.as_str())) {
        assert_eq!(after.get(key), Some(value), "{key}");
    }
    let failed = fixture.events.lock().unwrap().iter().any(|event| event.r#type == "error");
    if expect.get("warned") == Some(&Value::Bool(true)) {
        assert!(failed || !warnings.is_empty(), "nothing was warned of");
    }
    fixture.check_saved(expect.field("saved"), &joined);
    expect.done();
}

fn is_spec(value: &Value) -> bool {
    let known = ["text", "repeat", "n", "from", "join", "concat"];
    let made = ["text", "repeat", "concat"];
    value.as_object().is_some_and(|fields| {
        fields.keys().all(|key| known.contains(&key.as_str()))
            && made.iter().any(|key| fields.contains_key(*key))
    })
}

fn parts_of(parts: &Value) -> (Value, String) {
    let mut parts = parts.as_array().unwrap().clone();
    let mut texts = Vec::new();
    let has_text = |part: &&mut Value| part["type"] == "text" && part.get("text").is_some();
    for part in parts.iter_mut().filter(has_text) {
        part["text"] = Value::String(text::make(&part["text"]));
        texts.push(part["text"].as_str().unwrap().to_owned());
    }
    (Value::Array(parts), texts.join("\n"))
}

fn check_parts(expected: &Value, found: &Value, places: &[(&str, &str)]) {
    let (expected, found) = (expected.as_array().unwrap(), found.as_array().unwrap());
    assert_eq!(expected.len(), found.len(), "number of parts");
    for (expected, found) in expected.iter().zip(found) {
        if expected["type"] == "text" {
            text::check(&expected["text"], found["text"].as_str().unwrap(), "", places);
        } else {
            assert_eq!(expected, found);
        }
    }
}

fn texts(content: &Value) -> Value {
    match content {
        Value::Array(parts) => {
            let text = |part: &Value| part["text"].as_str().map(str::to_owned);
            let texts: Vec<String> =
                parts.iter().filter(|part| part["type"] == "text").filter_map(text).collect();
            Value::String(texts.join("\n"))
        }
        text => text.clone(),
    }
}

pub(crate) fn config(vector: &Vector) {
    let file = |key: &str| vector.field(key).clone();
    let (global, project) = (file("global"), file("project"));
    let there = |file: &Value| !file.is_null();
    let (enabled, warnings) =
        takumi_enabled(Some(&global).filter(|f| there(f)), Some(&project).filter(|f| there(f)));
    let expect = vector.expect();
    assert_eq!(*expect.field("enabled"), enabled);
    if expect.get("warned") == Some(&Value::Bool(true)) {
        assert!(!warnings.is_empty(), "nothing was warned of");
    }
    expect.done();
}

pub(crate) fn config_set(vector: &Vector) {
    let (before, set) = (vector.field("global"), vector.field("set"));
    let result = takumi_set(before, set[0].as_str().unwrap(), set[1].as_str().unwrap());
    let expect = vector.expect();
    match expect.get("error").and_then(Value::as_str) {
        Some("invalid-setting") => {
            assert!(result.is_err());
            assert_eq!(expect.field("global"), before);
        }
        Some(other) => panic!("unknown error {other}"),
        None => assert_eq!(*expect.field("global"), result.unwrap()),
    }
    expect.done();
}
