//! Failing logs that consist of source or of text for people, and the rows that such outputs need:
//! options of manual pages, commits of a graph, files of a statistic.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Kind, KindHint, Limits, Policy};

fn preview(output: &str, succeeded: Option<bool>) -> (Kind, String) {
    let policy = Policy::new(Limits::NONE.chars(2000), Keep::Auto);
    let policy = Policy { hint: KindHint { succeeded, ..KindHint::NONE }, ..policy };
    let output = policy.measure(output.as_bytes()).unwrap();
    (output.kind().unwrap(), output.preview(&common::saved()).text)
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// Returns the objects that a program in JavaScript prints.
fn objects() -> String {
    many(200, |n| format!("{{\n  id: {n},\n  name: 'part {n}',\n  state: readState({n}),\n}},\n"))
}

#[test]
fn failure_between_printed_objects_is_shown() {
    let error =
        "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at afterConnect (node:net:1555:16)\n";
    let output = format!("{}{error}{}", objects(), objects());
    let (_, text) = preview(&output, None);
    assert!(text.contains("ECONNREFUSED"), "{text}");
    let sql = format!(
        "{}psql:schema.sql:12: ERROR:  relation \"part\" does not exist\n{}",
        objects(),
        objects()
    );
    let (_, text) = preview(&sql, None);
    assert!(text.contains("ERROR:  relation"), "{text}");
    assert_eq!(preview(&objects(), None).0, Kind::Source);
}

#[test]
fn failed_command_that_prints_source_shows_its_failure() {
    let error = "fatal error: cannot open the database: permission denied\n";
    let output = format!("{}{error}{}", objects(), objects());
    let (_, text) = preview(&output, Some(false));
    assert!(text.contains("permission denied"), "{text}");
    let likely = KindHint { likely: Some(Kind::Source), succeeded: Some(false), ..KindHint::NONE };
    let policy = Policy { hint: likely, ..Policy::new(Limits::NONE.chars(2000), Keep::Auto) };
    assert_eq!(policy.measure(objects().as_bytes()).unwrap().kind(), Some(Kind::Source));
}

#[test]
fn report_that_points_into_quoted_source_is_no_source() {
    let console = |n: usize| {
        format!(
            "  console.error\n    Error: simulated failure {n}\n\n      {n} | describe('m{n}', () => {{\n    > 2 |   log(new Error('x'));\n        \
             |                 ^\n      3 |   it('adds', () => {{ expect(add(1)).toBe(2); }});\n\n      at Object.error (test/a{n}.js:2:35)\n\n"
        )
    };
    let failed = "FAIL test/a7.js\n  ● prices › rounds prices\n\n    expect(received).toBe(expected)\n\n    Expected: \"1.01\"\n    Received: \"1.00\"\n\n";
    let output = format!("{}{failed}{}", many(40, console), many(40, console));
    let (kind, text) = preview(&output, None);
    assert!(kind != Kind::Source && text.contains("rounds prices"), "{kind:?} {text}");
}

#[test]
fn traces_of_python_are_no_headings() {
    let trace = |error: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/srv/worker.py\", line 8, in run\n    self.handle(job)\n{error}\n\n"
        )
    };
    let same = many(60, |_| trace("KeyError: 'refund'"));
    let output = format!("{same}{}{same}", trace("ValueError: no chargeback for order 17"));
    let (kind, text) = preview(&output, None);
    assert!(kind != Kind::Prose && text.contains("chargeback"), "{kind:?} {text}");
}

#[test]
fn reason_of_a_skipped_test_is_no_failure() {
    let passed = many(120, |n| format!("tests/test_a.py::test_{n} PASSED [ {n}%]\n"));
    let reason = "tests/test_a.py::test_net SKIPPED (fails with an error on CI) [ 50%]\n";
    let output = format!("{passed}{reason}{passed}===== 240 passed, 1 skipped in 1.2s =====\n");
    assert_eq!(preview(&output, None).0, Kind::TestRun);
}

#[test]
fn test_rows_of_tap_end_the_lines_of_another_program() {
    let file = |n: usize| format!("ok {n} - part {n}\n");
    let foreign = "#   Failed test 'totals'\nFailed 2/14 subtests\n";
    let output = format!(
        "TAP version 13\n{}{foreign}{}not ok 500 - counts every item\n  ---\n  error: expected 3\n  ...\n{}1..700\n",
        many(200, file),
        many(299, |n| file(n + 200)),
        many(199, |n| file(n + 501))
    );
    let (_, text) = preview(&output, None);
    assert!(text.contains("not ok 500") && text.contains("expected 3"), "{text}");
}

#[test]
fn manual_page_shows_its_options() {
    let option = |n: usize| {
        format!(
            "       --option-{n}\n\t   Sets part {n} of a/path.txt and b/other.txt, see config.name.{n}.\n\t   More text.\n\n"
        )
    };
    let page = format!(
        "TOOL(1)    Manual    TOOL(1)\n\nNAME\n       tool - does it\n\nOPTIONS\n{}\nTOOL(1)\n",
        many(60, option)
    );
    let page = page.replace(
        "TOOL(1)    Manual    TOOL(1)",
        "TOOL(1)                 Manual                TOOL(1)",
    );
    let (kind, text) = preview(&page, None);
    let shown = text.lines().filter(|line| line.starts_with("       --option-")).count();
    assert!(kind == Kind::Prose && shown > 10, "{shown} {text}");
}

fn commit(n: usize, graph: &str, below: &str) -> String {
    format!(
        "{graph}commit {n:040x}\n{below}Author: Ada <ada@example.org>\n{below}Date:   Thu Nov 19 04:10:29 2026\n{below}\n{below}    Part {n}: fix the error\n{below}\n{below}    A longer text about src/part_{n}.rs and why it failed.\n{below}\n"
    )
}

#[test]
fn graph_of_commits_names_their_subjects() {
    let output = commit(0, "*   ", "| | ") + &many(11, |n| commit(n + 1, "* ", "| "));
    let (kind, text) = preview(&output, None);
    let subjects = text.lines().filter(|line| line.contains("    Part ")).count();
    assert_eq!((kind, subjects), (Kind::Diff, 12), "{text}");
}

#[test]
fn statistic_of_a_log_names_its_files() {
    let stat = |n: usize| {
        let body = many(20, |at| format!("    See https://example.org/part/{n}/{at} for it.\n"));
        let files = format!(" src/part_{n}.rs | {n} ++--\n 1 file changed, 2 insertions(+)\n\n");
        commit(n, "", "") + &body + &files
    };
    let (kind, text) = preview(&many(6, stat), None);
    let files = text.lines().filter(|line| line.starts_with(" src/part_")).count();
    assert!(kind == Kind::Diff && files == 6, "{files} {text}");
}
