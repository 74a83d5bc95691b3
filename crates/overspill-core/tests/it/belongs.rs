//! Lines that belong to a failed row are shown with it.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Limits, Policy};

fn preview(output: &str, bytes: u64) -> String {
    let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Signal);
    policy.measure(output.as_bytes()).unwrap().preview(&common::unsaved()).text
}

const WORDS: [&str; 16] = [
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty",
    "knoll", "larch", "marsh", "north", "orbit", "plain",
];

/// Returns words that differ from line to line.
fn words(n: u32, count: u32) -> String {
    let word = |at: u32| WORDS[(n.wrapping_mul(2_654_435_761) >> (at * 5 % 28)) as usize % 16];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

/// Returns a line of a log. One line in this many reports a temporary failure.
fn noise(n: u32, of: u32) -> String {
    match n % of {
        0 => format!("warn: {} failed, retrying\n", words(n, 3)),
        _ => format!("processing shard {n} of the corpus, {} items left\n", n * 7919 % 10_007),
    }
}

/// Puts a text between two thousand lines.
fn between(text: &str, line: impl Fn(u32) -> String) -> String {
    let before: String = (0..1000).map(&line).collect();
    let after: String = (1000..2000).map(&line).collect();
    format!("{before}{text}{after}")
}

#[test]
fn block_below_a_failed_row_is_shown_with_it() {
    let value = |n: u32| format!("      {}\n", words(n + 9000, 3));
    let values: String = (0..14).map(value).collect();
    let failed = format!("error: assertion failed: ledger does not balance\n{values}");
    let decoy = |n: u32| match n % 6 {
        0 => format!("error: {} is unknown to {}\n", words(n, 3), words(n + 7, 2)),
        _ => noise(n, u32::MAX),
    };
    let text = preview(&between(&failed, decoy), 8000);
    let block: String = (0..8).map(value).collect();
    assert!(text.contains("ledger does not balance\n") && text.contains(&block), "{text}");
}

#[test]
fn failed_row_brings_the_heading_far_above_it() {
    let file = |n: u32| {
        let rows: String =
            (1..60).map(|row| format!("  {row}:1  note  Prefer shorter names here\n")).collect();
        let error = if n == 17 { "  61:15  error  Parsing error: Unexpected token\n" } else { "" };
        format!("/home/dev/project/src/module_{n}.js\n{rows}{error}\n")
    };
    let text = preview(&(0..40).map(file).collect::<String>(), 1500);
    assert!(text.contains("Parsing error: Unexpected token"), "{text}");
    assert!(text.contains("/home/dev/project/src/module_17.js\n"), "{text}");
}

#[test]
fn trace_is_shown_to_its_cause() {
    let frames: String = (0..15)
        .map(|n| format!("  File \"/app/step_{n}.py\", line {n}, in step\n    go_on({n})\n"))
        .collect();
    let trace = format!("Traceback (most recent call last):\n{frames}amber basin\n");
    let text = preview(&between(&trace, |n| noise(n, 40)), 3000);
    assert!(
        text.contains("Traceback (most") && text.contains("go_on(14)\namber basin\n"),
        "{text}"
    );
}

#[test]
fn failure_word_after_a_long_path_counts() {
    let path = "/home/runner/work/a-very-long/project-name/with/many/nested/folders/that/go/deep/in/the/tree/of/sources/and/tests/of/the/parser";
    let failed = format!("{path}/Parser.hs:60:64: error: Variable not in scope: foo\n");
    let line = |n: u32| format!("{path}/Part_{n}.hs:{n}:64: compiled {}\n", words(n / 50, 3));
    let text = preview(&between(&failed, line), 1200);
    assert!(text.contains("Variable not in scope: foo"), "{text}");
}

#[test]
fn failure_word_late_in_a_long_line_counts() {
    let failed = format!("{} fatal error: out of memory\n", words(5000, 30));
    let line = |n: u32| format!("{} is done\n", words(n / 100, 30));
    let text = preview(&between(&failed, line), 1200);
    assert!(text.contains("fatal error: out of memory"), "{text}");
}

#[test]
fn colour_codes_written_as_text_do_not_hide_a_word() {
    let line = |n: u32| format!("^[[91mnotes^[[0m: {}\n", words(n / 100, 2));
    let text = preview(&between("^[[91merror^[[0m: amber basin\n", line), 1200);
    assert!(text.contains("^[[91merror^[[0m: amber basin"), "{text}");
}

#[test]
fn error_among_many_warnings_is_shown() {
    let row = |n: u32| match n {
        700 => "  9:15  error  Parsing error: Unexpected keyword\n".to_owned(),
        n => format!("  {n}:1  warning  Unexpected var, use let or const instead  no-var\n"),
    };
    let text = preview(&(0..3000).map(row).collect::<String>(), 1500);
    assert!(text.contains("Parsing error: Unexpected keyword"), "{text}");
}

#[test]
fn block_below_a_failed_row_survives_in_a_long_output() {
    let decoy = |n: u32| format!("retry {n}: request failed: connection refused by peer\n");
    let values: String = (0..12).map(|n| format!("      value_{n} was {n}\n")).collect();
    let before: String = (0..30_000).map(decoy).collect();
    let after: String = (30_000..60_000).map(decoy).collect();
    let output = format!("{before}FAILED: ledger does not balance\n{values}{after}");
    let text = preview(&output, 8000);
    assert!(text.contains("FAILED: ledger does not balance"), "{text}");
    assert!(text.contains("value_11 was 11"), "{text}");
}
