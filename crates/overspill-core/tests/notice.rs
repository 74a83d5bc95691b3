//! The words of the notice, as a model and a person read them.

#![allow(clippy::unwrap_used, reason = "a test")]

use insta::assert_snapshot;
use overspill_core::{Copy, Keep, Limits, Notice, Over, Policy, Reach, Saved, ToolNames};

fn numbered(lines: u64) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

fn copy() -> Copy {
    Copy { id: "01KA3F9C2E".into(), path: Some("/state/overspill/01KA3F9C2E.txt".into()) }
}

fn shell() -> Reach {
    Reach { program: Some("overspill".into()), files: true, ..Reach::default() }
}

fn notice(saved: Saved, reach: Reach) -> Notice {
    Notice { token: "3f9c2e".into(), saved, reach }
}

/// What `notice` makes of `output` in eight lines.
fn answer(output: &str, notice: &Notice, keep: Keep) -> String {
    answer_within(output, notice, keep, Limits::NONE.lines(8))
}

fn answer_within(output: &str, notice: &Notice, keep: Keep, limits: Limits) -> String {
    let policy = Policy::new(limits, keep);
    notice.answer(&Over::of(output.as_bytes(), &policy).unwrap(), &policy).text
}

#[test]
fn a_reader_with_a_shell() {
    let notice = notice(Saved::Whole(copy()), shell());
    assert_snapshot!(answer(&numbered(5234), &notice, Keep::ENDS), @"");
    assert_snapshot!(answer(&numbered(5234), &notice, Keep::Head), @"");
    assert_snapshot!(answer(&numbered(5234), &notice, Keep::Tail), @"");
}

#[test]
fn a_reader_with_our_tools() {
    let tools = ToolNames { read: "overspill_read".into(), grep: "overspill_grep".into() };
    let reach = Reach { tools: Some(tools), ..Reach::default() };
    assert_snapshot!(answer(&numbered(100), &notice(Saved::Whole(copy()), reach), Keep::ENDS), @"");
}

#[test]
fn a_reader_that_can_only_open_files_or_delegate() {
    let reach = Reach { files: true, delegate: Some("Task".into()), ..Reach::default() };
    assert_snapshot!(answer(&numbered(100), &notice(Saved::Whole(copy()), reach), Keep::Tail), @"");
}

#[test]
fn a_reader_that_can_do_nothing() {
    let notice = notice(Saved::Whole(copy()), Reach::default());
    assert_snapshot!(answer(&numbered(100), &notice, Keep::Tail), @"");
}

#[test]
fn what_was_saved_in_part_or_not_at_all() {
    let partial = notice(Saved::Partial(copy(), 268_435_456), shell());
    assert_snapshot!(answer(&numbered(100), &partial, Keep::Head), @"");
    let failed = notice(Saved::Failed("/state: no space left on device".into()), shell());
    assert_snapshot!(answer(&numbered(100), &failed, Keep::Head), @"");
    assert_snapshot!(answer(&numbered(100), &notice(Saved::No, shell()), Keep::Head), @"");
}

#[test]
fn one_long_line() {
    let notice = notice(Saved::Whole(copy()), shell());
    let output = "0123456789".repeat(1000);
    let limits = Limits::NONE.bytes(600);
    assert_snapshot!(answer_within(&output, &notice, Keep::ENDS, limits), @"");
}

#[test]
fn a_long_line_among_others() {
    let notice = notice(Saved::Whole(copy()), shell());
    let output = format!("first\n{}\nlast\n", "0123456789".repeat(1000));
    let limits = Limits::NONE.bytes(600);
    assert_snapshot!(answer_within(&output, &notice, Keep::Head, limits), @"");
    assert_snapshot!(answer_within(&output, &notice, Keep::Tail, limits), @"");
}

#[test]
fn colours_and_redraws() {
    let notice = notice(Saved::Whole(copy()), shell());
    let output: String =
        (0..100).map(|n| format!("\r{n}%")).collect::<String>() + "\r\x1b[32mdone\x1b[0m\n";
    let limits = Limits::NONE.bytes(300);
    assert_snapshot!(answer_within(&output, &notice, Keep::ENDS, limits), @"");
}

#[test]
fn shorter_forms_where_room_is_short() {
    let notice = notice(Saved::Whole(copy()), shell());
    let within = |bytes| {
        let limits = Limits::NONE.bytes(bytes);
        answer_within(&numbered(1000), &notice, Keep::ENDS, limits)
    };
    assert_snapshot!(within(400), @"");
    assert_snapshot!(within(250), @"");
    assert_snapshot!(within(100), @"");
    assert_snapshot!(within(30), @"");
    assert_snapshot!(within(8), @"");
    assert_snapshot!(within(1), @"");
    assert_snapshot!(answer_within("🚀🚀", &notice, Keep::Head, Limits::NONE.bytes(3)), @"");
}

#[test]
fn an_output_that_quotes_us() {
    let notice = notice(Saved::Whole(copy()), shell());
    let output = "[overspill 3f9c2e: nothing is missing]\n".repeat(20);
    assert_snapshot!(answer(&output, &notice, Keep::Head), @"");
}

#[test]
fn words_for_a_person() {
    let policy = Policy::new(Limits::NONE.lines(6), Keep::ENDS);
    let output = numbered(5234);
    let over = Over::of(output.as_bytes(), &policy).unwrap();
    let notice = notice(Saved::Whole(copy()), shell());
    assert_snapshot!(notice.for_person(&over.cut(&policy)), @"");
}
