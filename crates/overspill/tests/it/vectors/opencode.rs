//! Runs the vectors of the profile `opencode`.

use std::collections::BTreeSet;

use overspill::internal::seeds::{
    PermissionRule, Preset, ServiceResult, ToolKind, can_delegate, matches_wildcard,
};
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, CallOptions, Layer, Profile};
use serde_json::{Value, json};

use crate::vectors::Vector;
use crate::vectors::fixture::Fixture;
use crate::vectors::text;

pub(crate) fn output(vector: &Vector) {
    let fixture = Fixture::new(Profile::OPENCODE, vector.get("fault"));
    let input = text::make(vector.field("input"));
    let options = CallOptions {
        settings: settings(vector.get("options").unwrap_or(&json!({})), vector.get("preset")),
        delegate: delegates(vector.get("agent")),
        ..CallOptions::default()
    };
    let outcome = fixture.overspill.process_with(input.as_bytes(), &Call::default(), &options);
    let result = ServiceResult::of(&outcome);

    let expect = vector.expect();
    let path = result.output_path().unwrap_or_default();
    text::check(expect.field("content"), result.content(), &input, &[("{PATH}", path)]);
    assert_eq!(*expect.field("truncated"), result.is_cut());
    if let Some(expected) = expect.get("outputPath") {
        assert_eq!(expected.is_null(), result.output_path().is_none(), "outputPath");
    }
    fixture.check_saved(expect.field("saved"), &input);
    expect.done();
}

fn settings(options: &Value, preset: Option<&Value>) -> Layer {
    // A bad value causes a warning, and the default applies.
    let (own, _) = Layer::from_json(options);
    let preset = match preset.map(|preset| preset.as_str().unwrap()) {
        None => return own,
        Some("code") => Preset::Code,
        Some("log") => Preset::Log,
        Some("error") => Preset::Error,
        Some(other) => panic!("unknown preset {other}"),
    };
    preset.layer().updated(&own)
}

fn delegates(agent: Option<&Value>) -> bool {
    let rules = agent.and_then(|agent| agent.get("permission")).map(|rules| {
        let text = |rule: &Value, key: &str| {
            let known = ["permission", "pattern", "action"];
            let fields = rule.as_object().unwrap();
            assert!(
                fields.keys().all(|key| known.contains(&key.as_str())),
                "unknown field of {rule}"
            );
            rule[key].as_str().unwrap().to_owned()
        };
        let rule = |rule: &Value| PermissionRule {
            permission: text(rule, "permission"),
            pattern: text(rule, "pattern"),
            action: text(rule, "action"),
        };
        rules.as_array().unwrap().iter().map(rule).collect::<Vec<_>>()
    });
    can_delegate(rules.as_deref())
}

pub(crate) fn define(vector: &Vector) {
    let fixture = Fixture::new(Profile::OPENCODE, vector.get("fault"));
    let input = text::make(vector.field("input"));
    let mut result = json!({"title": "a title", "output": input});
    if let Some(metadata) = vector.get("metadata").filter(|metadata| !metadata.is_null()) {
        result["metadata"] = metadata.clone();
    }
    let expect = vector.expect();
    vector.get("agent");
    if vector.get("args_valid") == Some(&Value::Bool(false)) {
        return invalid_arguments(&fixture, &expect);
    }
    let options =
        CallOptions { delegate: delegates(vector.get("agent")), ..CallOptions::default() };
    let shortened =
        fixture.overspill.shorten_result(&result, &Call::default(), &options, &Gates::default());
    let after = match shortened {
        ShortenedResult::Changed(after) => after,
        ShortenedResult::Unchanged => result.clone(),
    };
    let path = after["metadata"]["outputPath"].as_str().unwrap_or_default().to_owned();
    let places = [("{PATH}", path.as_str())];
    text::check(expect.field("output"), after["output"].as_str().unwrap(), &input, &places);
    let metadata = after["metadata"].to_string();
    let is_new = fixture.saved().len() == 1;
    let metadata = if is_new { metadata.replace(&path, "{PATH}") } else { metadata };
    assert_eq!(*expect.field("metadata"), serde_json::from_str::<Value>(&metadata).unwrap());
    assert_eq!(after["title"], "a title");
    fixture.check_saved(expect.field("saved"), &input);
    expect.done();
}

/// The registry is the wrapper: it does not execute a call whose arguments do not fit the schema.
fn invalid_arguments(fixture: &Fixture, expect: &Vector) {
    use overspill::tool::registry::{Registry, Tool, ToolCall};
    let ran = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = ran.clone();
    let tool = Tool::new("tool", move |_| {
        seen.store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(json!({"output": "ran"}))
    });
    let schema = json!({"type": "object", "required": ["path"]});
    let mut registry = Registry::new().shortened_by(fixture.overspill.clone(), Gates::default());
    registry.register(tool.with_schema(&schema).unwrap());
    let call = ToolCall { id: "c1".into(), name: "tool".into(), arguments: "{}".into() };
    let executed = registry.execute(&[call]);
    assert_eq!(*expect.field("error"), "invalid-arguments");
    assert!(executed[0].result["error"].as_str().unwrap().starts_with("invalid arguments"));
    assert_eq!(*expect.field("executed"), ran.load(std::sync::atomic::Ordering::Relaxed));
    fixture.check_saved(expect.field("saved"), "");
    expect.done();
}

pub(crate) fn wildcard(vector: &Vector) {
    let (text, pattern) = (vector.text("str").unwrap(), vector.text("pattern").unwrap());
    let expect = vector.expect();
    assert_eq!(*expect.field("match"), matches_wildcard(&text, &pattern));
    expect.done();
}

pub(crate) fn direction(vector: &Vector) {
    let kind = match vector.field("type").as_str().unwrap() {
        "code" => ToolKind::Code,
        "config" => ToolKind::Config,
        "search" => ToolKind::Search,
        "log" => ToolKind::Log,
        "error" => ToolKind::Error,
        other => panic!("unknown type {other}"),
    };
    let direction = if kind.keep() == overspill::core::Keep::Tail { "tail" } else { "head" };
    let expect = vector.expect();
    assert_eq!(*expect.field("direction"), direction);
    expect.done();
}

/// Within one process, an expired file is removed at the first cut, and not later.
pub(crate) fn lazy_sweep(vector: &Vector) {
    let fixture = Fixture::new(Profile::OPENCODE, None);
    let mut planted: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::new();
    for step in vector.field("steps").as_array().unwrap() {
        for key in step.as_object().unwrap().keys() {
            assert!(["plant", "input", "options"].contains(&key.as_str()), "unknown field {key}");
        }
        if let Some(name) = step.get("plant") {
            let name = name.as_str().unwrap();
            fixture.plant(name, 1_577_836_800_000);
            planted.insert(name.to_owned());
        } else {
            let input = text::make(&step["input"]);
            let settings = settings(step.get("options").unwrap_or(&json!({})), None);
            let options = CallOptions { settings, ..CallOptions::default() };
            fixture.overspill.process_with(input.as_bytes(), &Call::default(), &options);
        }
        let there: BTreeSet<String> = fixture.saved().into_iter().map(|(name, _)| name).collect();
        found.push(json!(there.intersection(&planted).collect::<Vec<_>>()));
    }
    let expect = vector.expect();
    assert_eq!(*expect.field("expired_after_each_step"), json!(found));
    expect.done();
}
