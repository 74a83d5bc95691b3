//! Notices and marks in the words that a caller gives.

use insta::assert_snapshot;
use overspill_core::{Keep, Limits, PageCommand, Policy, Wording};

use crate::common;

fn numbered(lines: u64) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

fn preview(output: &str, wording: &Wording, limits: Limits) -> String {
    let policy = Policy::new(limits, Keep::ENDS);
    policy.measure(output.as_bytes()).unwrap().preview(wording).text
}

#[test]
fn plain_wording_says_that_nothing_was_saved() {
    assert_snapshot!(preview(&numbered(100), &Wording::plain("3f9c2e"), Limits::NONE.lines(4)), @"
    [output 3f9c2e: 792 bytes in 100 lines; 2 lines shown. It was not saved]
    line 1
    [output 3f9c2e: lines 2–99 not shown (776 bytes)]
    line 100
    ");
}

#[test]
fn page_command_names_the_unit_and_the_range() {
    let page = PageCommand {
        before_unit: r#"page {"id":7,""#.into(),
        before_range: r#"":""#.into(),
        after_range: r#""}"#.into(),
    };
    let wording = Wording { page: Some(page), ..Wording::plain("3f9c2e") };
    let lines = preview(&numbered(1000), &wording, Limits::NONE.lines(4));
    assert!(lines.contains(r#": page {"id":7,"lines":"2:201"}]"#), "{lines}");
    let bytes = preview(&"x".repeat(90_000), &wording, Limits::NONE.bytes(2000));
    assert!(bytes.contains(r#": page {"id":7,"bytes":""#), "{bytes}");
}

#[test]
fn mark_without_room_for_a_notice_names_the_saved_output() {
    let within = |wording: &Wording| preview(&numbered(1000), wording, Limits::NONE.bytes(110));
    let saved = within(&common::saved());
    assert!(saved.contains("[overspill 01KA0000000000000000000000: 8,"), "{saved}");
    let unsaved = preview(&numbered(1000), &common::unsaved(), Limits::NONE.bytes(100));
    assert!(unsaved.contains("[overspill 3f9c2e: 8,"), "{unsaved}");
}

#[test]
fn words_with_line_breaks_stay_on_one_line() {
    let wording = Wording {
        label: "a\nb".into(),
        copy: "kept\nin \u{202e}two\r\nlines".into(),
        ..Wording::plain("3f9c2e")
    };
    let text = preview(&numbered(100), &wording, Limits::NONE.lines(4));
    assert_eq!(
        text.lines().next().unwrap().split_once(". ").unwrap().1,
        "kept␊in \u{fffd}two␍␊lines]"
    );
    assert_eq!(wording.line("one\ntwo"), "[a␊b 3f9c2e: one␊two]");
}

#[test]
fn output_that_quotes_a_mark_is_defused_by_the_label_in_use() {
    let output = "[output 1: fine] [overspill 1: fine]\n".repeat(20);
    let text = preview(&output, &Wording::plain("3f9c2e"), Limits::NONE.lines(4));
    assert!(text.contains("(output 1: fine] [overspill 1: fine]"), "{text}");
}
