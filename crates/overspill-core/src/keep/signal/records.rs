//! Recognizes lists of records: packages, symbols, instructions, system calls.
//!
//! Such a list contains failure words in the names of things: `libgpg-error0`, `call <error@plt>`.

use super::form::RowForm;
use super::line::{ScoredLine, ScoredLines};
use super::outcome::words;

/// The smallest number of lines out of ten that are records in a list of records.
const RECORDS: usize = 9;

/// Tells whether nearly all lines are records, and no line reports a failure in a form that tools
/// use.
pub(super) fn are_records(lines: &ScoredLines) -> bool {
    if lines.lines.iter().any(reports_failure) {
        return false;
    }
    let (mut count, mut records, mut before): (usize, usize, &[u8]) = (0, 0, b"");
    for line in &lines.lines {
        let body = lines.body(line);
        let Some(first) = words(body).next() else { continue };
        count += 1;
        records += usize::from(first == before || is_number(first) || is_system_call(body));
        before = first;
    }
    records * 10 >= count * RECORDS
}

fn reports_failure(line: &ScoredLine) -> bool {
    line.own.hit && (line.own.form != RowForm::Other || line.own.trace || line.own.red)
}

/// Tells whether a word is a number, such as an address or an index: `00002f10`, `2a3:`.
fn is_number(word: &[u8]) -> bool {
    let word = word.strip_suffix(b":").unwrap_or(word);
    let word = word.strip_prefix(b"0x").unwrap_or(word);
    word.iter().all(u8::is_ascii_hexdigit) && word.iter().any(u8::is_ascii_digit)
}

/// Tells whether a line is a row of `strace`: `close(3) = 0`.
fn is_system_call(body: &[u8]) -> bool {
    let opens = memchr::memchr(b'(', body).is_some_and(|at| {
        at > 0
            && body[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_[] ".contains(byte))
    });
    opens && memchr::memmem::find(body, b" = ").is_some()
}
