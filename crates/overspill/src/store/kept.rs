//! Which ranges of an output a store kept, where it could not keep all of it.

use std::ops::Range;

/// The ranges that were kept of an output, in order, with the numbers that they have in the original.
///
/// The stored copy holds them one after the other. A line feed stands between two of them where the
/// first does not end with one, so that no stored line belongs to two ranges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptRanges {
    /// How many bytes the original had.
    pub bytes: u64,
    /// How many lines the original had.
    pub lines: u64,
    /// What was kept: the first part, lines that the preview shows, the last part.
    pub ranges: Vec<KeptRange>,
}

/// A range of the original that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRange {
    /// Where it stands in the original.
    pub bytes: Range<u64>,
    /// The number of the original's line that it begins in, counted from 1.
    pub first_line: u64,
    /// How many lines it has a part of.
    pub lines: u64,
    /// It begins where a line begins.
    pub starts_line: bool,
    /// It is stored byte for byte. Otherwise it is stored as the preview shows it: colours dropped,
    /// control bytes made visible.
    pub verbatim: bool,
    /// Where it stands in the stored copy.
    pub stored: Range<u64>,
}

/// A range of the original that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotKept {
    /// Where it stood.
    pub bytes: Range<u64>,
    /// The number of the first line of which something is missing.
    pub first_line: u64,
    /// The number of the last one.
    pub last_line: u64,
}

impl KeptRange {
    /// Returns the number of the last line that it has a part of.
    pub fn last_line(&self) -> u64 {
        self.first_line + self.lines.saturating_sub(1)
    }
}

impl KeptRanges {
    /// Returns how many bytes of the original are missing in all.
    pub fn missing(&self) -> u64 {
        let kept: u64 = self.ranges.iter().map(|it| it.bytes.end - it.bytes.start).sum();
        self.bytes.saturating_sub(kept)
    }

    /// Returns what is missing, in order.
    pub(crate) fn not_kept(&self) -> Vec<NotKept> {
        let mut all = Vec::new();
        // Where the last range ended, and the line that goes on there.
        let (mut end, mut line) = (0, 1);
        for (index, range) in self.ranges.iter().enumerate() {
            if range.bytes.start > end {
                let last_line = range.first_line - u64::from(range.starts_line);
                let bytes = end..range.bytes.start;
                all.push(NotKept { bytes, first_line: line, last_line: last_line.max(line) });
            }
            end = range.bytes.end;
            // A line feed of ours stands behind a range that does not end with one.
            let next = self.ranges.get(index + 1);
            let ends_line = next.is_some_and(|next| next.stored.start == range.stored.end);
            line = range.last_line() + u64::from(ends_line);
        }
        if end < self.bytes {
            all.push(NotKept { bytes: end..self.bytes, first_line: line, last_line: self.lines });
        }
        all
    }

    /// Returns the hole from its first byte to its last, with the lines that were kept in it.
    pub(crate) fn hole(&self) -> Option<NotKept> {
        let all = self.not_kept();
        let (first, last) = (all.first()?, all.last()?);
        Some(NotKept {
            bytes: first.bytes.start..last.bytes.end,
            first_line: first.first_line,
            last_line: last.last_line,
        })
    }

    /// Returns the range that holds a byte of the stored copy, and the number of the stored line
    /// that it begins with, counted from 1.
    pub(crate) fn at_stored(&self, place: u64) -> Option<(&KeptRange, u64)> {
        let mut line = 1;
        let mut found = None;
        for range in self.ranges.iter().take_while(|range| range.stored.start <= place) {
            found = Some((range, line));
            line += range.lines;
        }
        found
    }

    /// Returns where a byte of the stored copy stands in the original.
    pub(crate) fn original_byte(&self, place: u64) -> u64 {
        self.at_stored(place).map_or(place, |(range, _)| {
            range.bytes.end.min(range.bytes.start + (place - range.stored.start))
        })
    }

    /// Returns the number that a line of the stored copy has in the original, counted from 1.
    pub(crate) fn original_line(&self, stored: u64) -> u64 {
        let mut line = 1;
        for range in &self.ranges {
            if stored < line + range.lines {
                return range.first_line + stored.saturating_sub(line);
            }
            line += range.lines;
        }
        self.lines
    }

    /// Returns the stored line that is this line of the original, or the next one that was kept.
    pub(crate) fn stored_line(&self, original: u64) -> Option<u64> {
        let mut line = 1;
        for range in &self.ranges {
            if range.lines > 0 && original <= range.last_line() {
                return Some(line + original.saturating_sub(range.first_line));
            }
            line += range.lines;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(bytes: Range<u64>, first_line: u64, lines: u64, at: u64) -> KeptRange {
        let stored = at..at + (bytes.end - bytes.start);
        KeptRange { bytes, first_line, lines, starts_line: true, verbatim: true, stored }
    }

    /// Lines of two bytes: 1–5, 20 and 91–100.
    fn sample() -> KeptRanges {
        let ranges =
            vec![range(0..10, 1, 5, 0), range(38..40, 20, 1, 10), range(180..200, 91, 10, 12)];
        KeptRanges { bytes: 200, lines: 100, ranges }
    }

    #[test]
    fn kept_ranges_map_lines_both_ways() {
        let kept = sample();
        for (stored, original) in [(1, 1), (5, 5), (6, 20), (7, 91), (16, 100)] {
            assert_eq!(kept.original_line(stored), original);
            assert_eq!(kept.stored_line(original), Some(stored));
        }
        let next: Vec<_> = [6, 21, 101].map(|line| kept.stored_line(line)).to_vec();
        assert_eq!(next, [Some(6), Some(7), None]);
        assert_eq!([0, 9, 10, 12, 31].map(|at| kept.original_byte(at)), [0, 9, 38, 180, 199]);
    }

    #[test]
    fn kept_ranges_know_what_is_missing() {
        let gap = |bytes, first_line, last_line| NotKept { bytes, first_line, last_line };
        assert_eq!(sample().not_kept(), [gap(10..38, 6, 19), gap(40..180, 21, 90)]);
        assert_eq!((sample().hole(), sample().missing()), (Some(gap(10..180, 6, 90)), 168));
    }
}
