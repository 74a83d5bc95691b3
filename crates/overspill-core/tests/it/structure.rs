//! Tests structured outputs: JSON stays JSON, and its counts are right.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use crate::common;

use overspill_core::{Finished, Keep, Limits, Policy, Preview, Window, cut};
use proptest::prelude::*;
use serde_json::Value;

fn answer<'a>(output: &'a [u8], policy: &Policy) -> Option<Preview<'a>> {
    policy.measure(output).map(|oversized| oversized.preview(&common::unsaved()))
}

fn auto(bytes: u64) -> Policy {
    Policy::new(Limits::NONE.bytes(bytes), Keep::Auto)
}

/// Reads the number in "… 1,234 more items …".
fn number_in(mark: &str) -> usize {
    let digits: String = mark
        .chars()
        .skip_while(|char| !char.is_ascii_digit())
        .take_while(|char| char.is_ascii_digit() || *char == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}

/// Checks that the shown values are in the output at the same place, and that the counts of the
/// left-out values are right.
fn assert_shortened(shown: &Value, original: &Value) {
    match (shown, original) {
        (Value::Array(shown), Value::Array(original)) => {
            let mut at = 0;
            for item in shown {
                match item {
                    Value::String(mark) if mark.contains(" more item") => at += number_in(mark),
                    item => {
                        assert_shortened(item, &original[at]);
                        at += 1;
                    }
                }
            }
            assert_eq!(at, original.len());
        }
        (Value::Object(shown), Value::Object(original)) => {
            let mut at = 0;
            let members: Vec<_> = original.iter().collect();
            for (name, value) in shown {
                if name.starts_with('…') {
                    at += number_in(value.as_str().unwrap());
                } else {
                    assert_eq!(name, members[at].0);
                    assert_shortened(value, members[at].1);
                    at += 1;
                }
            }
            assert_eq!(at, original.len());
        }
        (Value::String(shown), Value::String(original)) if shown.contains(" more byte") => {
            let (start, rest) = shown.split_once("… ").unwrap();
            let (mark, end) = rest.split_once(" …").unwrap();
            assert!(original.starts_with(start) && original.ends_with(end), "{shown}");
            // Counted as in the text.
            let written = |text: &str| serde_json::to_string(text).unwrap().len() - 2;
            assert_eq!(written(start) + number_in(mark) + written(end), written(original));
        }
        (shown, original) => assert_eq!(shown, original),
    }
}

fn body(text: &str) -> &str {
    match text.strip_prefix("[overspill ") {
        Some(rest) => rest.split_once('\n').unwrap().1,
        None => text,
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>().prop_map(Value::from),
        "[a-zé→🚀\"\\\\\n\t\u{1}]{0,12}".prop_map(Value::from),
        "[a-z é🚀\"\\\\]{80,300}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        4 => "[a-z]{1,6}",
        1 => proptest::sample::select(vec!["error", "status", "ok", "a\"b\\"]).prop_map(String::from),
    ];
    leaf.prop_recursive(5, 300, 40, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..40).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..40)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .prop_filter("a text of some size", |value| value.is_array() || value.is_object())
}

fn written(value: &Value, pretty: bool) -> Vec<u8> {
    if pretty { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) }.unwrap()
}

proptest! {
    #[test]
    fn json_is_shown_as_json_whose_counts_are_right(
        value in json(),
        pretty in any::<bool>(),
        bytes in 0u64..4000,
    ) {
        let output = written(&value, pretty);
        let Some(answer) = answer(&output, &auto(bytes)) else { return Ok(()) };
        prop_assert!(answer.text.len() as u64 <= bytes);
        prop_assert_eq!(answer.text.is_empty(), bytes == 0);
        if answer.outline.is_some() {
            let shown = serde_json::from_str(body(&answer.text)).unwrap();
            assert_shortened(&shown, &value);
        } else {
            // The shortest outline has only the number of values.
            prop_assert!(bytes < 1200, "{}", answer.text);
        }
    }

    #[test]
    fn json_is_shown_within_every_limit(
        value in json(),
        limits in common::limits(),
        keep in prop_oneof![Just(Keep::Auto), Just(Keep::Structure)],
    ) {
        let policy = Policy::new(limits, keep);
        let output = written(&value, true);
        let Some(answer) = answer(&output, &policy) else { return Ok(()) };
        let text = answer.text.as_bytes();
        prop_assert_eq!(limits.exceeded_by(text, policy.lines, &policy.tokens), None);
        if let Some(outline) = answer.outline {
            assert_shortened(&serde_json::from_str(&outline).unwrap(), &value);
        }
    }

    #[test]
    fn chunks_make_no_difference(
        value in json(),
        pretty in any::<bool>(),
        garbage in "[ \n]{0,3}|x|\\]",
        at in proptest::collection::vec(any::<usize>(), 0..6),
        bytes in 0u64..2000,
    ) {
        let mut output = written(&value, pretty);
        output.extend_from_slice(garbage.as_bytes());
        let policy = auto(bytes);
        let expected = answer(&output, &policy).map(|answer| answer.text);
        let mut window = Window::new(policy);
        common::chunks(&output, &at).iter().for_each(|chunk| drop(window.push(chunk)));
        let streamed = match window.finish() {
            Finished::Whole(_) => None,
            Finished::Over(over) => Some(over.preview(&common::unsaved()).text),
        };
        prop_assert_eq!(streamed, expected);
    }
}

/// Records, some of which failed.
fn records(count: usize) -> Value {
    let record = |n: usize| {
        let mut record = serde_json::json!({
            "id": n, "name": format!("user {n}"), "status": "active", "tags": ["a", "b"],
            "place": {"city": "Oslo", "zip": format!("{:05}", n)},
        });
        if n % 4711 == 4000 {
            record["status"] = "failed".into();
            record["error"] = "connection reset by peer".into();
        }
        if n == 3000 { serde_json::json!({"id": n, "moved": true}) } else { record }
    };
    serde_json::json!({
        "took": 12.50, "results": (0..count).map(record).collect::<Vec<_>>(), "next": null,
    })
}

#[test]
fn many_records_show_the_first_the_last_and_the_different() {
    let output = written(&records(10_000), false);
    let answer = answer(&output, &auto(2500)).unwrap();
    assert_shortened(&serde_json::from_str(body(&answer.text)).unwrap(), &records(10_000));
    insta::assert_snapshot!(answer.text);
}

#[test]
fn values_beyond_memory_are_still_counted() {
    let value = records(60_000);
    let output = written(&value, true);
    assert!(output.len() > 10 << 20);
    for bytes in [400, 3000, 51_200] {
        let answer = answer(&output, &auto(bytes)).unwrap();
        let shown: Value = serde_json::from_str(body(&answer.text)).unwrap();
        assert_shortened(&shown, &value);
        assert!(answer.text.len() as u64 > bytes * 2 / 5, "{bytes}: {}", answer.text.len());
        assert!(bytes < 3000 || answer.text.contains("\"moved\":true"), "{}", answer.text);
        assert!(bytes < 3000 || answer.text.contains("connection reset"), "{}", answer.text);
    }
}

#[test]
fn json_values_stay_as_written() {
    let filler = "x".repeat(5000);
    let output = format!(
        "\u{feff} {{\"a\":1.50e+3,\"a\":12345678901234567890,\"é\":\"\\u00e9\\/\\ud83d\\ude00\",\"b\":\"{filler}\"}}\n"
    );
    let answer = answer(output.as_bytes(), &auto(600)).unwrap();
    let wanted = "\"a\":1.50e+3,\n \"a\":12345678901234567890,\n \"é\":\"\\u00e9\\/\\ud83d\\ude00\",\n \"b\":\"xxx";
    assert!(answer.text.contains(wanted), "{}", answer.text);
}

#[test]
fn escapes_are_never_cut_apart() {
    for unit in ["\\ud83d\\ude00", "\\\\", "\\\"", "a\\u00e9", "🚀", "\\n→"] {
        let output = format!("[\"{}\",\"{}\"]", unit.repeat(500), unit.repeat(700));
        for bytes in 150..420 {
            let answer = answer(output.as_bytes(), &auto(bytes)).unwrap();
            if let Some(outline) = answer.outline {
                let shown: Value = serde_json::from_str(&outline).unwrap();
                let units = |at: usize| shown[at].as_str().unwrap().contains(" more bytes …");
                assert!(outline.contains(" more item") || units(0) && units(1), "{outline}");
            }
        }
    }
}

/// Large outputs that are nearly JSON, or JSON that is hard to read.
#[test]
fn text_that_is_not_json_is_shown_as_lines() {
    let item = r#"{"id":1,"error":"a\"b","n":[1,2,{"x":null}]},"#;
    let many = item.repeat(20_000);
    for (name, output) in [
        ("cut in the middle", format!("[{}", &many[..many.len() / 2])),
        ("cut in the middle, small", format!("[{}", &many[..60_000])),
        ("text after it", format!("[{many}1]\nDone in 3 s\n")),
        ("text before it", format!("Fetching …\n[{many}1]\n")),
        ("text after a little of it", format!("{{\"a\":1}}\n{}", "fetched a page\n".repeat(9000))),
        ("NaN", format!("[{many}NaN]")),
        ("NaN at the start", format!("[NaN,{many}1]")),
        ("a log", "[INFO] all is well\n".repeat(9000)),
        ("a log with braces", "{thread 1} all is well\n".repeat(9000)),
        ("a key of a megabyte", format!("{{\"{}\":1}}", "k".repeat(1 << 20))),
        ("a number of a megabyte", format!("[{}]", "7".repeat(1 << 20))),
        ("minified JavaScript", "function(a){return a?[1,2]:{b:a}};".repeat(9000)),
    ] {
        for keep in [Keep::Auto, Keep::Structure] {
            let policy = Policy { keep, ..Policy::default() };
            let answer = answer(output.as_bytes(), &policy).unwrap();
            assert!(answer.outline.is_none(), "{name}");
            assert!(answer.text.len() <= 51_200, "{name}");
            assert!(answer.cut.shown().bytes > 20_000, "{name}: {:?}", answer.cut.shown());
        }
    }
    let utf16: Vec<u8> = many.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let answer = answer(&utf16, &Policy { keep: Keep::Auto, ..Policy::default() }).unwrap();
    assert!(answer.text.len() <= 51_200 && answer.cut.shown().bytes > 20_000);
}

#[test]
fn json_in_colours_is_json() {
    let output = format!(
        "\x1b[1;39m[\r\n{}\x1b[0m\r\n]\r\n",
        "\x1b[32m\"a\"\x1b[0m,1,\r\n".repeat(9000) + "2"
    );
    let answer = answer(output.as_bytes(), &auto(2000)).unwrap();
    let shown: Value = serde_json::from_str(&answer.outline.unwrap()).unwrap();
    assert_eq!(shown[0], "a");
}

#[test]
fn ten_thousand_levels_are_shown_as_far_as_a_reader_goes() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let output = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        let answer = answer(output.as_bytes(), &auto(3000)).unwrap();
        assert!(serde_json::from_str::<Value>(&answer.outline.unwrap()).is_ok());
    }
    let output = "[".repeat(3 << 20);
    assert!(!answer(output.as_bytes(), &auto(3000)).unwrap().text.is_empty());
}

#[test]
fn json_cut_without_a_notice_has_pieces() {
    let output = written(&records(1000), true);
    let cut = cut(&output, &auto(500)).unwrap();
    assert!(!cut.pieces.is_empty() && cut.shown().bytes <= 500);
}

/// Shows an output of lines within 1200 bytes, with the reason for each part.
fn shown(output: &str) -> String {
    let answer = answer(output.as_bytes(), &auto(1200)).unwrap();
    let reasons =
        answer.cut.reasons().iter().map(|reason| format!("\nline {}: {}", reason.line, reason.why));
    answer.text.clone() + &reasons.collect::<String>()
}

#[test]
fn json_lines_show_the_lines_that_differ() {
    let line = |n: u32| match n {
        700 => "{\"n\":700,\"level\":\"error\",\"msg\":\"upstream timed out\"}\n".into(),
        800 => "panic: not all is JSON\n".into(),
        900 => "{\"event\":\"reload\"}\n".into(),
        n => format!("{{\"n\":{n},\"level\":\"info\",\"msg\":\"served\"}}\n"),
    };
    insta::assert_snapshot!(shown(&(0..2000).map(line).collect::<String>()));
}

#[test]
fn go_test_json_shows_the_messages_of_the_failed_test() {
    let row = |n: usize, action: &str, rest: &str| {
        format!(
            "{{\"Time\":\"2026-03-04T10:00:00.{n:09}+01:00\",\"Action\":\"{action}\",\"Package\":\"acme/calc\",\"Test\":\"TestSum{n}\"{rest}}}\n"
        )
    };
    let output = |n, text: &str| row(n, "output", &format!(",\"Output\":\"{text}\\n\""));
    let passed = |n| {
        let ran = output(n, &format!("--- PASS: TestSum{n} (0.00s)"));
        row(n, "run", "") + &output(n, "=== RUN") + &ran + &row(n, "pass", ",\"Elapsed\":0")
    };
    let failed = |n| {
        let said = output(n, "    calc_test.go:42: Sum(2, 3) = 6; want 5");
        let ran = output(n, &format!("--- FAIL: TestSum{n} (0.00s)"));
        row(n, "run", "") + &output(n, "=== RUN") + &said + &ran + &row(n, "fail", ",\"Elapsed\":0")
    };
    let log: String = (0..900).map(|n| if n == 433 { failed(n) } else { passed(n) }).collect();
    let shown = shown(&log);
    assert!(shown.contains("Sum(2, 3) = 6; want 5"), "{shown}");
    assert!(shown.contains("--- FAIL: TestSum433"), "{shown}");
}

#[test]
fn table_shows_its_header_and_the_rows_that_differ() {
    let row = |n: u32| match n {
        0 => "id,name,status\n".into(),
        700 => "700,\"smith, j\",failed\n".into(),
        800 => "800,short\n".into(),
        n => format!("{n},\"smith, {n}\",ok\n"),
    };
    insta::assert_snapshot!(shown(&(0..2000).map(row).collect::<String>()));
}

#[test]
fn diff_names_every_file_before_it_shows_much_of_one() {
    let hunk = |n: u32| {
        let lines: String = (0..20).map(|line| format!("-old {line}\n+new {line}\n")).collect();
        format!("@@ -{n},20 +{n},20 @@ fn f{n}()\n{lines}")
    };
    let file = |n: u32| {
        let hunks: String = (0..10).map(|at| hunk(at * 40 + 1)).collect();
        format!(
            "diff --git a/f{n}.rs b/f{n}.rs\nindex 1..2 100644\n--- a/f{n}.rs\n+++ b/f{n}.rs\n{hunks}"
        )
    };
    insta::assert_snapshot!(shown(&(0..6).map(file).collect::<String>()));
}

#[test]
fn test_report_shows_its_failures() {
    let test = |n: u32| match n {
        700 | 900 => format!("not ok {n} - parses\n  ---\n  message: expected 3, got 4\n  ...\n"),
        n => format!("ok {n} - parses\n"),
    };
    let tests: String = (1..2000).map(test).collect();
    insta::assert_snapshot!(shown(&format!("TAP version 13\n1..1999\n{tests}# fail 2\n")));
}

#[test]
fn test_report_in_xml_shows_its_failures() {
    let test = |n: u32| match n {
        700 => "<testcase name=\"t700\">\n<failure>\nexpected 3, got 4\n</failure>\n</testcase>\n"
            .into(),
        n => format!("<testcase name=\"t{n}\"/>\n"),
    };
    let tests: String = (1..2000).map(test).collect();
    insta::assert_snapshot!(shown(&format!(
        "<?xml version=\"1.0\"?>\n<testsuite tests=\"1999\" failures=\"1\">\n{tests}</testsuite>\n"
    )));
}

#[test]
fn test_report_in_xml_on_one_line_shows_its_failures() {
    let case = |n: u32| {
        match n {
        700 => "<testcase name=\"refund\"><failure message=\"expected 1200\">cart.py:17</failure></testcase>".into(),
        n => format!("<testcase classname=\"shop.Cart\" name=\"case_{n}\" time=\"0.01\"/>"),
    }
    };
    let cases: String = (0..1500).map(case).collect();
    let report = format!("<?xml version=\"1.0\"?><testsuite failures=\"1\">{cases}</testsuite>");
    let text = shown(&report);
    for part in [
        "<testcase name=\"refund\"><failure message=\"expected 1200\">",
        "failures=\"1\"",
        "</testsuite>",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains(": bytes "), "{text}");
}

#[test]
fn table_with_line_breaks_in_quotes_shows_its_failures() {
    let row = |n: u32| match n {
        1700 => {
            "1700,\"Traceback:\n  File \"\"run.py\"\", line 3\nno column totl\",job,failed\n".into()
        }
        n => format!("{n},\"line one\nline two, with a comma\nline three\",job,ok\n"),
    };
    let rows: String = (0..3000).map(row).collect();
    let text = shown(&format!("id,message,name,status\n{rows}"));
    assert!(
        text.contains(
            "\n1700,\"Traceback:\n  File \"\"run.py\"\", line 3\nno column totl\",job,failed\n"
        ),
        "{text}"
    );
}

#[test]
fn field_of_five_megabytes_is_clipped() {
    let rows = "7,seven,\"some text\"\n".repeat(5000);
    for (field, end) in [("x".repeat(5 << 20), ""), ("a line\n".repeat(700_000), "")] {
        let output =
            format!("id,name,text\n{rows}8,eight,\"{field}\"\n{rows}9,nine,no text{end}\n");
        let answer =
            answer(output.as_bytes(), &Policy { keep: Keep::Auto, ..Policy::default() }).unwrap();
        assert!(answer.text.len() <= 51_200);
        assert!(
            answer.text.contains("id,name,text\n") && answer.text.contains("9,nine"),
            "header and last row"
        );
    }
}
