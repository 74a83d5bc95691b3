//! Writes the ranges of an output that are kept into a new file, one after the other.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;

use overspill_core::internal::Excerpt;

use super::sum::copy;
use super::temp::Temp;
use crate::store::seal::Sealer;
use crate::store::{KeptRange, KeptRanges};

/// A new file to which the kept ranges of an output are written in order.
pub(super) struct Gather {
    temp: Temp,
    sealer: Sealer,
    ranges: Vec<KeptRange>,
    /// The last byte that was written.
    last: Option<u8>,
}

impl Gather {
    pub(super) fn new(temp: Temp) -> io::Result<Gather> {
        let sealer = Sealer::new();
        Ok(Gather { temp, sealer, ranges: Vec::new(), last: None })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sealer.push(bytes);
        self.last = bytes.last().copied().or(self.last);
        self.temp.file.write_all(bytes)
    }

    /// Copies `len` bytes of a file, starting at `from`.
    pub(super) fn copy(&mut self, file: &File, from: u64, len: u64) -> io::Result<()> {
        copy(file, from, len, |bytes| self.write(bytes))
    }

    /// Adds a range of the original. `write` writes its bytes.
    ///
    /// A first line of 0 means that the number is not known yet.
    pub(super) fn range(
        &mut self,
        bytes: Range<u64>,
        (first_line, starts_line): (u64, bool),
        verbatim: bool,
        write: impl FnOnce(&mut Gather) -> io::Result<()>,
    ) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let goes_on = self
            .ranges
            .last()
            .is_some_and(|before| before.verbatim && verbatim && before.bytes.end == bytes.start);
        if !goes_on && self.last.is_some_and(|last| last != b'\n') {
            self.write(b"\n")?;
        }
        let goes_on_in_line = goes_on && self.last != Some(b'\n');
        let (from, feeds) = self.sealer.passed();
        write(self)?;
        let (to, feeds_now) = self.sealer.passed();
        let is_open = u64::from(self.last != Some(b'\n'));
        let lines = feeds_now - feeds + is_open;
        match self.ranges.last_mut().filter(|_| goes_on) {
            Some(before) => {
                before.lines += lines - u64::from(goes_on_in_line);
                (before.bytes.end, before.stored.end) = (bytes.end, to);
            }
            None => {
                let stored = from..to;
                let range = KeptRange { bytes, first_line, lines, starts_line, verbatim, stored };
                self.ranges.push(range);
            }
        }
        Ok(())
    }

    /// Returns the file, its sealer, and the ranges that were kept of an output with this number of
    /// bytes and line feeds and this last byte.
    pub(super) fn finish(
        self,
        bytes: u64,
        feeds: u64,
        last: Option<u8>,
    ) -> (Temp, Sealer, KeptRanges) {
        let Gather { temp, sealer, mut ranges, .. } = self;
        let lines = feeds + u64::from(last.is_some_and(|last| last != b'\n'));
        if let Some(range) = ranges.last_mut().filter(|range| range.first_line == 0) {
            range.first_line = (lines + 1).saturating_sub(range.lines).max(1);
        }
        (temp, sealer, KeptRanges { bytes, lines, ranges })
    }
}

/// Returns the hole and the parts of the excerpts in it. An excerpt that is not stored byte for
/// byte cannot be cut: the hole grows so that it contains the whole excerpt.
pub(super) fn fitted(mut hole: Range<u64>, excerpts: Vec<Excerpt>) -> (Range<u64>, Vec<Excerpt>) {
    let original = hole.clone();
    let mut kept = Vec::new();
    for mut it in excerpts {
        if it.bytes.end <= original.start || it.bytes.start >= original.end {
            continue;
        }
        if it.verbatim {
            let (start, end) = (it.bytes.start.max(original.start), it.bytes.end.min(original.end));
            it.text.truncate((end - it.bytes.start) as usize);
            it.bytes.end = end;
            it.drop_before(start);
        } else {
            hole = hole.start.min(it.bytes.start)..hole.end.max(it.bytes.end);
        }
        kept.push(it);
    }
    (hole, kept)
}
