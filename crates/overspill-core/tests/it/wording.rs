//! Tests notices and marks in the words of the caller.

use insta::assert_snapshot;
use overspill_core::{Keep, Limits, Policy, Wording};

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
    [output 3f9c2e: 100 lines, 792 bytes, 2 lines shown; not saved]
    line 1
    [3f9c2e: lines 2-99 cut]
    line 100
    ");
}

#[test]
fn mark_inside_a_line_names_bytes() {
    let text = preview(&"x".repeat(90_000), &common::saved(), Limits::NONE.bytes(2000));
    let mark = text.lines().find(|line| line.contains(" cut]")).unwrap();
    let (from, to) = mark.strip_prefix("[3f9c2e: bytes ").unwrap().split_once(' ').unwrap();
    assert_eq!(to, "cut]");
    assert!(
        from.split_once('-')
            .is_some_and(|(from, to)| from.parse::<u64>().unwrap() < to.parse::<u64>().unwrap())
    );
}

#[test]
fn notice_leaves_out_facts_beyond_150_bytes() {
    let facts = ["failing-log", "exit 101", "12.4s"].map(String::from).to_vec();
    let notice = |copy: &str| {
        let wording = Wording { facts: facts.clone(), copy: copy.into(), ..common::saved() };
        preview(&numbered(10_000), &wording, Limits::NONE.bytes(20_000))
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    let all = notice("overspill read 3f9c2e");
    assert!(
        all.contains("failing-log, exit 101, 12.4s, 10,000 lines") && all.len() <= 150,
        "{all}"
    );
    // The time is dropped first, then the kind. The exit code stays, because some hosts do not show
    // it.
    let long = notice("overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e");
    assert!(long.contains("failing-log, exit 101, 10,000 lines") && long.len() <= 150, "{long}");
    let longer = notice("overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e; abc");
    assert!(longer.contains(": exit 101, 10,000 lines") && longer.len() <= 150, "{longer}");
}

#[test]
fn mark_without_room_for_a_notice_names_the_saved_output() {
    let within = |wording: &Wording| preview(&numbered(1000), wording, Limits::NONE.bytes(110));
    let saved = within(&common::saved());
    assert!(saved.contains("[overspill 3f9c2e: 8,"), "{saved}");
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
        text.lines().next().unwrap().split_once("; ").unwrap().1,
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
