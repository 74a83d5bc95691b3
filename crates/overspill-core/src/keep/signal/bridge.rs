//! Adds lines to the chosen lines, so that a reader sees whole traces and messages.

use super::belongs::BelowRow;
use super::choose::UNBOUNDED;
use super::diagnostic;
use super::line::ScoredLines;
use super::outcome::{self, Outcome};
use super::pack::{Item, PackBudget};

/// The largest number of lines in a gap that is shown if room is left. A whole trace is easier to
/// read than its parts.
const SMALL_GAP: u64 = 6;

/// The largest number of lines below a failed row that are shown with it if room is left.
const BLOCK: usize = 12;

/// Adds the lines of small gaps to the chosen lines, and the lines that belong to a chosen row.
/// Gaps in a run of similar lines stay.
pub(super) fn bridged(lines: &ScoredLines, chosen: &[bool]) -> Vec<bool> {
    let (all, mut bridged) = (&lines.lines, chosen.to_vec());
    for row in (0..all.len()).filter(|&at| chosen[at] && all[at].own.hit) {
        let mut below = BelowRow::new(&all[row].own);
        let belongs = |at: &usize| {
            let line = &all[*at];
            let is_next = line.number == all[row].number + (*at - row) as u64;
            let passed = || outcome::outcome(lines.body(line)) == Some(Outcome::Passed);
            is_next && (line.own.blank || below.has(&line.own) && !passed())
        };
        let block = (row + 1..all.len()).take(BLOCK).take_while(belongs);
        block.for_each(|at| bridged[at] = true);
    }
    // A message is shown together with the line that names its place.
    for at in
        (1..all.len()).rev().filter(|&at| chosen[at] && all[at - 1].number + 1 == all[at].number)
    {
        bridged[at - 1] |= diagnostic::place_below(lines.body(&all[at])).is_some();
    }
    let shown: Vec<usize> = (0..all.len()).filter(|&at| bridged[at]).collect();
    for (before, after) in shown.iter().copied().zip(shown.iter().copied().skip(1)) {
        let gap = all[after].number - all[before].number - 1;
        let between = &all[before + 1..after];
        let is_held = between.len() as u64 == gap;
        let is_run = between.iter().any(|line| line.alike_above > 2);
        if is_held && gap <= SMALL_GAP && !is_run {
            bridged[before + 1..after].fill(true);
        }
    }
    bridged
}

/// Shows each gap between chosen lines that takes no more room than its mark.
pub(super) fn show_tiny_gaps(items: &[Item], budget: &PackBudget, chosen: &mut [bool]) {
    let mut before: Option<usize> = None;
    for at in 0..items.len() {
        if !chosen[at] {
            continue;
        }
        let first = before.map_or(0, |before| before + 1);
        let gap = &items[first..at];
        // Every line of the gap is held and is shown whole.
        let is_whole = items[first..=at].iter().all(|item| item.joined && !item.open)
            && before.is_none_or(|before| !items[before].open);
        let bytes: u64 = gap.iter().map(|item| u64::from(item.bytes)).sum();
        let fits_lines = gap.len() as u64 <= budget.mark_lines || budget.lines >= UNBOUNDED;
        if !gap.is_empty() && is_whole && bytes <= budget.mark_bytes && fits_lines {
            chosen[first..at].fill(true);
        }
        before = Some(at);
    }
}
