//! Runs the vectors of the profile `agent-v2`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use overspill::core::{Choice, LeftOut, LineRule, Policy, Size, Strategy, StrategyError};
use overspill::internal::seeds::{ServiceEvent, ServiceResult};
use overspill::tool::registry::{Registry, Tool, ToolCall};
use overspill::tool::{Gates, ShortenedResult, Verdict};
use overspill::{Call, CallOptions, Layer, Limit, Overspill, Profile, Settings};
use serde_json::{Value, json};

use crate::vectors::Vector;
use crate::vectors::fixture::Fixture;
use crate::vectors::text;

use crate::examples::choose as json_arrays;

fn layer(json: &Value) -> Layer {
    Layer::from_json(json).0
}

/// Returns the settings of a service: the global ones, then those of the tools, after all updates.
fn settings(vector: &Vector) -> Settings {
    let service = vector.field("service");
    for key in service.as_object().unwrap().keys() {
        assert!(["global", "tools"].contains(&key.as_str()), "unknown field {key} of a service");
    }
    let mut user = layer(service.get("global").unwrap_or(&Value::Null));
    user = user.updated(&layer(&json!({"tools": service.get("tools").unwrap_or(&json!({}))})));
    for update in vector.get("updates").and_then(Value::as_array).into_iter().flatten() {
        for (key, value) in update.as_object().unwrap() {
            user = match key.as_str() {
                "updateConfig" => user.updated(&layer(value)),
                "setToolConfig" => {
                    let tool = value[0].as_str().unwrap();
                    user.updated(&layer(&json!({"tools": {tool: value[1]}})))
                }
                _ => panic!("unknown update {key}"),
            };
        }
    }
    // The service of the document lists its tools in `tools`.
    for entry in Profile::AGENT_V2.tools {
        let built_in = Layer {
            enabled: entry.enabled,
            max_lines: entry.max_lines.map(Limit::AtMost),
            keep: entry.keep,
            ..Layer::default()
        };
        user.tools.entry(entry.tool.to_owned()).or_insert(built_in);
    }
    Settings { user, ..Settings::default() }
}

/// A strategy that always fails.
struct Fails;

impl Strategy for Fails {
    fn choose(&self, _: &[u8], _: &Policy) -> Result<Choice, StrategyError> {
        Err("it always does".into())
    }
}

fn with_strategy(overspill: Overspill, name: Option<&Value>, fault: Option<&Value>) -> Overspill {
    match (name.and_then(Value::as_str), fault.and_then(Value::as_str)) {
        (_, Some("strategy-fails")) => overspill.to_builder().strategy(Fails).build(),
        (Some("json-aware"), _) => overspill.to_builder().strategy(json_arrays::JsonArrays).build(),
        (None | Some("default"), _) => overspill,
        (Some(other), _) => panic!("unknown strategy {other}"),
    }
}

pub(crate) fn service(vector: &Vector) {
    let fixture = match vector.get("storage") {
        None => Fixture::new(Profile::AGENT_V2, vector.get("fault")),
        Some(storage) => Fixture::elsewhere(
            Profile::AGENT_V2,
            storage["fixed_path"].as_str().unwrap(),
            vector.get("fault"),
        ),
    };
    let overspill = fixture.overspill.to_builder().settings(settings(vector)).build();
    let overspill = with_strategy(overspill, vector.get("strategy"), vector.get("fault"));
    let input = text::make(vector.field("input"));
    let options = CallOptions {
        settings: vector.get("options").map(layer).unwrap_or_default(),
        declared: vector.get("declared").map(layer),
        ..CallOptions::default()
    };
    let call = Call { tool: vector.text("tool"), ..Call::default() };
    let result = ServiceResult::of(&overspill.process_with(input.as_bytes(), &call, &options));

    let expect = vector.expect();
    let result = serde_json::to_value(result).unwrap();
    let path = result["outputPath"].as_str().unwrap_or_default().to_owned();
    let content = result["content"].as_str().unwrap();
    text::check(expect.field("content"), content, &input, &[("{PATH}", &path)]);
    assert_eq!(*expect.field("truncated"), result["truncated"]);
    if let Some(expected) = expect.get("outputPath") {
        match expected.as_str() {
            Some("{PATH}") => assert!(!path.is_empty()),
            Some(fixed) => assert_eq!(path, fixed),
            None => assert!(path.is_empty()),
        }
    }
    for key in ["removedLines", "removedBytes"] {
        if let Some(expected) = expect.get(key) {
            assert_eq!(expected.as_u64(), result[key].as_u64(), "{key}");
        }
    }
    fixture.check_saved(expect.field("saved"), &input);
    check_events(expect.field("events"), &fixture.events.lock().unwrap());
    expect.done();
}

fn check_events(expected: &Value, found: &[ServiceEvent]) {
    let expected = expected.as_array().unwrap();
    assert_eq!(expected.len(), found.len(), "number of events");
    for (expected, found) in expected.iter().zip(found) {
        let path = found.output_path.clone().unwrap_or_default();
        for (key, value) in expected.as_object().unwrap() {
            match key.as_str() {
                "type" => assert_eq!(*value, found.r#type),
                "toolName" => assert_eq!(*value, found.tool_name),
                "originalSize" => assert_eq!(*value, found.original_size),
                "truncatedSize" => assert_eq!(*value, found.truncated_size),
                "truncatedSize_minus_path_bytes" => {
                    assert_eq!(*value, found.truncated_size - path.len() as u64);
                }
                "outputPath" if value == "{PATH}" => assert!(!path.is_empty()),
                "outputPath" => assert_eq!(*value, path),
                _ => panic!("unknown field {key} of an event"),
            }
        }
        if found.r#type == "error" {
            assert!(found.error.as_ref().is_some_and(|error| !error.is_empty()));
        }
    }
}

fn gates(middleware: &Value) -> Gates {
    let mut gates = Gates::default();
    for (key, value) in middleware.as_object().unwrap() {
        match key.as_str() {
            "skipTools" => {
                let names = value.as_array().unwrap().iter();
                gates.skip = names.map(|name| name.as_str().unwrap().to_owned()).collect();
            }
            "should" => {
                let verdict = match value {
                    Value::Bool(false) => Verdict::No,
                    Value::Bool(true) => Verdict::Yes,
                    options => Verdict::With(layer(options)),
                };
                gates.predicate = Some(Arc::new(move |_, _| verdict.clone()));
            }
            _ => panic!("unknown field {key} of a middleware"),
        }
    }
    gates
}

fn result_of(spec: &Value) -> Value {
    let mut result = spec.clone();
    if let Some(output) = result.get_mut("output").filter(|output| output.is_object()) {
        *output = Value::String(text::make(output));
    }
    result
}

pub(crate) fn middleware(vector: &Vector) {
    let fixture = Fixture::new(Profile::AGENT_V2, vector.get("fault"));
    let overspill = fixture.overspill.to_builder().settings(settings(vector)).build();
    let overspill = with_strategy(overspill, None, vector.get("fault"));
    let before = result_of(vector.field("result"));
    let input = before["output"].as_str().unwrap_or_default().to_owned();
    let call = Call { tool: vector.text("tool"), ..Call::default() };
    let gates = gates(vector.field("middleware"));
    let shortened = overspill.shorten_result(&before, &call, &CallOptions::default(), &gates);

    let expect = vector.expect();
    match (expect.field("returned").as_str().unwrap(), shortened) {
        ("input-unchanged", ShortenedResult::Unchanged) => {}
        ("new-object", ShortenedResult::Changed(after)) => {
            check_result(&expect, &before, &after, &input)
        }
        (returned, shortened) => panic!("{returned} expected, got {shortened:?}"),
    }
    fixture.check_saved(expect.field("saved"), &input);
    check_events(expect.field("events"), &fixture.events.lock().unwrap());
    expect.done();
}

fn check_result(expect: &Vector, before: &Value, after: &Value, input: &str) {
    let path = after["metadata"]["truncationPath"].as_str().unwrap_or_default().to_owned();
    let places = [("{PATH}", path.as_str())];
    text::check(expect.field("output"), after["output"].as_str().unwrap(), input, &places);
    let metadata = after["metadata"].to_string();
    let is_new = after["metadata"]["truncated"] == true && !path.is_empty();
    let metadata = if is_new { metadata.replace(&path, "{PATH}") } else { metadata };
    assert_eq!(*expect.field("metadata"), serde_json::from_str::<Value>(&metadata).unwrap());
    for (key, value) in before.as_object().unwrap() {
        if key != "output" && key != "metadata" {
            assert_eq!(after.get(key), Some(value), "{key}");
        }
    }
}

pub(crate) fn registry(vector: &Vector) {
    let fixture = Fixture::new(Profile::AGENT_V2, None);
    let overspill = fixture.overspill.to_builder().settings(settings(vector)).build();
    let mut registry = Registry::new().shortened_by(overspill, gates(vector.field("middleware")));
    let specs = vector.field("calls").as_array().unwrap();
    let text_of = |spec: &Value, key: &str| spec[key].as_str().unwrap().to_owned();
    let names: BTreeSet<String> = specs.iter().map(|spec| text_of(spec, "name")).collect();
    for name in names {
        // Calls of one tool are told apart by their arguments. Equal calls are answered in order.
        let own = specs.iter().filter(|spec| spec["name"] == name.as_str());
        let answers: Vec<(Value, Value)> = own
            .map(|spec| {
                let text = text_of(spec, "arguments");
                let text = if text.trim().is_empty() { "{}" } else { &text };
                let arguments = serde_json::from_str(text).unwrap_or_default();
                (arguments, result_of(&spec["result"]))
            })
            .collect();
        let answers = Mutex::new(answers);
        registry.register(Tool::new(name, move |arguments| {
            let mut answers = answers.lock().unwrap();
            let at = answers.iter().position(|(known, _)| known == arguments).unwrap();
            Ok(answers.remove(at).1)
        }));
    }
    let calls: Vec<ToolCall> = specs
        .iter()
        .map(|spec| ToolCall {
            id: text_of(spec, "id"),
            name: text_of(spec, "name"),
            arguments: text_of(spec, "arguments"),
        })
        .collect();
    let executed = registry.execute(&calls);

    let expect = vector.expect();
    let expected = expect.field("results").as_array().unwrap();
    assert_eq!(expected.len(), executed.len());
    for ((expected, executed), spec) in expected.iter().zip(&executed).zip(specs) {
        let before = result_of(&spec["result"]);
        for (key, value) in expected.as_object().unwrap() {
            match key.as_str() {
                "tool_call_id" => assert_eq!(*value, executed.call.id),
                "name" => assert_eq!(*value, executed.call.name),
                "arguments" => assert_eq!(*value, executed.call.arguments),
                "result" if value == "unchanged" => assert_eq!(executed.result, before),
                "result" => {
                    let input = before["output"].as_str().unwrap_or_default();
                    let expect = Vector::new(value);
                    check_result(&expect, &before, &executed.result, input);
                    expect.done();
                }
                _ => panic!("unknown field {key} of an executed call"),
            }
        }
    }
    expect.done();
}

pub(crate) fn strategy(vector: &Vector) {
    let input = text::make(vector.field("input"));
    let settings = Settings { user: layer(vector.field("config")), ..Settings::default() };
    let effective = settings.effective(&Profile::AGENT_V2, None, None, &Layer::default());
    let policy = effective.policy(&Profile::AGENT_V2);
    let choice = match vector.field("strategy").as_str().unwrap() {
        "default" => policy.choose(input.as_bytes()),
        "json-aware" => json_arrays::JsonArrays.choose(input.as_bytes(), &policy).unwrap(),
        other => panic!("unknown strategy {other}"),
    };
    let expect = vector.expect();
    assert_eq!(*expect.field("needs"), choice != Choice::Whole, "needs");
    let (content, left_out) = match choice {
        Choice::Whole => return expect.done(),
        Choice::Text(text, left_out) => (text, left_out),
        Choice::Pieces(_) => {
            // The profile counts the bytes that are left out, so this asks the service.
            let fixture = Fixture::new(Profile::AGENT_V2, None);
            let overspill = fixture.overspill.to_builder().settings(settings).build();
            match overspill.process(input.as_bytes(), &Call::default()) {
                overspill::Outcome::Spilled(spilled) => (spilled.preview, spilled.left_out),
                _ => panic!("it is too large"),
            }
        }
    };
    text::check(expect.field("content"), &content, &input, &[]);
    let (lines, bytes) = match left_out {
        LeftOut::Lines(n) => (Some(n), None),
        LeftOut::Bytes(n) => (None, Some(n)),
        LeftOut::Chars(_) => (None, None),
    };
    assert_eq!(expect.field("removedLines").as_u64(), lines, "removedLines");
    assert_eq!(expect.field("removedBytes").as_u64(), bytes, "removedBytes");
    expect.done();
}

/// The base helpers are those of the core: sizes, and cuts by lines alone.
pub(crate) fn lines(vector: &Vector) {
    use overspill::core::{Cleaning, Grain, Keep, Limits, cut};
    let input = text::make(vector.field("input"));
    let n = vector.field("n").as_u64().unwrap();
    let keep = match vector.field("from").as_str().unwrap() {
        "head" => Keep::Head,
        "tail" => Keep::Tail,
        other => panic!("unknown end {other}"),
    };
    let size = Size::of(input.as_bytes(), LineRule::Separated);
    let policy = Policy {
        grain: Grain::WholeLine,
        lines: LineRule::Separated,
        cleaning: Cleaning::Off,
        ..Policy::new(Limits::NONE.lines(n), keep)
    };
    let lines: Vec<String> = match cut(input.as_bytes(), &policy) {
        None => input.split('\n').map(str::to_owned).collect(),
        Some(cut) => cut
            .pieces
            .iter()
            .flat_map(|piece| {
                String::from_utf8_lossy(&piece.text)
                    .split('\n')
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect(),
    };
    let expect = vector.expect();
    assert_eq!(*expect.field("count_lines"), size.lines);
    assert_eq!(*expect.field("count_bytes"), size.bytes);
    assert_eq!(*expect.field("lines"), json!(lines));
    expect.done();
}
