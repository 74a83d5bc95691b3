//! Recognizes the form in which a line reports a failure.
//!
//! Tools report failures in few forms: `FAILED path::test`, `error: …`, `3 failed`. The form says
//! more about a line than its words, because words differ from project to project.

use super::outcome::{self, Outcome, words};
use super::words::written_colour;

/// The form in which a line with a failure word reports a failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RowForm {
    /// The line has no form that tools use.
    #[default]
    Other,
    /// The outcome of a test or a step: `--- FAIL: TestParse`, `test parse ... FAILED`.
    Outcome,
    /// A message with its level at the start: `error: …`, `[ERROR] …`, `Failed to …`.
    Level,
    /// A count: `3 failed, 2 passed`.
    Count,
}

impl RowForm {
    /// Returns the form of a row. The row comes without its time stamp and its line break.
    pub(super) fn of(row: &[u8]) -> RowForm {
        let row = without_marks(row);
        match () {
            () if starts_with_level(row, &LEVELS) => RowForm::Level,
            () if outcome::outcome(row) == Some(Outcome::Failed) || is_unexpected(row) => {
                RowForm::Outcome
            }
            () if starts_with_level(row, &[b"failed"]) => RowForm::Level,
            () if counts_failures(row) => RowForm::Count,
            () => RowForm::Other,
        }
    }

    /// Returns the number that the form adds to the score of a row, after `so_far` rows of its
    /// family.
    pub(super) fn bonus(self, so_far: u16) -> i32 {
        let bonus = match self {
            RowForm::Other => return 0,
            RowForm::Outcome => 80,
            RowForm::Level | RowForm::Count => 20,
        };
        bonus - FOR_EACH_DOUBLING * so_far.max(1).ilog2() as i32
    }
}

/// The number that is subtracted from the bonus each time that the rows of a family double.
const FOR_EACH_DOUBLING: i32 = 4;

/// The levels that report a failure.
const LEVELS: [&[u8]; 5] = [b"error", b"fatal", b"panic", b"critical", b"severe"];

/// The number of words at the start of a row that are examined.
const FIRST_WORDS: usize = 4;

/// Removes the marks before the first word of a row: blanks, colours that are written as text,
/// bullets and the `E` of pytest.
fn without_marks(row: &[u8]) -> &[u8] {
    let mut row = row.trim_ascii();
    if row.first().is_some_and(|byte| byte.is_ascii_alphanumeric() && *byte != b'E') {
        return row;
    }
    loop {
        let before = row.len();
        if let Some(colour) = written_colour(row) {
            row = row[colour..].trim_ascii_start();
        }
        for mark in ["• ", "* ", "- ", "> ", "| ", "E ", "● "] {
            row = row.strip_prefix(mark.as_bytes()).unwrap_or(row).trim_ascii_start();
        }
        if row.len() == before {
            return row;
        }
    }
}

/// Tells whether a harness marks the row as unexpected: `TEST-UNEXPECTED-FAIL | …`.
fn is_unexpected(row: &[u8]) -> bool {
    words(row).take(FIRST_WORDS).any(|word| word.starts_with(b"TEST-UNEXPECTED"))
}

/// Tells whether the first word is a level: `error:`, `[ERROR]`, `error[E0308]:`,
/// `##[error]Process`.
fn starts_with_level(row: &[u8], levels: &[&[u8]]) -> bool {
    let row = row.strip_prefix(b"##").unwrap_or(row);
    let row = row.strip_prefix(b"[").unwrap_or(row);
    levels.iter().any(|level| {
        let Some((start, rest)) = row.split_at_checked(level.len()) else { return false };
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/".contains(byte);
        start.eq_ignore_ascii_case(level) && !rest.first().is_some_and(is_inside)
    })
}

/// The words with which tools count failures.
const COUNTED: [&[u8]; 6] = [b"failed", b"failures", b"failure", b"errors", b"error", b"failing"];

/// Tells whether a row counts failures: `3 failed`, `Failures: 1`, `1 error`, `(2 failures)`.
fn counts_failures(row: &[u8]) -> bool {
    let is_counted = |word: &[u8]| COUNTED.iter().any(|name| word.eq_ignore_ascii_case(name));
    let is_count =
        |word: &[u8]| word.iter().all(u8::is_ascii_digit) && word.iter().any(|byte| *byte != b'0');
    let mut before: &[u8] = b"";
    for word in words(row).map(outcome::bare) {
        if is_counted(word) && is_count(before) || is_counted(before) && is_count(word) {
            return true;
        }
        before = word;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_form_is_recognized_by_its_shape() {
        let rows = [
            ("--- FAIL: TestParse (0.2s)", RowForm::Outcome),
            ("FAIL\tgithub.com/a/b\t185.2s", RowForm::Outcome),
            ("^[[38;5;9m• [FAILED] [1.014 seconds]^[[0m", RowForm::Outcome),
            ("test parse ... FAILED", RowForm::Outcome),
            ("FAILED tests/test_a.py::test_b - ValueError", RowForm::Outcome),
            ("INFO - TEST-UNEXPECTED-TIMEOUT | automation.py | timed out", RowForm::Outcome),
            ("not ok 5 - prints an error", RowForm::Outcome),
            ("5: /src/parser_test.c:53:parses_strings:FAIL: no string", RowForm::Outcome),
            (" 5/22 Test  #5: parse_string ....***Failed    0.00 sec", RowForm::Outcome),
            ("error[E0308]: mismatched types", RowForm::Level),
            ("[ERROR] Failed to execute goal", RowForm::Level),
            ("##[error]Process completed with exit code 1.", RowForm::Level),
            ("fatal: not a git repository", RowForm::Level),
            ("E   Failed: no such fixture", RowForm::Level),
            ("Failed 1/5 subtests", RowForm::Level),
            ("src/a.c:3:1: error: expected ';'", RowForm::Other),
            ("java.lang.IllegalStateException: no", RowForm::Other),
            ("====== 3 failed, 2 passed in 0.1s ======", RowForm::Count),
            ("Tests run: 5, Failures: 1, Errors: 0", RowForm::Count),
            ("Found 279 errors in 9 files", RowForm::Count),
            ("retries after a failed request", RowForm::Other),
            ("see error.rs for the error type", RowForm::Other),
            ("error.log was rotated", RowForm::Other),
        ];
        for (row, form) in rows {
            assert_eq!(RowForm::of(row.as_bytes()), form, "{row}");
        }
    }
}
