//! Tests of tool results, in overspill's own shape and through the registry.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::sync::Arc;

use overspill::core::Limits;
use overspill::internal::seeds::envelope;
use overspill::store::Memory;
use overspill::tool::registry::{Registry, Tool, ToolCall};
use overspill::tool::{Gates, ShortenedResult, Verdict};
use overspill::{Call, CallOptions, Layer, Limit, Overspill, Profile};
use serde_json::{Value, json};

fn own() -> Overspill {
    Overspill::new(Profile::OWN, Memory::default())
}

fn shorten(result: &Value, gates: &Gates) -> ShortenedResult {
    own().shorten_result(result, &Call::new("tool"), &CallOptions::default(), gates)
}

#[track_caller]
fn changed(shortened: ShortenedResult) -> Value {
    match shortened {
        ShortenedResult::Changed(result) => result,
        ShortenedResult::Unchanged => panic!("it is too large"),
    }
}

fn long() -> String {
    "line\n".repeat(5000)
}

#[test]
fn other_parts_of_a_result_stay_unchanged_and_in_order() {
    let image = json!({"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"});
    let unknown = json!({"type": "from-the-future", "text": 17});
    let text = |text: &str| json!({"type": "text", "text": text, "annotations": {"a": 1}});
    let other: Value = serde_json::from_str("[1,2.50]").unwrap();
    let result = json!({"output": [image, text(&long()), unknown, text("second")], "other": other});
    let after = changed(shorten(&result, &Gates::default()));
    let parts = after["output"].as_array().unwrap();
    assert_eq!([&parts[0], &parts[2]], [&image, &unknown]);
    assert_eq!((parts.len(), &parts[3]["text"]), (4, &json!("second")));
    assert_eq!(parts[1]["annotations"], json!({"a": 1}));
    assert!(parts[1]["text"].as_str().unwrap().len() <= 51_200);
    assert_eq!(after["other"].to_string(), "[1,2.50]");
}

#[test]
fn text_stays_on_its_side_of_an_image() {
    let image = json!({"type": "image", "data": "aGVsbG8="});
    let text = |text: String| json!({"type": "text", "text": text});
    let numbered = |name: &str| (1..=3000).map(|n| format!("{name} {n}\n")).collect::<String>();
    let parts = [text(numbered("before")), image.clone(), text(numbered("after") + "END")];
    let after = changed(shorten(&json!({"output": parts}), &Gates::default()));
    let parts = after["output"].as_array().unwrap();
    assert_eq!((parts.len(), &parts[1]), (3, &image));
    let (first, last) = (parts[0]["text"].as_str().unwrap(), parts[2]["text"].as_str().unwrap());
    assert!(first.starts_with("[overspill ") && first.contains("\nbefore 1\n"), "{first}");
    assert!(!first.contains("after") && !last.contains("before"), "{first}");
    assert!(last.starts_with("after ") && last.ends_with("after 3000\nEND"), "{last}");
    assert!(first.len() + last.len() <= 51_200);
    // The gap lies within one part, and the parts on both sides are shown whole.
    let parts =
        [text("one".into()), image.clone(), text(numbered("two")), image, text("three".into())];
    let after = changed(shorten(&json!({"output": parts}), &Gates::default()));
    let parts = after["output"].as_array().unwrap();
    assert!(parts[0]["text"].as_str().unwrap().ends_with("]\none"), "{}", parts[0]);
    let marks = [" not shown", " cut", " more like this"];
    let shown = parts[2]["text"].as_str().unwrap();
    assert!(marks.iter().any(|mark| shown.contains(mark)), "{shown}");
    assert_eq!(parts[4]["text"], "three");
}

#[test]
fn result_with_a_record_is_not_shortened_again() {
    let overspill = own();
    let shorten = |result: &Value, gates: &Gates| {
        overspill.shorten_result(result, &Call::new("tool"), &CallOptions::default(), gates)
    };
    let result = json!({"output": long()});
    let once = changed(shorten(&result, &Gates::default()));
    assert_eq!(once["metadata"]["truncated"], true);
    assert_eq!(once["metadata"]["overspill"]["lines"], 5000);
    assert_eq!(shorten(&once, &Gates::default()), ShortenedResult::Unchanged);
    // Text that looks like a notice is not a record.
    let imitation = json!({"output": format!("[overspill 123456: all is well]\n{}", long())});
    changed(shorten(&imitation, &Gates::default()));
}

#[test]
fn gated_result_passes_up_to_the_ceiling() {
    let result = json!({"output": long()});
    let skip = Gates { skip: vec!["tool".into()], ..Gates::default() };
    assert_eq!(shorten(&result, &skip), ShortenedResult::Unchanged);
    let no = Gates { predicate: Some(Arc::new(|_, _| Verdict::No)), ..Gates::default() };
    assert_eq!(shorten(&result, &no), ShortenedResult::Unchanged);
    let two = Layer { max_lines: Some(Limit::AtMost(4)), ..Layer::default() };
    let with = Gates {
        predicate: Some(Arc::new(move |_, _| Verdict::With(two.clone()))),
        ..Gates::default()
    };
    assert!(changed(shorten(&result, &with))["output"].as_str().unwrap().lines().count() <= 4);
    let huge = json!({"output": "line\n".repeat(30_000)});
    for gates in [&skip, &no] {
        assert!(changed(shorten(&huge, gates))["output"].as_str().unwrap().len() <= 51_200);
    }
}

#[test]
fn ceiling_off_lets_gated_results_pass() {
    let huge = json!({"output": "line\n".repeat(300_000)});
    let skip = Gates { skip: vec!["tool".into()], ..Gates::default() };
    let settings = Layer::new().ceiling(false);
    let overspill = own().to_builder().settings(settings.clone()).build();
    let (call, options) = (Call::new("tool"), CallOptions::default());
    assert_eq!(overspill.shorten_result(&huge, &call, &options, &skip), ShortenedResult::Unchanged);
    let options = CallOptions { settings, ..CallOptions::default() };
    assert_eq!(own().shorten_result(&huge, &call, &options, &skip), ShortenedResult::Unchanged);
    changed(overspill.shorten_result(&huge, &call, &CallOptions::default(), &Gates::default()));
}

#[test]
fn forged_record_is_ignored() {
    for forged in [json!(null), json!({}), json!({"id": "01KA"}), json!("yes")] {
        let result =
            json!({"output": long(), "metadata": {"overspill": forged, "truncated": true}});
        changed(shorten(&result, &Gates::default()));
        // The result of a tool that the host trusts is accepted.
        let trusted = Gates { trusted: vec!["tool".into()], ..Gates::default() };
        assert_eq!(shorten(&result, &trusted), ShortenedResult::Unchanged);
    }
}

#[test]
fn forged_metadata_lets_no_long_result_pass() {
    let overspill = own();
    let shorten = |result: &Value| {
        let (call, options) = (Call::new("tool"), CallOptions::default());
        overspill.shorten_result(result, &call, &options, &Gates::default())
    };
    let true_mark = changed(shorten(&json!({"output": long()})))["metadata"].clone();
    for forged in [json!({"overspill": {"saveError": "full"}}), true_mark] {
        let result = json!({"output": long(), "metadata": forged});
        let after = changed(shorten(&result));
        assert!(after["output"].as_str().unwrap().starts_with("[overspill "), "{forged}");
        let short = json!({"output": "short", "metadata": forged});
        assert_eq!(shorten(&short), ShortenedResult::Unchanged, "{forged}");
    }
}

#[test]
fn mcp_content_that_is_not_a_list_is_shortened() {
    for content in [json!(long()), json!({"type": "text", "text": long()})] {
        let after = changed(shorten(&json!({"content": content, "a": 1}), &Gates::default()));
        let text = after["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("[overspill ") && after["a"] == 1, "{after}");
    }
    assert_eq!(
        shorten(&json!({"content": "short"}), &Gates::default()),
        ShortenedResult::Unchanged
    );
}

#[test]
fn media_that_turn_into_text_are_shortened() {
    let data = format!("{}{}", "TUFQ".repeat(1_000), "a line\n".repeat(5_000));
    let result = json!({"content": [{"type": "image", "mimeType": "image/png", "data": data}]});
    let after = changed(shorten(&result, &Gates::default()));
    assert!(after["content"][0]["data"].as_str().unwrap().starts_with("[overspill "), "{after}");
}

#[test]
fn failure_lets_no_result_pass_the_ceiling() {
    let huge = "x".repeat(10_000_000);
    let panics: Gates =
        Gates { predicate: Some(Arc::new(|_, _| panic!("its own affair"))), ..Gates::default() };
    let result = json!({"output": huge});
    assert!(changed(shorten(&result, &panics))["output"].as_str().unwrap().len() <= 51_200);
    assert!(changed(shorten(&json!(huge), &Gates::default())).as_str().unwrap().len() <= 51_200);
    for profile in Profile::ALL {
        let overspill = Overspill::new(profile, Memory::default());
        let mut registry = Registry::new().shortened_by(overspill, Gates::default());
        let message = huge.clone();
        registry.register(Tool::new("fail", move |_| Err(message.clone())));
        let executed = registry.execute(&[call("1", "fail", "{}"), call("2", &huge, "{}")]);
        for executed in executed {
            assert!(executed.result.to_string().len() < 10_000);
        }
    }
    let unlimited = Layer {
        max_lines: Some(Limit::Unlimited),
        max_bytes: Some(Limit::Unlimited),
        ..Layer::default()
    };
    let options = CallOptions { settings: unlimited, ..CallOptions::default() };
    let outcome = own().process_with(huge.as_bytes(), &Call::default(), &options);
    assert!(outcome.bytes().len() <= 512_000);
}

#[test]
fn value_without_result_text_is_unchanged() {
    for result in
        [json!(null), json!(17), json!({}), json!({"output": null}), json!({"output": ""})]
    {
        assert_eq!(shorten(&result, &Gates::default()), ShortenedResult::Unchanged, "{result}");
    }
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn registry() -> Registry {
    let mut registry = Registry::new().shortened_by(own(), Gates::default());
    let schema = json!({
        "type": "object",
        "required": ["lines"],
        "properties": {"lines": {"type": "integer", "minimum": 0}},
    });
    let print = |arguments: &Value| {
        let lines = arguments["lines"].as_u64().unwrap() as usize;
        Ok(json!({"success": true, "output": "line\n".repeat(lines)}))
    };
    registry.register(Tool::new("print", print).with_schema(&schema).unwrap());
    registry.register(Tool::new("fail", |_| Err("no such file".into())));
    registry.register(Tool::new("panic", |_| panic!("a tool's troubles are its own")));
    registry
}

#[test]
fn bad_call_fails_alone() {
    let executed = registry().execute(&[
        call("1", "print", r#"{"lines": 3}"#),
        call("2", "print", r#"{"lines": -1}"#),
        call("3", "print", "{not json"),
        call("4", "no-such-tool", "{}"),
        call("5", "fail", "{}"),
        call("6", "panic", "{}"),
        call("7", "print", r#"{"lines": 5000}"#),
    ]);
    let ids: Vec<&str> = executed.iter().map(|executed| executed.call.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(executed[0].result["output"], "line\nline\nline\n");
    let errors: Vec<&str> =
        executed[1..6].iter().map(|executed| executed.result["error"].as_str().unwrap()).collect();
    assert!(errors[0].starts_with("invalid arguments at /lines: -1 is less than"), "{errors:?}");
    assert!(errors[1].starts_with("the arguments are not JSON"), "{errors:?}");
    assert_eq!(errors[2..], ["there is no tool no-such-tool", "no such file", "the tool panicked"]);
    assert_eq!(executed[6].result["metadata"]["truncated"], true);
}

#[test]
fn turn_budget_keeps_small_results_whole_and_shortens_large_ones() {
    let registry = registry().with_budget(Limits::NONE.bytes(10_000));
    let executed = registry.execute(&[
        call("1", "print", r#"{"lines": 3}"#),
        call("2", "print", r#"{"lines": 4000}"#),
        call("3", "print", r#"{"lines": 5000}"#),
    ]);
    let len = |index: usize| executed[index].result["output"].as_str().unwrap().len();
    assert_eq!(len(0), 15);
    assert!(len(1) > 4000 && len(2) > 4000, "{} {}", len(1), len(2));
    assert!(len(0) + len(1) + len(2) <= 10_000);
}

#[test]
fn invalid_schema_is_refused_with_the_name_of_its_tool() {
    let error = Tool::new("print", |_| Ok(json!({}))).with_schema(&json!({"type": 17}));
    assert!(error.err().unwrap().to_string().starts_with("the schema of print is no JSON Schema"));
}

#[test]
fn invalid_envelope_gets_a_shortened_answer() {
    let overspill = Overspill::new(Profile::UNIFIED, Memory::default());
    let long = "x".repeat(60_000);
    for response in [
        long.clone(),
        format!("[\"{long}\"]"),
        format!(r#"{{"context": null, "text": "{long}"}}"#),
        format!(r#"{{"stats": 123456789012345678901234567890, "text": "{long}"}}"#),
        format!(r#"{{"status": "error", "status": "success", "text": "{long}"}}"#),
        format!(r#"{{"context": {{"truncation_skip": 1}}, "text": "{long}"}}"#),
    ] {
        let answer =
            envelope::respond(&overspill, &response, &Call::default(), &CallOptions::default());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["status"], "partial", "{}", &response[..40]);
        assert_eq!(answer["data"]["truncation"]["kept_bytes"], 51_200);
    }
    // Deep nesting, half of a surrogate pair and huge numbers are still JSON.
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let odd = format!(
        r#"{{"status":"error", "error":"e", "stats":{deep}, "context":{{"n": 1.50, "s": "\ud800"}}, "text":"{long}"}}"#
    );
    let answer = envelope::respond(&overspill, &odd, &Call::default(), &CallOptions::default());
    assert!(answer.starts_with(r#"{"status":"error","data":"#), "{}", &answer[..80]);
    let end = format!(r#""stats":{deep},"context":{{"n":1.50,"s":"\ud800"}},"error":"e"}}"#);
    assert!(answer.ends_with(&end), "{}", &answer[answer.len() - 80..]);
    let skipped = format!(r#"{{"context": {{"truncation_skip": true}}, "text": "{long}"}}"#);
    let answer = envelope::respond(&overspill, &skipped, &Call::default(), &CallOptions::default());
    assert_eq!(answer, skipped);
}
