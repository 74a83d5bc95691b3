//! Merges the byte ranges of an output that readers got after the preview, and writes and reads
//! them as a line of the record file.

use std::ops::Range;

/// The largest number of ranges that a record lists.
pub(crate) const MOST_RANGES: usize = 256;

/// Returns the ranges in order, without overlaps and empty ranges. Beyond [`MOST_RANGES`], the last
/// range also covers all later ranges and the text between them.
pub(crate) fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    if let Some(end) = all.last().map(|last| last.end).filter(|_| all.len() > MOST_RANGES) {
        all.truncate(MOST_RANGES);
        all[MOST_RANGES - 1].end = end;
    }
    all
}

/// Returns the line of a record file that names these ranges: `0-17 30-42`.
pub(crate) fn to_line(ranges: &[Range<u64>]) -> String {
    let parts: Vec<String> = ranges.iter().map(|it| format!("{}-{}", it.start, it.end)).collect();
    parts.join(" ")
}

/// Reads the ranges of such a line and skips text that is not a range.
pub(crate) fn of_line(line: &[u8]) -> impl Iterator<Item = Range<u64>> {
    let parts = std::str::from_utf8(line).unwrap_or_default().split(' ');
    parts.filter_map(|part| {
        let (start, end) = part.split_once('-')?;
        Some(start.parse().ok()?..end.parse().ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_in_order() {
        assert_eq!(merged(vec![30..40, 0..10, 10..12, 5..8, 9..9]), [0..12, 30..40]);
    }

    #[test]
    fn ranges_beyond_the_limit_are_joined_with_the_last() {
        let many: Vec<Range<u64>> = (0..1_000).map(|at| at * 10..at * 10 + 5).collect();
        let all = merged(many);
        assert_eq!((all.len(), all.last().cloned()), (MOST_RANGES, Some(2_550..9_995)));
    }

    #[test]
    fn line_of_ranges_is_read_back_without_junk() {
        let ranges = [0..17, 30..42];
        assert_eq!(of_line(to_line(&ranges).as_bytes()).collect::<Vec<_>>(), ranges);
        assert_eq!(of_line(b"x 1- 3-4 -9 5-y 6-7").collect::<Vec<_>>(), [3..4, 6..7]);
    }
}
