//! Writes the sentences about sizes and gaps. A model acts on them, so snapshot tests fix their
//! words.

use std::ops::Range;

use super::Wording;
use crate::text::{commas, counted};
use crate::{Cut, Size, Span};

/// The length of a notice. Each form is shorter than the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoticeForm {
    /// The long notice. Each mark names its gap.
    Full,
    /// The short notice. Each mark names its gap.
    Short,
    /// No notice. Each mark has the size of its gap.
    Bare,
    /// No notice. Each mark is dots.
    Dots,
    /// No notice and no marks.
    Silent,
}

/// The facts of a notice that are known after the cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownFacts {
    pub(super) what: ShownAmount,
    /// The number of bytes that are not shown unchanged.
    pub(super) altered: u64,
}

impl ShownFacts {
    pub(super) fn of(cut: &Cut) -> ShownFacts {
        let whole_lines = cut.spans().iter().all(|span| span.starts_line && span.ends_line);
        let what = match cut.gaps().next() {
            None if cut.shown().bytes > 0 => ShownAmount::All,
            Some(_) if whole_lines => ShownAmount::Lines(cut.shown().lines),
            _ => ShownAmount::Bytes(cut.shown().bytes),
        };
        ShownFacts { what, altered: cut.altered() }
    }
}

/// The amount that is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShownAmount {
    All,
    /// An outline, in JSON.
    Json,
    /// Nothing, because the output is not text.
    Nothing,
    /// A number of whole lines.
    Lines(u64),
    /// A number of bytes, if a line is shown in part.
    Bytes(u64),
}

impl std::fmt::Display for ShownAmount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShownAmount::All => f.write_str("all shown"),
            ShownAmount::Json => f.write_str("shown as shorter JSON"),
            ShownAmount::Nothing => f.write_str("not shown"),
            ShownAmount::Lines(n) => write!(f, "{} shown", counted(*n, "line")),
            ShownAmount::Bytes(n) => write!(f, "{} shown", counted(*n, "byte")),
        }
    }
}

/// A long notice with more than this number of bytes leaves out facts.
const LONGEST_NOTICE: usize = 150;

/// Returns the notice.
pub(super) fn header(
    wording: &Wording,
    form: NoticeForm,
    total: &Size,
    shown: ShownFacts,
) -> Option<String> {
    let (bytes, lines) = (counted(total.bytes, "byte"), counted(total.lines, "line"));
    let ShownFacts { what, altered } = shown;
    let cleaned = if altered > 0 { ", cleaned" } else { "" };
    let facts = |range: Range<usize>| -> String {
        wording.facts[range].iter().map(|fact| format!("{fact}, ")).collect()
    };
    let all = wording.facts.len();
    match form {
        NoticeForm::Full => {
            let notice = |range: Range<usize>| {
                let (facts, copy) = (facts(range), &wording.copy);
                wording.mark(&format!("{facts}{lines}, {bytes}, {what}{cleaned}; {copy}"))
            };
            // The kind is the first fact. The fact after it always stays, because some hosts do not
            // show the exit code.
            let least = if all > 1 { 1..2 } else { 0..all };
            let shorter = (1..=all).rev().map(|end| 0..end).filter(|range| range.end > 1);
            let mut notices = shorter.map(notice);
            notices.find(|notice| notice.len() <= LONGEST_NOTICE).or_else(|| Some(notice(least)))
        }
        NoticeForm::Short => {
            let size = match what {
                ShownAmount::Lines(shown) => format!("{lines}, {} shown", commas(shown)),
                what => format!("{bytes}, {what}"),
            };
            let (facts, copy) = (facts(0..all.min(2)), &wording.short_copy);
            Some(wording.mark(&format!("{facts}{size}{cleaned}; {copy}")))
        }
        NoticeForm::Bare | NoticeForm::Dots | NoticeForm::Silent => None,
    }
}

/// Returns the mark of a gap.
///
/// The gap is a fold if all its lines are like the line above it. A note tells about the lines in
/// the gap.
pub(super) fn mark(
    wording: &Wording,
    form: NoticeForm,
    gap: &Span,
    is_fold: bool,
    note: Option<&str>,
) -> Option<String> {
    if let Some(note) = note {
        return Some(format!("[{}: {} cut, {note}]", wording.short_id, place(gap)));
    }
    if is_fold {
        return Some(fold_mark(wording, gap.last_line + 1 - gap.first_line, &place(gap)));
    }
    mark_for(wording, form, &place(gap), gap.bytes.end - gap.bytes.start)
}

/// Returns example marks. One of them is at least as long as any mark in a preview of an output of
/// this size.
pub(super) fn longest_marks(wording: &Wording, form: NoticeForm, total: &Size) -> Vec<String> {
    let mut marks = Vec::new();
    for (starts_line, ends_line) in [(true, true), (true, false), (false, true), (false, false)] {
        for first_line in [total.lines.saturating_sub(1), total.lines] {
            let last_line = total.lines;
            let bytes = total.bytes..total.bytes;
            let gap = Span { bytes, first_line, last_line, starts_line, ends_line };
            marks.extend(mark_for(wording, form, &place(&gap), total.bytes));
        }
    }
    marks
}

/// Returns the mark of a gap whose lines are all like the line above it.
fn fold_mark(wording: &Wording, count: u64, place: &str) -> String {
    format!("[{}: {count} more like this, {place}]", wording.short_id)
}

fn mark_for(wording: &Wording, form: NoticeForm, place: &str, size: u64) -> Option<String> {
    let short_id = &wording.short_id;
    match form {
        NoticeForm::Full | NoticeForm::Short => Some(format!("[{short_id}: {place} cut]")),
        NoticeForm::Bare => Some(wording.mark(&format!("{} not shown", counted(size, "byte")))),
        NoticeForm::Dots => Some("[…]".into()),
        NoticeForm::Silent => None,
    }
}

/// Returns the line for a person.
pub(super) fn person(wording: &Wording, total: &Size, what: ShownAmount) -> String {
    let (bytes, lines) = (counted(total.bytes, "byte"), counted(total.lines, "line"));
    format!("{bytes} in {lines}; {what}. {}", wording.copy)
}

/// Names the place of a gap in few bytes, with numbers that `read` accepts.
fn place(gap: &Span) -> String {
    let (first, last) = (gap.first_line, gap.last_line);
    match (gap.starts_line, gap.ends_line, first >= last) {
        (true, true, true) => format!("line {first}"),
        (true, true, false) => format!("lines {first}-{last}"),
        (false, true, true) => format!("rest of line {first}"),
        (true, false, true) => format!("start of line {first}"),
        // A part of a line is read by bytes.
        (false, false, true) => format!("bytes {}-{}", gap.bytes.start, gap.bytes.end),
        (false, true, false) => format!("rest of lines {first}-{last}"),
        (_, false, false) => format!("parts of lines {first}-{last}"),
    }
}

/// Tells whether the text after the short id and its colon reads as the mark of a gap. The text is in
/// lower case.
///
/// The function knows the words of [`place`] and [`fold_mark`].
pub(crate) fn reads_as_gap(text: &str) -> bool {
    let is_number = |word: &str| word.starts_with(char::is_numeric);
    let mut words = text.split_whitespace();
    let mut word = words.next().unwrap_or_default();
    if is_number(word) {
        return words.next().is_some_and(|word| word.trim_end_matches([':', ',']) == "more");
    }
    if ["rest", "start", "part", "parts"].contains(&word) && words.next() == Some("of") {
        word = words.next().unwrap_or_default();
    }
    ["line", "lines", "bytes"].contains(&word) && words.next().is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_with_a_short_id_reads_as_gap() {
        let wording = Wording::plain("3f9c2e");
        for (starts_line, ends_line) in [(true, true), (true, false), (false, true), (false, false)]
        {
            for (last_line, is_fold) in [(4, false), (9, false), (4, true), (4000, true)] {
                let gap = Span { bytes: 7..99, first_line: 4, last_line, starts_line, ends_line };
                let mark = mark(&wording, NoticeForm::Full, &gap, is_fold, None).unwrap();
                let place = mark.strip_prefix("[3f9c2e: ").unwrap();
                assert!(reads_as_gap(place), "{mark}");
            }
        }
    }
}
