//! Cuts an output down to what its policy keeps.

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

/// Cuts `bytes` down to what `policy` keeps, or returns `None` when they are shown whole.
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

/// Returns the pieces that [`cut`] would show, without counting what it hides.
///
/// Looks only at the two ends, so that it takes no longer for a hundred megabytes than for one;
/// for [`Keep::Signal`] it looks at everything.
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
    /// Where it stands in the original.
    pub bytes: Range<u64>,
    /// What is shown of it: the original's bytes, cleaned where the policy says so.
    pub text: Cow<'a, [u8]>,
    /// How many of its original bytes are not shown as they are: dropped colours, overwritten
    /// text, control bytes made visible.
    pub altered: u64,
}

/// Where a piece, or the gap between two, stands in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its bytes.
    pub bytes: Range<u64>,
    /// Number of the line it begins in, counted from 1.
    pub first_line: u64,
    /// Number of the line it ends in.
    pub last_line: u64,
    /// It begins where a line begins.
    pub starts_line: bool,
    /// It ends where a line ends.
    pub ends_line: bool,
}

/// What survives of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The size of the whole output.
    pub total: Size,
    /// The limit because of which it was cut.
    pub fired: Unit,
    /// What is shown, in order.
    pub pieces: Vec<Piece<'a>>,
    spans: Vec<Span>,
    /// One for each piece, where it was not chosen for its place alone.
    reasons: Vec<Reason>,
    /// One for each piece: the gap after it holds only lines like its last one. Empty if there is none.
    folds: Vec<bool>,
    /// One for each piece: the note in the mark of the gap after it. Empty without notes.
    notes: Vec<Option<String>>,
    /// No other line is worth its room.
    pub(crate) is_enough: bool,
    shown: Size,
}

impl Cut<'_> {
    /// Returns where each piece stands, in order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns why each piece is shown, in order. Empty where a piece is shown because it is the
    /// start or the end.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Tells whether a gap is a fold: it holds only lines like the one right above it. They differ from it in names, paths
    /// and numbers, and none of them holds a word of failure.
    pub fn is_fold(&self, gap: &Span) -> bool {
        let before = self.spans.iter().position(|piece| piece.bytes.end == gap.bytes.start);
        before.and_then(|piece| self.folds.get(piece)).is_some_and(|is_folded| *is_folded)
    }

    pub(crate) fn has_folds(&self) -> bool {
        self.folds.contains(&true)
    }

    /// Returns what is known about the lines in a gap: how many matches of a search are in which files, or how often the
    /// message above it comes again, and where.
    pub fn note(&self, gap: &Span) -> Option<&str> {
        let before = self.spans.iter().position(|piece| piece.bytes.end == gap.bytes.start)?;
        self.notes.get(before)?.as_deref()
    }

    pub(crate) fn has_notes(&self) -> bool {
        self.notes.iter().any(Option::is_some)
    }

    /// Returns where what is left out stands, in order.
    pub fn gaps(&self) -> impl Iterator<Item = Span> + '_ {
        let edges = |index: usize| {
            let before = index.checked_sub(1).map(|index| &self.spans[index]);
            let after = self.spans.get(index);
            gap(before, after, &self.total)
        };
        (0..=self.spans.len()).map(edges).filter(|gap| !gap.bytes.is_empty())
    }

    /// Returns the size of what is shown, each piece counted for itself.
    pub fn shown(&self) -> Size {
        self.shown
    }

    /// Lets go of the output it was cut from.
    pub fn into_owned(self) -> Cut<'static> {
        let own = |piece: Piece| Piece { text: Cow::Owned(piece.text.into_owned()), ..piece };
        Cut { pieces: self.pieces.into_iter().map(own).collect(), ..self }
    }

    /// Returns how many bytes of the pieces are not shown as they are.
    pub fn altered(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.altered).sum()
    }
}

impl<'a> Cut<'a> {
    /// Makes a cut of pieces that were chosen elsewhere; `None` if they are not in order, overlap,
    /// or lie outside of `output`.
    ///
    /// They are shown as they are, but for bytes that are not UTF-8.
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

/// Returns the gap between two neighbouring pieces, either of which may be missing.
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

/// An output that is too large: measured and looked at, not cut yet.
///
/// Cutting waits until the notice is known, because its room comes out of the same limits.
#[derive(Debug, Clone)]
pub struct Oversized<'a> {
    pub(crate) view: Collected<'a>,
    total: Size,
    pub(crate) breaks: u64,
    fired: Unit,
    policy: Policy,
}

impl Policy {
    /// Measures an output. Returns `None` if it fits, and so is shown whole.
    #[inline]
    pub fn measure<'a>(&self, output: &'a [u8]) -> Option<Oversized<'a>> {
        // Inlined into the caller up to here: for most outputs the length alone shows that they fit.
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

    /// Takes `bytes` that `meter` has counted already, perhaps while they were being saved; they
    /// are too large because of `fired`.
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

    /// Tells whether there is anything to show: an output of nothing but colours has nothing.
    pub(crate) fn has_text(&self) -> bool {
        !(self.view.head.text().is_empty() && self.view.tail.text().is_empty())
    }

    /// Tells whether there may be more than one gap.
    pub(crate) fn has_lines(&self) -> bool {
        self.view.selection.has_lines()
    }

    /// Returns what the output is. `None` if the policy keeps ends and so looks at nothing else.
    pub fn kind(&self) -> Option<Kind> {
        let hint = self.policy.hint;
        if hint.forced.is_some() {
            return hint.forced;
        }
        let kind = self.view.selection.kind(hint)?;
        Some(if self.view.is_binary() { Kind::Binary } else { kind })
    }

    /// Returns the words for its kind: `source`, `binary (PNG)`.
    pub(crate) fn kind_words(&self) -> Option<String> {
        let kind = self.kind()?;
        Some(match kind {
            Kind::Binary => binary::words(self.view.format),
            kind => kind.name().to_owned(),
        })
    }

    /// Returns the output with what is known about its kind once its command has ended.
    #[must_use]
    pub fn with_hint(self, hint: KindHint) -> Oversized<'a> {
        Oversized { policy: Policy { hint, ..self.policy }, ..self }
    }

    /// Writes a text of our own that shows it within `limits`, where its structure calls for one.
    ///
    /// Pieces of it, as in [`Oversized::cut`], are there all the same.
    pub fn outline(&self, limits: &Limits) -> Option<String> {
        self.view.selection.outline(&self.policy, limits)
    }

    /// Cuts to nothing; what is shown is a text of our own.
    pub(crate) fn without_pieces(&self) -> Cut<'a> {
        let (total, fired) = (self.total, self.fired);
        let (pieces, spans, reasons, folds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (notes, is_enough, shown) = (Vec::new(), true, Size::default());
        Cut { total, fired, pieces, spans, reasons, folds, notes, is_enough, shown }
    }

    /// Returns the lines with a sign of failure that a cut of this output leaves out. `None` if the policy did not look
    /// at each line.
    pub fn cut_failures(&self, cut: &Cut) -> Option<CutFailures> {
        match &self.view.selection {
            Selection::Lines(lines) => Some(lines.cut_failures(cut, self.policy.hint)),
            Selection::Ends | Selection::Rows(_) | Selection::Outline(_) => None,
        }
    }

    /// Returns the policy it was measured by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Cuts to the limits.
    pub fn cut(&self) -> Cut<'a> {
        self.cut_within(&self.policy.limits, &Cost::default())
    }

    /// Shows the start only, of an output of which the start is in view.
    pub fn start_only(self) -> Oversized<'a> {
        let keep = match self.policy.keep.ends() {
            EndsKept::Both { .. } => Keep::Head,
            EndsKept::Head | EndsKept::Tail => self.policy.keep,
        };
        let view = Collected { selection: Selection::Ends, ..self.view };
        Oversized { policy: Policy { keep, ..self.policy }, view, ..self }
    }

    /// Cuts to limits of which a part is spent already, and of which each gap takes `mark`.
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

    /// Cuts to blocks of lines.
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

    /// Says where a piece stands: at the start of the output, at its end, or both.
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

/// Takes what was chosen out of the view.
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
            // The two meet: everything is shown.
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
