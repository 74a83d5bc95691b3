//! Shortens a long line to the part around a match.

use std::ops::Range;

use overspill_core::internal::text::{clean, whole_chars};

/// The number of bytes to which long lines are shortened.
const LONGEST_LINE: usize = 500;
/// The number of these bytes that come before the match.
const BEFORE: usize = 100;

/// Returns a line with a match at `at` as readable text, without its line end. A long line is
/// shortened to the part around the match.
#[cfg(feature = "grep")]
pub(super) fn excerpt(line: &[u8], at: usize) -> String {
    let around = around_match(line, at);
    shown(&line[around.clone()], &around, line.len())
}

/// Returns the part of a line that is shown for a match at `at`. If a carriage return restarts the
/// line, as in progress bars, only the text up to it is shown, because later text would hide the
/// match.
#[cfg(feature = "grep")]
pub(super) fn around_match(line: &[u8], at: usize) -> Range<usize> {
    let ends = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    let end = line.len() - line.iter().rev().take_while(ends).count();
    let Some(len) = memchr::memchr(b'\r', &line[at.min(end)..end]) else {
        return around(line.len(), at);
    };
    let start = memchr::memrchr(b'\r', &line[..at]).map_or(0, |before| before + 1);
    let drawn = around(at + len - start, at - start);
    start + drawn.start..start + drawn.end
}

/// Returns the part of a line of `len` bytes that is shown: the whole line, or the part around
/// `at`.
pub(super) fn around(len: usize, at: usize) -> Range<usize> {
    let start = if len <= LONGEST_LINE || at <= LONGEST_LINE - BEFORE { 0 } else { at - BEFORE };
    start.min(len)..len.min(start + LONGEST_LINE)
}

/// Returns `range` of a line of `len` bytes as readable text.
pub(super) fn shown(bytes: &[u8], range: &Range<usize>, len: usize) -> String {
    let cut = if range.start == 0 {
        bytes
    } else {
        // The text must begin with a whole character.
        let inside = bytes.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
        &bytes[inside..]
    };
    let cut = if range.end == len { cut } else { whole_chars(cut) };
    let text = clean(cut).text;
    let before = if range.start > 0 { "…" } else { "" };
    let after = if range.end < len { "…" } else { "" };
    // On some systems lines end with a carriage return.
    format!("{before}{}{after}", text.trim_end_matches(['\r', '\n']))
}

/// Returns the bytes of an output around `at`, for `read --bytes`.
#[cfg(feature = "grep")]
pub(super) fn bytes_around(at: u64) -> Range<u64> {
    let start = at.saturating_sub(BEFORE as u64);
    start..start + LONGEST_LINE as u64
}

#[cfg(all(test, feature = "grep"))]
mod tests {
    use super::*;

    #[test]
    fn long_line_shows_the_part_around_the_match() {
        assert_eq!(excerpt(b"short\r\n", 0), "short");
        let long = format!("{}needle{}", "é".repeat(5000), "x".repeat(5000));
        let shown = excerpt(long.as_bytes(), 10_000);
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…'));
        assert!(shown.len() <= LONGEST_LINE + 6, "{}", shown.len());
        assert!(excerpt(long.as_bytes(), 0).starts_with('é'));
    }

    #[test]
    fn progress_line_shows_the_text_that_matches() {
        let line = b"fetching\rerror: boom\rretried\rdone\r\n";
        assert_eq!(excerpt(line, 0), "fetching…");
        assert_eq!(excerpt(line, 16), "…error: boom…");
        assert_eq!(excerpt(line, 31), clean(line).text.trim_end());
        let numbers: Vec<String> = (1..5_000).map(|number| number.to_string()).collect();
        let line = numbers.join("\r");
        let at = line.find("\r4242\r").unwrap() + 1;
        assert_eq!(excerpt(line.as_bytes(), at), "…4242…");
    }
}
