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
    /// Counted from 0.
    pub(super) number: u64,
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

/// Lines as they stream by.
#[derive(Debug, Clone)]
pub(crate) struct StructuredLines {
    pub(super) rows: Vec<HeldRow>,
    pub(super) text: Vec<u8>,
    /// How many lines have ended.
    pub(super) count: u64,
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

/// A line as it is shown, whole or in part.
struct Shown {
    clip: usize,
    /// Where in the original the part ends.
    end: u64,
    unchanged: u64,
    feed: bool,
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
        let mut line = std::mem::take(&mut self.line);
        let clip = self.clip(line.text());
        let shown = Shown {
            clip,
            end: line.original_at(clip),
            unchanged: line.unchanged_within(&(0..clip)),
            feed,
        };
        self.end_line(line.text(), self.line_is_cut, &shown, end);
        line.clear();
        (self.line, self.line_is_cut) = (line, false);
    }

    /// Takes a line that came in one part, at `at`, with its line feed.
    fn end_plain_line(&mut self, at: u64, text: &[u8]) {
        let clip = self.clip(text);
        let (end, unchanged) = (at + clip as u64, clip as u64);
        let read = &text[..text.len().min(READ)];
        let shown = Shown { clip, end, unchanged, feed: true };
        self.end_line(read, read.len() < text.len(), &shown, at + text.len() as u64 + 1);
    }

    /// Reads a line that ends at `end`, break included.
    fn end_line(&mut self, text: &[u8], cut: bool, shown: &Shown, end: u64) {
        let LineRank { near, why, with } =
            self.reader.read(StructureLine { text, cut, number: self.count });
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

    /// Returns the lines that are held: where each stands, its number counted from 0, its text, and
    /// how many bytes of that are unchanged.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (Range<u64>, u64, &[u8], u64)> {
        self.rows.iter().map(|row| {
            let text = &self.text[row.at as usize..][..row.len as usize];
            (row.start..row.end, row.number, text, row.unchanged)
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
    fn hold(&mut self, at: u64, text: &[u8]) {
        if !self.line_is_cut {
            let room = HELD.saturating_sub(self.line.len());
            let taken = floor_char(text, room);
            self.line.push(at, &text[..taken]);
            self.line_is_cut = taken < text.len();
        }
    }
}

/// How much of a line is held: beyond what is read, as much as backspaces may take back.
const HELD: usize = READ + 4 * LONGEST_ERASURE as usize;

impl Sink for StructuredLines {
    fn keep(&mut self, at: u64, text: &[u8]) {
        let mut from = 0;
        for feed in memchr::memchr_iter(b'\n', text) {
            if from == 0 && self.start < at {
                self.hold(at, &text[..feed]);
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
    }

    fn erase(&mut self, chars: u64) {
        // Of a line that is longer than what is held, only what is not held can be taken back.
        if !self.line_is_cut {
            self.line.truncate(nth_char_from_end(self.line.text(), chars));
        }
    }
}
