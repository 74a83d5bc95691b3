//! The sentences about sizes and gaps. A model acts on them, so tests hold them as snapshots.

use super::Wording;
use super::wording::Page;
use crate::text::{commas, counted};
use crate::{Cut, Size, Span};

/// How long a notice is; each form is shorter than the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoticeForm {
    /// The long notice. Each mark has the command that reads its gap.
    Full,
    /// The long notice. Each mark names its gap in few bytes, since there may be many.
    Many,
    /// The short notice. Each mark names its gap.
    Short,
    /// The short notice, with the shortest marks that name their gaps.
    ShortMany,
    /// No notice. Each mark has the size of its gap.
    Bare,
    /// No notice. Each mark is dots.
    Dots,
    /// No notice and no marks.
    Silent,
}

impl NoticeForm {
    fn has_many_marks(self) -> bool {
        matches!(self, NoticeForm::Many | NoticeForm::ShortMany)
    }
}

/// The facts of a notice that are known once the cut is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownFacts {
    pub(super) what: ShownAmount,
    /// The number of bytes that are not shown as they are.
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

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShownAmount {
    All,
    /// An outline, in JSON.
    Json,
    /// This many whole lines.
    Lines(u64),
    /// This many bytes, if a line is shown in part.
    Bytes(u64),
}

impl std::fmt::Display for ShownAmount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShownAmount::All => f.write_str("all of it shown"),
            ShownAmount::Json => f.write_str("shown as shorter JSON, … marks what is left out"),
            ShownAmount::Lines(n) => write!(f, "{} shown", counted(*n, "line")),
            ShownAmount::Bytes(n) => write!(f, "{} shown", counted(*n, "byte")),
        }
    }
}

/// The size of the page that a mark offers to read.
const PAGE_LINES: u64 = 200;
const PAGE_BYTES: u64 = 16 * 1024;

/// Returns the notice.
pub(super) fn header(
    wording: &Wording,
    form: NoticeForm,
    total: &Size,
    shown: ShownFacts,
) -> Option<String> {
    let (bytes, lines) = (counted(total.bytes, "byte"), counted(total.lines, "line"));
    let ShownFacts { what, altered } = shown;
    match form {
        NoticeForm::Full | NoticeForm::Many => {
            let without = match altered {
                0 => String::new(),
                _ => {
                    let bytes = counted(altered, "byte");
                    format!(", without {bytes} of colours, redraws and control characters")
                }
            };
            let copy = &wording.copy;
            Some(wording.mark(&format!("{bytes} in {lines}; {what}{without}. {copy}")))
        }
        NoticeForm::Short | NoticeForm::ShortMany => {
            let cleaned = if altered > 0 { ", cleaned" } else { "" };
            let copy = &wording.short_copy;
            Some(wording.mark(&format!("{bytes}, {what}{cleaned}; {copy}")))
        }
        NoticeForm::Bare | NoticeForm::Dots | NoticeForm::Silent => None,
    }
}

/// Returns the mark of a gap.
///
/// The gap is a fold if it holds only lines like the one above it.
pub(super) fn mark(
    wording: &Wording,
    form: NoticeForm,
    gap: &Span,
    is_fold: bool,
) -> Option<String> {
    // Line numbers do not name a part of a line.
    let page = if gap.starts_line {
        ("lines", gap.first_line, gap.last_line.min(gap.first_line + PAGE_LINES - 1))
    } else {
        ("bytes", gap.bytes.start, gap.bytes.end.min(gap.bytes.start + PAGE_BYTES))
    };
    let place = if form.has_many_marks() { short_place(gap) } else { place(gap) };
    let count = gap.last_line + 1 - gap.first_line;
    if is_fold && form == NoticeForm::Many {
        return Some(fold_mark(wording, count, &place));
    }
    if is_fold && form == NoticeForm::Full {
        // Shorter than the mark of another gap of this size.
        let page = wording.page(page).map_or(String::new(), |command| format!(": {command}"));
        return Some(wording.mark(&format!("{}{page}", folded(count, &place))));
    }
    mark_for(wording, form, &place, gap.bytes.end - gap.bytes.start, page)
}

/// Returns marks. One of them is at least as long as any mark in a preview of such an output.
pub(super) fn longest_marks(wording: &Wording, form: NoticeForm, total: &Size) -> Vec<String> {
    let mut marks = Vec::new();
    for (starts_line, ends_line) in [(true, true), (true, false), (false, true), (false, false)] {
        for first_line in [total.lines.saturating_sub(1), total.lines] {
            let last_line = total.lines;
            let gap = Span { bytes: 0..0, first_line, last_line, starts_line, ends_line };
            let page = match starts_line {
                true => ("lines", total.lines, total.lines),
                false => ("bytes", total.bytes, total.bytes),
            };
            let place = if form.has_many_marks() { short_place(&gap) } else { place(&gap) };
            marks.extend(mark_for(wording, form, &place, total.bytes, page));
            if form == NoticeForm::Many {
                marks.push(fold_mark(wording, total.lines, &place));
            }
        }
    }
    marks
}

/// Returns the mark of a gap that holds only lines like the one above it.
fn fold_mark(wording: &Wording, count: u64, place: &str) -> String {
    format!("[{}: {}]", wording.token, folded(count, place))
}

fn folded(count: u64, place: &str) -> String {
    format!("{count} more like this, {place}")
}

fn mark_for(
    wording: &Wording,
    form: NoticeForm,
    place: &str,
    size: u64,
    page: Page,
) -> Option<String> {
    let (label, token) = (&wording.label, &wording.token);
    let bytes = counted(size, "byte");
    match form {
        NoticeForm::Full => {
            let page = wording.page(page).map_or(String::new(), |command| format!(": {command}"));
            Some(wording.mark(&format!("{place} not shown ({bytes}){page}")))
        }
        NoticeForm::Short => Some(wording.mark(&format!("{place} not shown"))),
        NoticeForm::Many => Some(format!("[{token}: {place} cut, {size} bytes]")),
        NoticeForm::ShortMany => Some(format!("[{token}: {place} cut]")),
        NoticeForm::Bare => {
            let name = wording.id.as_ref().unwrap_or(token);
            Some(format!("[{label} {name}: {bytes} not shown]"))
        }
        NoticeForm::Dots => Some("[…]".into()),
        NoticeForm::Silent => None,
    }
}

/// Returns the line for a person.
pub(super) fn person(wording: &Wording, total: &Size, what: ShownAmount) -> String {
    let (bytes, lines) = (counted(total.bytes, "byte"), counted(total.lines, "line"));
    format!("{bytes} in {lines}; {what}. {}", wording.copy)
}

/// Names the lines of a gap.
fn place(gap: &Span) -> String {
    let (first, last) = (commas(gap.first_line), commas(gap.last_line));
    match (gap.starts_line, gap.ends_line, gap.first_line >= gap.last_line) {
        (true, true, true) => format!("line {first}"),
        (true, true, false) => format!("lines {first}–{last}"),
        (_, _, true) => format!("a part of line {first}"),
        (false, true, false) => format!("the rest of line {first} to line {last}"),
        (true, false, false) => format!("line {first} to a part of line {last}"),
        (false, false, false) => format!("the rest of line {first} to a part of line {last}"),
    }
}

/// Names the lines of a gap in few bytes, with numbers that `read` takes.
fn short_place(gap: &Span) -> String {
    let (first, last) = (gap.first_line, gap.last_line);
    match (gap.starts_line, gap.ends_line, first >= last) {
        (true, true, true) => format!("line {first}"),
        (true, true, false) => format!("lines {first}-{last}"),
        (false, true, true) => format!("rest of line {first}"),
        (true, false, true) => format!("start of line {first}"),
        (false, false, true) => format!("part of line {first}"),
        (false, true, false) => format!("rest of lines {first}-{last}"),
        (_, false, false) => format!("parts of lines {first}-{last}"),
    }
}
