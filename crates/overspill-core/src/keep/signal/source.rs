//! Recognizes source code and numbered files by the form of their lines.

use super::changes;
use super::code_line::{is_code, is_comment, is_quoted};
use super::config;
use super::line::ScoredLines;
use crate::keep::names::FULL_WEIGHT;

/// In source, at least one line out of this many ends like a statement or a block.
const LINES_PER_STATEMENT: usize = 10;

/// In a numbered file, at least this many lines out of ten have consecutive numbers.
const NUMBERED_TENTHS: usize = 3;

/// Lines are certainly code only if at least this many out of a hundred have a form of code.
const CODE_PERCENT: usize = 62;

/// Lines are certainly code only if at least one out of this many is indented or a comment. The
/// lines of `strace` look like code, but have no indent.
const LINES_PER_INDENT: usize = 10;

/// Lines are certainly code only if text blocks have at most this many lines for each line outside
/// of them.
const MOST_QUOTES_PER_LINE: usize = 4;

/// Lines with this many error marks of pytest, or with this many pointers such as `^^^`, are likely
/// a report that quotes source.
const REPORT_MARKS: usize = 3;

/// Lines are certainly code only if at most this many steps of a program (`-- Looking for a.h`) or
/// items of a list stand in them for each line of code. Comments in some languages have the same form.
const MOST_STEPS_PER_LINE: usize = 10;

/// The certainty that lines are source code or a file with numbered lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceCertainty {
    /// The lines are not source.
    No,
    /// The lines look like source, but a log can have such lines, too.
    Likely,
    /// The lines are source, so failure words in them report no failure.
    Certain,
}

/// Returns how certainly the lines are source. If some lines are headings, more of the other lines
/// must be code.
pub(super) fn source_certainty(lines: &ScoredLines, has_headings: bool) -> SourceCertainty {
    if changes::are_changes(lines) {
        return SourceCertainty::No;
    }
    if config::is_config(lines) {
        return SourceCertainty::Certain;
    }
    let count = lines.lines.len();
    let (mut statements, mut numbered, mut before) = (0, 0, None);
    let (mut words, mut code, mut comments, mut indented, mut quoted) = (0, 0, 0, 0, 0);
    let (mut quotes, mut text_block, mut may_be_code) = (0, TextBlock::default(), true);
    let (mut pointers, mut steps) = (0, 0);
    for line in &lines.lines {
        let text = lines.text(line);
        let number = number(text);
        let follows =
            before.zip(number).is_some_and(|(before, number): (u64, u64)| before + 1 == number);
        numbered += usize::from(follows);
        before = number;
        let inner = without_number(text);
        statements += usize::from(ends_statement(inner.trim_ascii()));
        pointers += usize::from(is_pointer(inner));
        if !may_be_code {
            continue;
        }
        let is_comment = is_comment(inner.trim_ascii());
        if text_block.contains(inner.trim_ascii()) && !is_comment {
            quotes += 1;
        } else if inner.iter().any(u8::is_ascii_alphabetic) {
            words += 1;
            code += usize::from(is_comment || is_code(inner));
            comments += usize::from(is_comment);
            steps += usize::from(inner.starts_with(b"-- ") || inner.starts_with(b"* "));
            indented +=
                usize::from(inner[0].is_ascii_whitespace() || is_quoted(inner.trim_ascii()));
            quoted += usize::from(inner.starts_with(b"E   "));
            may_be_code = (words - code) * 100 <= count * (100 - CODE_PERCENT);
        }
    }
    let is_code_without_comments =
        !has_headings || (code - comments) * 100 >= (words - comments) * CODE_PERCENT;
    let is_code = may_be_code
        && is_code_without_comments
        && code * 100 >= words * CODE_PERCENT
        && (indented + comments) * LINES_PER_INDENT >= words
        && words * MOST_QUOTES_PER_LINE >= quotes
        && steps <= (code - comments) * MOST_STEPS_PER_LINE
        && quoted < REPORT_MARKS;
    match () {
        // A report quotes source and points at places in it.
        () if pointers >= REPORT_MARKS => SourceCertainty::No,
        () if is_code && words > 0 => SourceCertainty::Certain,
        () if statements * LINES_PER_STATEMENT >= count => SourceCertainty::Likely,
        () if numbered * 10 >= count * NUMBERED_TENTHS => SourceCertainty::Likely,
        () => SourceCertainty::No,
    }
}

/// Tells whether a line points at a place in the quoted line above it: `     |     ^^^`. Some reports
/// draw a frame around the quoted lines: `     ,-[a.js:4:12]` begins it.
fn is_pointer(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let frames = ["╭─[", ",-[", "┌─ "];
    let gutter = ["|", "│"].iter().find_map(|gutter| text.strip_prefix(gutter.as_bytes()));
    let marks = gutter.unwrap_or_default().trim_ascii_start();
    !marks.is_empty() && marks.iter().all(|byte| b"^~".contains(byte))
        || frames.iter().any(|frame| text.starts_with(frame.as_bytes())) && text.contains(&b':')
}

/// Text for people within source: documentation between quotes, comments of several lines, POD.
#[derive(Debug, Default)]
struct TextBlock {
    /// The end of the current block.
    end: Option<&'static [u8]>,
}

impl TextBlock {
    /// Tells whether a trimmed line belongs to a text block and is not its first line.
    fn contains(&mut self, text: &[u8]) -> bool {
        if let Some(end) = self.end {
            let is_end = text.starts_with(end) || text.ends_with(end);
            self.end = self.end.filter(|_| !is_end);
            return true;
        }
        let blocks: [(&[u8], &'static [u8]); 5] = [
            (b"\"\"\"", b"\"\"\""),
            (b"'''", b"'''"),
            (b"/*", b"*/"),
            (b"{-", b"-}"),
            (b"=head", b"=cut"),
        ];
        let block = blocks.into_iter().find(|(start, _)| text.starts_with(start));
        self.end = block.map(|(_, end)| end).filter(|end| text.len() < 6 || !text.ends_with(end));
        false
    }
}

/// Tells whether a line ends like a statement or a block. A value in braces on one line is not a
/// block.
fn ends_statement(text: &[u8]) -> bool {
    match text.last() {
        Some(b';' | b'{' | b',' | b'(') => true,
        Some(b'}') => !text.contains(&b'{'),
        _ => false,
    }
}

/// Reads the line number that a file tool has put before a line. A number alone is not a line
/// number.
fn number(text: &[u8]) -> Option<u64> {
    let (digits, _) = numbered(text)?;
    Some(digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// The words that may come before the keyword of a definition.
const BEFORE_DEFINITION: [&[u8]; 11] = [
    b"pub ",
    b"pub(crate) ",
    b"export ",
    b"default ",
    b"async ",
    b"public ",
    b"private ",
    b"protected ",
    b"static ",
    b"abstract ",
    b"final ",
];

/// The keywords that begin a definition.
const DEFINITIONS: [&[u8]; 13] = [
    b"fn ",
    b"def ",
    b"class ",
    b"struct ",
    b"enum ",
    b"trait ",
    b"impl ",
    b"interface ",
    b"function ",
    b"func ",
    b"type ",
    b"mod ",
    b"const fn ",
];

/// Returns the weight of the names in a line. It is higher for definitions.
pub(super) fn weight(text: &[u8]) -> u8 {
    let mut text = without_number(text).trim_ascii_start();
    while let Some(rest) = BEFORE_DEFINITION.iter().find_map(|word| text.strip_prefix(*word)) {
        text = rest;
    }
    let is_definition = DEFINITIONS.iter().any(|start| text.starts_with(start));
    if is_definition { FULL_WEIGHT } else { FULL_WEIGHT / 2 }
}

/// Returns a line without the line number that `cat -n`, `nl` and file tools print before it.
pub(super) fn without_number(text: &[u8]) -> &[u8] {
    numbered(text).map_or(text, |(_, rest)| rest)
}

/// Returns the number before a line, and the line.
fn numbered(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.trim_ascii_start();
    // Longer numbers are not line numbers.
    let digits = inner.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = inner.split_at(digits);
    let separators: [&[u8]; 5] = [b"\t", "→".as_bytes(), b": ", b":\n", b"|"];
    let after = separators.iter().find_map(|separator| rest.strip_prefix(*separator))?;
    (!digits.is_empty()).then_some((digits, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_number_needs_a_separator_after_it() {
        assert_eq!([number(b" 12\tx"), number("12→".as_bytes())], [Some(12), Some(12)]);
        assert_eq!([number(b"12\n"), number(b"x"), number(b"")], [None; 3]);
    }
}
