//! The shared table of tool results, through the library.

#[path = "../../../../tests/results/table.rs"]
mod table;

use overspill::core::{Limits, Policy};
use overspill::store::{Memory, Store};
use overspill::tool::{Bounded, Gates};
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

fn bound(engine: &Overspill, result: &Value) -> Option<Value> {
    let options = CallOptions::default();
    match engine.bound_result(result, &Call::of("tool"), &options, &Gates::default()) {
        Bounded::Unchanged => None,
        Bounded::Changed(after) => Some(after),
    }
}

#[test]
fn library_shortens_every_kind_of_part() {
    for case in cases() {
        let engine = engine();
        let after = bound(&engine, &case.result);
        case.check("library", after.as_ref(), saved(engine.store()));
    }
}

#[test]
fn own_layout_shortens_every_kind_of_part() {
    for case in cases() {
        // An error has half of the room only in the layout of MCP.
        let Some(content) = case.result.get("content").filter(|_| !case.has_error()) else {
            continue;
        };
        let mut result = json!({ "output": content });
        if let Some(structured) = case.result.get("structuredContent") {
            result["structuredContent"] = structured.clone();
        }
        let engine = engine();
        let after = bound(&engine, &result).map(|mut after| {
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
fn source_layouts_leave_other_kinds_of_parts_alone() {
    for profile in Profile::ALL.into_iter().filter(|profile| profile.name != Profile::OWN.name) {
        let key = profile.shape.text;
        let engine = Overspill::new(profile, Memory::default());
        for case in cases() {
            let Some(parts) = case.result.get("content").and_then(Value::as_array) else {
                continue;
            };
            let others: Vec<&Value> = parts.iter().filter(|part| part["type"] != "text").collect();
            let result = json!({ key: parts, "structuredContent": {"a": 1} });
            let Some(after) = bound(&engine, &result) else { continue };
            let left = after[key].as_array().unwrap().iter();
            let left: Vec<&Value> = left.filter(|part| part["type"] != "text").collect();
            assert_eq!(left, others, "{}", engine.profile().name);
            assert_eq!(after["structuredContent"], json!({"a": 1}));
        }
    }
}
