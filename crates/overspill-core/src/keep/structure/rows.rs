//! Holds the lines of a structured output that may be shown.
//!
//! The cleaned text streams in. Each line gets a rank from its reader. When memory gets short, the
//! lines with the highest ranks are dropped. A long line of markup is split into several rows.

use std::ops::Range;

use super::json::log2;
use super::reader::{LineRank, LineReader, StructureLine};
use crate::text::mapped::MappedText;
use crate::text::{LONGEST_ERASURE, Sink, floor_char, nth_char_from_end};
use crate::{Kind, Policy, Why};

/// The largest number of bytes of a line that a reader reads.
const READ: usize = 16 * 1024;

/// The smallest and the largest number of bytes at which a line is clipped.
const CLIP: (usize, usize) = (160, 2000);

/// The divisor of the room in bytes at which a line is clipped, within [`CLIP`].
const CLIP_PART: usize = 12;

/// A line that may be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldRow {
    /// The number of the row, counted from 0. A long line of markup is several rows.
    pub(super) number: u64,
    /// The number of the line that contains the row, counted from 0.
    pub(super) line: u64,
    /// The row begins at the start of its line.
    pub(super) starts_line: bool,
    /// The row ends at the end of its line.
    pub(super) ends_line: bool,
    /// The offset in the original at which the row begins.
    pub(super) start: u64,
    /// The offset in the original at which the shown part of the row ends.
    pub(super) end: u64,
    /// The number of bytes of the original that are shown unchanged.
    pub(super) unchanged: u64,
    /// The offset of the text of the row in [`StructuredLines::text`].
    pub(super) at: u32,
    /// The number of bytes of the text of the row.
    pub(super) len: u32,
    /// Only the start of the row is shown.
    pub(super) clipped: bool,
    /// The rank that the reader gave the row.
    pub(super) near: u32,
    pub(super) why: Why,
}

impl HeldRow {
    /// Returns the rank of the row among `count` rows, and the reason for the rank.
    ///
    /// The first and the last rows get a low rank, too.
    pub(super) fn rank(&self, count: u64) -> (u32, Why) {
        let first = log2(self.number / 2).saturating_add(4);
        let last = log2(count.saturating_sub(self.number + 1)).saturating_add(8);
        if self.near <= first.min(last) {
            (self.near, self.why)
        } else if first <= last {
            (first, Why::First)
        } else {
            (last, Why::Last)
        }
    }
}

/// A held row with its text, for users outside this module.
pub(crate) struct ShownRow<'a> {
    /// The place of the row in the original.
    pub(crate) bytes: Range<u64>,
    /// The number of the line that contains the row, counted from 0.
    pub(crate) line: u64,
    pub(crate) starts_line: bool,
    pub(crate) text: &'a [u8],
    /// The number of bytes of the original that are unchanged in `text`.
    pub(crate) unchanged: u64,
}

/// The held rows of an output that streams in.
#[derive(Debug, Clone)]
pub(crate) struct StructuredLines {
    pub(super) rows: Vec<HeldRow>,
    pub(super) text: Vec<u8>,
    /// The number of rows that have ended.
    pub(super) count: u64,
    /// The number of lines that have ended.
    lines: u64,
    /// The current line began with rows that have ended.
    within_line: bool,
    reader: LineReader,
    /// The start of the current line. A carriage return can still overwrite it.
    line: MappedText<'static>,
    /// The current line is longer than the held text.
    line_is_cut: bool,
    /// The offset in the original at which the current row begins.
    start: u64,
    /// The number of bytes at which lines are clipped.
    clip: usize,
    /// A line was clipped.
    pub(super) clips: bool,
    /// The number of bytes that rows and texts may take in memory.
    most: usize,
}

/// A row as it is shown, whole or in part.
struct Shown {
    /// The number of bytes of the row that are shown.
    clip: usize,
    /// The offset in the original at which the shown part ends.
    end: u64,
    unchanged: u64,
    /// The row ends with a line feed.
    feed: bool,
    /// The line continues after the row.
    goes_on: bool,
}

impl StructuredLines {
    /// Returns the kind of the output.
    pub(crate) fn kind(&self) -> Kind {
        self.reader.kind()
    }

    pub(crate) fn new(reader: LineReader, policy: &Policy) -> StructuredLines {
        let bytes = |most: Option<u64>| {
            usize::try_from(most.unwrap_or(u64::MAX)).unwrap_or(usize::MAX).min(1 << 20)
        };
        let (most, usual) = (bytes(policy.limits.most_bytes()), bytes(policy.limits.usual_bytes()));
        StructuredLines {
            rows: Vec::new(),
            text: Vec::new(),
            count: 0,
            lines: 0,
            within_line: false,
            reader,
            line: MappedText::default(),
            line_is_cut: false,
            start: 0,
            clip: (usual / CLIP_PART).clamp(CLIP.0, CLIP.1),
            clips: false,
            most: (8 * most).clamp(2 << 20, 8 << 20),
        }
    }

    /// Tells whether the output is a diff.
    pub(super) fn is_diff(&self) -> bool {
        matches!(self.reader, LineReader::Diff(_))
    }

    /// Ends the output, which has `len` bytes.
    pub(crate) fn finish(&mut self, len: u64) {
        if self.start < len {
            self.end_held_line(len, false);
        }
    }

    /// Ends the held line at `end`.
    fn end_held_line(&mut self, end: u64, feed: bool) {
        if self.splits() && (self.within_line || self.line.len() > LONG) {
            self.split_line(self.line.len());
        }
        let mut line = std::mem::take(&mut self.line);
        let clip = self.clip(line.text());
        let shown = Shown {
            clip,
            end: line.original_at(clip),
            unchanged: line.unchanged_within(&(0..clip)),
            feed,
            goes_on: false,
        };
        self.end_line(line.text(), self.line_is_cut, &shown, end);
        line.clear();
        (self.line, self.line_is_cut) = (line, false);
    }

    /// Tells whether a long line is read element by element.
    fn splits(&self) -> bool {
        matches!(self.reader, LineReader::Markup(_))
    }

    /// Ends a row after each element within the first `len` bytes of the current line. Most test
    /// reports are one line.
    fn split_line(&mut self, len: usize) {
        let mut line = std::mem::take(&mut self.line);
        let mut from = 0;
        for at in memchr::memmem::find_iter(&line.text()[..len], b"><") {
            let to = at + 1;
            let clip = from + self.clip(&line.text()[from..to]);
            let shown = Shown {
                clip: clip - from,
                end: line.original_at(clip),
                unchanged: line.unchanged_within(&(from..clip)),
                feed: false,
                goes_on: true,
            };
            self.end_line(&line.text()[from..to], false, &shown, line.original_at(to));
            from = to;
        }
        line.drop_front(from);
        self.line = line;
    }

    /// Takes a line that came in one part, with its line feed. The line begins at `at`.
    fn end_plain_line(&mut self, at: u64, text: &[u8]) {
        let clip = self.clip(text);
        let (end, unchanged) = (at + clip as u64, clip as u64);
        let read = &text[..text.len().min(READ)];
        let shown = Shown { clip, end, unchanged, feed: true, goes_on: false };
        self.end_line(read, read.len() < text.len(), &shown, at + text.len() as u64 + 1);
    }

    /// Reads a row that ends at `end`, its line break included, and holds the row.
    fn end_line(&mut self, text: &[u8], cut: bool, shown: &Shown, end: u64) {
        let LineRank { near, why, with, spans } =
            self.reader.read(StructureLine { text, cut, number: self.count });
        if let Some(before) = with.filter(|_| spans) {
            let begun = self.count.saturating_sub(before);
            for row in self.rows.iter_mut().rev().take_while(|row| row.number > begun) {
                (row.near, row.why) = (row.near.min(near + 4), why);
            }
        }
        if let Some(number) = with.and_then(|before| self.count.checked_sub(before))
            && let Some(row) = self.rows.iter_mut().rev().find(|row| row.number <= number)
            && row.number == number
        {
            row.near = row.near.min(near);
            row.why = why;
        }
        let clipped = cut || shown.clip < text.len();
        let feed = shown.feed && !clipped;
        self.clips |= clipped;
        self.rows.push(HeldRow {
            number: self.count,
            line: self.lines,
            starts_line: !self.within_line,
            ends_line: !clipped && !shown.goes_on,
            start: self.start,
            end: if clipped { shown.end } else { end },
            unchanged: shown.unchanged + u64::from(feed),
            at: self.text.len() as u32,
            len: shown.clip as u32 + u32::from(feed),
            clipped,
            near,
            why,
        });
        self.text.extend_from_slice(&text[..shown.clip]);
        self.text.extend_from_slice(if feed { b"\n" } else { b"" });
        self.start = end;
        self.count += 1;
        self.within_line = shown.goes_on;
        self.lines += u64::from(!shown.goes_on);
        if self.size() > self.most {
            self.prune();
        }
    }

    /// Returns the number of bytes of a line that are shown. Most lines are not clipped.
    fn clip(&self, text: &[u8]) -> usize {
        // A clipped line costs a mark, so a line that is only a little longer is shown whole.
        if text.len() <= self.clip + self.clip / 4 {
            text.len()
        } else {
            floor_char(text, self.clip)
        }
    }

    /// Drops the rows whose place in the original `keep` rejects.
    pub(crate) fn narrow(&mut self, keep: impl Fn(&Range<u64>) -> bool) {
        self.rows.retain(|row| keep(&(row.start..row.end)));
    }

    /// Returns the rows that are held.
    pub(crate) fn shown(&self) -> impl Iterator<Item = ShownRow<'_>> {
        self.rows.iter().map(|row| ShownRow {
            bytes: row.start..row.end,
            line: row.line,
            starts_line: row.starts_line,
            text: &self.text[row.at as usize..][..row.len as usize],
            unchanged: row.unchanged,
        })
    }

    fn size(&self) -> usize {
        self.text.len() + self.rows.len() * size_of::<HeldRow>()
    }

    /// Drops the rows with the highest ranks until about a quarter of the memory limit is used.
    /// Among rows with the same rank, the later rows are dropped first.
    fn prune(&mut self) {
        let ranks: Vec<u32> = self.rows.iter().map(|row| row.rank(self.count).0).collect();
        let size = |row: &HeldRow| row.len as usize + size_of::<HeldRow>();
        // The number of ranks is small, so adding up the sizes by rank is faster than sorting.
        let highest = ranks.iter().max().map_or(0, |highest| *highest as usize);
        let mut sizes = vec![0; highest + 1];
        ranks.iter().zip(&self.rows).for_each(|(rank, row)| sizes[*rank as usize] += size(row));
        let mut left = self.most / 4;
        let over = |size: &usize| left.checked_sub(*size).map(|rest| left = rest).is_none();
        let bar = sizes.iter().position(over).unwrap_or(sizes.len()) as u32;
        let mut end = 0;
        let (text, mut ranks) = (&mut self.text, ranks.into_iter());
        self.rows.retain_mut(|row| {
            let rank = ranks.next().unwrap_or(u32::MAX);
            if rank == bar {
                left = left.saturating_sub(size(row));
            }
            let kept = rank < bar || rank == bar && left > 0;
            if kept {
                let from = row.at as usize;
                text.copy_within(from..from + row.len as usize, end);
                row.at = end as u32;
                end += row.len as usize;
            }
            kept
        });
        text.truncate(end);
    }

    /// Adds text to the current line, up to [`HELD`] bytes.
    fn hold(&mut self, mut at: u64, mut text: &[u8]) {
        while !self.line_is_cut {
            let room = HELD.saturating_sub(self.line.len());
            let taken = floor_char(text, room);
            self.line.push(at, &text[..taken]);
            (at, text) = (at + taken as u64, &text[taken..]);
            if text.is_empty() {
                return;
            }
            // Splits only when the line is full, so that the size of chunks makes no difference.
            let held = self.line.len();
            if self.splits() {
                self.split_line(held.saturating_sub(BACK));
            }
            self.line_is_cut = self.line.len() == held;
        }
    }
}

/// The number of bytes of a line that are held: the bytes that are read and [`BACK`].
const HELD: usize = READ + BACK;

/// The largest number of bytes that backspaces can erase.
const BACK: usize = 4 * LONGEST_ERASURE as usize;

/// A line of markup with more bytes than this is read element by element.
const LONG: usize = 4096;

impl Sink for StructuredLines {
    fn keep(&mut self, at: u64, text: &[u8]) {
        let mut from = 0;
        for feed in memchr::memchr_iter(b'\n', text) {
            if from == 0 && self.start < at {
                self.hold(at, &text[..feed]);
                self.end_held_line(at + feed as u64 + 1, true);
            } else if self.splits() && feed - from > LONG {
                self.hold(at + from as u64, &text[from..feed]);
                self.end_held_line(at + feed as u64 + 1, true);
            } else {
                self.end_plain_line(at + from as u64, &text[from..feed]);
            }
            from = feed + 1;
        }
        self.hold(at + from as u64, &text[from..]);
    }

    fn replace(&mut self, at: u64, len: u64, text: &str) {
        if !self.line_is_cut && self.line.len() + text.len() <= HELD {
            self.line.push_replaced(at, len, text);
        } else {
            self.line_is_cut = true;
        }
    }

    fn restart_line(&mut self) {
        self.line.clear();
        self.line_is_cut = false;
        if self.within_line {
            // The new text also overwrites the rows of the line.
            self.rows.retain(|row| row.line < self.lines);
            self.within_line = false;
        }
    }

    fn erase(&mut self, chars: u64) {
        // If the line is longer than the held text, backspaces only reach text that is not held.
        if !self.line_is_cut {
            self.line.truncate(nth_char_from_end(self.line.text(), chars));
        }
    }
}
