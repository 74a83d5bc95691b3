//! Tests that every API of the library keeps the structure of structured output.

#![allow(clippy::unwrap_used, reason = "a test")]

use overspill::store::Memory;
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, CallEnd, CallOptions, Outcome, Overspill, Profile};
use serde_json::{Value, json};

fn output() -> String {
    let items: Vec<Value> = (0..9000)
        .map(|n| match n {
            7000 => json!({"id": n, "status": "failed", "error": "disk full"}),
            n => json!({"id": n, "status": "ok"}),
        })
        .collect();
    json!({ "items": items, "next": null }).to_string()
}

fn own() -> Overspill {
    Overspill::new(Profile::OWN, Memory::default())
}

/// Returns the text below the notice, and its JSON value.
fn body(outcome: &Outcome) -> (String, Value) {
    let text = String::from_utf8(outcome.bytes().to_vec()).unwrap();
    let (notice, body) = text.split_once('\n').unwrap();
    assert!(notice.contains("shown as shorter JSON"), "{notice}");
    (body.to_owned(), serde_json::from_str(body).unwrap())
}

#[test]
fn json_preview_of_a_stream_is_the_same() {
    let (output, overspill) = (output(), own());
    let (at_once, value) = body(&overspill.process(output.as_bytes(), &Call::new("tool")));
    let items = value["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["error"] == "disk full"));
    assert_eq!((&items[0]["id"], &items[items.len() - 1]["id"]), (&json!(0), &json!(8999)));
    let mut spill = overspill.spill(Call::new("tool"), CallOptions::default());
    output.as_bytes().chunks(1000).for_each(|chunk| spill.push(chunk));
    assert_eq!(body(&spill.finish(CallEnd::default())).0, at_once);
}

#[test]
fn json_in_a_tool_result_stays_in_its_part() {
    let result = json!({"output": [{"type": "text", "text": output()}]});
    let (call, options) = (Call::new("tool"), CallOptions::default());
    let shortened = own().shorten_result(&result, &call, &options, &Gates::default());
    let ShortenedResult::Changed(changed) = shortened else { unreachable!("it is too large") };
    let text = changed["output"][0]["text"].as_str().unwrap();
    assert!(text.len() <= 51_200 && text.contains("disk full"), "{text}");
    let (_, body) = text.split_once('\n').unwrap();
    assert!(serde_json::from_str::<Value>(body).is_ok(), "{body}");
}
