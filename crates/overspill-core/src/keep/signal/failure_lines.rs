//! Remembers the lines with a failure word, and counts those that a preview does not show.

use std::ops::Range;

use super::line::ScoredLines;
use crate::{Cut, KindHint};

/// The number of places that are held. Later lines are only counted.
const HELD_PLACES: usize = 8_192;

/// The largest number of places of hidden lines that are reported.
const NAMED_PLACES: usize = 64;

/// The lines with a sign of failure that a preview does not show.
///
/// A sign of failure is a failure word in a line that does not report a success, in a log, a test
/// run or plain text. In source, listings, searches and prose, failure words are ordinary words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CutFailures {
    /// The number of these lines. The number can be too small for an output over 4 MB, because
    /// overspill does not read every line of such an output.
    pub lines: u64,
    /// The byte offsets of the first 64 of these lines.
    pub first: Vec<u64>,
}

/// The lines with a failure word in an output that streams in.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailureLines {
    places: Vec<u64>,
    count: u64,
}

impl FailureLines {
    /// Adds a line that begins at the byte offset `start`.
    pub(super) fn push(&mut self, start: u64) {
        self.count += 1;
        if self.places.len() < HELD_PLACES {
            self.places.push(start);
        }
    }

    /// Adds the lines in which a failure word was found only after the output ended.
    pub(super) fn complete(&mut self, lines: &ScoredLines) {
        self.places.sort_unstable();
        if self.count > self.places.len() as u64 {
            return;
        }
        let is_new = |start: &u64| self.places.binary_search(start).is_err();
        let late = lines.lines.iter().filter(|line| line.own.hit).map(|line| line.start);
        let late: Vec<u64> = late.filter(is_new).collect();
        late.into_iter().for_each(|start| self.push(start));
        self.places.sort_unstable();
    }
}

impl ScoredLines {
    /// Returns the lines with a sign of failure that a cut of this output does not show.
    pub(crate) fn cut_failures(&self, cut: &Cut, hint: KindHint) -> CutFailures {
        if !self.kind(hint).tells_failures() {
            return CutFailures::default();
        }
        let FailureLines { places, count } = &self.failures;
        let shown: Vec<Range<u64>> = cut.spans().iter().map(|span| span.bytes.clone()).collect();
        let is_cut = |start: &u64| {
            let next = shown.partition_point(|range| range.end <= *start);
            shown.get(next).is_none_or(|range| range.start > *start)
        };
        let cut_places = || places.iter().copied().filter(is_cut);
        let last = places.last().copied().unwrap_or(0);
        let is_shown_later =
            |start: &u64| places.len() as u64 != *count && *start > last && !is_cut(start);
        let later = self.lines.iter().filter(|line| line.own.hit).map(|line| line.start);
        let later_shown = later.filter(is_shown_later).count() as u64;
        let later_cut = (count - places.len() as u64).saturating_sub(later_shown);
        CutFailures {
            lines: cut_places().count() as u64 + later_cut,
            first: cut_places().take(NAMED_PLACES).collect(),
        }
    }
}
