//! Recognizes lists of records, such as packages, symbols, instructions and system calls, and
//! descriptions with a field on each line.
//!
//! Such a list contains failure words in the names of things: `libgpg-error0`, `call <error@plt>`.

use super::form::RowForm;
use super::line::{ScoredLine, ScoredLines};
use super::outcome::words;

/// In a list of records, at least this many lines out of ten are records.
const RECORDS: usize = 9;

/// In a description of things, at least this many lines out of ten are fields.
const FIELDS: usize = 6;

/// Tells for each line whether it is a field, or a record that begins with a number or an address.
/// Returns `None` if the lines are neither a list of records nor a description of things. Also
/// returns `None` if a line reports a failure in a form that tools use.
pub(super) fn rows(lines: &ScoredLines) -> Option<Vec<bool>> {
    if lines.lines.iter().any(reports_failure) {
        return None;
    }
    let (mut count, mut before): (usize, &[u8]) = (0, b"");
    let mut numbered = vec![false; lines.lines.len()];
    let (mut records, mut fields) = (numbered.clone(), numbered.clone());
    for (at, line) in lines.lines.iter().enumerate() {
        let body = lines.body(line);
        let Some(first) = words(body).next() else { continue };
        count += 1;
        numbered[at] = is_number(first);
        records[at] = first == before || numbered[at] || is_system_call(body);
        fields[at] = is_field(body.trim_ascii());
        before = first;
    }
    let are_most = |rows: &[bool], of_ten: usize| {
        rows.iter().filter(|is_row| **is_row).count() * 10 >= count * of_ten
    };
    match () {
        // The message of a program may begin with its name in each line, too.
        () if are_most(&records, RECORDS) => Some(numbered),
        () if are_most(&fields, FIELDS) => Some(fields),
        () => None,
    }
}

/// Tells whether a line is a field of a description: a name, a colon and a value in a column of its
/// own, `Exit Code:    137`, or only the name and the colon.
fn is_field(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" _-./".contains(byte);
    let name = text.iter().take_while(|byte| is_name(byte)).count();
    let value = text[name..].strip_prefix(b":").filter(|_| name > 0);
    value.is_some_and(|value| value.is_empty() || value.starts_with(b"  "))
}

fn reports_failure(line: &ScoredLine) -> bool {
    line.own.hit && (line.own.form != RowForm::Other || line.own.trace || line.own.red)
}

/// An address without a decimal digit, such as `aaae:`, has at least this many digits.
const SHORTEST_ADDRESS: usize = 4;

/// Tells whether a word is a number, such as an address or an index: `00002f10`, `2a3:`.
fn is_number(word: &[u8]) -> bool {
    let address = word.strip_suffix(b":").filter(|word| word.len() >= SHORTEST_ADDRESS);
    let word = word.strip_suffix(b":").unwrap_or(word);
    let word = word.strip_prefix(b"0x").unwrap_or(word);
    word.iter().all(u8::is_ascii_hexdigit)
        && (address.is_some() || word.iter().any(u8::is_ascii_digit))
}

/// Tells whether a line is a row of `strace`: `close(3) = 0`.
fn is_system_call(body: &[u8]) -> bool {
    let opens = memchr::memchr(b'(', body).is_some_and(|at| {
        at > 0
            && body[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_[] ".contains(byte))
    });
    opens && memchr::memmem::find(body, b" = ").is_some()
}
