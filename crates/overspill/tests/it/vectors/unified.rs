//! Runs the vectors of the profile `unified`.

use overspill::seeds::{UnifiedVariables, envelope, from_variables};
use overspill::{Call, CallOptions, Settings};
use serde_json::Value;

use crate::vectors::Vector;
use crate::vectors::fixture::Fixture;
use crate::vectors::text;

pub(crate) fn respond(vector: &Vector) {
    let env = vector.get("env").cloned().unwrap_or_default();
    let env = env.as_object().cloned().unwrap_or_default();
    for key in env.keys() {
        assert!(key.starts_with("TOOL_OUTPUT_"), "unknown variable {key}");
    }
    let outside = std::env::temp_dir().display().to_string();
    let variable = |key: &str| {
        env.get(key).map(|value| value.as_str().unwrap().replace("{OUTSIDE}", &outside).into())
    };
    let UnifiedVariables { profile, layer, warnings } = from_variables(variable);

    let mut fixture = Fixture::new(profile, vector.get("fault"));
    let settings = Settings { environment: layer, ..Settings::default() };
    fixture.overspill = fixture.overspill.to_builder().settings(settings).build();
    let input = text::make(vector.field("input"));
    let call = Call { tool: vector.text("tool"), ..Call::default() };
    let delegate = vector.get("task_tool") == Some(&Value::Bool(true));
    let options = CallOptions { delegate, ..CallOptions::default() };
    let answer = envelope::respond(&fixture.overspill, &input, &call, &options);

    let expect = vector.expect();
    let file = fixture.saved().first().map(|(name, _)| name.clone()).unwrap_or_default();
    let places = [("{FILE}", file.as_str())];
    if expect.get("same_as_input").is_some() {
        assert_eq!(answer, input);
    }
    let by_value = vector.get("by_value").is_some();
    if let Some(output) = expect.get("output").filter(|_| !by_value) {
        text::check(output, &answer, &input, &places);
    }
    if let Some(json) = expect.get("json") {
        check_json(json, &serde_json::from_str(&answer).unwrap(), &places);
    }
    let told = ["same_as_input", "output", "json"].iter().any(|key| expect.get(key).is_some());
    assert!(told, "nothing is expected");
    if expect.get("warned") == Some(&Value::Bool(true)) {
        assert!(!warnings.is_empty(), "nothing was warned of");
    }
    fixture.check_saved(expect.field("saved"), &input);
    expect.done();
}

/// Compares two JSON values. The preview is an expected text.
fn check_json(expected: &Value, found: &Value, places: &[(&str, &str)]) {
    let preview = found["data"]["preview"].as_str().unwrap();
    text::check(&expected["data"]["preview"], preview, "", places);
    let put_in = |json: &Value| {
        let text = json.to_string();
        let text = places.iter().fold(text, |text, (place, value)| text.replace(place, value));
        let mut json: Value = serde_json::from_str(&text).unwrap();
        json["data"]["preview"] = Value::Null;
        json
    };
    let (found, expected) = (put_in(found), put_in(expected));
    assert!(same(&found, &expected), "{found}\nis not\n{expected}");
}

/// Tells whether two values are equal, where `1.50` equals `1.5`.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let whole = |n: &serde_json::Number| n.to_string().parse::<i128>().ok();
            match (whole(one), whole(other)) {
                (Some(one), Some(other)) => one == other,
                _ => one == other || one.as_f64() == other.as_f64(),
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let alike =
                |(key, one): (&String, &Value)| other.get(key).is_some_and(|o| same(one, o));
            one.len() == other.len() && one.iter().all(alike)
        }
        _ => one == other,
    }
}
