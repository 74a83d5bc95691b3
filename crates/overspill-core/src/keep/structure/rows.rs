//! Holds the lines of an output that may be shown, by how near they are.

use std::ops::Range;

use super::json::log2;
use super::reader::{LineRank, LineReader, StructureLine};
use crate::text::mapped::MappedText;
use crate::text::{LONGEST_ERASURE, Sink, floor_char, nth_char_from_end};
use crate::{Kind, Policy, Why};

/// How much of a line is read.
const READ: usize = 16 * 1024;

/// How many bytes of a line are shown at most, and at least.
const CLIP: (usize, usize) = (160, 2000);

/// Between these two, a line is clipped at this part of the room.
const CLIP_PART: usize = 12;

/// A line that may be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldRow {
    /// Counted from 0. A long line of markup is several rows.
    pub(super) number: u64,
    /// The number of its line, counted from 0.
    pub(super) line: u64,
    /// It begins where its line begins.
    pub(super) starts_line: bool,
    /// It ends where its line ends.
    pub(super) ends_line: bool,
    /// Where in the original it begins, and where ends what is shown of it.
    pub(super) start: u64,
    pub(super) end: u64,
    /// How many bytes of the original are shown unchanged.
    pub(super) unchanged: u64,
    /// Where its text stands among those held, and how long that is.
    pub(super) at: u32,
    pub(super) len: u32,
    /// Only its start is shown.
    pub(super) clipped: bool,
    pub(super) near: u32,
    pub(super) why: Why,
}

impl HeldRow {
    /// Returns how near it is, among `count` lines, and why.
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

/// A row that may be shown.
pub(crate) struct ShownRow<'a> {
    /// Its place in the original.
    pub(crate) bytes: Range<u64>,
    /// The number of its line, counted from 0.
    pub(crate) line: u64,
    pub(crate) starts_line: bool,
    pub(crate) text: &'a [u8],
    /// How many bytes of the original are unchanged in it.
    pub(crate) unchanged: u64,
}

/// Lines as they stream by.
#[derive(Debug, Clone)]
pub(crate) struct StructuredLines {
    pub(super) rows: Vec<HeldRow>,
    pub(super) text: Vec<u8>,
    /// How many rows have ended.
    pub(super) count: u64,
    /// How many lines have ended.
    lines: u64,
    /// The line at hand began with rows that have ended.
    within_line: bool,
    reader: LineReader,
    /// The start of the line at hand, which may yet be overwritten.
    line: MappedText<'static>,
    /// It goes on beyond what is held.
    line_is_cut: bool,
    /// Where in the original it begins.
    start: u64,
    clip: usize,
    /// A line was clipped.
    pub(super) clips: bool,
    most: usize,
}

/// A row as it is shown, whole or in part.
struct Shown {
    clip: usize,
    /// Where in the original the part ends.
    end: u64,
    unchanged: u64,
    feed: bool,
    /// The line goes on after it.
    goes_on: bool,
}

impl StructuredLines {
    /// Returns what the lines are.
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

    /// Tells whether these are the lines of a diff.
    pub(super) fn is_diff(&self) -> bool {
        matches!(self.reader, LineReader::Diff(_))
    }

    /// Says that the output ends, `len` bytes after its start.
    pub(crate) fn finish(&mut self, len: u64) {
        if self.start < len {
            self.end_held_line(len, false);
        }
    }

    /// Takes the line that is held.
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

    /// Ends a row at each element of the line at hand that ends within its first `len` bytes. Most reports of tests are
    /// one line.
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

    /// Takes a line that came in one part, at `at`, with its line feed.
    fn end_plain_line(&mut self, at: u64, text: &[u8]) {
        let clip = self.clip(text);
        let (end, unchanged) = (at + clip as u64, clip as u64);
        let read = &text[..text.len().min(READ)];
        let shown = Shown { clip, end, unchanged, feed: true, goes_on: false };
        self.end_line(read, read.len() < text.len(), &shown, at + text.len() as u64 + 1);
    }

    /// Reads a line that ends at `end`, break included.
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

    /// Returns where a line is clipped; most are not.
    fn clip(&self, text: &[u8]) -> usize {
        // A line that is clipped costs a mark; one that is hardly longer is shown whole.
        if text.len() <= self.clip + self.clip / 4 {
            text.len()
        } else {
            floor_char(text, self.clip)
        }
    }

    /// Keeps the lines that `keep` wants, by where they stand.
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

    /// Lets go of the lines that are furthest, of equals the later ones, until about a quarter of
    /// what is held is left.
    fn prune(&mut self) {
        let ranks: Vec<u32> = self.rows.iter().map(|row| row.rank(self.count).0).collect();
        let size = |row: &HeldRow| row.len as usize + size_of::<HeldRow>();
        // Ranks are few, so that sizes are added up by rank and nothing is sorted.
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

    /// Adds to the line at hand, of which no more is held than may be looked at.
    fn hold(&mut self, mut at: u64, mut text: &[u8]) {
        while !self.line_is_cut {
            let room = HELD.saturating_sub(self.line.len());
            let taken = floor_char(text, room);
            self.line.push(at, &text[..taken]);
            (at, text) = (at + taken as u64, &text[taken..]);
            if text.is_empty() {
                return;
            }
            // Only now, so that the size of chunks makes no difference.
            let held = self.line.len();
            if self.splits() {
                self.split_line(held.saturating_sub(BACK));
            }
            self.line_is_cut = self.line.len() == held;
        }
    }
}

/// How much of a line is held: beyond what is read, as much as backspaces may take back.
const HELD: usize = READ + BACK;
const BACK: usize = 4 * LONGEST_ERASURE as usize;

/// A longer line of markup is read element by element.
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
            // The rows of the line are overwritten, too.
            self.rows.retain(|row| row.line < self.lines);
            self.within_line = false;
        }
    }

    fn erase(&mut self, chars: u64) {
        // Of a line that is longer than what is held, only what is not held can be taken back.
        if !self.line_is_cut {
            self.line.truncate(nth_char_from_end(self.line.text(), chars));
        }
    }
}
