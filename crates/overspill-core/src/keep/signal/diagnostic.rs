//! Reads messages of compilers and linters: a place, a level and a text.
//!
//! Tools repeat a message for every place to which it applies. A preview shows the message once,
//! and the mark of the gap after it names the other places.

use super::line::ScoredLines;

/// The severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Error,
    /// A warning, a note or another level that does not make a build fail.
    Other,
}

/// A message with the place to which it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Diagnostic<'a> {
    /// The file, if the line names the file. Some linters print the file above the messages.
    pub(super) file: Option<&'a [u8]>,
    /// The number of the line in the file.
    pub(super) line: &'a [u8],
    pub(super) level: Level,
    /// The message with its level. It is the same at all places.
    pub(super) message: &'a [u8],
}

impl<'a> Diagnostic<'a> {
    /// Returns the rule that the message comes from.
    ///
    /// The rule is a code at the start or after the level (`E0602: …`, `error TS2551: …`), or the
    /// last word if it is in brackets (`[no-untyped-def]`) or in a separate column.
    pub(super) fn rule(&self) -> Option<&'a [u8]> {
        let mut first =
            self.message.split(|byte| b" :".contains(byte)).filter(|word| !word.is_empty());
        if let Some(code) = first.by_ref().take(2).find(|word| is_code(word)) {
            return Some(code);
        }
        let last = self.message.iter().rposition(|byte| *byte == b' ')? + 1;
        let word = &self.message[last..];
        let is_column = self.message[..last].ends_with(b"  ");
        let is_bracketed = matches!(word, [b'[', .., b']'] | [b'(', .., b')']);
        (is_column || is_bracketed).then_some(word)
    }
}

/// Tells whether a word is the code of a rule: letters and digits, such as `E0602` or `TS2551`.
fn is_code(word: &[u8]) -> bool {
    let letters = word.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let digits = &word[letters..];
    (1..=5).contains(&letters)
        && (2..=5).contains(&digits.len())
        && digits.iter().all(u8::is_ascii_digit)
}

/// The words for the level [`Level::Error`].
const ERRORS: [&[u8]; 5] = [b"fatal error", b"error", b"Error", b"ERROR", b"fatal"];

/// The words for the level [`Level::Other`].
const OTHERS: [&[u8]; 8] =
    [b"warning", b"Warning", b"WARNING", b"warn", b"note", b"info", b"hint", b"remark"];

/// The symbols that linters print in place of the word `error`.
const ERROR_MARKS: [&str; 3] = ["✖ ", "✘ ", "× "];

/// The symbols that linters print in place of another level.
const OTHER_MARKS: [&str; 2] = ["⚠ ", "ℹ "];

/// Reads the level at the start of a text. Blanks, a colon, a code or the end must follow the
/// level. A code without a level counts as [`Level::Other`].
fn level(text: &[u8]) -> Option<Level> {
    let is_marked = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark.as_bytes()));
    let code = || text.split(|byte| b" :".contains(byte)).next().is_some_and(is_code);
    let starts = |words: &[&[u8]]| {
        let follows = |word: &&[u8]| {
            let rest = text.strip_prefix(*word)?;
            matches!(rest.first(), None | Some(b':' | b'[' | b' ' | b'\t')).then_some(())
        };
        words.iter().find_map(follows).is_some()
    };
    match () {
        () if starts(&ERRORS) => Some(Level::Error),
        () if starts(&OTHERS) => Some(Level::Other),
        () if is_marked(&ERROR_MARKS) => Some(Level::Error),
        () if is_marked(&OTHER_MARKS) || code() => Some(Level::Other),
        () => None,
    }
}

/// Returns the number of digits at the start of a text, at most 8.
fn digits(text: &[u8]) -> usize {
    text.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count()
}

/// Reads the place at the start of a text: `a.c:12:5:`, `a.c:12:`, `a.ts(12,5):`, `a.ts:12:5 -`.
/// Returns the file, the line and the rest of the text.
fn place(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = memchr::memchr2(b' ', b'\t', text).unwrap_or(text.len());
    let mut from = 1;
    while let Some(at) = memchr::memchr2(b':', b'(', text.get(from..end)?).map(|at| from + at) {
        let rest = &text[at + 1..];
        let count = digits(rest);
        let is_file = text[..at].iter().any(|byte| b"./\\".contains(byte));
        if count > 0 && is_file {
            let (line, rest) = rest.split_at(count);
            let column = rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b","));
            let after_column =
                column.filter(|rest| digits(rest) > 0).map(|rest| &rest[digits(rest)..]);
            let rest = after_column.unwrap_or(rest);
            let rest = if text[at] == b'(' { rest.strip_prefix(b")")? } else { rest };
            let rest = rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b" -"))?;
            return Some((&text[..at], line, rest.trim_ascii_start()));
        }
        from = at + 1;
    }
    None
}

/// Reads a message with its place from one line.
pub(super) fn read(text: &[u8]) -> Option<Diagnostic<'_>> {
    let text = text.trim_ascii_end();
    let inner = text.trim_ascii_start();
    let count = digits(inner);
    if inner.len() == text.len() || count == 0 {
        let (file, line, message) = place(inner)?;
        return Some(Diagnostic { file: Some(file), line, level: level(message)?, message });
    }
    // The name of the file is above the message: `  12:5  error  'x' is not defined  no-undef`.
    let (line, rest) = inner.split_at(count);
    let column = rest.strip_prefix(b":")?;
    let message = column[digits(column)..].strip_prefix(b"  ")?.trim_ascii_start();
    Some(Diagnostic { file: None, line, level: level(message)?, message })
}

/// Reads the place in the line below a message: `  --> src/lib.rs:12:5`. Returns the file and the
/// line number.
pub(super) fn place_below(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start().strip_prefix(b"--> ")?;
    let file = memchr::memchr(b':', text)?;
    let line = &text[file + 1..];
    let count = digits(line);
    (count > 0).then_some((&text[..file], &line[..count]))
}

/// A search for the lines in which a compiler or a linter quotes source: `12 | let x = 1;` below a
/// message, and the lines after it. The words in these lines belong to a program.
#[derive(Debug, Clone, Default)]
pub(super) struct QuotedSource {
    /// The previous line is quoted, or it is a gutter that begins a quotation.
    goes_on: bool,
}

impl QuotedSource {
    /// Tells whether the next line is quoted. `before` is the previous line, if it is known.
    pub(super) fn next(&mut self, text: &[u8], before: Option<&[u8]>) -> bool {
        let inner = text.trim_ascii_start();
        let count = digits(inner);
        let rest = inner[count..].trim_ascii_start();
        let is_gutter = matches!(rest, [b'|'] | [b'|' | b'+' | b'-', b' ', ..]);
        let begins = || before.is_some_and(begins_quotation);
        let is_quoted = match rest.first() {
            Some(b'|') if count > 0 && is_gutter => self.goes_on || begins(),
            Some(b'+' | b'-') if is_gutter => self.goes_on,
            _ => false,
        };
        self.goes_on = is_quoted || is_gutter && count == 0 && rest[0] == b'|';
        is_quoted
    }
}

/// Tells whether a line begins with a gutter, as before quoted source: `12 | let x = 1;`.
pub(super) fn is_gutter(text: &[u8]) -> bool {
    let inner = text.trim_ascii_start();
    inner[digits(inner)..].trim_ascii_start().starts_with(b"|")
}

/// Tells whether quoted source may follow a line: the line is the place of a message, or a message
/// with its place.
fn begins_quotation(text: &[u8]) -> bool {
    let inner = text.trim_ascii_start();
    inner.starts_with(b"--> ") || inner.starts_with(b"::: ") || read(text).is_some()
}

/// The report of a compiler or a linter has at least this many messages.
const FEWEST: usize = 8;

/// In a report, at least one line out of this many is a message.
const OF_LINES: usize = 20;

/// If an output consists only of messages, at least one line out of this many begins a message.
const OF_MESSAGES: usize = 3;

/// A summary of the messages in an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Report {
    /// The output is a report: the lines between the messages quote source.
    pub(super) is_report: bool,
    /// The output consists only of messages.
    pub(super) is_all_messages: bool,
    /// At least [`FEWEST`] messages are errors.
    pub(super) has_errors: bool,
    /// The worst level of a message.
    pub(super) worst: Option<Level>,
}

impl Report {
    pub(super) fn of(lines: &ScoredLines) -> Report {
        let (mut messages, mut errors) = (0, 0);
        for line in &lines.lines {
            let Some(found) = lines.message(line) else { continue };
            messages += 1;
            errors += usize::from(found.level == Level::Error);
        }
        let count = lines.lines.len();
        Report {
            is_report: messages >= FEWEST && messages * OF_LINES >= count,
            is_all_messages: messages >= FEWEST && messages * OF_MESSAGES >= count,
            has_errors: errors >= FEWEST,
            worst: match (errors, messages) {
                (0, 0) => None,
                (0, _) => Some(Level::Other),
                _ => Some(Level::Error),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_read_in_the_forms_of_compilers_and_linters() {
        let found = |text: &'static str| {
            let read = read(text.as_bytes())?;
            let text = |bytes: &'static [u8]| std::str::from_utf8(bytes).unwrap_or_default();
            Some((read.file.map(text), text(read.line), read.level, text(read.message)))
        };
        let error = |file, line, message| Some((Some(file), line, Level::Error, message));
        assert_eq!(found("src/a.c:5:19: error: no x"), error("src/a.c", "5", "error: no x"));
        assert_eq!(found("shop/A.java:14: error: bad"), error("shop/A.java", "14", "error: bad"));
        assert_eq!(found("a.ts(2,80): error TS1: no"), error("a.ts", "2", "error TS1: no"));
        assert_eq!(found("a.ts:2:80 - error TS1: no"), error("a.ts", "2", "error TS1: no"));
        assert_eq!(
            found("  19:24  error  'fees' is not defined  no-undef"),
            Some((None, "19", Level::Error, "error  'fees' is not defined  no-undef"))
        );
        assert_eq!(found("C:\\a.c:5: note: x").map(|found| found.2), Some(Level::Other));
        assert_eq!(found("src/a.rs:12:let error = 1;"), None);
        assert_eq!(found("12:30:01 error: no place"), None);
        assert_eq!(
            found("  a/b.py:4:12 - error: no x (reportX)"),
            error("a/b.py", "4", "error: no x (reportX)")
        );
        assert_eq!(
            found("   420:3   ✖  Unknown property  no-unknown"),
            Some((None, "420", Level::Error, "✖  Unknown property  no-unknown"))
        );
        assert_eq!(
            found("a.py:4:1: F821 undefined name 'x'"),
            Some((Some("a.py"), "4", Level::Other, "F821 undefined name 'x'"))
        );
    }

    #[test]
    fn rule_of_a_message_is_found_in_the_forms_of_linters() {
        let rule = |text: &'static str| read(text.as_bytes())?.rule();
        assert_eq!(rule("a.py:4:1: F821 undefined name 'x'"), Some(&b"F821"[..]));
        assert_eq!(
            rule("a.py:4:30: E0602: Undefined variable 'x' (undefined)"),
            Some(&b"E0602"[..])
        );
        assert_eq!(rule("a.ts(2,80): error TS2551: no x"), Some(&b"TS2551"[..]));
        assert_eq!(rule("a.py:4: error: No type  [no-def]"), Some(&b"[no-def]"[..]));
        assert_eq!(rule("  a.py:4:12 - error: no x (reportX)"), Some(&b"(reportX)"[..]));
        assert_eq!(rule("  19:24  error  'x' is not defined  no-undef"), Some(&b"no-undef"[..]));
        assert_eq!(rule("a.c:5:19: error: expected ';'"), None);
    }

    #[test]
    fn quoted_source_is_distinguished_from_tables() {
        let quoted = |lines: &[&str]| {
            let mut quoted = QuotedSource::default();
            let bytes = |at: usize| lines[at].as_bytes();
            let next = |at: usize| quoted.next(bytes(at), at.checked_sub(1).map(bytes));
            (0..lines.len()).map(next).collect::<Vec<bool>>()
        };
        let rustc = ["error: no", " --> a.rs:2:5", "  |", "2 |     failed();", "  |     ^^^ error"];
        assert_eq!(quoted(&rustc), [false, false, false, true, false]);
        let gcc = ["a.c:5:19: error: no x", "    5 |     error(x);", "      |     ^~~~"];
        assert_eq!(quoted(&gcc), [false, true, false]);
        let ruff = ["  |", "  - label = 'failed'", "9 + 'failed'", "10 | x", "", "11 | x"];
        assert_eq!(quoted(&ruff), [false, true, true, true, false, false]);
        assert_eq!(quoted(&[" id | state", "----+-------", " 17 | failed"]), [false; 3]);
    }
}
