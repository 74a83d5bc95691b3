//! Recognizes text for people and its headings: Markdown, manual pages, help.

use super::line::ScoredLines;
use super::source;

/// Prose has at least this many headings, or this many options.
const FEWEST: usize = 2;

/// In prose, at least one line out of this many is a heading.
const HEADINGS: usize = 60;

/// In prose with options, at least one line out of this many is an option.
const OPTIONS: usize = 8;

/// Lines are certainly prose only if they have at least this many Markdown headings.
const FEWEST_TITLES: usize = 3;
/// Lines are certainly prose only if at least one out of this many is a Markdown heading.
const TITLES: usize = 80;

/// Lines are certainly a help text only if they have at least this many options.
const FEWEST_OPTIONS: usize = 8;
/// Lines are certainly a help text only if at least one out of this many is an option.
const HELP_OPTIONS: usize = 25;
/// Lines are certainly a help text only if one of this many first lines is the usage line.
const USAGE: usize = 40;

/// Tells whether the lines are a manual page: the first line begins and ends with the name and the
/// section, such as `ls(1)`.
pub(super) fn is_manual_page(lines: &ScoredLines) -> bool {
    let Some(title) = texts(lines).map(<[u8]>::trim_ascii).find(|text| !text.is_empty()) else {
        return false;
    };
    let mut words = title.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (first, last) = (words.next(), words.next_back());
    let is_section = |word: &[u8]| {
        let section = memchr::memchr(b'(', word).map(|at| &word[at + 1..]);
        matches!(section, Some([b'0'..=b'9', .., b')']))
    };
    first.is_some_and(is_section) && first == last
}

/// The certainty that lines are text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProseCertainty {
    /// The lines are not prose.
    No,
    /// The lines are prose under headings, or the help of a command. A log can look like that, too.
    Likely,
    /// The lines are Markdown with some headings, notes, or help with a usage line. Failure words in
    /// them report no failure, because logs have no such headings.
    Certain,
}

/// Returns how certainly the lines are prose.
pub(super) fn prose_certainty(lines: &ScoredLines) -> ProseCertainty {
    let texts: Vec<&[u8]> = texts(lines).collect();
    let (mut options, mut titles, mut headings) = (0, 0, 0);
    for (at, text) in texts.iter().enumerate() {
        options += usize::from(is_option(text));
        match heading(&texts, at) {
            Some(Heading::Title) => titles += 1,
            Some(Heading::Section) => headings += 1,
            None => {}
        }
    }
    headings += titles;
    let is_help = is_help(&texts, options);
    let is_help = is_help || is_notes(&texts);
    match () {
        () if is_help || titles >= FEWEST_TITLES && titles * TITLES >= texts.len() => {
            ProseCertainty::Certain
        }
        () if options >= FEWEST && options * OPTIONS >= texts.len() => ProseCertainty::Likely,
        () if headings >= FEWEST && headings * HEADINGS >= texts.len() => ProseCertainty::Likely,
        () => ProseCertainty::No,
    }
}

/// In notes, at least one line out of this many begins an item of a list.
const ITEMS: usize = 4;

/// In notes, at least one line out of this many has Markdown inside.
const MARKED: usize = 3;

/// Notes have at least this many items.
const FEWEST_ITEMS: usize = 6;

/// Tells whether the lines are notes without headings, such as the report of an agent: lists, and
/// names in backticks or bold words in many lines.
fn is_notes(texts: &[&[u8]]) -> bool {
    let (mut lines, mut items, mut marked) = (0, 0, 0);
    for text in texts.iter().map(|text| text.trim_ascii_start()).filter(|text| !text.is_empty()) {
        lines += 1;
        items += usize::from(is_item(text));
        let marks = |text: &[u8]| text.windows(2).any(|two| two == b"**");
        marked += usize::from(memchr::memchr_iter(b'`', text).count() >= 2 || marks(text));
        if (lines - items) * ITEMS > texts.len() * (ITEMS - 1) {
            return false;
        }
    }
    items >= FEWEST_ITEMS && items * ITEMS >= lines && marked * MARKED >= lines
}

/// Tells whether a line begins an item of a list: `- `, `* `, `1. `, `1) `.
fn is_item(text: &[u8]) -> bool {
    let digits = text.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &text[digits..];
    match digits {
        0 => rest.starts_with(b"- ") || rest.starts_with(b"* "),
        _ => rest.starts_with(b". ") || rest.starts_with(b") "),
    }
}

/// Tells whether the lines are a help text with a usage line near the start.
fn is_help(texts: &[&[u8]], options: usize) -> bool {
    let is_usage =
        |text: &&[u8]| text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"usage"));
    options >= FEWEST_OPTIONS
        && options * HELP_OPTIONS >= texts.len()
        && texts.iter().take(USAGE).any(is_usage)
}

/// Tells whether a line of a help text begins with an option: `  -v, --verbose`. A property of a
/// style sheet, `  --width: 3px;`, is not an option.
fn is_option(text: &[u8]) -> bool {
    if text.ends_with(b";") {
        return false;
    }
    let inner = text.trim_ascii_start();
    let name = inner.strip_prefix(b"--").or_else(|| inner.strip_prefix(b"-"));
    inner.len() < text.len() && name.and_then(<[u8]>::first).is_some_and(u8::is_ascii_alphabetic)
}

/// Tells for each line whether it is a heading. In Markdown, a comment in a block of code between
/// fences is not a heading.
pub(super) fn headings(lines: &ScoredLines) -> Vec<bool> {
    let texts: Vec<&[u8]> = texts(lines).collect();
    // Without one of its fences, a block of code has no end.
    let has_fences = lines.lines.len() as u64 == lines.count();
    let mut in_code = false;
    let mut is_heading = |at: usize| {
        match texts[at].trim_ascii_start().strip_prefix(b"```") {
            // The lines may begin within a block, so a fence without a language may end a block.
            Some(b"") => in_code = false,
            Some(_) => in_code = has_fences,
            None => {}
        }
        !in_code && heading(&texts, at).is_some()
    };
    (0..texts.len()).map(&mut is_heading).collect()
}

/// Tells for each line whether it is an option with a text below it, as in a manual page.
pub(super) fn options(lines: &ScoredLines) -> Vec<bool> {
    let texts: Vec<&[u8]> = texts(lines).collect();
    let blank = |text: &[u8]| text.len() - text.trim_ascii_start().len();
    let column =
        |column: usize, byte: &u8| if *byte == b'\t' { (column | 7) + 1 } else { column + 1 };
    let indent = |text: &[u8]| text[..blank(text)].iter().fold(0, column);
    let is_above = |at: usize| {
        let after = texts.get(at + 1).copied().unwrap_or_default();
        indent(after) > indent(texts[at]) && !is_option(after)
    };
    (0..texts.len()).map(|at| is_option(texts[at]) && is_above(at)).collect()
}

/// Returns the lines without the line numbers that `cat -n` prints.
fn texts(lines: &ScoredLines) -> impl Iterator<Item = &[u8]> + '_ {
    lines.lines.iter().map(|line| source::without_number(lines.text(line)).trim_ascii_end())
}

/// The form of a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heading {
    /// A heading of Markdown or reStructuredText.
    Title,
    /// `NAME` or `Options:` above indented text.
    Section,
}

/// Returns the form of a heading: `## Name` after an empty line, an underlined line, or `NAME` above
/// indented text.
fn heading(texts: &[&[u8]], at: usize) -> Option<Heading> {
    let before = at.checked_sub(1).map_or(&b""[..], |before| texts[before]);
    let after = texts.get(at + 1).copied().unwrap_or_default();
    let text = texts[at];
    let level = text.iter().take_while(|byte| **byte == b'#').count();
    if level > 0 {
        // A comment of a script may look the same. Text stands right above or below it.
        let is_free = before.is_empty() && (after.is_empty() || level > 1);
        let is_title = level <= 6 && text.get(level) == Some(&b' ') && is_free;
        return is_title.then_some(Heading::Title);
    }
    if is_underlined(before, text, after) {
        return Some(Heading::Title);
    }
    if !after.starts_with(b"  ") {
        return None;
    }
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || b" -/".contains(byte);
    let is_section = || text.len() >= 4 && text.iter().all(is_capital) && text[0] != b' ';
    // Python begins each stack trace with the same line.
    let is_trace = text.starts_with(b"Traceback ");
    let is_options =
        text.ends_with(b":") && !text.starts_with(b" ") && text.len() < 40 && !is_trace;
    (is_options && before.is_empty() || is_section()).then_some(Heading::Section)
}

/// Tells whether `after`, the line below `text`, underlines it.
fn is_underlined(before: &[u8], text: &[u8], after: &[u8]) -> bool {
    let starts = text.first().is_some_and(u8::is_ascii_alphanumeric);
    let is_line = || {
        after.len() >= 3
            && b"=-~^*\"'.+".contains(&after[0])
            && after.iter().all(|byte| *byte == after[0])
    };
    starts
        && after.len().abs_diff(text.len()) <= 1
        && is_line()
        && (before.is_empty() || before == after)
}
