//! Raises the scores of lines that belong to a failed row: the lines below the row, and its
//! heading.
//!
//! A failed row is a line that reports a failure. The lines below it give details: expected and
//! actual values, a diff, the frames of a trace. They get a score a little below the score of the
//! row, up to the next line that is not indented deeper.

use super::features::LineFeatures;
use super::form::RowForm;
use super::line::{ScoredLine, ScoredLines};
use super::outcome::{self, Outcome};

/// A failed row, and the state of the lines after it.
#[derive(Debug, Clone, Copy)]
struct FailedRow {
    below: BelowRow,
    score: i32,
    /// The number of lines since the row.
    lines: u32,
    /// The row begins a trace: the line after the trace says what failed.
    is_trace: bool,
}

/// A search for the lines that belong to failed rows, line by line.
#[derive(Debug, Clone, Default)]
pub(super) struct FailedBlock {
    row: Option<FailedRow>,
    next: u64,
}

/// The number that is subtracted from the score of a failed row for the lines below it, for each
/// doubling of their distance.
const FARTHER: i32 = 12;

/// After this many lines of one kind, the next line of this kind adds nothing about the row.
const ALIKE: u16 = 8;

/// The number that is subtracted from the score of a failed row for the line that ends its trace.
const FOR_TRACE: i32 = 8;

/// The number that is subtracted from the score of a failed row for its heading.
const FOR_HEADING: i32 = 8;

/// The largest number of lines between the start of a test and its failed row that belong to the row.
const FROM_START: usize = 16;

/// The largest number of held lines between a heading and its row.
const FARTHEST: usize = 1024;

impl FailedBlock {
    /// Returns the score of a line, raised if the line belongs to a failed row.
    pub(super) fn score(&mut self, line: &ScoredLine) -> i32 {
        let own = &line.own;
        if self.row.is_none() && !own.hit {
            return line.score;
        }
        if line.number != self.next {
            self.row = None;
        }
        self.next = line.number + 1;
        if own.blank {
            if let Some(row) = &mut self.row {
                row.lines += 1;
            }
            return line.score;
        }
        let mut score = line.score;
        if let Some(row) = &mut self.row {
            row.lines += 1;
            let is_below = row.below.has(own);
            if is_below && line.alike_above < ALIKE {
                let less = FARTHER * (32 - row.lines.leading_zeros()) as i32;
                score = score.max(row.score - less);
            } else if !is_below {
                if row.is_trace {
                    score = score.max(row.score - FOR_TRACE);
                }
                self.row = None;
            }
        }
        if own.hit && score == line.score {
            self.row =
                Some(FailedRow { below: BelowRow::new(own), score, lines: 0, is_trace: own.trace });
        }
        score
    }
}

/// Returns the first character of a line of a diff (`-`, `+` or `?`), or 0 for any other line.
pub(super) fn diff_mark(line: &[u8]) -> u8 {
    match line {
        [mark @ (b'-' | b'+' | b'?'), b' ' | b'\t', ..] => *mark,
        _ => 0,
    }
}

/// A test for lines that belong to the row above them: lines with a larger indent, and lines of a
/// diff, which have the same indent as the row.
#[derive(Debug, Clone, Copy)]
pub(super) struct BelowRow {
    indent: u8,
    /// A diff has begun with a `-` line.
    in_diff: bool,
}

impl BelowRow {
    pub(super) fn new(row: &LineFeatures) -> BelowRow {
        BelowRow { indent: row.indent, in_diff: false }
    }

    pub(super) fn has(&mut self, line: &LineFeatures) -> bool {
        let is_diff = line.diff == b'-' || line.diff != 0 && self.in_diff;
        self.in_diff |= is_diff && line.indent == self.indent;
        line.indent > self.indent || is_diff && line.indent == self.indent
    }
}

/// Tells whether a line is a heading: it names the file or the thing that the lines below it are
/// about.
pub(super) fn is_heading(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let is_name =
        !text.iter().any(u8::is_ascii_whitespace) && text.iter().any(|byte| b"./\\".contains(byte));
    is_name || text.ends_with(b":")
}

/// Raises the score of each line that belongs to a failed row.
pub(super) fn lift(lines: &mut ScoredLines) {
    let mut block = FailedBlock::default();
    // The last failed row with a heading, and the heading.
    let mut last: Option<(usize, Option<usize>)> = None;
    for at in 0..lines.lines.len() {
        let line = lines.lines[at];
        let lifted = block.score(&line);
        // The line of a test that passed does not explain a failed test.
        let passed = || outcome::outcome(lines.body(&line)) == Some(Outcome::Passed);
        if lifted > line.score && !passed() {
            lines.lines[at].lifted = lifted;
        }
        if line.own.form == RowForm::Outcome {
            lift_from_start(lines, at);
        }
        if !line.own.hit || lifted > line.score || line.own.indent == 0 {
            continue;
        }
        let heading = heading(lines, at, last);
        last = Some((at, heading));
        if let Some(heading) = heading {
            let heading = &mut lines.lines[heading];
            heading.lifted = heading.lifted.max(line.score - FOR_HEADING);
        }
    }
}

/// Raises the score of the lines between the start of a test and its failed row. Many tools print
/// the details of a failure before its result: `[ RUN ] Cart.Total`, the details, `[ FAILED ] Cart.Total`.
fn lift_from_start(lines: &mut ScoredLines, row: usize) {
    let Some(first) = (row.saturating_sub(FROM_START + 1)..row)
        .rev()
        .take_while(|&at| lines.lines[at].number + 1 == lines.lines[at + 1].number)
        .take_while(|&at| outcome::outcome(lines.body(&lines.lines[at])).is_none())
        .find(|&at| outcome::begun_test(lines.body(&lines.lines[at])).is_some())
    else {
        return;
    };
    // Another tool may report failures of its own within a test.
    let name = outcome::begun_test(lines.body(&lines.lines[first])).unwrap_or_default();
    if memchr::memmem::find(lines.body(&lines.lines[row]), name).is_none() {
        return;
    }
    let score = lines.lines[row].score;
    for at in first..row {
        let less = FARTHER * (row - at + 1).ilog2() as i32;
        let line = &mut lines.lines[at];
        line.lifted = if line.own.blank { line.lifted } else { line.lifted.max(score - less) };
    }
}

/// Returns the heading of a row: the nearest line above it with a smaller indent, if that line is a
/// heading.
fn heading(lines: &ScoredLines, row: usize, last: Option<(usize, Option<usize>)>) -> Option<usize> {
    let indent = lines.lines[row].own.indent;
    for at in (row.saturating_sub(FARTHEST)..row).rev() {
        let line = &lines.lines[at];
        if line.own.blank {
            continue;
        }
        if line.own.indent < indent {
            return is_heading(lines.body(line)).then_some(at);
        }
        if let Some((last, heading)) = last
            && last == at
            && line.own.indent == indent
        {
            return heading;
        }
    }
    None
}
