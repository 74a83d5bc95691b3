//! Text for people: Markdown, manual pages, help.

use super::line::ScoredLines;
use super::source;

/// So many headings at least.
const FEWEST: usize = 2;

/// One line of so many at least is a heading.
const HEADINGS: usize = 60;

/// Tells whether lines are prose under headings.
pub(super) fn is_prose(lines: &ScoredLines) -> bool {
    let texts: Vec<&[u8]> = texts(lines).collect();
    let headings = (0..texts.len()).filter(|&at| is_heading(&texts, at)).count();
    headings >= FEWEST && headings * HEADINGS >= texts.len()
}

/// Tells for each line whether it is a heading.
pub(super) fn headings(lines: &ScoredLines) -> Vec<bool> {
    let texts: Vec<&[u8]> = texts(lines).collect();
    (0..texts.len()).map(|at| is_heading(&texts, at)).collect()
}

/// Returns the lines without their numbers, as `cat -n` writes them.
fn texts(lines: &ScoredLines) -> impl Iterator<Item = &[u8]> + '_ {
    lines.lines.iter().map(|line| source::without_number(lines.text(line)).trim_ascii_end())
}

/// Tells whether a line is a heading: `## Name` after an empty line, or `NAME` above indented text.
fn is_heading(texts: &[&[u8]], at: usize) -> bool {
    let before = at.checked_sub(1).map_or(&b""[..], |before| texts[before]);
    let after = texts.get(at + 1).copied().unwrap_or_default();
    let text = texts[at];
    let level = text.iter().take_while(|byte| **byte == b'#').count();
    if (1..=6).contains(&level) {
        // A comment of a script may look the same. Text stands right above or below it.
        let is_free = before.is_empty() && (after.is_empty() || level > 1);
        return text.get(level) == Some(&b' ') && is_free;
    }
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || b" -/".contains(byte);
    let is_section = text.len() >= 4 && text.iter().all(is_capital) && text[0] != b' ';
    let is_options = text.ends_with(b":") && !text.starts_with(b" ") && text.len() < 40;
    (is_section || is_options && before.is_empty()) && after.starts_with(b"  ")
}
