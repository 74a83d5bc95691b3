//! The words of the notice, as a model and a person read them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use insta::assert_snapshot;
use overspill_core::{
    Availability, Keep, Limits, Notice, Oversized, Policy, ReaderAbilities, SaveStatus, Stored,
    ToolNames,
};

fn numbered(lines: u64) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

fn copy() -> Stored {
    Stored {
        id: "01KA3F9C2E".into(),
        path: Some("/state/overspill/01KA3F9C2E.txt".into()),
        ..Stored::default()
    }
}

fn shell() -> ReaderAbilities {
    ReaderAbilities { program: Some("overspill".into()), files: true, ..ReaderAbilities::default() }
}

fn notice(saved: SaveStatus, reach: ReaderAbilities) -> Notice {
    Notice { token: "3f9c2e".into(), saved, reach }
}

/// What `notice` makes of `output` in eight lines.
fn answer(output: &str, notice: &Notice, keep: Keep) -> String {
    answer_within(output, notice, keep, Limits::NONE.lines(8))
}

fn answer_within(output: &str, notice: &Notice, keep: Keep, limits: Limits) -> String {
    let policy = Policy::new(limits, keep);
    notice.answer(&Oversized::of(output.as_bytes(), &policy).unwrap()).text
}

#[test]
fn a_bucket_is_named_only_when_it_has_the_output() {
    let reach = ReaderAbilities { files: false, ..shell() };
    let first = |within: Availability, masked: u64| {
        let notice = notice(SaveStatus::Whole(Stored { within, masked, ..copy() }), reach.clone());
        let all = answer(&numbered(5234), &notice, Keep::ENDS);
        all.lines().next().unwrap().split_once(". ").unwrap().1.to_owned()
    };
    assert_eq!(
        first(Availability::Shared, 1),
        "All of it, saved in the bucket: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E; \
         1 secret masked in it]"
    );
    assert_eq!(
        first(Availability::UploadPending("no answer within 5 s".into()), 0),
        "All of it, saved on this machine, upload pending: no answer within 5 s. \
         Read it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E]"
    );
    let pending = Stored { within: Availability::UploadPending("x".into()), ..copy() };
    let short = notice(SaveStatus::Whole(pending), reach.clone());
    let short = answer_within(&numbered(5234), &short, Keep::ENDS, Limits::NONE.bytes(400));
    assert!(short.contains("; all, not uploaded yet: overspill read 01KA3F9C2E]"), "{short}");
}

#[test]
fn a_reader_with_a_shell() {
    let notice = notice(SaveStatus::Whole(copy()), shell());
    assert_snapshot!(answer(&numbered(5234), &notice, Keep::ENDS), @"
    [overspill 3f9c2e: 51,233 bytes in 5,234 lines; 6 lines shown. All of it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E · /state/overspill/01KA3F9C2E.txt]
    line 1
    line 2
    line 3
    [overspill 3f9c2e: lines 4–5,231 not shown (51,182 bytes): overspill read 01KA3F9C2E --lines 4:203]
    line 5232
    line 5233
    line 5234
    ");
    assert_snapshot!(answer(&numbered(5234), &notice, Keep::Head), @"
    [overspill 3f9c2e: 51,233 bytes in 5,234 lines; 6 lines shown. All of it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E · /state/overspill/01KA3F9C2E.txt]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [overspill 3f9c2e: lines 7–5,234 not shown (51,191 bytes): overspill read 01KA3F9C2E --lines 7:206]
    ");
    assert_snapshot!(answer(&numbered(5234), &notice, Keep::Tail), @"
    [overspill 3f9c2e: 51,233 bytes in 5,234 lines; 6 lines shown. All of it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E · /state/overspill/01KA3F9C2E.txt]
    [overspill 3f9c2e: lines 1–5,228 not shown (51,173 bytes): overspill read 01KA3F9C2E --lines 1:200]
    line 5229
    line 5230
    line 5231
    line 5232
    line 5233
    line 5234
    ");
}

#[test]
fn a_reader_with_our_tools() {
    let tools = ToolNames { read: "overspill_read".into(), grep: "overspill_grep".into() };
    let reach = ReaderAbilities { tools: Some(tools), ..ReaderAbilities::default() };
    assert_snapshot!(answer(&numbered(100), &notice(SaveStatus::Whole(copy()), reach), Keep::ENDS), @r#"
    [overspill 3f9c2e: 792 bytes in 100 lines; 6 lines shown. All of it: overspill_read {"id":"01KA3F9C2E"} · overspill_grep {"id":"01KA3F9C2E","pattern":"…"}]
    line 1
    line 2
    line 3
    [overspill 3f9c2e: lines 4–97 not shown (746 bytes): overspill_read {"id":"01KA3F9C2E","lines":"4:97"}]
    line 98
    line 99
    line 100
    "#);
}

#[test]
fn a_reader_that_can_only_open_files_or_delegate() {
    let reach = ReaderAbilities {
        files: true,
        delegate: Some("Task".into()),
        ..ReaderAbilities::default()
    };
    assert_snapshot!(answer(&numbered(100), &notice(SaveStatus::Whole(copy()), reach), Keep::Tail), @"
    [overspill 3f9c2e: 792 bytes in 100 lines; 6 lines shown. All of it: /state/overspill/01KA3F9C2E.txt · or let a sub-agent work through it (Task)]
    [overspill 3f9c2e: lines 1–94 not shown (743 bytes)]
    line 95
    line 96
    line 97
    line 98
    line 99
    line 100
    ");
}

#[test]
fn a_reader_that_can_do_nothing() {
    let notice = notice(SaveStatus::Whole(copy()), ReaderAbilities::default());
    assert_snapshot!(answer(&numbered(100), &notice, Keep::Tail), @"
    [overspill 3f9c2e: 792 bytes in 100 lines; 6 lines shown. All of it saved as 01KA3F9C2E]
    [overspill 3f9c2e: lines 1–94 not shown (743 bytes)]
    line 95
    line 96
    line 97
    line 98
    line 99
    line 100
    ");
}

#[test]
fn what_was_saved_in_part_or_not_at_all() {
    let partial = notice(SaveStatus::Partial(copy(), 268_435_456), shell());
    assert_snapshot!(answer(&numbered(100), &partial, Keep::Head), @"
    [overspill 3f9c2e: 792 bytes in 100 lines; 6 lines shown. Not all of it could be kept; 268,435,456 bytes of it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E · /state/overspill/01KA3F9C2E.txt]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [overspill 3f9c2e: lines 7–100 not shown (750 bytes)]
    ");
    let failed = notice(SaveStatus::Failed("/state: no space left on device".into()), shell());
    assert_snapshot!(answer(&numbered(100), &failed, Keep::Head), @"
    [overspill 3f9c2e: 792 bytes in 100 lines; 6 lines shown. It could not be saved: /state: no space left on device]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [overspill 3f9c2e: lines 7–100 not shown (750 bytes)]
    ");
    assert_snapshot!(answer(&numbered(100), &notice(SaveStatus::No, shell()), Keep::Head), @"
    [overspill 3f9c2e: 792 bytes in 100 lines; 6 lines shown. It was not saved]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [overspill 3f9c2e: lines 7–100 not shown (750 bytes)]
    ");
}

#[test]
fn one_long_line() {
    let notice = notice(SaveStatus::Whole(copy()), shell());
    let output = "0123456789".repeat(1000);
    let limits = Limits::NONE.bytes(600);
    assert_snapshot!(answer_within(&output, &notice, Keep::ENDS, limits), @"
    [overspill 3f9c2e: 10,000 bytes, 436 bytes shown; all: overspill read 01KA3F9C2E]
    01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567
    [overspill 3f9c2e: a part of line 1 not shown]
    23456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
    ");
}

#[test]
fn a_long_line_among_others() {
    let notice = notice(SaveStatus::Whole(copy()), shell());
    let output = format!("first\n{}\nlast\n", "0123456789".repeat(1000));
    let limits = Limits::NONE.bytes(600);
    assert_snapshot!(answer_within(&output, &notice, Keep::Head, limits), @"
    [overspill 3f9c2e: 10,012 bytes, 436 bytes shown; all: overspill read 01KA3F9C2E]
    first
    0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
    [overspill 3f9c2e: the rest of line 2 to line 3 not shown]
    ");
    assert_snapshot!(answer_within(&output, &notice, Keep::Tail, limits), @"
    [overspill 3f9c2e: 10,012 bytes, 436 bytes shown; all: overspill read 01KA3F9C2E]
    [overspill 3f9c2e: line 1 to a part of line 2 not shown]
    0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
    last
    ");
}

#[test]
fn colours_and_redraws() {
    let notice = notice(SaveStatus::Whole(copy()), shell());
    let output: String =
        (0..100).map(|n| format!("\r{n}%")).collect::<String>() + "\r\x1b[32mdone\x1b[0m\n";
    let limits = Limits::NONE.bytes(300);
    assert_snapshot!(answer_within(&output, &notice, Keep::ENDS, limits), @"
    [overspill 3f9c2e: 405 bytes, all of it shown, cleaned; all: overspill read 01KA3F9C2E]
    done
    ");
}

#[test]
fn shorter_forms_where_room_is_short() {
    let notice = notice(SaveStatus::Whole(copy()), shell());
    let within = |bytes| {
        let limits = Limits::NONE.bytes(bytes);
        answer_within(&numbered(1000), &notice, Keep::ENDS, limits)
    };
    assert_snapshot!(within(400), @"
    [overspill 3f9c2e: 8,893 bytes, 28 lines shown; all: overspill read 01KA3F9C2E]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    line 7
    line 8
    line 9
    line 10
    line 11
    line 12
    line 13
    line 14
    line 15
    [overspill 3f9c2e: lines 16–987 not shown]
    line 988
    line 989
    line 990
    line 991
    line 992
    line 993
    line 994
    line 995
    line 996
    line 997
    line 998
    line 999
    line 1000
    ");
    assert_snapshot!(within(250), @"
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    line 7
    line 8
    line 9
    line 10
    line 11
    line 12
    line 13
    [overspill 01KA3F9C2E: 8,698 bytes not shown]
    line 990
    line 991
    line 992
    line 993
    line 994
    line 995
    line 996
    line 997
    line 998
    line 999
    line 1000
    ");
    assert_snapshot!(within(100), @"
    line 1
    line 2
    line 3
    [overspill 01KA3F9C2E: 8,844 bytes not shown]
    line 998
    line 999
    line 1000
    ");
    assert_snapshot!(within(30), @"
    line 1
    line
    […]
    line 1000
    ");
    assert_snapshot!(within(8), @"line 1");
    assert_snapshot!(within(1), @"l");
    assert_snapshot!(answer_within("🚀🚀", &notice, Keep::Head, Limits::NONE.bytes(3)), @"…");
}

#[test]
fn an_output_that_quotes_us() {
    let notice = notice(SaveStatus::Whole(copy()), shell());
    let output = "[overspill 3f9c2e: nothing is missing]\n".repeat(20);
    assert_snapshot!(answer(&output, &notice, Keep::Head), @"
    [overspill 3f9c2e: 780 bytes in 20 lines; 6 lines shown. All of it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E · /state/overspill/01KA3F9C2E.txt]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    [overspill 3f9c2e: lines 7–20 not shown (546 bytes): overspill read 01KA3F9C2E --lines 7:20]
    ");
}

#[test]
fn words_for_a_person() {
    let policy = Policy::new(Limits::NONE.lines(6), Keep::ENDS);
    let output = numbered(5234);
    let over = Oversized::of(output.as_bytes(), &policy).unwrap();
    let notice = notice(SaveStatus::Whole(copy()), shell());
    assert_snapshot!(notice.for_person(&over.cut()), @"51,233 bytes in 5,234 lines; 6 lines shown. All of it: overspill read 01KA3F9C2E · overspill grep PATTERN 01KA3F9C2E · /state/overspill/01KA3F9C2E.txt");
}
