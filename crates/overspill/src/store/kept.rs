//! The ranges of an output that a store kept because the output was too large to save whole.

use std::ops::Range;

/// The ranges of an output that were kept, in order, with their positions in the original.
///
/// The saved output contains the ranges one after the other. If a range does not end with a line
/// feed, the copy has an extra line feed after it, so that no stored line belongs to two ranges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptRanges {
    /// The number of bytes of the original.
    pub bytes: u64,
    /// The number of lines of the original.
    pub lines: u64,
    /// The kept ranges: the first part, lines that the preview shows, the last part.
    pub ranges: Vec<KeptRange>,
}

/// A range of the original that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRange {
    /// The bytes of the range in the original.
    pub bytes: Range<u64>,
    /// The number of the line in the original in which the range begins, counted from 1.
    pub first_line: u64,
    /// The number of lines of which the range has at least a part.
    pub lines: u64,
    /// The range begins at the start of a line.
    pub starts_line: bool,
    /// The range is stored byte for byte. Otherwise the range is stored as the preview shows it:
    /// without colours, with control bytes made visible.
    pub verbatim: bool,
    /// The bytes of the range in the saved output.
    pub stored: Range<u64>,
}

/// A range of the original that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotKept {
    /// The bytes of the range in the original.
    pub bytes: Range<u64>,
    /// The number of the first line of which something is missing.
    pub first_line: u64,
    /// The number of the last line of which something is missing.
    pub last_line: u64,
}

impl KeptRange {
    /// Returns the number of the last line of which the range has at least a part.
    pub fn last_line(&self) -> u64 {
        self.first_line + self.lines.saturating_sub(1)
    }
}

impl KeptRanges {
    /// Returns the number of bytes of the original that are missing in all ranges together.
    pub fn missing(&self) -> u64 {
        let kept: u64 = self.ranges.iter().map(|it| it.bytes.end - it.bytes.start).sum();
        self.bytes.saturating_sub(kept)
    }

    /// Returns the missing ranges, in order.
    pub(crate) fn not_kept(&self) -> Vec<NotKept> {
        let mut all = Vec::new();
        // The end of the last range, and the line that continues there.
        let (mut end, mut line) = (0, 1);
        for (index, range) in self.ranges.iter().enumerate() {
            if range.bytes.start > end {
                let last_line = range.first_line - u64::from(range.starts_line);
                let bytes = end..range.bytes.start;
                all.push(NotKept { bytes, first_line: line, last_line: last_line.max(line) });
            }
            end = range.bytes.end;
            // The store adds a line feed after a range that does not end with one.
            let next = self.ranges.get(index + 1);
            let ends_line = next.is_some_and(|next| next.stored.start == range.stored.end);
            line = range.last_line() + u64::from(ends_line);
        }
        if end < self.bytes {
            all.push(NotKept { bytes: end..self.bytes, first_line: line, last_line: self.lines });
        }
        all
    }

    /// Returns the range from the first to the last missing byte, with the lines that were kept
    /// between them.
    pub(crate) fn hole(&self) -> Option<NotKept> {
        let all = self.not_kept();
        let (first, last) = (all.first()?, all.last()?);
        Some(NotKept {
            bytes: first.bytes.start..last.bytes.end,
            first_line: first.first_line,
            last_line: last.last_line,
        })
    }

    /// Returns the range that contains a byte of the saved output, and the number of the stored line
    /// with which the range begins, counted from 1.
    pub(crate) fn at_stored(&self, place: u64) -> Option<(&KeptRange, u64)> {
        let mut line = 1;
        let mut found = None;
        for range in self.ranges.iter().take_while(|range| range.stored.start <= place) {
            found = Some((range, line));
            line += range.lines;
        }
        found
    }

    /// Returns the position in the original of a byte of the saved output.
    pub(crate) fn original_byte(&self, place: u64) -> u64 {
        self.at_stored(place).map_or(place, |(range, _)| {
            range.bytes.end.min(range.bytes.start + (place - range.stored.start))
        })
    }

    /// Returns the number in the original of a line of the saved output, both counted from 1.
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

    /// Returns the number of the stored line for a line of the original, or for the next line that
    /// was kept.
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

    /// Returns ranges of an original whose lines have two bytes: lines 1–5, 20 and 91–100.
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
    fn kept_ranges_list_missing_ranges() {
        let gap = |bytes, first_line, last_line| NotKept { bytes, first_line, last_line };
        assert_eq!(sample().not_kept(), [gap(10..38, 6, 19), gap(40..180, 21, 90)]);
        assert_eq!((sample().hole(), sample().missing()), (Some(gap(10..180, 6, 90)), 168));
    }
}
