//! Assembles pieces, marks and notice into a preview within the limits.

use std::ops::Range;

use super::Wording;
use super::mark::{NoticeForm, ShownAmount, ShownFacts, header, longest_marks, mark};
use super::measured::{cost_of, fits, is_within};
use crate::measure::limits::Cost;
use crate::text::{defuse, text_of};
use crate::{Cut, Kind, Limits, LineRule, Oversized, Policy, Size, Span};

/// The text for the reader, and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview<'a> {
    /// The text: notice, pieces, and a mark at each gap. Valid UTF-8, within the limits.
    pub text: String,
    /// The places of the notice, the pieces and the marks in the text.
    pub layout: Layout,
    /// The pieces and gaps that the text shows.
    pub cut: Cut<'a>,
    /// The shorter text that replaces the pieces and keeps the structure of the output.
    pub outline: Option<String>,
}

/// The places of the parts of a preview in its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The notice: the first line, without its line feed. Empty if the limits leave no room for a
    /// notice.
    pub notice: Range<usize>,
    /// Pieces and gaps, in order. Empty if an outline is shown.
    pub items: Vec<PreviewItem>,
    /// Neither the notice nor a mark names the saved output.
    pub is_silent: bool,
}

/// A part of a preview, with its place in the preview's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewItem {
    /// A piece of the output. Text in it that imitates our marks is changed.
    Piece(Range<usize>),
    /// A part of the output that is left out.
    Gap {
        /// The place of the gap in the output.
        span: Span,
        /// The mark of the gap, without its line feed. Empty if the limits leave no room for a
        /// mark.
        mark: Range<usize>,
    },
}

impl Preview<'_> {
    fn shows_text(&self) -> bool {
        self.cut.pieces.iter().any(|piece| !piece.text.is_empty())
    }
}

/// The forms of a notice, each with the fraction of every limit except lines that it must leave to
/// the output. A short notice takes as many lines as a long one.
const FORMS: [(NoticeForm, u32, u32); 4] = [
    (NoticeForm::Full, 15, 16),
    (NoticeForm::Short, 1, 2),
    (NoticeForm::Bare, 1, 4),
    (NoticeForm::Dots, 1, 2),
];

/// Makes a preview with the longest notice that the limits have room for.
pub(super) fn compose<'a>(wording: &Wording, over: &Oversized<'a>) -> Preview<'a> {
    let (wording, policy) = (&wording.on_one_line().of_kind(over.kind_label()), over.policy());
    if let Some(answer) = outlined(wording, over).or_else(|| only_named(wording, over)) {
        return answer;
    }
    for (form, part, whole) in FORMS {
        let attempt = attempt(wording, form, over);
        let Some(answer) = fill(wording, form, over, &attempt).or(attempt.answer) else { continue };
        let lines = policy.limits.part(1, 2).lines;
        let least = Limits { lines, ..policy.limits.part(part, whole) };
        let enough_room = attempt.room.less(&attempt.mark).at_least(&least);
        let shows_something = answer.shows_text() || !over.has_text();
        let hides_nothing = answer.cut.gaps().next().is_none();
        if !answer.text.is_empty() && (hides_nothing || enough_room && shows_something) {
            return answer;
        }
    }
    // Two ends without a mark between them would read as one text.
    fit(wording, NoticeForm::Silent, &over.clone().start_only(), policy.limits, &Cost::default())
        .filter(|answer| !answer.text.is_empty())
        .unwrap_or_else(|| last_resort(over))
}

/// The result of one form of the notice.
struct Attempt<'a> {
    /// The room for the output.
    room: Limits,
    /// The room that each mark takes.
    mark: Cost,
    answer: Option<Preview<'a>>,
}

fn attempt<'a>(wording: &Wording, form: NoticeForm, over: &Oversized<'a>) -> Attempt<'a> {
    let (header, mark) = cost(wording, form, over);
    let room = over.policy().limits.less(&header);
    Attempt { room, mark, answer: fit(wording, form, over, room, &mark) }
}

/// Makes a preview that keeps the structure of the output. Returns `None` if the output has no
/// structure or the room is too small.
fn outlined<'a>(wording: &Wording, over: &Oversized<'a>) -> Option<Preview<'a>> {
    let (policy, total) = (over.policy(), over.total());
    [NoticeForm::Full, NoticeForm::Short, NoticeForm::Silent].into_iter().find_map(|form| {
        let header =
            header(wording, form, &total, ShownFacts { what: ShownAmount::Json, altered: 0 });
        let header = header.map_or(String::new(), |header| header + "\n");
        let mut room = policy.limits.less(&cost_of(&header, wording, policy));
        if !room.at_least(&policy.limits.part(1, 2)) {
            return None;
        }
        // The tokens of a text can be more than those of its parts, so the first try may be too
        // large.
        for _ in 0..8 {
            let mut outline = over.outline(&room)?.into_bytes();
            defuse(&mut outline, wording);
            let outline = text_of(outline);
            let text = format!("{header}{outline}");
            if fits(&text, wording, policy) {
                let layout = Layout {
                    notice: 0..header.trim_end().len(),
                    items: Vec::new(),
                    is_silent: header.is_empty(),
                };
                let (cut, outline) = (over.without_pieces(), Some(outline));
                return Some(Preview { text, layout, cut, outline });
            }
            room = room.part(7, 8);
        }
        None
    })
}

/// Makes a preview that is only a notice, if the output is not text.
fn only_named<'a>(wording: &Wording, over: &Oversized<'a>) -> Option<Preview<'a>> {
    let policy = over.policy();
    if over.kind() != Some(Kind::Binary) || policy.fill {
        return None;
    }
    [NoticeForm::Full, NoticeForm::Short].into_iter().find_map(|form| {
        let shown = ShownFacts { what: ShownAmount::Nothing, altered: 0 };
        let header = header(wording, form, &over.total(), shown)?;
        let cut = over.without_pieces();
        let (text, notice) = (format!("{header}\n"), 0..header.len());
        let gap = |span| PreviewItem::Gap { span, mark: text.len()..text.len() };
        let items = cut.gaps().map(gap).collect();
        let layout = Layout { notice, items, is_silent: false };
        fits(&text, wording, policy).then_some(Preview { text, layout, cut, outline: None })
    })
}

/// Makes a preview of a cut.
pub(super) fn around<'a>(wording: &Wording, cut: &Cut<'a>, policy: &Policy) -> Option<Preview<'a>> {
    let (text, layout) =
        assemble_within(&wording.on_one_line(), NoticeForm::Full, cut, policy, RoomFor::Lines)?;
    Some(Preview { text, layout, cut: cut.clone(), outline: None })
}

/// Puts a notice above a text that is not part of the output.
pub(super) fn above(
    wording: &Wording,
    text: &str,
    total: &Size,
    policy: &Policy,
) -> Option<(String, Layout)> {
    let what = ShownAmount::Lines(Size::of(text.as_bytes(), policy.lines).lines);
    let header =
        header(&wording.on_one_line(), NoticeForm::Full, total, ShownFacts { what, altered: 0 })?;
    let mut text = text.to_owned().into_bytes();
    defuse(&mut text, wording);
    let layout = Layout { notice: 0..header.len(), ..Layout::default() };
    let text = format!("{header}\n{}", String::from_utf8_lossy(&text));
    fits(&text, wording, policy).then_some((text, layout))
}

/// Cuts to `room` and assembles. Returns `None` if the result exceeds the limits.
fn fit<'a>(
    wording: &Wording,
    form: NoticeForm,
    over: &Oversized<'a>,
    mut room: Limits,
    mark: &Cost,
) -> Option<Preview<'a>> {
    let policy = over.policy();
    // Sizes add up exactly, so the first try is within the limits. Tokens of an exact counter may
    // not add up: a text can have more tokens than its parts.
    for _ in 0..8 {
        let cut = over.cut_within(&room, mark);
        let room_for = RoomFor::Lines;
        if let Some((text, layout)) = assemble_within(wording, form, &cut, policy, room_for) {
            return Some(Preview { text, layout, cut, outline: None });
        }
        room = room.part(7, 8);
    }
    None
}

/// Cuts again if the marks are shorter than expected and much room is left.
fn fill<'a>(
    wording: &Wording,
    form: NoticeForm,
    over: &Oversized<'a>,
    attempt: &Attempt<'a>,
) -> Option<Preview<'a>> {
    if !over.has_lines() {
        return None;
    }
    let Attempt { room, mark, answer } = attempt;
    let (policy, mut room) = (over.policy(), *room);
    let limits = &policy.limits;
    let mut filled: Option<Preview> = None;
    // If all of the room is too much, half of it may be within the limits.
    let mut part = 1;
    for _ in 0..FILLS {
        let before = filled.as_ref().or(answer.as_ref())?;
        let spent = cost_of(&before.text, wording, policy);
        let is_enough = before.cut.is_enough || before.cut.gaps().next().is_none();
        if limits.used_by(&spent) > FULL || is_enough {
            break;
        }
        let more = room.more(&limits.less(&spent).part(1, part));
        let cut = over.cut_within(&more, mark);
        let room_for = RoomFor::Notes;
        if let Some((text, layout)) = assemble_within(wording, form, &cut, policy, room_for) {
            (room, filled) = (more, Some(Preview { text, layout, cut, outline: None }));
        } else {
            part *= 2;
        }
    }
    filled
}

/// The number of attempts to fill the room.
const FILLS: u32 = 4;

/// The limits count as used up if more than this share of them is used.
const FULL: f64 = 1.0 - 1.0 / 64.0;

/// The part of a preview that comes first if the room is too small for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoomFor {
    /// The notes in marks.
    Notes,
    Lines,
}

/// The contents of a mark besides the place of its gap.
#[derive(Debug, Clone, Copy)]
struct MarkForm {
    /// The mark tells that the gap is a fold.
    folds: bool,
    /// The mark has the note about the lines in the gap.
    notes: bool,
}

/// Assembles a text within the limits. Marks of folds and marks with notes are longer than others.
/// If the room is too small for them, all gaps have plain marks.
fn assemble_within(
    wording: &Wording,
    form: NoticeForm,
    cut: &Cut,
    policy: &Policy,
    room: RoomFor,
) -> Option<(String, Layout)> {
    let folds = form == NoticeForm::Full && cut.has_folds();
    let notes = matches!(form, NoticeForm::Full | NoticeForm::Short) && cut.has_notes();
    let forms = [(folds, notes), (false, notes), (false, false)];
    let mut tried = None;
    let forms = forms.into_iter().filter(|(_, with)| *with == notes || room == RoomFor::Lines);
    forms.into_iter().find_map(|(folds, notes)| {
        if tried.replace((folds, notes)) == Some((folds, notes)) {
            return None;
        }
        let marks = MarkForm { folds, notes };
        let assembled = assemble(wording, form, cut, policy, marks);
        fits(&assembled.0, wording, policy).then_some(assembled)
    })
}

fn assemble(
    wording: &Wording,
    form: NoticeForm,
    cut: &Cut,
    policy: &Policy,
    marks: MarkForm,
) -> (String, Layout) {
    let mark = |gap: &Span| {
        let note = cut.note(gap).filter(|_| marks.notes);
        mark(wording, form, gap, marks.folds && cut.is_fold(gap), note)
    };
    let pieces: usize = cut.pieces.iter().map(|piece| piece.text.len()).sum();
    let mut text = Vec::with_capacity(pieces + 1024);
    let mut layout = Layout::default();
    if let Some(header) = header(wording, form, &cut.total, ShownFacts::of(cut)) {
        layout.notice = 0..header.len();
        text.extend_from_slice(header.as_bytes());
        text.push(b'\n');
    }
    let mut gaps = cut.gaps().peekable();
    for (piece, span) in cut.pieces.iter().zip(cut.spans()) {
        if let Some(gap) = gaps.next_if(|gap| gap.bytes.start < span.bytes.start) {
            let mark = push_mark(&mut text, mark(&gap));
            layout.items.push(PreviewItem::Gap { span: gap, mark });
        }
        let from = text.len();
        text.extend_from_slice(&piece.text);
        defuse(&mut text[from..], wording);
        layout.items.push(PreviewItem::Piece(from..text.len()));
    }
    for gap in gaps {
        let mark = push_mark(&mut text, mark(&gap));
        layout.items.push(PreviewItem::Gap { span: gap, mark });
    }
    let has_gap = layout.items.iter().any(|item| matches!(item, PreviewItem::Gap { .. }));
    layout.is_silent = layout.notice.is_empty() && !(form == NoticeForm::Bare && has_gap);
    if policy.lines == LineRule::Separated
        && text.last() == Some(&b'\n')
        && form != NoticeForm::Silent
    {
        // A final line feed that we add would count as one more line.
        let ends_with_piece = cut.spans().last().is_some_and(|s| s.bytes.end == cut.total.bytes);
        if !ends_with_piece {
            text.pop();
        }
    }
    (text_of(text), layout)
}

/// Adds a mark on a line of its own and returns its place.
fn push_mark(text: &mut Vec<u8>, mark: Option<String>) -> Range<usize> {
    let Some(mark) = mark else { return text.len()..text.len() };
    if !text.is_empty() && text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    let from = text.len();
    text.extend_from_slice(mark.as_bytes());
    text.push(b'\n');
    from..from + mark.len()
}

/// Returns the most room that the notice and each mark can take.
fn cost(wording: &Wording, form: NoticeForm, over: &Oversized) -> (Cost, Cost) {
    let (total, policy) = (over.total(), over.policy());
    let longest = |lines: Vec<String>| {
        let costs = lines.iter().map(|line| cost_of(line, wording, policy));
        costs.fold(Cost::default(), Cost::max)
    };
    let most = [ShownAmount::All, ShownAmount::Lines(total.lines), ShownAmount::Bytes(total.bytes)];
    let headers = most.map(|what| {
        let shown = ShownFacts { what, altered: total.bytes };
        header(wording, form, &total, shown)
    });
    let header = longest(headers.into_iter().flatten().collect());
    let mark = longest(longest_marks(wording, form, &total));
    // A line break after each of the two, and one before the mark.
    let breaks = |n: u64| Cost { size: Size { bytes: n, lines: 0, chars: n }, tokens: n };
    (header + breaks(1), mark + breaks(2))
}

/// Returns a preview of one sign, for limits without room for any character of the output.
fn last_resort<'a>(over: &Oversized<'a>) -> Preview<'a> {
    let policy = over.policy();
    let cut = over.cut_within(&Limits::NONE.bytes(0).lines(0), &Cost::default());
    let text =
        ["[…]", "…", "~"].into_iter().find(|text| is_within(text, policy)).unwrap_or_default();
    let layout = Layout { is_silent: true, ..Layout::default() };
    Preview { text: text.to_owned(), layout, cut, outline: None }
}
