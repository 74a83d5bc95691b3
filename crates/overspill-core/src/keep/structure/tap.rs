//! Ranks the lines of test reports in the Test Anything Protocol (TAP).
//!
//! The plan, the failed tests with their diagnostics, and the summary come first.

use super::json::log2;
use super::reader::{ForeignLines, LineRank, StructureLine};
use crate::Why;

/// The state of the reader within a report.
#[derive(Debug, Clone, Default)]
pub(crate) struct TapReader {
    failed: u64,
    /// The number of lines since the last failed test, if no other test came after it.
    since_failed: Option<u64>,
    /// The number of plans so far. A run of several scripts has a plan for each script.
    plans: u64,
    /// The state for lines of another program, such as the summary of the run.
    foreign: ForeignLines,
}

impl TapReader {
    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        let text = line.text.trim_ascii_start();
        let is_test = is_test(text);
        if is_test && text.starts_with(b"not ok") && !is_excused(text) {
            self.failed += 1;
            self.since_failed = Some(0);
            return LineRank::new(log2(self.failed - 1) / 2, Why::Failure);
        }
        if is_test {
            self.since_failed = None;
            // The row of a test ends the lines of another program.
            self.foreign.read(text, false);
            return LineRank::PLAIN;
        }
        // The plan of a subtest is indented. Only the plan of the report itself is a heading.
        if line.text.starts_with(b"1..") {
            self.plans += 1;
            return LineRank::new(4 * log2(self.plans - 1), Why::Heading);
        }
        if text.starts_with(b"TAP version") || is_summary(text) {
            return LineRank::new(0, Why::Heading);
        }
        // A script prints the cause of a failure on another stream, so the cause may come before
        // the line of the test or after it.
        if begins_diagnosis(text) {
            self.failed += 1;
            self.since_failed = Some(0);
            return LineRank::new(1 + log2(self.failed - 1) / 2, Why::Failure);
        }
        if text.starts_with(b"Bail out!") {
            return LineRank::new(0, Why::Failure);
        }
        if !text.starts_with(b"#")
            && self.plans > 1
            && let Some(rank) = self.foreign.read(text, !text.is_empty())
        {
            return rank;
        }
        match &mut self.since_failed {
            Some(lines) => {
                *lines += 1;
                let near = 4 + log2(self.failed - 1) / 2 + log2(*lines / 4);
                LineRank::new(near, Why::Failure)
            }
            None => LineRank::PLAIN,
        }
    }
}

/// Tells whether a line reports the result of a test.
fn is_test(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"not ").unwrap_or(text).strip_prefix(b"ok");
    rest.is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b' '))
}

/// Tells whether a test was skipped or expected to fail.
fn is_excused(text: &[u8]) -> bool {
    let upper = text.to_ascii_uppercase();
    [&b"# TODO"[..], b"# SKIP"].iter().any(|word| memchr::memmem::find(&upper, word).is_some())
}

/// Tells whether a comment begins the diagnostics of a failed test: `#   Failed test 'adds up'`.
fn begins_diagnosis(text: &[u8]) -> bool {
    let comment = text.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
    comment.is_some_and(|comment| comment.starts_with(b"Failed test"))
}

fn is_summary(text: &[u8]) -> bool {
    let Some(word) = text.strip_prefix(b"# ") else { return false };
    [
        &b"tests "[..],
        b"pass ",
        b"fail ",
        b"failed ",
        b"suites ",
        b"duration",
        b"Looks like",
        b"Failed",
    ]
    .iter()
    .any(|start| word.starts_with(start))
}

/// Tells whether the lines are a TAP report.
pub(super) fn is_tap<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut tests, mut plans) = (0, 0);
    for (at, line) in lines.take(200).enumerate() {
        let line = line.trim_start();
        if at == 0 && line.starts_with("TAP version") {
            return true;
        }
        let numbered =
            |rest: &str| rest.trim_start().starts_with(|char: char| char.is_ascii_digit());
        let rest = line.strip_prefix("not ").unwrap_or(line).strip_prefix("ok ");
        tests += u32::from(rest.is_some_and(numbered));
        plans += u32::from(line.starts_with("1..") && numbered(&line[3..]));
    }
    tests >= 3 && plans > 0 || tests >= 10
}
