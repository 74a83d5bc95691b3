//! Finds folds. A fold is a gap that contains only lines like the line above the gap.
//!
//! The mark of a fold says `399 more like this`. Lines are alike if they differ only in names,
//! paths and numbers, and if none of them contains a failure word.

use super::block::Block;
use super::line::{LineKinds, ScoredLine, ScoredLines};

/// A gap with more lines than this gets a line that stands for the others.
const FEWEST: u64 = 3;

/// A count of consecutive lines of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct AlikeLines {
    kind: Option<(u16, u8)>,
    count: u16,
}

impl AlikeLines {
    /// Takes the next line and returns the number of consecutive lines of one kind directly above
    /// it. A line without a kind, such as a line with a failure word, is not like any other.
    pub(super) fn above(&mut self, kind: Option<(LineKinds, u8)>) -> u16 {
        let above = self.count;
        let kind = kind.map(|(kinds, indent)| (kinds.family, indent));
        let goes_on = kind.is_some() && kind == self.kind;
        self.count = match kind {
            Some(_) if goes_on => self.count.saturating_add(1),
            Some(_) => 1,
            None => 0,
        };
        self.kind = kind;
        above
    }
}

/// Tells for each line whether it continues a run of lines of one kind. The last line of the output
/// does not count.
pub(super) fn in_runs(lines: &ScoredLines) -> Vec<bool> {
    let after = lines.lines.iter().skip(1).map(Some).chain([None]);
    let goes_on = |(line, after): (&ScoredLine, Option<&ScoredLine>)| {
        let is_next = after.filter(|after| after.number == line.number + 1);
        u64::from(line.alike_above) >= FEWEST
            && is_next.is_some_and(|after| after.alike_above > line.alike_above.min(u16::MAX - 1))
    };
    lines.lines.iter().zip(after).map(goes_on).collect()
}

/// Tells whether all lines between `before` and `after` are like `before`.
fn is_fold(before: &ScoredLine, after: &ScoredLine) -> bool {
    let lines = after.number - before.number;
    !before.clipped && lines > 1 && u64::from(after.alike_above) >= lines
}

/// Sets for each block whether the gap after it is a fold.
pub(super) fn mark_folds(lines: &ScoredLines, blocks: &mut [Block]) {
    for at in 1..blocks.len() {
        let (before, after) = (blocks[at - 1].lines.end - 1, blocks[at].lines.start);
        blocks[at - 1].is_folded = is_fold(&lines.lines[before], &lines.lines[after]);
    }
}

/// Chooses the first line of each gap that contains only lines of one kind. The line stands for the
/// others.
pub(super) fn stand_for_gaps(lines: &ScoredLines, chosen: &mut [bool]) {
    let all = &lines.lines;
    let mut before = 0;
    for after in 1..all.len() {
        if !chosen[after] {
            continue;
        }
        let first = before + 1;
        let gap = all[after].number - all[first.min(after)].number;
        let is_whole = all[first.min(after)].number == all[before].number + 1;
        if chosen[before] && is_whole && gap > FEWEST && u64::from(all[after].alike_above) == gap {
            chosen[first] = !all[first].clipped;
        }
        before = after;
    }
}
