//! Finds rows that report a failure in a form that source and prose do not have.
//!
//! A failing log may consist of source: printed objects, quoted code, echoed scripts. One such row
//! makes it doubtful that the output is a file.

use super::line::ScoredLines;

/// The starts of rows with a failed result.
const STARTS: [&[u8]; 6] = [
    b"FAIL ",
    b"FAILED ",
    b"not ok ",
    b"##[error]",
    b"--- FAIL",
    b"Traceback (most recent call last):",
];

/// Tells whether one of the lines is such a row. The row has no indent.
pub(super) fn is_in(lines: &ScoredLines) -> bool {
    let mut error_above = None;
    lines.lines.iter().any(|line| {
        let text = lines.body(line);
        let is_frame = error_above == line.number.checked_sub(1) && is_frame(text);
        let starts_here = line.own.indent == 0 && line.own.hit;
        error_above = (starts_here && names_error(text)).then_some(line.number);
        is_frame || starts_here && has_form(text)
    })
}

fn has_form(text: &[u8]) -> bool {
    STARTS.iter().any(|start| text.starts_with(start))
        // `psql:schema.sql:12: ERROR:  syntax error`
        || text.first().is_some_and(u8::is_ascii_alphabetic)
            && memchr::memmem::find(text, b": ERROR: ").is_some()
}

/// Tells whether the first word of a line is an error, such as `TypeError:`.
fn names_error(text: &[u8]) -> bool {
    let word = text.split(|byte| *byte == b' ').next().unwrap_or_default();
    let word = word.strip_suffix(b":").unwrap_or(word);
    word == b"Uncaught" || word.ends_with(b"Error") || word.ends_with(b"Exception")
}

/// Tells whether a line is a frame of a stack trace: `    at parse (lib/a.js:3:7)`.
fn is_frame(text: &[u8]) -> bool {
    let frame = text.trim_ascii_start().strip_prefix(b"at ");
    text.first() == Some(&b' ') && frame.is_some_and(|rest| rest.contains(&b':'))
}
