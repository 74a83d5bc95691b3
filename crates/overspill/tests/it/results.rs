//! Runs the shared table of tool results through the library.

#[path = "../../../../tests/results/table.rs"]
mod table;

use std::sync::Arc;

use overspill::core::{Choice, Limits, Policy, Strategy, StrategyError};
use overspill::internal::tool::walk::{ResultRules, Structured};
use overspill::store::{Memory, Store};
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, CallOptions, Overspill, Profile};
use serde_json::{Value, json};
use table::{MAX_BYTES, MAX_CHARS, MAX_LINES, cases};

fn engine() -> Overspill {
    let limits = Limits::NONE.bytes(MAX_BYTES).lines(MAX_LINES).chars(MAX_CHARS);
    let policy = Policy { trigger: limits, limits, ..Profile::OWN.policy };
    Overspill::new(Profile { policy, ..Profile::OWN }, Memory::default())
}

fn saved(store: &dyn Store) -> Vec<Vec<u8>> {
    let entries = store.list().unwrap();
    entries.iter().map(|entry| store.read(&entry.name, 0..u64::MAX).unwrap()).collect()
}

fn shorten(engine: &Overspill, result: &Value) -> Option<Value> {
    let options = CallOptions::default();
    match engine.shorten_result(result, &Call::new("tool"), &options, &Gates::default()) {
        ShortenedResult::Unchanged => None,
        ShortenedResult::Changed(after) => Some(after),
    }
}

#[test]
fn library_shortens_every_kind_of_part() {
    for case in cases() {
        let engine = engine();
        let after = shorten(&engine, &case.result);
        case.check("library", after.as_ref(), saved(engine.store()));
    }
}

#[test]
fn own_layout_shortens_every_kind_of_part() {
    for case in cases() {
        // Only in the layout of MCP does an error get half of the room.
        let Some(content) = case.result.get("content").filter(|_| !case.has_error()) else {
            continue;
        };
        let mut result = json!({ "output": content });
        if let Some(structured) = case.result.get("structuredContent") {
            result["structuredContent"] = structured.clone();
        }
        let engine = engine();
        let after = shorten(&engine, &result).map(|mut after| {
            let mut as_mcp = json!({ "content": after["output"].take() });
            if let Some(structured) = after.get("structuredContent") {
                as_mcp["structuredContent"] = structured.clone();
            }
            as_mcp
        });
        case.check("own layout", after.as_ref(), saved(engine.store()));
    }
}

#[test]
fn source_layouts_leave_other_kinds_of_parts_unchanged() {
    for profile in Profile::ALL.into_iter().filter(|profile| profile.name != Profile::OWN.name) {
        let key = profile.shape.text;
        let engine = Overspill::new(profile, Memory::default());
        for case in cases() {
            let Some(parts) = case.result.get("content").and_then(Value::as_array) else {
                continue;
            };
            let others: Vec<&Value> = parts.iter().filter(|part| part["type"] != "text").collect();
            let result = json!({ key: parts, "structuredContent": {"a": 1} });
            let Some(after) = shorten(&engine, &result) else { continue };
            let left = after[key].as_array().unwrap().iter();
            let left: Vec<&Value> = left.filter(|part| part["type"] != "text").collect();
            assert_eq!(left, others, "{}", engine.profile().name);
            assert_eq!(after["structuredContent"], json!({"a": 1}));
        }
    }
}

fn lines(count: u32) -> String {
    (1..=count).map(|n| format!("line {n} of a long text\n")).collect()
}

fn resource(text: &str) -> Value {
    json!({"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": text}}]})
}

fn shorten_with(result: &Value, rules: ResultRules) -> Option<Value> {
    let gates = Gates { rules, ..Gates::default() };
    match engine().shorten_result(result, &Call::new("tool"), &CallOptions::default(), &gates) {
        ShortenedResult::Unchanged => None,
        ShortenedResult::Changed(after) => Some(after),
    }
}

#[test]
fn own_layout_with_a_string_and_structured_content_shows_both() {
    let rows: Vec<u32> = (0..9_000).collect();
    let result = json!({"output": "9000 rows", "structuredContent": {"rows": rows}});
    let after = shorten(&engine(), &result).unwrap();
    let text = after["output"].as_str().unwrap();
    assert!(text.contains("\n9000 rows\n") && text.contains("8998,8999"), "{text}");
    assert!(text.chars().count() <= MAX_CHARS as usize);
    assert_eq!(after.get("structuredContent"), None);
    assert_eq!(after["metadata"]["truncated"], true);
}

#[test]
fn skipped_tool_passes_every_kind_of_part_below_the_ceiling() {
    let gates = Gates { skip: vec!["tool".into()], ..Gates::default() };
    let shorten = |result: &Value| {
        engine().shorten_result(result, &Call::new("tool"), &CallOptions::default(), &gates)
    };
    assert_eq!(shorten(&resource(&lines(10_000))), ShortenedResult::Unchanged);
    let ShortenedResult::Changed(after) = shorten(&resource(&lines(30_000))) else {
        panic!("too large")
    };
    assert!(after["content"][0]["resource"]["text"].as_str().unwrap().len() < 10_000);
    let structured = json!({"content": [], "structuredContent": {"text": lines(30_000)}});
    assert!(matches!(shorten(&structured), ShortenedResult::Changed(_)));
}

#[test]
fn structured_content_is_kept_or_shrunk_as_the_rules_say() {
    let value = json!({"rows": (0..9_000).collect::<Vec<u32>>()});
    let result = json!({
        "content": [{"type": "text", "text": value.to_string()}], "structuredContent": value,
    });
    let keep = ResultRules { structured: Structured::Keep, ..ResultRules::default() };
    assert_eq!(shorten_with(&result, keep).unwrap()["structuredContent"], value);
    let schema = json!({"type": "object", "properties": {"rows": {"type": "array"}}});
    let schema = Some(Arc::new(schema));
    let shrink = ResultRules { structured: Structured::Shrink, schema, ..ResultRules::default() };
    let after = shorten_with(&result, shrink).unwrap();
    let rows = after["structuredContent"]["rows"].as_array().unwrap();
    assert!(rows.len() > 500 && rows[5] == 5, "{}", rows.len());
    assert!(after["structuredContent"]["_overspill"].as_str().unwrap().starts_with("[overspill "));
    assert!(after.to_string().chars().count() <= MAX_CHARS as usize + 500);
}

/// Shows the first line of an output.
struct FirstLine;

impl Strategy for FirstLine {
    fn choose(&self, output: &[u8], _: &Policy) -> Result<Choice, StrategyError> {
        let end = output.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        Ok(Choice::Pieces(std::iter::once(0..end).collect()))
    }
}

#[test]
fn strategy_is_asked_about_resource_text() {
    let engine = engine().to_builder().strategy(FirstLine).build();
    let after = shorten(&engine, &resource(&lines(5_000))).unwrap();
    let text = after["content"][0]["resource"]["text"].as_str().unwrap();
    assert!(text.contains("\nline 1 of a long text\n") && !text.contains("line 2 "), "{text}");
}
