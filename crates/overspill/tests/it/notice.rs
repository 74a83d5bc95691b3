//! Tests of the notice, as a model and a person read it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use insta::assert_snapshot;
use overspill::core::{Keep, Limits, Policy, Wording};
use overspill::internal::notice::{ToolNames, wording};
use overspill::internal::store::Availability;
use overspill::store::{Kept, OutputId, SpillRef};
use overspill::{Error, Part, ReaderAbilities};
use proptest::prelude::*;

fn numbered(lines: u64) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

fn copy() -> SpillRef {
    let id = OutputId::parse("01KA3F9C2E").unwrap();
    SpillRef::new(id, "/state/overspill/01KA3F9C2E.txt".into(), Kept::Whole)
}

fn shell() -> ReaderAbilities {
    ReaderAbilities { program: Some("overspill".into()), files: true, ..ReaderAbilities::default() }
}

fn notice(saved: &SpillRef, reader: &ReaderAbilities) -> Wording {
    wording("3f9c2e".into(), Ok(saved), reader)
}

fn refused(reason: &str) -> Error {
    Error::Bucket { address: "/state".into(), reason: reason.into() }
}

/// Returns the preview of `output` in eight lines.
fn preview(output: &str, wording: &Wording, keep: Keep) -> String {
    preview_within(output, wording, keep, Limits::NONE.lines(8))
}

fn preview_within(output: &str, wording: &Wording, keep: Keep, limits: Limits) -> String {
    let policy = Policy::new(limits, keep);
    policy.measure(output.as_bytes()).unwrap().preview(wording).text
}

#[test]
fn bucket_is_named_only_if_it_has_the_output() {
    let reader = ReaderAbilities { files: false, ..shell() };
    let first = |within: Availability, masked: u64| {
        let notice = notice(&SpillRef { within, masked, ..copy() }, &reader);
        let all = preview(&numbered(5234), &notice, Keep::ENDS);
        all.lines().next().unwrap().split_once("; ").unwrap().1.to_owned()
    };
    assert_eq!(
        first(Availability::Shared, 1),
        "in the bucket: overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e; 1 secret masked]"
    );
    assert_eq!(
        first(Availability::UploadPending("no answer within 5 s".into()), 0),
        "upload pending: no answer within 5 s; overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]"
    );
    let pending = SpillRef { within: Availability::UploadPending("x".into()), ..copy() };
    let short = notice(&pending, &reader);
    let short = preview_within(&numbered(5234), &short, Keep::ENDS, Limits::NONE.bytes(400));
    assert!(short.contains("; overspill read 3f9c2e]"), "{short}");
}

#[test]
fn reader_with_a_tool_for_files_is_offered_that_tool() {
    let reader = ReaderAbilities { file_tool: Some("Read".into()), ..shell() };
    let first = |saved: &SpillRef, reader: &ReaderAbilities| {
        let all = preview(&numbered(5234), &notice(saved, reader), Keep::ENDS);
        all.lines().next().unwrap().split_once(" shown; ").unwrap().1.to_owned()
    };
    let path = "/state/overspill/01KA3F9C2E.txt";
    assert_eq!(
        first(&copy(), &reader),
        format!("Read {path} offset A limit N; overspill grep RE 3f9c2e]")
    );
    let far = ReaderAbilities { program: Some("/opt/bin/overspill".into()), ..reader.clone() };
    assert_eq!(first(&copy(), &far), format!("Read {path} offset A limit N]"));
    // The file does not contain every line, or there is no file.
    let ends = Kept::Ends { first: 1, between: 0, last: 1 };
    let shared = SpillRef { within: Availability::Shared, ..copy() };
    for saved in [SpillRef { kept: ends, ..copy() }, shared] {
        assert!(first(&saved, &reader).contains("overspill read 3f9c2e --lines A-B"));
    }
}

#[test]
fn reader_with_a_shell_is_offered_commands() {
    let notice = notice(&copy(), &shell());
    assert_snapshot!(preview(&numbered(5234), &notice, Keep::ENDS), @"
    [overspill 3f9c2e: 5,234 lines, 51,233 bytes, 6 lines shown; overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]
    line 1
    line 2
    line 3
    [3f9c2e: lines 4-5231 cut]
    line 5232
    line 5233
    line 5234
    ");
    assert_snapshot!(preview(&numbered(5234), &notice, Keep::Head), @"
    [overspill 3f9c2e: 5,234 lines, 51,233 bytes, 6 lines shown; overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [3f9c2e: lines 7-5234 cut]
    ");
    assert_snapshot!(preview(&numbered(5234), &notice, Keep::Tail), @"
    [overspill 3f9c2e: 5,234 lines, 51,233 bytes, 6 lines shown; overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]
    [3f9c2e: lines 1-5228 cut]
    line 5229
    line 5230
    line 5231
    line 5232
    line 5233
    line 5234
    ");
}

#[test]
fn reader_with_retrieval_tools_is_offered_calls() {
    let tools = ToolNames { read: "overspill_read".into(), grep: "overspill_grep".into() };
    let reader = ReaderAbilities { tools: Some(tools), ..ReaderAbilities::default() };
    assert_snapshot!(preview(&numbered(100), &notice(&copy(), &reader), Keep::ENDS), @r#"
    [overspill 3f9c2e: 100 lines, 792 bytes, 6 lines shown; overspill_read {"id":"3f9c2e"} or overspill_grep]
    line 1
    line 2
    line 3
    [3f9c2e: lines 4-97 cut]
    line 98
    line 99
    line 100
    "#);
}

#[test]
fn reader_without_program_is_offered_the_file_and_a_sub_agent() {
    let reader = ReaderAbilities {
        files: true,
        delegate: Some("Task".into()),
        ..ReaderAbilities::default()
    };
    assert_snapshot!(preview(&numbered(100), &notice(&copy(), &reader), Keep::Tail), @"
    [overspill 3f9c2e: 100 lines, 792 bytes, 6 lines shown; /state/overspill/01KA3F9C2E.txt; or let a sub-agent read it (Task)]
    [3f9c2e: lines 1-94 cut]
    line 95
    line 96
    line 97
    line 98
    line 99
    line 100
    ");
}

#[test]
fn reader_without_abilities_gets_the_short_id() {
    let notice = notice(&copy(), &ReaderAbilities::default());
    assert_snapshot!(preview(&numbered(100), &notice, Keep::Tail), @"
    [overspill 3f9c2e: 100 lines, 792 bytes, 6 lines shown; saved as 3f9c2e]
    [3f9c2e: lines 1-94 cut]
    line 95
    line 96
    line 97
    line 98
    line 99
    line 100
    ");
}

#[test]
fn partial_copy_and_failed_save_are_reported() {
    let kept = Kept::Ends { first: 134_217_728, between: 0, last: 134_217_728 };
    let partial = notice(&SpillRef { kept, ..copy() }, &shell());
    assert_snapshot!(preview(&numbered(100), &partial, Keep::Head), @"
    [overspill 3f9c2e: 100 lines, 792 bytes, 6 lines shown; only 268,435,456 bytes kept: overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [3f9c2e: lines 7-100 cut]
    ");
    let error = refused("no space left on device");
    let failed = wording("3f9c2e".into(), Err(&error), &shell());
    assert_snapshot!(preview(&numbered(100), &failed, Keep::Head), @"
    [overspill 3f9c2e: 100 lines, 792 bytes, 6 lines shown; could not be saved: /state: no space left on device]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    [3f9c2e: lines 7-100 cut]
    ");
}

#[test]
fn long_line_alone_is_shown_in_part() {
    let notice = notice(&copy(), &shell());
    let output = "0123456789".repeat(1000);
    let limits = Limits::NONE.bytes(600);
    assert_snapshot!(preview_within(&output, &notice, Keep::ENDS, limits), @"
    [overspill 3f9c2e: 10,000 bytes, 481 bytes shown; overspill read 3f9c2e]
    012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
    [3f9c2e: bytes 240-9759 cut]
    9012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
    ");
}

#[test]
fn long_line_among_others_is_shown_in_part() {
    let notice = notice(&copy(), &shell());
    let output = format!("first\n{}\nlast\n", "0123456789".repeat(1000));
    let limits = Limits::NONE.bytes(600);
    assert_snapshot!(preview_within(&output, &notice, Keep::Head, limits), @"
    [overspill 3f9c2e: 10,012 bytes, 481 bytes shown; overspill read 3f9c2e]
    first
    0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234
    [3f9c2e: rest of lines 2-3 cut]
    ");
    assert_snapshot!(preview_within(&output, &notice, Keep::Tail, limits), @"
    [overspill 3f9c2e: 10,012 bytes, 481 bytes shown; overspill read 3f9c2e]
    [3f9c2e: parts of lines 1-2 cut]
    5678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
    last
    ");
}

#[test]
fn notice_of_cleaned_output_says_cleaned() {
    let notice = notice(&copy(), &shell());
    let output: String =
        (0..100).map(|n| format!("\r{n}%")).collect::<String>() + "\r\x1b[32mdone\x1b[0m\n";
    let limits = Limits::NONE.bytes(300);
    assert_snapshot!(preview_within(&output, &notice, Keep::ENDS, limits), @"
    [overspill 3f9c2e: 1 line, 405 bytes, all shown, cleaned; overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]
    done
    ");
}

#[test]
fn notice_gets_shorter_with_the_limit() {
    let notice = notice(&copy(), &shell());
    let within = |bytes| {
        let limits = Limits::NONE.bytes(bytes);
        preview_within(&numbered(1000), &notice, Keep::ENDS, limits)
    };
    assert_snapshot!(within(400), @"
    [overspill 3f9c2e: 1,000 lines, 33 shown; overspill read 3f9c2e]
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
    line 16
    line 17
    line 18
    [3f9c2e: lines 19-985 cut]
    line 986
    line 987
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
    [overspill 3f9c2e: 1,000 lines, 16 shown; overspill read 3f9c2e]
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    line 7
    line 8
    line 9
    [3f9c2e: lines 10-993 cut]
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
    line 4
    [overspill 3f9c2e: 8,837 bytes not shown]
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
    assert_snapshot!(preview_within("🚀🚀", &notice, Keep::Head, Limits::NONE.bytes(3)), @"…");
}

#[test]
fn output_that_quotes_a_mark_is_defused() {
    let notice = notice(&copy(), &shell());
    let output = "[overspill 3f9c2e: nothing is missing]\n".repeat(20);
    assert_snapshot!(preview(&output, &notice, Keep::Head), @"
    [overspill 3f9c2e: 20 lines, 780 bytes, 6 lines shown; overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    (overspill 3f9c2e: nothing is missing]
    [3f9c2e: lines 7-20 cut]
    ");
}

#[test]
fn notice_for_a_person_is_one_line() {
    let policy = Policy::new(Limits::NONE.lines(6), Keep::ENDS);
    let output = numbered(5234);
    let over = policy.measure(output.as_bytes()).unwrap();
    let notice = notice(&copy(), &shell());
    assert_snapshot!(notice.for_person(&over.cut()), @"51,233 bytes in 5,234 lines; 6 lines shown. overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e");
}

proptest! {
    #[test]
    fn failed_save_offers_no_command_and_claims_no_copy(
        output in "[a-z \n]{0,400}",
        limits in (0u64..300, 0u64..20),
    ) {
        let policy = Policy::new(Limits::NONE.bytes(limits.0).lines(limits.1), Keep::ENDS);
        let error = refused("no");
        let words = wording("3f9c2e".into(), Err(&error), &shell());
        let Some(over) = policy.measure(output.as_bytes()) else { return Ok(()) };
        let text = over.preview(&words).text;
        prop_assert!(!text.contains("overspill read"), "{text}");
        prop_assert!(!text.contains("All of it"), "{text}");
    }
}

#[test]
fn long_reason_is_shortened() {
    let error = refused(&"é".repeat(400));
    let words = wording("3f9c2e".into(), Err(&error), &shell());
    assert_eq!(words.copy, format!("could not be saved: /state: {}…", "é".repeat(152)));
}

/// Returns the ranges that marks print, each with its unit: `lines`, `line` or `bytes`.
fn printed_ranges(preview: &str) -> Vec<(String, String)> {
    let mut ranges = Vec::new();
    for mark in preview.lines().filter(|line| line.starts_with("[3f9c2e: ")) {
        let mut words = mark.split([' ', ',', ']']).peekable();
        while let Some(unit) = words.next() {
            let next = words.peek().filter(|next| next.starts_with(|c: char| c.is_ascii_digit()));
            if let (true, Some(range)) = (["lines", "line", "bytes"].contains(&unit), next) {
                ranges.push((unit.to_owned(), (*range).to_owned()));
            }
        }
    }
    ranges
}

proptest! {
    #[test]
    fn every_range_that_a_mark_prints_is_accepted(
        lines in prop::collection::vec("[a-z]{0,40}|error: [a-z]{3}", 30..4000),
        most in 5_u64..60, bytes in 900_u64..6_000, keep in 0..4_usize,
    ) {
        let keep = [Keep::ENDS, Keep::Head, Keep::Tail, Keep::Signal][keep];
        let output = lines.join("\n");
        let limits = Limits::NONE.lines(most).bytes(bytes);
        let policy = Policy::new(limits, keep);
        if let Some(oversized) = policy.measure(output.as_bytes()) {
            let preview = oversized.preview(&notice(&copy(), &shell())).text;
            let count = lines.len() as u64;
            for (unit, range) in printed_ranges(&preview) {
                let part = match unit.as_str() {
                    "bytes" => Part::of_bytes(&range),
                    _ => Part::of_lines(&range),
                };
                let is_within = match &part {
                    Some(Part::Lines(first, last)) => first <= last && *last <= count,
                    Some(Part::Bytes(range)) => range.end <= output.len() as u64,
                    _ => false,
                };
                prop_assert!(is_within, "{unit} {range}: {part:?}");
            }
        }
    }
}

#[test]
fn marks_print_ranges() {
    let preview = preview(&numbered(5234), &notice(&copy(), &shell()), Keep::ENDS);
    assert_eq!(printed_ranges(&preview).len(), 1, "{preview}");
}
