//! Shows both ends of each line if an output has few lines that are very long.

use std::borrow::Cow;
use std::ops::Range;

use super::classify::FEWEST_LINES;
use crate::keep::SelectedBlock;
use crate::measure::limits::Cost;
use crate::observe::collected::Extent;
use crate::observe::ends::Ends;
use crate::text::mapped::MappedText;
use crate::text::{Sink, ceil_char, floor_char};
use crate::{Limits, Piece, Policy, Reason, Span, Why};

/// The largest number of bytes that are held of each end of a line.
const MOST_BYTES_PER_END: usize = 64 * 1024;

/// A part of a line is worth showing if it has at least this many bytes.
const LEAST: u64 = 32;

/// The largest number of tries to fit the parts of lines within the limits.
const TRIES: u32 = 12;

/// Both ends of each line of an output that streams in, as long as the output has few lines.
#[derive(Debug, Clone)]
pub(super) struct LongLineEnds {
    extent: Extent,
    /// The offset and the ends of each line. The list is empty after too many lines.
    lines: Vec<(u64, Ends)>,
}

impl LongLineEnds {
    pub(super) fn new(most: usize) -> LongLineEnds {
        let most = (most / 2 + 8).min(MOST_BYTES_PER_END);
        let extent = Extent { head: most, tail: most, lines: u64::MAX };
        LongLineEnds { extent, lines: vec![(0, Ends::new(0, extent))] }
    }

    /// Tells whether the output has too many lines.
    pub(super) fn has_given_up(&self) -> bool {
        self.lines.is_empty()
    }

    /// Ends the current line. The next line begins at `at`.
    fn end_line(&mut self, at: u64) {
        if self.lines.len() as u64 >= FEWEST_LINES {
            self.lines = Vec::new();
        } else {
            self.lines.push((at, Ends::new(at, self.extent)));
        }
    }

    /// Calls `show` with the ends of the current line.
    fn with_line(&mut self, show: impl FnOnce(&mut Ends)) {
        if let Some((_, line)) = self.lines.last_mut() {
            show(line);
        }
    }

    /// Ends the output, which has `len` bytes, and returns its lines if they are few.
    pub(super) fn finish(self, len: u64) -> Option<LongLines> {
        let ends: Vec<u64> =
            self.lines.iter().skip(1).map(|(start, _)| *start).chain([len]).collect();
        let line = |((start, ends), end): ((u64, Ends), u64)| {
            let (len, head_is_all) = (ends.len(), ends.head_is_all());
            let (head, tail, _) = ends.into_both();
            LongLine { bytes: start..end, len, head, head_is_all, tail }
        };
        let lines: Vec<LongLine> = self.lines.into_iter().zip(ends).map(line).collect();
        // The empty text after the last line feed is not a line.
        let lines: Vec<LongLine> =
            lines.into_iter().filter(|line| !line.bytes.is_empty()).collect();
        let are_few = lines.len() > 1 && (lines.len() as u64) < FEWEST_LINES;
        are_few.then_some(LongLines { lines })
    }
}

impl Sink for LongLineEnds {
    fn keep(&mut self, at: u64, text: &[u8]) {
        let mut from = 0;
        for feed in memchr::memchr_iter(b'\n', text) {
            self.with_line(|line| line.keep(at + from as u64, &text[from..=feed]));
            from = feed + 1;
            self.end_line(at + from as u64);
            if self.has_given_up() {
                return;
            }
        }
        if from < text.len() {
            self.with_line(|line| line.keep(at + from as u64, &text[from..]));
        }
    }

    fn replace(&mut self, at: u64, len: u64, text: &str) {
        self.with_line(|line| line.replace(at, len, text));
        if text == "\n" {
            self.end_line(at + len);
        }
    }

    fn restart_line(&mut self) {
        self.with_line(Ends::restart_line);
    }

    fn erase(&mut self, chars: u64) {
        self.with_line(|line| line.erase(chars));
    }
}

/// A line of which both ends are held.
#[derive(Debug, Clone)]
struct LongLine {
    /// The place of the line in the original, with its line feed.
    bytes: Range<u64>,
    /// The number of bytes of its text.
    len: u64,
    head: MappedText<'static>,
    head_is_all: bool,
    tail: MappedText<'static>,
}

/// The lines of an output that has few lines.
#[derive(Debug, Clone)]
pub(super) struct LongLines {
    lines: Vec<LongLine>,
}

/// The start or the end of a line.
struct LinePart<'a> {
    text: &'a [u8],
    bytes: Range<u64>,
    unchanged: u64,
}

impl LongLine {
    /// Returns the parts of the line that fit into `bytes`: the whole line, or both of its ends.
    fn parts(&self, bytes: u64) -> (LinePart<'_>, Option<LinePart<'_>>) {
        if self.is_whole_in(bytes) {
            let unchanged = self.head.unchanged_within(&(0..self.head.len()));
            let (text, bytes) = (self.head.text(), self.bytes.clone());
            return (LinePart { text, bytes, unchanged }, None);
        }
        // At least one byte must be hidden, or the line has no gap.
        let shown = bytes.min(self.len.saturating_sub(1)) as usize;
        let (head, tail) = (self.head.text(), self.tail.text());
        let first = floor_char(head, (shown / 2).min(head.len()));
        let last = ceil_char(tail, tail.len() - (shown - shown / 2).min(tail.len()));
        let (head_end, tail_start) = (self.head.original_at(first), self.tail.original_at(last));
        let head = LinePart {
            text: &head[..first],
            bytes: self.bytes.start..head_end.max(self.bytes.start),
            unchanged: self.head.unchanged_within(&(0..first)),
        };
        let tail = LinePart {
            text: &tail[last..],
            bytes: tail_start.max(head.bytes.end)..self.bytes.end,
            unchanged: self.tail.unchanged_within(&(last..tail.len())),
        };
        (head, Some(tail))
    }

    fn is_whole_in(&self, bytes: u64) -> bool {
        self.head_is_all && self.len <= bytes
    }
}

impl LongLines {
    /// Chooses both ends of each line within `limits`. Each gap costs a `mark`. Short lines are
    /// shown whole.
    pub(super) fn choose(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
    ) -> Option<Vec<SelectedBlock>> {
        if limits.lines.is_some_and(|most| most < 4 * self.lines.len() as u64) {
            return None;
        }
        let most = limits.most_bytes().unwrap_or(u64::MAX).min(1 << 40) as f64;
        let mut room = most;
        for _ in 0..TRIES {
            let share = self.share(room as u64, mark.size.bytes)?;
            let is_gap = |line: &LongLine| {
                let (head, tail) = line.parts(share);
                let cuts = |tail: &LinePart| {
                    !head.text.is_empty()
                        && !tail.text.is_empty()
                        && head.bytes.end < tail.bytes.start
                };
                tail.as_ref().is_none_or(cuts)
            };
            if !self.lines.iter().all(is_gap) {
                return None;
            }
            let blocks = self.blocks(share);
            let gaps = blocks.len() as u64 - 1;
            let mut sum = Cost::default();
            for block in &blocks {
                sum = sum + Cost::of(&block.piece.text, limits, policy.lines, &policy.tokens);
            }
            let sum = (0..gaps).fold(sum, |sum, _| sum + *mark);
            let used = limits.used_by(&sum);
            if used <= 1.0 {
                return (gaps > 0).then_some(blocks);
            }
            room = room / used * 0.99;
        }
        None
    }

    /// Returns the number of bytes that each line may have, so that all lines fit into `room`.
    /// Returns `None` if the number is smaller than a mark or [`LEAST`].
    fn share(&self, room: u64, mark: u64) -> Option<u64> {
        let (mut left, mut rest) = (room, self.lines.len() as u64);
        let mut lens: Vec<(u64, bool)> =
            self.lines.iter().map(|line| (line.len, line.head_is_all)).collect();
        lens.sort_unstable();
        for (len, is_held) in lens {
            let share = (left / rest).saturating_sub(mark);
            if len > share || !is_held {
                return (share >= mark.max(LEAST)).then_some(share);
            }
            (left, rest) = (left - len, rest - 1);
        }
        Some(room)
    }

    /// Returns the blocks of the lines. Each line has at most `share` bytes.
    fn blocks(&self, share: u64) -> Vec<SelectedBlock> {
        let mut blocks: Vec<SelectedBlock> = Vec::new();
        let mut goes_on = false;
        for (number, line) in (1..).zip(&self.lines) {
            let (head, tail) = line.parts(share);
            let is_clipped = tail.is_some();
            for (part, is_tail) in [(Some(head), false), (tail, true)] {
                let Some(part) = part else { continue };
                let ends_line = is_tail || !is_clipped;
                match blocks.last_mut() {
                    Some(block) if goes_on && !is_tail => join(block, part, number, ends_line),
                    _ => blocks.push(block(part, number, !is_tail, ends_line)),
                }
                goes_on = ends_line;
            }
        }
        let last = blocks.len() - 1;
        blocks[0].reason.why = Why::First;
        blocks[last].reason.why = if last > 0 { Why::Last } else { Why::First };
        blocks
    }
}

fn block(part: LinePart, line: u64, starts_line: bool, ends_line: bool) -> SelectedBlock {
    let LinePart { text, bytes, unchanged } = part;
    let altered = bytes.end - bytes.start - unchanged;
    SelectedBlock {
        span: Span {
            bytes: bytes.clone(),
            first_line: line,
            last_line: line,
            starts_line,
            ends_line,
        },
        piece: Piece { bytes, text: Cow::Owned(text.to_vec()), altered },
        reason: Reason { why: Why::Part, line, score: 0 },
        is_folded: false,
        note: None,
    }
}

/// Adds a part that begins where a block ends.
fn join(block: &mut SelectedBlock, part: LinePart, line: u64, ends_line: bool) {
    block.piece.altered += part.bytes.end - part.bytes.start - part.unchanged;
    block.piece.bytes.end = part.bytes.end;
    block.piece.text.to_mut().extend_from_slice(part.text);
    let span = &mut block.span;
    (span.bytes.end, span.last_line, span.ends_line) = (part.bytes.end, line, ends_line);
}
