//! Finds lines whose failure words say nothing about a failure: records, fields of a description and
//! the headings of tests that passed.

use super::classify::is_mostly_passed;
use super::line::ScoredLines;
use super::outcome::{self, Outcome};
use super::records;

/// The lines that do not make an output a failing log.
#[derive(Debug, Clone, Default)]
pub(super) struct QuietLines {
    lines: Vec<bool>,
    /// The output is a list of records or fields, or a test run without a failure word.
    pub(super) is_quiet: bool,
}

impl QuietLines {
    pub(super) fn of(lines: &ScoredLines) -> QuietLines {
        if let Some(rows) = records::rows(lines) {
            return QuietLines { lines: rows, is_quiet: true };
        }
        let Some(headings) = passed_headings(lines) else { return QuietLines::default() };
        let mut others = lines.lines.iter().zip(&headings).filter(|(_, is_heading)| !**is_heading);
        let is_quiet = !others.any(|(line, _)| line.own.hit);
        QuietLines { lines: headings, is_quiet }
    }

    /// Tells whether the line at this index is quiet.
    pub(super) fn has(&self, at: usize) -> bool {
        self.lines.get(at).copied().unwrap_or_default()
    }
}

/// Tells for each line of a test run whether it is a heading above a test that passed:
/// `error handling` above `  ✓ rejects a wrong key`. Returns `None` for other outputs.
fn passed_headings(lines: &ScoredLines) -> Option<Vec<bool>> {
    if !may_be_run(lines) {
        return None;
    }
    let mut headings = vec![false; lines.lines.len()];
    // The indent of the line below, and whether it passed or is such a heading.
    let (mut below, mut passed) = ((0, false), 0);
    for (at, line) in lines.lines.iter().enumerate().rev().filter(|(_, line)| !line.own.blank) {
        let has_passed = outcome::outcome(lines.body(line)) == Some(Outcome::Passed);
        passed += usize::from(has_passed);
        headings[at] = !has_passed && below.1 && below.0 > line.own.indent;
        below = (line.own.indent, has_passed || headings[at]);
    }
    is_mostly_passed(passed, lines.lines.len()).then_some(headings)
}

/// The number of lines that are examined before all lines are read.
const SAMPLE: usize = 256;

/// An output may be a test run if more than one examined line out of this many is a passed row.
const FEW: usize = 8;

/// Tells whether some of the lines say that a test passed. Reading the results of all lines takes long.
fn may_be_run(lines: &ScoredLines) -> bool {
    let step = lines.lines.len().div_ceil(SAMPLE).max(1);
    let mut sample = lines.lines.iter().step_by(step);
    let count = sample.len();
    let has_passed = |line| outcome::outcome(lines.body(line)) == Some(Outcome::Passed);
    sample.by_ref().filter(|line| has_passed(line)).take(count / FEW + 1).count() > count / FEW
}
