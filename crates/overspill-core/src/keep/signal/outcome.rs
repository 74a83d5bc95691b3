//! Reads the results of tests and steps from the lines of a test run.
//!
//! A line of a passed test is not a failure, although the name of the test may contain a failure
//! word: `ok 12 - rejects an invalid key`. The result is at the start or at the end of the line. A
//! count of zero failures is a success, too: `Failures: 0`.

use super::failure;
use super::line::ScoredLines;

/// The result of a test or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
}

/// The words for a success at every place where a row can have its result. Only capitals count.
const PASSED: [&[u8]; 10] = [
    b"OK",
    b"PASS",
    b"PASSED",
    b"SKIP",
    b"SKIPPED",
    b"XFAIL",
    b"XFAILED",
    b"TEST-PASS",
    b"TEST-OK",
    b"TEST-SKIP",
];

/// The words for a failure at every place where a row can have its result. Only capitals count.
const FAILED: [&[u8]; 8] = [
    b"FAIL",
    b"FAILED",
    b"FAILURE",
    b"ERROR",
    b"XPASS",
    b"TIMEOUT",
    b"TEST-UNEXPECTED-FAIL",
    b"KO",
];

/// The symbols for a success at the start or the end of a row.
const PASSED_MARKS: [&str; 5] = ["✓", "✔", "√", "✅", "[+]"];

/// The symbols for a failure at the start or the end of a row.
const FAILED_MARKS: [&str; 7] = ["✕", "✗", "✖", "✘", "×", "❌", "[-]"];

/// The words for a success that count only at the end of a row, after dots, in any case.
const PASSED_LAST: [&[u8]; 4] = [b"ok", b"passed", b"skipped", b"ignored"];

/// The words for a failure that count only at the end of a row, after dots, in any case.
const FAILED_LAST: [&[u8]; 3] = [b"fail", b"failed", b"error"];

/// The number of words at the start of a row that may be its result: `INFO - TEST-PASS | …`.
const FIRST_WORDS: usize = 4;

/// Returns the result of a row. The row comes without its time stamp and its line break.
pub(super) fn outcome(row: &[u8]) -> Option<Outcome> {
    let row = row.trim_ascii();
    at_start(row).or_else(|| at_end(row))
}

/// The number of lines of an output that are examined to recognize a test run.
const LOOKED_AT: usize = 512;

/// Tells whether the lines are a test run: at least half of them report the result of a test.
pub(super) fn is_test_run(lines: &ScoredLines) -> bool {
    let step = lines.lines.len().div_ceil(LOOKED_AT).max(1);
    let (mut rows, mut outcomes) = (0, 0);
    for line in lines.lines.iter().step_by(step).filter(|line| !line.own.blank) {
        rows += 1;
        outcomes += usize::from(outcome(lines.body(line)).is_some());
    }
    rows > 0 && outcomes * 2 >= rows
}

/// Tells whether a row with a failure word reports no failure.
pub(super) fn has_passed(row: &[u8]) -> bool {
    counts_no_failure(row)
        || begun_test(row).is_some()
        || gives_reason(row)
        || (outcome(row) == Some(Outcome::Passed) || has_passed_mark(row)) && !shouts(row)
}

/// Tells whether a row gives the reason of a test that was skipped or expected to fail:
/// `SKIPPED (fails on CI)`, `... skipped 'fails on CI'`, `... ignored, fails on CI`.
fn gives_reason(row: &[u8]) -> bool {
    let words: [&[u8]; 2] = [b" SKIPPED ", b" XFAIL "];
    let dots: [&[u8]; 3] = [b"... skipped ", b"... ignored, ", b"... expected failure"];
    memchr::memchr_iter(b'(', row).any(|at| words.iter().any(|word| row[..at].ends_with(word)))
        || memchr::memchr_iter(b'.', row)
            .filter(|&at| at > 0 && row[at - 1] == b' ')
            .any(|at| dots.iter().any(|form| row[at..].starts_with(form)))
}

/// Returns the name of the test that a row announces: `=== RUN   TestError`,
/// `[ RUN      ] Parser.FailsOnError`.
pub(super) fn begun_test(row: &[u8]) -> Option<&[u8]> {
    let row = row.trim_ascii();
    let rest = row.strip_prefix(b"=== ").or_else(|| row.strip_prefix(b"[ "))?.trim_ascii_start();
    let word = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let (word, name) = rest.split_at(word);
    let is_start = [&b"RUN"[..], b"PAUSE", b"CONT", b"NAME"].contains(&word);
    let name = name.trim_ascii_start();
    is_start.then(|| name.strip_prefix(b"]").unwrap_or(name).trim_ascii_start())
}

/// Tells whether one of the first words is a symbol for a success:
/// `digest_test.go:124: ✓ rejects a wrong key`.
fn has_passed_mark(row: &[u8]) -> bool {
    if row.is_ascii() && !row.contains(&b'[') {
        return false;
    }
    let is_mark = |word: &[u8]| PASSED_MARKS.iter().any(|mark| mark.as_bytes() == word);
    words(row).take(FIRST_WORDS).any(is_mark)
}

/// Returns the result that a word in capitals names.
fn of(word: &[u8], passed: &[&[u8]], failed: &[&[u8]]) -> Option<Outcome> {
    if word.first().is_some_and(u8::is_ascii_uppercase) {
        of_any(word, passed, failed)
    } else {
        None
    }
}

/// Works like [`of`], for words in any case.
fn of_any(word: &[u8], passed: &[&[u8]], failed: &[&[u8]]) -> Option<Outcome> {
    match () {
        () if passed.contains(&word) => Some(Outcome::Passed),
        () if failed.contains(&word) => Some(Outcome::Failed),
        () => None,
    }
}

fn at_start(row: &[u8]) -> Option<Outcome> {
    let may_be_mark = |byte: &u8| !byte.is_ascii() || *byte == b'[';
    let starts = |marks: &[&str]| {
        row.first().is_some_and(may_be_mark)
            && marks.iter().any(|mark| row.starts_with(mark.as_bytes()))
    };
    if starts(&PASSED_MARKS) {
        return Some(Outcome::Passed);
    }
    if starts(&FAILED_MARKS) {
        return Some(Outcome::Failed);
    }
    // The Test Anything Protocol and `go test` print these forms.
    let is_test = |rest: &[u8]| matches!(rest, [b' ' | b'\t', b'0'..=b'9', ..] | [b'\t', ..]);
    if row.strip_prefix(b"ok").is_some_and(is_test) || row.strip_prefix(b"ok  ").is_some() {
        return Some(Outcome::Passed);
    }
    if row.strip_prefix(b"not ok").is_some_and(is_test) {
        return Some(Outcome::Failed);
    }
    // `--- PASS: TestParse`, `[ OK ] name`, `[       OK ] name`.
    let first = row.trim_ascii_start();
    let inner = first.strip_prefix(b"[").or_else(|| first.strip_prefix(b"--- "));
    let first = inner.unwrap_or(first).trim_ascii_start();
    if let Some(outcome) = of(bare(words(first).next()?), &PASSED, &FAILED) {
        return Some(outcome);
    }
    let has_colon = memchr::memchr(b':', row).is_some();
    let mut first_words = words(row).take(if has_colon { FIRST_WORDS } else { 0 });
    if let Some(outcome) = first_words.find_map(between_colons) {
        return Some(outcome);
    }
    let test = |word: &&[u8]| word.starts_with(b"TEST-");
    words(row).take(FIRST_WORDS).find(test).and_then(|word| of(bare(word), &PASSED, &FAILED))
}

/// Returns the result at the end of a place: `parser_test.c:53:rejects_errors:PASS`.
fn between_colons(word: &[u8]) -> Option<Outcome> {
    let word = bare(word);
    let colon = memchr::memrchr(b':', word)?;
    of(&word[colon + 1..], &[b"PASS", b"SKIP", b"IGNORE"], &[b"FAIL"])
}

fn at_end(row: &[u8]) -> Option<Outcome> {
    let may_be_mark = |byte: &u8| !byte.is_ascii() || *byte == b']';
    let ends = |marks: &[&str]| {
        row.last().is_some_and(may_be_mark)
            && marks.iter().any(|mark| row.ends_with(mark.as_bytes()))
    };
    if ends(&PASSED_MARKS) {
        return Some(Outcome::Passed);
    }
    if ends(&FAILED_MARKS) {
        return Some(Outcome::Failed);
    }
    // A duration or a percentage may follow: `PASSED [ 12%]`, `OK (0.2 s)`, `ok 3ms`.
    let mut rest = row;
    for _ in 0..4 {
        let word = words_from_end(rest).next()?;
        rest = &rest[..rest.len() - word.len()];
        rest = rest.trim_ascii_end();
        let bare = bare(word);
        if let Some(outcome) = of(bare, &PASSED, &FAILED) {
            return (!rest.is_empty()).then_some(outcome);
        }
        if word.starts_with(b"..") || rest.ends_with(b"..") || rest.ends_with("…".as_bytes()) {
            return of_any(&bare.to_ascii_lowercase(), &PASSED_LAST, &FAILED_LAST);
        }
        let is_time = word.iter().any(u8::is_ascii_digit) || bare.len() <= 2 || bare == b"sec";
        if !is_time {
            return None;
        }
    }
    None
}

/// Tells whether the level of a row is a warning: `a.js:3:1: warning: …`, `  3:1  warning  …`.
pub(super) fn is_warning(row: &[u8]) -> bool {
    let is_level =
        |word: &[u8]| bare(word).eq_ignore_ascii_case(b"warning") || bare(word) == b"WARN";
    words(row).take(2).any(is_level)
        && !words(row).any(|word| bare(word).eq_ignore_ascii_case(b"error"))
}

pub(super) fn words(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    row.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

fn words_from_end(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    row.rsplit(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// Returns a word without the punctuation around it.
pub(super) fn bare(word: &[u8]) -> &[u8] {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric();
    let start = word.iter().position(is_inside).unwrap_or(word.len());
    let end = word.iter().rposition(is_inside).map_or(start, |last| last + 1);
    &word[start..end]
}

/// Tells whether the row also contains the result of a failure, as in `PASSED 12, FAILED 3`.
fn shouts(row: &[u8]) -> bool {
    words(row).any(|word| FAILED.contains(&bare(word)))
}

/// Tells whether each failure word in a row has a count of zero: `0 failed`, `no errors`,
/// `Failures: 0, Errors: 0`.
fn counts_no_failure(row: &[u8]) -> bool {
    let mut found = false;
    let mut at = 0;
    while let Some((start, end)) = next_letters(row, at) {
        at = end;
        if !failure::is_word_of(&row[start..end]) {
            continue;
        }
        found = true;
        if !(is_zero_before(&row[..start]) || is_zero_after(&row[end..])) {
            return false;
        }
    }
    found
}

fn next_letters(row: &[u8], from: usize) -> Option<(usize, usize)> {
    let start = from + row[from..].iter().position(u8::is_ascii_alphabetic)?;
    let len = row[start..].iter().position(|byte| !byte.is_ascii_alphabetic());
    Some((start, len.map_or(row.len(), |len| start + len)))
}

fn is_zero_before(before: &[u8]) -> bool {
    let Some(word) = before.strip_suffix(b" ").and_then(|before| words_from_end(before).next())
    else {
        return false;
    };
    let word = bare(word);
    word == b"0" || word.eq_ignore_ascii_case(b"no")
}

fn is_zero_after(after: &[u8]) -> bool {
    let Some(rest) = after.strip_prefix(b":").or_else(|| after.strip_prefix(b"=")) else {
        return false;
    };
    matches!(
        rest.trim_ascii_start(),
        [b'0'] | [b'0', b' ' | b',' | b';' | b')' | b']' | b'\t' | b'\r', ..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_rows_are_distinguished_from_others() {
        for row in [
            "ok 12 - rejects an invalid key",
            "ok\tgithub.com/x/errors\t0.02s",
            "PASS src/error.test.js",
            "PASS: fails on missing input",
            "--- PASS: TestError (0.00s)",
            "[       OK ] Parser.FailsOnError (3 ms)",
            "[  OK  ] Reset failed units",
            "    ✓ throws an error (12ms)",
            "    digest_test.go:124: ✓ a wrong digest correctly failed",
            "XFAIL tests/x.py::test_x - known error",
            "test parse::error is fatal ... ok",
            "error is fatal ... ok (12 ms)",
            "tests/x.py::test[fatal error] PASSED [ 12%]",
            "checking for fatal errors… ok",
            "INFO - TEST-PASS | a/b.js | error is expected",
            "[+] fatal error is caught",
            "tests/x.py::test_x SKIPPED (fails on CI) [ 85%]",
            "test_x (t.A.test_x) ... skipped 'fails on CI'",
            "test_x (t.A.test_x) ... expected failure",
            "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
            "12 passed, 0 failed",
            "no errors",
            "=== RUN   TestParseError",
            "=== CONT  TestParse/invalid",
            "[ RUN      ] Parser.FailsOnError",
            "5: /src/parser_test.c:53:rejects_errors:PASS",
            " 5/22 Test  #5: parse_error ..........   Passed    0.00 sec",
        ] {
            assert!(has_passed(row.as_bytes()), "{row}");
        }
        for row in [
            "not ok 12 - rejects an invalid key",
            "FAIL src/ok.test.js",
            "--- FAIL: TestOk (0.00s)",
            "    ✗ is ok",
            "test parse::error ... FAILED",
            "PASSED 12, FAILED 3",
            "12 passed, 3 failed",
            "12 passed, 10 failed",
            "Tests run: 5, Failures: 1, Errors: 0",
            "error: status is not ok",
            "error: ok 12",
            "OKAY fatal error",
            "=== 3 errors",
            "5: /src/parser_test.c:53:rejects_errors:FAIL: no error",
            " 5/22 Test  #5: parse_string ..........***Failed    0.00 sec",
            "fatal error",
            "",
        ] {
            assert!(!has_passed(row.as_bytes()), "{row}");
        }
    }
}
