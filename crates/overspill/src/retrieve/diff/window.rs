//! A part of both outputs that is compared at once.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::common::Middle;
use crate::Error;
use crate::retrieve::source::Source;

/// The most lines of one output that are compared at once: some 30 MB of memory for both.
#[cfg(not(test))]
const MOST_LINES: usize = 200_000;
#[cfg(test)]
const MOST_LINES: usize = 20;

/// Lines of the one that stand in the place of lines of the other, by their numbers in the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// A part of both outputs.
pub(super) struct Window {
    pub(super) old: Side,
    pub(super) new: Side,
    /// What was compared may be alike with what was not there to compare it with.
    pub(super) is_coarse: bool,
}

/// A part of one output.
pub(super) struct Side {
    /// The number of its first line, counted from 0.
    pub(super) first_line: u64,
    /// Where each line begins, and where the last one ends.
    starts: Vec<u64>,
    hashes: Vec<u64>,
    /// How many lines were compared.
    pub(super) compared: usize,
    end: u64,
}

impl Window {
    pub(super) fn new(middle: &Middle) -> Window {
        let side = |range: &Range<u64>| Side {
            first_line: middle.lines_before,
            starts: vec![range.start],
            hashes: Vec::new(),
            compared: 0,
            end: range.end,
        };
        Window { old: side(&middle.old), new: side(&middle.new), is_coarse: false }
    }

    /// Reads on; tells whether there is anything to compare.
    pub(super) fn fill(
        &mut self,
        old: &mut Source<'_>,
        new: &mut Source<'_>,
    ) -> Result<bool, Error> {
        self.old.fill(old)?;
        self.new.fill(new)?;
        Ok(!self.old.hashes.is_empty() || !self.new.hashes.is_empty())
    }

    /// Compares as much as can be told from what is here.
    pub(super) fn compare(&mut self) -> Vec<Change> {
        let mut input = InternedInput::default();
        input.update_before(self.old.hashes.iter().copied());
        input.update_after(self.new.hashes.iter().copied());
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_no_heuristic(&input);
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        let mut changes: Vec<Change> = diff
            .hunks()
            .map(|hunk| Change { old: range(hunk.before), new: range(hunk.after) })
            .collect();
        (self.old.compared, self.new.compared) = (self.old.lines(), self.new.lines());
        let goes_on = !(self.old.is_at_end() && self.new.is_at_end());
        if let Some(last) = changes.last().cloned()
            && goes_on
            && (last.old.end == self.old.lines() || last.new.end == self.new.lines())
        {
            if (last.old.start, last.new.start) == (0, 0) {
                // Nothing is alike, so there is nothing to hold on to.
                self.is_coarse = true;
            } else {
                // What differs at the end of a window may be there in the next one.
                (self.old.compared, self.new.compared) = (last.old.start, last.new.start);
                changes.pop();
            }
        }
        changes
    }

    pub(super) fn forget_compared(&mut self) {
        self.old.forget_compared();
        self.new.forget_compared();
    }

    /// Tells whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        let side = |side: &Side| side.is_at_end() && side.hashes.is_empty();
        side(&self.old) && side(&self.new)
    }
}

impl Side {
    fn lines(&self) -> usize {
        self.hashes.len()
    }

    /// Returns where a line of the window stands.
    pub(super) fn line(&self, number: usize) -> Range<u64> {
        self.starts[number]..self.starts[number + 1]
    }

    fn is_at_end(&self) -> bool {
        self.starts.last().is_none_or(|at| *at >= self.end)
    }

    fn forget_compared(&mut self) {
        self.hashes.drain(..self.compared);
        self.starts.drain(..self.compared);
        self.first_line += self.compared as u64;
        self.compared = 0;
    }

    fn fill(&mut self, source: &mut Source<'_>) -> Result<(), Error> {
        let mut at = self.starts.last().copied().unwrap_or(self.end);
        let mut line = Xxh3::new();
        let mut begun = false;
        while self.hashes.len() < MOST_LINES && at < self.end {
            let block = source.range(at, self.end)?;
            if block.is_empty() {
                self.end = at;
            }
            let mut from = 0;
            for feed in memchr::memchr_iter(b'\n', block) {
                let bytes = &block[from..=feed];
                from = feed + 1;
                if begun {
                    line.update(bytes);
                    self.hashes.push(line.digest());
                    line.reset();
                    begun = false;
                } else {
                    self.hashes.push(xxh3_64(bytes));
                }
                self.starts.push(at + from as u64);
                if self.hashes.len() == MOST_LINES {
                    return Ok(());
                }
            }
            line.update(&block[from..]);
            begun |= from < block.len();
            at += block.len() as u64;
        }
        if begun {
            self.hashes.push(line.digest());
            self.starts.push(self.end);
        }
        Ok(())
    }
}
