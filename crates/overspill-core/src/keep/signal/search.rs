//! Recognizes search results: `grep -rn`, `rg` with and without headings, and other search tools.
//!
//! A model first wants to know which files match. So the first match of each file comes before the
//! second match of any file, and lines of context come last.

use std::collections::HashSet;

use super::line::ScoredLines;
use crate::keep::names::FULL_WEIGHT;

/// In search results, at least this many lines out of ten are matches, context or file names.
const RESULT_TENTHS: usize = 8;

/// A search has at least this many results. Fewer may be the positions in an error message.
const FEWEST: usize = 8;

/// The form of a line of search results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form<'a> {
    /// A match `path:12:text`, or a line of context `path-12-text`.
    InFile {
        file: &'a [u8],
        is_match: bool,
        rest: &'a [u8],
    },
    /// A match `12:text` or `Line 12: text` below the name of its file, or a line of context.
    BelowName {
        is_match: bool,
    },
    /// A line that consists of a path.
    Name,
    /// A line `--` between the results of a file, or an empty line.
    Separator,
    Other,
}

/// The form of the position that begins each result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SearchStyle {
    /// Lines have numbers, as with `grep -rn` and `rg`.
    #[default]
    Numbered,
    /// Lines have only the name of the file, as with `grep -r`.
    Unnumbered,
}

impl SearchStyle {
    fn form(self, text: &[u8]) -> Form<'_> {
        match self {
            SearchStyle::Numbered => form(text),
            SearchStyle::Unnumbered => unnumbered(text),
        }
    }
}

/// Returns the form of the positions, or `None` if the lines are not search results.
pub(super) fn style(lines: &ScoredLines) -> Option<SearchStyle> {
    match () {
        () if is_numbered(lines) => Some(SearchStyle::Numbered),
        () if is_unnumbered(lines) => Some(SearchStyle::Unnumbered),
        () => None,
    }
}

/// Tells whether the lines are the results of a search without line numbers.
fn is_unnumbered(lines: &ScoredLines) -> bool {
    let most_others = lines.lines.len() * (10 - RESULT_TENTHS) / 10;
    let (mut results, mut messages, mut files, mut others) = (0, 0, 0, 0);
    let mut before: &[u8] = b"";
    for line in &lines.lines {
        match unnumbered(lines.text(line)) {
            Form::InFile { file, rest, .. } => {
                results += 1;
                messages += usize::from(is_text_of_message(rest));
                files += usize::from(file != before);
                before = file;
            }
            Form::Separator => {}
            _ => others += 1,
        }
        if others > most_others {
            return false;
        }
    }
    results >= FEWEST && files > 1 && messages * 4 <= results
}

/// Reads `path:text`.
fn unnumbered(text: &[u8]) -> Form<'_> {
    let text = text.trim_ascii_end();
    if text.is_empty() || text == b"--" {
        return Form::Separator;
    }
    let colon = memchr::memchr3(b':', b' ', b'\t', text).filter(|at| text[*at] == b':');
    match colon.filter(|at| is_path(&text[..*at])) {
        Some(at) => Form::InFile { file: &text[..at], is_match: true, rest: &text[at + 1..] },
        None => Form::Other,
    }
}

/// Tells whether the text after a path and a colon is not source. Such text is a message (`a.c: In
/// function`), a number, nothing, or the rest of an address or a name (`https://`,
/// `test_a.py::test_b`). Source begins with no blank or with several blanks.
fn is_text_of_message(rest: &[u8]) -> bool {
    rest.is_empty()
        || rest.starts_with(b"//")
        || rest[0] == b':'
        || rest[0] == b' ' && rest.get(1) != Some(&b' ')
        || rest[0].is_ascii_digit()
        || is_message(rest)
}

/// Tells whether the lines are the results of a search with line numbers.
fn is_numbered(lines: &ScoredLines) -> bool {
    let (mut in_file, mut below, mut names, mut messages, mut all) = (0, 0, 0, 0, 0);
    let (mut follow, mut context, mut others) = (0, 0, 0);
    let most_others = lines.lines.len() * (10 - RESULT_TENTHS) / 10;
    let mut last_below = None;
    for line in &lines.lines {
        all += 1;
        let text = lines.text(line);
        match form(text) {
            Form::InFile { rest, .. } => {
                in_file += 1;
                messages += usize::from(is_message(rest));
            }
            Form::BelowName { is_match } => {
                let number = number_of(text);
                let follows = last_below.zip(number).is_some_and(|(last, now)| last + 1 == now);
                below += usize::from(!follows);
                follow += usize::from(follows);
                context += usize::from(!is_match);
                last_below = number;
            }
            Form::Name => names += 1,
            Form::Separator => all -= 1,
            Form::Other => {
                others += 1;
                if others > most_others {
                    return false;
                }
            }
        }
    }
    // Consecutive numbers are likely the line numbers of one file, so `below` leaves them out. Search
    // results with context also have them, but some lines are matches and some are context.
    let has_context = context >= FEWEST && below + follow - context >= FEWEST;
    let has_files =
        in_file >= FEWEST || below >= FEWEST && names > 0 && (below > names || has_context);
    has_files
        && (in_file + below + follow + names) * 10 >= all * RESULT_TENTHS
        && messages * 4 <= in_file
}

/// Tells for each line whether it is the name of a file, or the first match in a file.
pub(super) fn firsts(lines: &ScoredLines) -> Vec<bool> {
    let mut seen: HashSet<&[u8]> = HashSet::new();
    let style = style(lines).unwrap_or_default();
    let is_first = |text| match style.form(text) {
        Form::Name => true,
        Form::InFile { file, is_match, .. } => is_match && seen.insert(file),
        Form::BelowName { .. } | Form::Separator | Form::Other => false,
    };
    lines.lines.iter().map(|line| lines.text(line)).map(is_first).collect()
}

/// Finds the file of each match, line by line.
#[derive(Debug)]
pub(super) struct MatchFiles<'a> {
    /// The file name above the current matches.
    name: Option<&'a [u8]>,
    style: SearchStyle,
}

impl<'a> MatchFiles<'a> {
    /// Begins before the first of these lines.
    pub(super) fn of(lines: &ScoredLines) -> MatchFiles<'a> {
        MatchFiles { name: None, style: style(lines).unwrap_or_default() }
    }

    /// Returns the file of a line that is a match. The caller passes every line in order, because a
    /// file name applies to the matches below it.
    pub(super) fn file_of(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        match self.style.form(text) {
            Form::InFile { file, is_match: true, .. } => Some(file),
            Form::BelowName { is_match: true } => self.name,
            Form::Name => {
                self.name = Some(text.trim_ascii());
                None
            }
            _ => None,
        }
    }
}

/// Returns the weight of the names in each line: the highest for the first match of a file, the
/// lowest for context.
pub(super) fn weights(lines: &ScoredLines) -> Vec<u8> {
    let mut seen: HashSet<&[u8]> = HashSet::new();
    let mut is_first = false;
    let style = style(lines).unwrap_or_default();
    let weight = |text| match style.form(text) {
        Form::Name => {
            is_first = true;
            FULL_WEIGHT
        }
        Form::InFile { file, is_match: true, .. } if seen.insert(file) => FULL_WEIGHT,
        Form::BelowName { is_match: true } if std::mem::take(&mut is_first) => FULL_WEIGHT,
        Form::InFile { is_match: true, .. } | Form::BelowName { is_match: true } => {
            FULL_WEIGHT * 3 / 4
        }
        Form::InFile { .. } | Form::BelowName { .. } => FULL_WEIGHT * 3 / 8,
        Form::Separator | Form::Other => FULL_WEIGHT * 3 / 4,
    };
    lines.lines.iter().map(|line| lines.text(line)).map(weight).collect()
}

fn form(text: &[u8]) -> Form<'_> {
    let text = text.trim_ascii_end();
    let inner = text.trim_ascii_start();
    if inner.is_empty() || inner == b"--" {
        return Form::Separator;
    }
    let numbered = inner.strip_prefix(b"Line ").unwrap_or(inner);
    // A second number right after the first, as in `12:30`, is a date or a time.
    if let Some((_, is_match, rest)) = after_number(numbered)
        && !rest.first().is_some_and(u8::is_ascii_digit)
    {
        return Form::BelowName { is_match };
    }
    if let Some(found) = in_file(text) {
        return found;
    }
    let is_path = !inner.iter().any(|byte| byte.is_ascii_whitespace())
        && inner.iter().any(|byte| b"./".contains(byte));
    if is_path { Form::Name } else { Form::Other }
}

/// Reads `path:12:text` and `path-12-text`. The path has no blank.
fn in_file(text: &[u8]) -> Option<Form<'_>> {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len()).min(512);
    let mut from = 1;
    while let Some(at) = memchr::memchr2(b':', b'-', text.get(from..end)?).map(|at| from + at) {
        if let Some((_, is_match, rest)) = after_number(&text[at + 1..]) {
            let same = (text[at] == b':') == is_match;
            if same && is_path(&text[..at]) && !is_time(&text[..at], rest) {
                return Some(Form::InFile { file: &text[..at], is_match, rest });
            }
        }
        from = at + 1;
    }
    None
}

/// Tells whether the number between two texts belongs to a date or a time: digits stand right before
/// and after it, as in `app.log.2024-05-16_13:53:08`.
fn is_time(before: &[u8], after: &[u8]) -> bool {
    let two_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit) && text.len() == 2;
    two_digits(&before[before.len().saturating_sub(2)..]) && after.get(..2).is_some_and(two_digits)
}

fn is_path(text: &[u8]) -> bool {
    text.iter().any(|byte| b"./".contains(byte)) && text.iter().any(u8::is_ascii_alphabetic)
}

/// Reads a number and the `:` or `-` after it. Returns the number, whether the line is a match, and
/// the rest.
fn after_number(text: &[u8]) -> Option<(u64, bool, &[u8])> {
    let digits = text.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let is_match = match text.get(digits)? {
        b':' => true,
        b'-' => false,
        _ => return None,
    };
    let number = text[..digits].iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    (digits > 0).then_some((number, is_match, &text[digits + 1..]))
}

fn number_of(text: &[u8]) -> Option<u64> {
    let inner = text.trim_ascii();
    after_number(inner.strip_prefix(b"Line ").unwrap_or(inner)).map(|(number, ..)| number)
}

/// Tells whether the text after a place is a message of a compiler or a linter: `error: …` or
/// `61: E501 …`.
fn is_message(rest: &[u8]) -> bool {
    if let Some((_, true, after)) = after_number(rest) {
        return after.starts_with(b" ") && !after.starts_with(b"  ");
    }
    let rest = rest.trim_ascii_start();
    let words: [&[u8]; 8] =
        [b"error", b"warning", b"note", b"fatal", b"Error", b"Warning", b"ERROR", b"WARNING"];
    words.iter().any(|word| {
        rest.strip_prefix(*word)
            .is_some_and(|after| b":[ ".contains(after.first().unwrap_or(&b'x')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_results_are_read_in_every_form() {
        let file = |file: &'static [u8], is_match, rest| Form::InFile { file, is_match, rest };
        assert_eq!(form(b"src/a.rs:12:let x = 1;"), file(b"src/a.rs", true, b"let x = 1;"));
        assert_eq!(form(b"src/a-b.rs-12-let x"), file(b"src/a-b.rs", false, b"let x"));
        assert_eq!(form(b"12:text"), Form::BelowName { is_match: true });
        assert_eq!(form(b"  Line 12: text"), Form::BelowName { is_match: true });
        assert_eq!(form(b"src/a.rs\n"), Form::Name);
        assert_eq!(form(b"--\n"), Form::Separator);
        assert_eq!(form(b"2022-06-23T18:25:55.9521797Z Waiting"), Form::Other);
        assert_eq!(form(b"Compiling serde v1.0.1"), Form::Other);
        assert_eq!(form(b"a.log.2024-05-16_13:53:08 2024-05-16 INFO"), Form::Other);
    }

    #[test]
    fn compiler_messages_are_not_search_results() {
        assert!(is_message(b"5: error: expected `;`") && is_message(b" warning: unused"));
        assert!(!is_message(b"let error = 1;"));
    }
}
