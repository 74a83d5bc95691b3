//! Feeds an output to the searcher, with very long lines split into parts.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::ops::Range;
use std::rc::Rc;

use crate::retrieve::source::Source;

/// The search splits a longer line into parts of this many bytes. It misses a match across two
/// parts.
pub(super) const LONGEST_PART: u64 = 1 << 20;

/// The text for the searcher where a missing part of the output (a hole) cuts a line. With this
/// text, neither `^` nor `$` matches there.
const CUT: &[u8] = "…".as_bytes();

/// A range of a saved output, and whether holes cut off its first and its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchRange {
    pub(super) bytes: Range<u64>,
    pub(super) cut_before: bool,
    pub(super) cut_after: bool,
}

/// The places of the bytes that were added for the searcher.
#[derive(Debug, Clone, Default)]
pub(super) struct Breaks(Rc<RefCell<Vec<u64>>>);

impl Breaks {
    /// Returns the number of added bytes before a place.
    pub(super) fn before(&self, place: u64) -> u64 {
        self.0.borrow().partition_point(|&at| at < place) as u64
    }

    /// Returns a number for the line at `place`. All parts of a line have the same number.
    pub(super) fn line_of(&self, place: u64) -> u64 {
        let breaks = self.0.borrow();
        let mut start = place;
        let mut before = breaks.partition_point(|&at| at < place);
        while before > 0 && breaks[before - 1] + 1 == start {
            before -= 1;
            start -= LONGEST_PART + 1;
        }
        start
    }
}

/// Reads an output block by block, and splits lines that are too long.
pub(super) struct SplitLines<'s, 'a> {
    source: &'s mut Source<'a>,
    /// The place of the next block.
    at: u64,
    /// The end of the range.
    end: u64,
    /// The number of bytes of the current block that the searcher has read.
    next: usize,
    /// The total number of bytes that the searcher has read, added bytes included.
    handed: u64,
    /// The length of the current part so far.
    since_feed: u64,
    breaks: Breaks,
    /// The added bytes that come next.
    added: &'static [u8],
    /// A hole cuts off the last line.
    cut_after: bool,
    /// The search has ended.
    stopped: Rc<Cell<bool>>,
}

impl<'s, 'a> SplitLines<'s, 'a> {
    /// Reads a range of an output.
    pub(super) fn new(source: &'s mut Source<'a>, range: &SearchRange) -> SplitLines<'s, 'a> {
        let (breaks, stopped, handed, since_feed) = Default::default();
        let (at, end, next) = (range.bytes.start, range.bytes.end, source.held().len());
        let added = if range.cut_before { CUT } else { &[] };
        let cut_after = range.cut_after;
        SplitLines { source, at, end, next, handed, since_feed, breaks, added, cut_after, stopped }
    }

    /// Copies added bytes into the buffer.
    fn add(&mut self, buffer: &mut [u8]) -> usize {
        let (now, later) = self.added.split_at(self.added.len().min(buffer.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.added = later;
        let end = self.handed + now.len() as u64;
        self.breaks.0.borrow_mut().extend(self.handed..end);
        self.handed = end;
        now.len()
    }

    pub(super) fn breaks(&self) -> Breaks {
        self.breaks.clone()
    }

    /// Returns a switch that ends the search: after it is set, the searcher reads no more bytes.
    pub(super) fn stopped(&self) -> Rc<Cell<bool>> {
        self.stopped.clone()
    }
}

impl Read for SplitLines<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stopped.get() {
            return Ok(0);
        }
        if !self.added.is_empty() {
            return Ok(self.add(buffer));
        }
        if self.next == self.source.held().len() {
            let len = self.source.range(self.at, self.end).map_err(io::Error::other)?.len();
            self.at += len as u64;
            self.next = 0;
        }
        let rest = &self.source.held()[self.next..];
        if rest.is_empty() && std::mem::take(&mut self.cut_after) {
            self.added = CUT;
            return Ok(self.add(buffer));
        }
        if rest.is_empty() || buffer.is_empty() {
            return Ok(0);
        }
        if self.since_feed == LONGEST_PART && rest[0] != b'\n' {
            self.breaks.0.borrow_mut().push(self.handed);
            buffer[0] = b'\n';
            self.since_feed = 0;
            self.handed += 1;
            return Ok(1);
        }
        let room = (LONGEST_PART - self.since_feed).max(1) as usize;
        let part = &rest[..rest.len().min(buffer.len()).min(room)];
        buffer[..part.len()].copy_from_slice(part);
        self.since_feed = match memchr::memrchr(b'\n', part) {
            Some(feed) => (part.len() - feed - 1) as u64,
            None => self.since_feed + part.len() as u64,
        };
        self.next += part.len();
        self.handed += part.len() as u64;
        Ok(part.len())
    }
}
