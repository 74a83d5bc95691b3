//! Finds line boundaries, from the start or from the end.

use crate::LineRule;
use memchr::{memchr, memrchr, memrchr2};

/// The size in bytes of the blocks in which [`nth_feed`] counts line feeds. It searches only the
/// last block byte by byte.
const BLOCK: usize = 1024;

/// Returns the end of the first `n` lines of `text`. `None` if it has fewer than `n` line breaks.
///
/// The end is after the `n`th line break, or before it for [`LineRule::Separated`].
pub(crate) fn first_lines_end(text: &[u8], n: u64, rule: LineRule) -> Option<usize> {
    if n == 0 {
        return Some(0);
    }
    match rule {
        LineRule::Separated => nth_feed(text, n),
        LineRule::Terminated => nth_feed(text, n).map(|feed| feed + 1),
        LineRule::Universal => UniversalBreaks { text, at: 0 }.nth(n as usize - 1),
    }
}

/// Returns the beginning of the last `n` lines of `text`. `None` if `text` has no line before
/// them.
pub(crate) fn last_lines_start(text: &[u8], n: u64, rule: LineRule) -> Option<usize> {
    if n == 0 {
        return Some(text.len());
    }
    if rule == LineRule::Universal {
        let mut end = before_final_break(text, rule);
        for _ in 1..n {
            end = before_final_break(&text[..last_break(&text[..end], rule)?], rule);
        }
        return last_break(&text[..end], rule);
    }
    // Two quick passes: count the line breaks, then search from the front.
    let end = if rule == LineRule::Separated { text.len() } else { before_final_break(text, rule) };
    let feeds = bytecount::count(&text[..end], b'\n') as u64;
    nth_feed(text, feeds.checked_sub(n)? + 1).map(|feed| feed + 1)
}

/// Returns the last place at or before `at` where a line ends, as [`first_lines_end`] does.
///
/// `text` must contain the byte at `at`, unless the output ends there.
pub(crate) fn last_line_end(text: &[u8], at: usize, rule: LineRule) -> Option<usize> {
    match rule {
        LineRule::Separated => memrchr(b'\n', &text[..text.len().min(at + 1)]),
        LineRule::Terminated => memrchr(b'\n', &text[..at]).map(|feed| feed + 1),
        LineRule::Universal => {
            let end = last_break(&text[..at], rule)?;
            if splits_pair(text, end) { last_break(&text[..end - 1], rule) } else { Some(end) }
        }
    }
}

/// Returns the first place at or after `at` where a line starts. `None` if no line starts there.
pub(crate) fn next_line_start(text: &[u8], at: usize, rule: LineRule) -> Option<usize> {
    if at == 0 {
        return Some(0);
    }
    let start = match rule {
        LineRule::Separated | LineRule::Terminated => {
            memchr(b'\n', &text[at - 1..]).map(|feed| at + feed)
        }
        LineRule::Universal => UniversalBreaks { text, at: at - 1 }.next(),
    }?;
    // A final break opens one more line only if breaks separate lines.
    (start < text.len() || rule == LineRule::Separated).then_some(start)
}

/// Tells whether a line starts at `at`.
pub(crate) fn starts_line(text: &[u8], at: usize, rule: LineRule) -> bool {
    match text[..at].last() {
        None | Some(b'\n') => true,
        Some(b'\r') => rule == LineRule::Universal && !splits_pair(text, at),
        Some(_) => false,
    }
}

/// Tells whether [`first_lines_end`] can return `at` as the end of a line.
pub(crate) fn ends_line(text: &[u8], at: usize, rule: LineRule) -> bool {
    match rule {
        LineRule::Separated => text.get(at) == Some(&b'\n'),
        LineRule::Terminated | LineRule::Universal => at > 0 && starts_line(text, at, rule),
    }
}

/// Tells whether `at` stands between the two bytes of a CR LF.
pub(crate) fn splits_pair(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1] == b'\r' && text.get(at) == Some(&b'\n')
}

/// Returns the position of the `n`th line feed.
fn nth_feed(text: &[u8], n: u64) -> Option<usize> {
    let (mut at, mut left) = (0, usize::try_from(n).ok()?);
    for block in text.chunks(BLOCK) {
        let here = bytecount::count(block, b'\n');
        if here >= left {
            return memchr::memchr_iter(b'\n', block).nth(left - 1).map(|feed| at + feed);
        }
        left -= here;
        at += block.len();
    }
    None
}

/// Returns the end of the last line break.
fn last_break(text: &[u8], rule: LineRule) -> Option<usize> {
    let found = match rule {
        LineRule::Universal => memrchr2(b'\r', b'\n', text),
        LineRule::Separated | LineRule::Terminated => memrchr(b'\n', text),
    };
    found.map(|at| at + 1)
}

/// Returns the beginning of the last line break if `text` ends with one, otherwise the end of
/// `text`.
fn before_final_break(text: &[u8], rule: LineRule) -> usize {
    let len = text.len();
    match (rule, text) {
        (LineRule::Universal, [.., b'\r', b'\n']) => len - 2,
        (_, [.., b'\n']) | (LineRule::Universal, [.., b'\r']) => len - 1,
        _ => len,
    }
}

/// Iterates over the ends of the line breaks after `at`, for [`LineRule::Universal`].
struct UniversalBreaks<'a> {
    text: &'a [u8],
    at: usize,
}

impl Iterator for UniversalBreaks<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let found = self.at + memchr::memchr2(b'\r', b'\n', &self.text[self.at..])?;
        self.at = found + 1;
        if splits_pair(self.text, self.at) {
            self.at += 1;
        }
        Some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_from_both_ends() {
        let text = b"a\nbb\n\nccc\n";
        for rule in [LineRule::Terminated, LineRule::Universal] {
            let ends: Vec<_> = (0..6).map(|n| first_lines_end(text, n, rule)).collect();
            assert_eq!(ends, [Some(0), Some(2), Some(5), Some(6), Some(10), None]);
            let starts: Vec<_> = (0..6).map(|n| last_lines_start(text, n, rule)).collect();
            assert_eq!(starts, [Some(10), Some(6), Some(5), Some(2), None, None]);
        }
        let rule = LineRule::Separated;
        let ends: Vec<_> = (0..6).map(|n| first_lines_end(text, n, rule)).collect();
        assert_eq!(ends, [Some(0), Some(1), Some(4), Some(5), Some(9), None]);
        let starts: Vec<_> = (0..6).map(|n| last_lines_start(text, n, rule)).collect();
        assert_eq!(starts, [Some(10), Some(10), Some(6), Some(5), Some(2), None]);
    }

    #[test]
    fn carriage_return_and_line_feed_are_one_break() {
        let text = b"a\r\nb\rc\n";
        let rule = LineRule::Universal;
        let ends: Vec<_> = (1..4).map(|n| first_lines_end(text, n, rule)).collect();
        assert_eq!(ends, [Some(3), Some(5), Some(7)]);
        let starts: Vec<_> = (1..4).map(|n| last_lines_start(text, n, rule)).collect();
        assert_eq!(starts, [Some(5), Some(3), None]);
        assert_eq!(last_line_end(text, 2, rule), None);
        assert_eq!(last_line_end(text, 4, rule), Some(3));
        assert_eq!(next_line_start(text, 2, rule), Some(3));
        assert!(!starts_line(text, 2, rule) && starts_line(text, 3, rule));
    }

    #[test]
    fn final_break_opens_a_line_only_if_breaks_separate() {
        assert_eq!(next_line_start(b"ab\n", 1, LineRule::Terminated), None);
        assert_eq!(next_line_start(b"ab\n", 1, LineRule::Separated), Some(3));
    }
}
