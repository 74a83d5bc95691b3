//! Recognizes lists of changes: a plan of a tool that marks each line with `+`, `-` or `~`.
//!
//! Such a list looks like source, because its lines are settings. Its headings name the things that
//! change, so they come first.

use super::line::ScoredLines;

/// In a list of changes, at least this many lines out of ten have a mark.
const MARKED: usize = 5;

/// In a list of changes, a heading stands for at most this many marked lines on average.
const HEADINGS: usize = 200;

/// Tells whether the lines are a list of changes: half of them begin with a mark, and comments above
/// the marked lines name the things that change.
pub(super) fn are_changes(lines: &ScoredLines) -> bool {
    let (mut all, mut marked, mut headings) = (0, 0, 0);
    let mut is_comment_before = false;
    for line in &lines.lines {
        let text = lines.text(line).trim_ascii();
        if text.is_empty() {
            continue;
        }
        all += 1;
        let is_marked = is_marked(text);
        marked += usize::from(is_marked);
        if (all - marked) * 10 > lines.lines.len() * (10 - MARKED) {
            return false;
        }
        headings += usize::from(is_marked && is_comment_before);
        is_comment_before = text.starts_with(b"# ");
    }
    headings > 0 && marked * 10 >= all * MARKED && headings * HEADINGS >= marked
}

/// The share of the room for the headings of a list of changes.
const SHARE: f64 = 0.5;

/// Tells for each line of a list of changes whether it is a heading: a comment right above a marked
/// line, or a line without indent below a blank line, such as `Plan: 3 to add`. Also returns the share
/// of the room for headings. Returns `None` for other outputs.
pub(super) fn headings(lines: &ScoredLines) -> Option<(Vec<bool>, f64)> {
    if !are_changes(lines) {
        return None;
    }
    let text = |at: usize| lines.lines.get(at).map_or(&b""[..], |line| lines.text(line));
    let is_heading = |at: usize| {
        let inner = text(at).trim_ascii();
        let is_free = at > 0 && text(at - 1).trim_ascii().is_empty();
        inner.starts_with(b"# ") && is_marked(text(at + 1).trim_ascii())
            || is_free && text(at).first().is_some_and(u8::is_ascii_alphanumeric)
    };
    Some(((0..lines.lines.len()).map(is_heading).collect(), SHARE))
}

/// Tells whether a line begins with the mark of a change.
fn is_marked(text: &[u8]) -> bool {
    let marks: [&[u8]; 6] = [b"+ ", b"- ", b"~ ", b"-/+ ", b"+/- ", b"<= "];
    marks.iter().any(|mark| text.starts_with(mark))
}
