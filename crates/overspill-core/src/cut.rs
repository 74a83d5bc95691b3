//! Cuts an output down to the parts that its policy keeps: bytes in, pieces and gaps out.

use std::borrow::Cow;
use std::ops::Range;

use crate::keep::ends::{EndsChoice, choose};
use crate::keep::{EndsKept, SelectedBlock, SelectedBlocks};
use crate::measure::limits::Cost;
use crate::measure::size::Meter;
use crate::measure::size::breaks;
use crate::observe::binary;
use crate::observe::collected::Collected;
use crate::observe::selection::Selection;
use crate::text::lines;
use crate::{CutFailures, Keep, Kind, KindHint, Limits, LineRule, Policy, Reason, Size, Unit};

/// Cuts `bytes` down to the parts that `policy` keeps. Returns `None` if the output is shown whole.
///
/// ```
/// use overspill_core::{Keep, Limits, Policy, cut};
///
/// let policy = Policy::new(Limits::NONE.lines(2), Keep::ENDS);
/// let cut = cut(b"one\ntwo\nthree\nfour\n", &policy).unwrap();
/// assert_eq!(cut.pieces[0].text.as_ref(), b"one\n");
/// assert_eq!(cut.pieces[1].text.as_ref(), b"four\n");
/// let gap = cut.gaps().next().unwrap();
/// assert_eq!((gap.bytes, gap.first_line, gap.last_line), (4..14, 2, 3));
/// ```
#[inline]
pub fn cut<'a>(bytes: &'a [u8], policy: &Policy) -> Option<Cut<'a>> {
    policy.measure(bytes).map(|oversized| oversized.cut())
}

/// Returns the pieces that [`cut`] would show, without counting the hidden parts.
///
/// The function reads only the two ends, so a hundred megabytes take no longer than one megabyte.
/// With [`Keep::Signal`], [`Keep::Structure`] and [`Keep::Auto`], it reads everything.
pub fn preview<'a>(bytes: &'a [u8], policy: &Policy) -> Option<Vec<Piece<'a>>> {
    policy.fired_by(bytes)?;
    let view = Collected::of(bytes, policy);
    let len = bytes.len() as u64;
    if let Some(blocks) = view.select(policy, &policy.limits, &Cost::default(), len) {
        return Some(blocks.blocks.into_iter().map(|block| block.piece).collect());
    }
    let chosen = choose(&view, policy, &policy.limits);
    Some(pieces(&view, chosen, len))
}

/// A part of an output that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The range of the original that the piece covers, in bytes.
    pub bytes: Range<u64>,
    /// The text that is shown: the original bytes, cleaned if the policy says so.
    pub text: Cow<'a, [u8]>,
    /// The number of original bytes that are not shown unchanged: dropped colours, overwritten
    /// text, control bytes made visible.
    pub altered: u64,
}

/// The place of a piece or a gap in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The range in bytes.
    pub bytes: Range<u64>,
    /// The number of the line in which the span begins, counted from 1.
    pub first_line: u64,
    /// The number of the line in which the span ends.
    pub last_line: u64,
    /// The span begins at the start of a line.
    pub starts_line: bool,
    /// The span ends at the end of a line.
    pub ends_line: bool,
}

/// The parts of an output that are shown, with their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The size of the whole output.
    pub total: Size,
    /// The unit of the limit that the output exceeds.
    pub fired: Unit,
    /// The shown parts, in order.
    pub pieces: Vec<Piece<'a>>,
    spans: Vec<Span>,
    /// A reason for each piece. Empty if the pieces are shown because they are the start or the
    /// end.
    reasons: Vec<Reason>,
    /// Tells for each piece whether the gap after it has only lines like the last line of the piece.
    /// Empty without such gaps.
    folds: Vec<bool>,
    /// For each piece the note in the mark of the gap after it. Empty without notes.
    notes: Vec<Option<String>>,
    /// No further line is worth its room.
    pub(crate) is_enough: bool,
    shown: Size,
}

impl Cut<'_> {
    /// Returns the place of each piece, in order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the reason for each piece, in order. Empty if the pieces are shown because they are
    /// the start or the end.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Tells whether a gap is a fold: all its lines are like the line above it. They differ from
    /// that line in names, paths and numbers, and none has a word of failure.
    pub fn is_fold(&self, gap: &Span) -> bool {
        let before = self.spans.iter().position(|piece| piece.bytes.end == gap.bytes.start);
        before.and_then(|piece| self.folds.get(piece)).is_some_and(|is_folded| *is_folded)
    }

    pub(crate) fn has_folds(&self) -> bool {
        self.folds.contains(&true)
    }

    /// Returns the facts about the lines in a gap: the number of search matches in each file, or
    /// how often and where the message above the gap is repeated.
    pub fn note(&self, gap: &Span) -> Option<&str> {
        let before = self.spans.iter().position(|piece| piece.bytes.end == gap.bytes.start)?;
        self.notes.get(before)?.as_deref()
    }

    pub(crate) fn has_notes(&self) -> bool {
        self.notes.iter().any(Option::is_some)
    }

    /// Returns the places of the hidden parts, in order.
    pub fn gaps(&self) -> impl Iterator<Item = Span> + '_ {
        let edges = |index: usize| {
            let before = index.checked_sub(1).map(|index| &self.spans[index]);
            let after = self.spans.get(index);
            gap(before, after, &self.total)
        };
        (0..=self.spans.len()).map(edges).filter(|gap| !gap.bytes.is_empty())
    }

    /// Returns the total size of the pieces, each measured separately.
    pub fn shown(&self) -> Size {
        self.shown
    }

    /// Copies the pieces, so that the cut no longer borrows from the output.
    pub fn into_owned(self) -> Cut<'static> {
        let own = |piece: Piece| Piece { text: Cow::Owned(piece.text.into_owned()), ..piece };
        Cut { pieces: self.pieces.into_iter().map(own).collect(), ..self }
    }

    /// Returns the number of bytes of the pieces that are not shown unchanged.
    pub fn altered(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.altered).sum()
    }
}

impl<'a> Cut<'a> {
    /// Makes a cut of pieces that the caller chose. Returns `None` if the pieces are not in order,
    /// overlap, or lie outside of `output`.
    ///
    /// The pieces are shown unchanged, except that bytes that are not UTF-8 are replaced.
    pub fn of_pieces(
        output: &'a [u8],
        pieces: &[Range<usize>],
        policy: &Policy,
    ) -> Option<Cut<'a>> {
        let rule = policy.lines;
        let total = Size::of(output, rule);
        let (mut at, mut line) = (0, 0);
        let (mut shown, mut spans) = (Vec::new(), Vec::new());
        for piece in pieces {
            if piece.start < at || piece.end < piece.start {
                return None;
            }
            let bytes = output.get(piece.clone())?;
            line += breaks(&output[at..piece.start], rule, output[..at].last().copied());
            let first_line = line + 1;
            line += breaks(bytes, rule, output[..piece.start].last().copied());
            at = piece.end;
            let ends_line = at == output.len() || lines::ends_line(output, at, rule);
            let closed = rule != LineRule::Separated && lines::ends_line(output, at, rule);
            let range = piece.start as u64..piece.end as u64;
            spans.push(Span {
                bytes: range.clone(),
                first_line,
                last_line: (line + 1 - u64::from(closed)).max(first_line),
                starts_line: lines::starts_line(output, piece.start, rule),
                ends_line,
            });
            let (text, altered) = match String::from_utf8_lossy(bytes) {
                Cow::Borrowed(_) => (Cow::Borrowed(bytes), 0),
                Cow::Owned(text) => (Cow::Owned(text.into_bytes()), 1),
            };
            shown.push(Piece { bytes: range, text, altered });
        }
        let fired = policy.fired_by(output).unwrap_or(Unit::Bytes);
        let size = size_of(&shown, rule);
        let (reasons, folds, notes) = (Vec::new(), Vec::new(), Vec::new());
        let (pieces, is_enough, shown) = (shown, false, size);
        Some(Cut { total, fired, pieces, spans, reasons, folds, notes, is_enough, shown })
    }
}

/// Returns the gap between two neighbouring pieces. Either piece may be missing.
fn gap(before: Option<&Span>, after: Option<&Span>, total: &Size) -> Span {
    let (start, first_line, starts_line) = match before {
        None => (0, 1, true),
        Some(piece) => {
            let starts_line = piece.ends_line || piece.bytes.end == 0;
            (piece.bytes.end, piece.last_line + u64::from(piece.ends_line), starts_line)
        }
    };
    let (end, last_line, ends_line) = match after {
        None => (total.bytes, total.lines, true),
        Some(piece) => {
            let ends_line = piece.starts_line || piece.bytes.start == total.bytes;
            (piece.bytes.start, piece.first_line - u64::from(piece.starts_line), ends_line)
        }
    };
    Span { bytes: start..end.max(start), first_line, last_line, starts_line, ends_line }
}

/// An output that is too large: measured and read, not cut yet.
///
/// The cut waits for the notice, because the notice takes room from the same limits.
#[derive(Debug, Clone)]
pub struct Oversized<'a> {
    pub(crate) view: Collected<'a>,
    total: Size,
    pub(crate) breaks: u64,
    fired: Unit,
    policy: Policy,
}

impl Policy {
    /// Measures an output. Returns `None` if it is within the limits and so is shown whole.
    #[inline]
    pub fn measure<'a>(&self, output: &'a [u8]) -> Option<Oversized<'a>> {
        // Inlined into the caller up to here: for most outputs the length alone shows that they are
        // short.
        self.fired_by(output).map(|fired| Oversized::measure(output, self, fired))
    }
}

impl<'a> Oversized<'a> {
    #[inline(never)]
    fn measure(bytes: &'a [u8], policy: &Policy, fired: Unit) -> Oversized<'a> {
        let mut meter = Meter::new(policy.lines);
        meter.push(bytes);
        Oversized::of_measured(bytes, &meter, policy, fired)
    }

    /// Takes `bytes` that `meter` has counted already, perhaps while they were saved. They exceed
    /// the limit in the unit `fired`.
    pub fn of_measured(
        bytes: &'a [u8],
        meter: &Meter,
        policy: &Policy,
        fired: Unit,
    ) -> Oversized<'a> {
        Oversized::new(Collected::of(bytes, policy), meter, fired, policy.clone())
    }

    pub(crate) fn new(
        view: Collected<'a>,
        meter: &Meter,
        fired: Unit,
        policy: Policy,
    ) -> Oversized<'a> {
        Oversized { view, total: meter.size(), breaks: meter.breaks(), fired, policy }
    }

    /// Returns the size of the whole output.
    pub fn total(&self) -> Size {
        self.total
    }

    /// Tells whether the output has text to show. An output of colours alone has none.
    pub(crate) fn has_text(&self) -> bool {
        !(self.view.head.text().is_empty() && self.view.tail.text().is_empty())
    }

    /// Tells whether a preview of the output may have more than one gap.
    pub(crate) fn has_lines(&self) -> bool {
        self.view.selection.has_lines()
    }

    /// Returns the kind of the output. `None` if the policy keeps the ends and reads nothing else.
    pub fn kind(&self) -> Option<Kind> {
        let hint = self.policy.hint;
        if hint.forced.is_some() {
            return hint.forced;
        }
        let kind = self.view.selection.kind(hint)?;
        Some(if self.view.is_binary() { Kind::Binary } else { kind })
    }

    /// Returns the label for the kind of the output: `source`, `binary (PNG)`.
    pub(crate) fn kind_label(&self) -> Option<String> {
        let kind = self.kind()?;
        Some(match kind {
            Kind::Binary => binary::label(self.view.format),
            kind => kind.name().to_owned(),
        })
    }

    /// Returns the output with the facts about its kind that are known after its command has ended.
    #[must_use]
    pub fn with_hint(self, hint: KindHint) -> Oversized<'a> {
        Oversized { policy: Policy { hint, ..self.policy }, ..self }
    }

    /// Writes a shorter text of our own within `limits`, if the structure of the output calls for
    /// it.
    ///
    /// [`Oversized::cut`] returns pieces of such an output all the same.
    pub fn outline(&self, limits: &Limits) -> Option<String> {
        self.view.selection.outline(&self.policy, limits)
    }

    /// Returns a cut without pieces, for an output that is shown as a text of our own.
    pub(crate) fn without_pieces(&self) -> Cut<'a> {
        let (total, fired) = (self.total, self.fired);
        let (pieces, spans, reasons, folds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (notes, is_enough, shown) = (Vec::new(), true, Size::default());
        Cut { total, fired, pieces, spans, reasons, folds, notes, is_enough, shown }
    }

    /// Returns the lines with a sign of failure that `cut` leaves out. `None` if the policy did not
    /// read every line.
    pub fn cut_failures(&self, cut: &Cut) -> Option<CutFailures> {
        self.view.selection.cut_failures(cut, self.policy.hint)
    }

    /// Returns the policy that the output was measured by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Cuts to the limits.
    pub fn cut(&self) -> Cut<'a> {
        self.cut_within(&self.policy.limits, &Cost::default())
    }

    /// Shows only the start of an output, of which only the start was read.
    pub fn start_only(self) -> Oversized<'a> {
        let keep = match self.policy.keep.ends() {
            EndsKept::Both { .. } => Keep::Head,
            EndsKept::Head | EndsKept::Tail => self.policy.keep,
        };
        let view = Collected { selection: Selection::Ends, ..self.view };
        Oversized { policy: Policy { keep, ..self.policy }, view, ..self }
    }

    /// Cuts to limits that are partly spent already. Each gap takes the room of `mark`.
    pub(crate) fn cut_within(&self, limits: &Limits, mark: &Cost) -> Cut<'a> {
        if let Some(blocks) = self.view.select(&self.policy, limits, mark, self.total.bytes) {
            return self.cut_to(blocks);
        }
        let chosen = choose(&self.view, &self.policy, &limits.less(mark));
        let pieces = pieces(&self.view, chosen, self.total.bytes);
        let spans = pieces.iter().map(|piece| self.span(piece, chosen)).collect();
        let shown = size_of(&pieces, self.policy.lines);
        let (total, fired, reasons, folds) = (self.total, self.fired, Vec::new(), Vec::new());
        let (notes, is_enough) = (Vec::new(), false);
        Cut { total, fired, pieces, spans, reasons, folds, notes, is_enough, shown }
    }

    /// Cuts to the chosen blocks of lines.
    fn cut_to(&self, chosen: SelectedBlocks) -> Cut<'a> {
        let SelectedBlocks { blocks, is_enough } = chosen;
        let (mut pieces, mut spans, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
        let (mut folds, mut notes) = (Vec::new(), Vec::new());
        for SelectedBlock { piece, span, reason, is_folded, note } in blocks {
            folds.push(is_folded);
            notes.push(note);
            pieces.push(piece);
            spans.push(span);
            reasons.push(reason);
        }
        let shown = size_of(&pieces, self.policy.lines);
        let (total, fired) = (self.total, self.fired);
        Cut { total, fired, pieces, spans, reasons, folds, notes, is_enough, shown }
    }

    /// Returns the place of a piece: at the start of the output, at its end, or both.
    fn span(&self, piece: &Piece, chosen: EndsChoice) -> Span {
        let rule = self.policy.lines;
        let breaks = breaks(&piece.text, rule, None);
        let (at_start, at_end) = (piece.bytes.start == 0, piece.bytes.end == self.total.bytes);
        let starts_line = at_start || {
            let text = self.view.tail.text();
            chosen.tail.is_some_and(|at| lines::starts_line(text, at, rule))
        };
        let ends_line = at_end || {
            let text = self.view.head.text();
            chosen.head.is_some_and(|at| lines::ends_line(text, at, rule))
        };
        let first_line = if at_start { 1 } else { self.breaks - breaks + 1 };
        let last_line = if at_end {
            self.total.lines
        } else {
            first_line + breaks - u64::from(ends_line && rule != LineRule::Separated)
        };
        let last_line = last_line.max(first_line);
        Span { bytes: piece.bytes.clone(), first_line, last_line, starts_line, ends_line }
    }
}

/// Returns the chosen parts of the two ends as pieces.
fn pieces<'a>(view: &Collected<'a>, chosen: EndsChoice, len: u64) -> Vec<Piece<'a>> {
    let (head, tail) = (&view.head, &view.tail);
    let head_piece = chosen.head.map(|end| {
        let all = view.head_is_all && end == head.len();
        let bytes = 0..if all { len } else { head.original_at(end) };
        let altered = bytes.end - head.unchanged_within(&(0..end));
        Piece { bytes, text: head.piece(0..end), altered }
    });
    let tail_piece = chosen.tail.map(|start| {
        let all = view.tail_is_all && start == 0;
        let bytes = if all { 0 } else { tail.original_at(start) }..len;
        let range = start..tail.len();
        let altered = bytes.end - bytes.start - tail.unchanged_within(&range);
        Piece { bytes, text: tail.piece(range), altered }
    });
    match (head_piece, tail_piece) {
        (Some(head_piece), Some(tail_piece)) if head_piece.bytes.end >= tail_piece.bytes.start => {
            // The two ends meet, so everything is shown.
            let rest = tail.offset_of(head_piece.bytes.end)..tail.len();
            let unchanged = len_of(&head_piece) - head_piece.altered + tail.unchanged_within(&rest);
            let mut text = head_piece.text.into_owned();
            text.extend_from_slice(&tail.piece(rest));
            vec![Piece { bytes: 0..len, text: Cow::Owned(text), altered: len - unchanged }]
        }
        (head_piece, tail_piece) => head_piece.into_iter().chain(tail_piece).collect(),
    }
}

/// Adds up the sizes of pieces.
fn size_of(pieces: &[Piece], rule: LineRule) -> Size {
    let size = |piece: &Piece| Size::of(&piece.text, rule);
    pieces.iter().map(size).fold(Size::default(), |all, one| all + one)
}

fn len_of(piece: &Piece) -> u64 {
    piece.bytes.end - piece.bytes.start
}
