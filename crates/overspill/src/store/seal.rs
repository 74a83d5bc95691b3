//! The seal of an output, written when the output is published: its checksum, the positions of
//! its lines, and the ranges that were kept.
//!
//! A seal is a sequence of 64-bit numbers, lowest byte first: six numbers of the head, the number
//! of line feeds up to the end of each block, and a hash of all that. The seal of an output that
//! was not kept whole has another magic number. Before the line feed counts it has the number of
//! lines of the original, the number of kept ranges, and seven numbers for each range.

use xxhash_rust::xxh3::xxh3_64;

use super::{Kept, KeptRange, KeptRanges, OutputId};
use crate::Error;

/// The number of bytes between two line feed counts. Finding a line reads one block.
pub(in crate::store) const BLOCK: usize = 32 << 10;
/// The size in bytes up to which an output has no line feed counts: it is read instead.
pub(in crate::store) const SMALL: u64 = 64 << 10;

const MAGIC: u64 = u64::from_le_bytes(*b"ovrspil\x02");
/// The magic number of the seal of an output that was not kept whole.
const PARTIAL: u64 = u64::from_le_bytes(*b"ovrspil\x03");

/// The text at the start of every seal. The version byte follows.
const NAME: &[u8; 7] = b"ovrspil";
const NEWEST_VERSION: u8 = 3;

/// The number of numbers that describe a kept range.
const RANGE: usize = 7;
/// The largest number of ranges that a seal in a bucket may have.
#[cfg(feature = "bucket")]
const MOST_RANGES: u64 = 16_384;
const STARTS_LINE: u64 = 1;
const VERBATIM: u64 = 2;

/// Returns the error for an output whose record this version cannot read.
pub(in crate::store) fn saved_by_later_version(name: &OutputId) -> Error {
    Error::Other(format!("{name} was saved by a later version of overspill").into())
}

/// The seal of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Seal {
    /// The number of stored bytes.
    pub(in crate::store) bytes: u64,
    /// The checksum of the stored bytes.
    pub(in crate::store) sum: u64,
    /// The number of bytes that the command printed.
    pub(in crate::store) produced: u64,
    /// The number of stored bytes of the start, if not all bytes were stored.
    pub(in crate::store) first: u64,
    /// The number of line feeds up to the end of each block. Small outputs have no counts.
    pub(in crate::store) marks: Vec<u64>,
    /// The ranges that were kept, if not all. Seals of earlier versions do not contain them.
    pub(in crate::store) ranges: Option<KeptRanges>,
}

impl Seal {
    /// The number of bytes that are enough to know the length of a seal.
    pub(in crate::store) const HEAD: usize = 6 * 8;

    /// Returns the length in bytes of a seal that begins like this, if it is a seal.
    pub(in crate::store) fn len(bytes: &[u8]) -> Option<usize> {
        let (numbers, _) = bytes.get(..Seal::HEAD)?.as_chunks();
        let marks = usize::try_from(u64::from_le_bytes(numbers[5])).ok()?;
        let is_one = [MAGIC, PARTIAL].contains(&u64::from_le_bytes(numbers[0]));
        let rest = marks.checked_add(1)?.checked_mul(8)?;
        Seal::HEAD.checked_add(rest).filter(|_| is_one)
    }

    /// Tells whether a later version of overspill wrote a seal that begins like this.
    pub(in crate::store) fn is_later(head: &[u8]) -> bool {
        let version = head.strip_prefix(NAME).and_then(|rest| rest.first());
        version.is_some_and(|version| *version > NEWEST_VERSION)
    }

    /// Tells whether a seal that begins like this belongs to an output that was not kept whole.
    pub(in crate::store) fn is_partial(head: &[u8]) -> bool {
        head.starts_with(&PARTIAL.to_le_bytes())
    }

    pub(in crate::store) fn kept(&self) -> Kept {
        match &self.ranges {
            None if self.bytes == self.produced => Kept::Whole,
            None => Kept::Ends { first: self.first, between: 0, last: self.bytes - self.first },
            // The excerpts can fill the whole gap between the two ends.
            Some(kept) if kept.ranges.iter().any(|range| range.bytes == (0..self.produced)) => {
                Kept::Whole
            }
            Some(kept) => {
                let len = |range: &KeptRange| range.bytes.end - range.bytes.start;
                let all: u64 = kept.ranges.iter().map(len).sum();
                let is_last =
                    |range: &&KeptRange| range.bytes.start > 0 && range.bytes.end == self.produced;
                let last = kept.ranges.last().filter(is_last).map_or(0, len);
                let between = all.saturating_sub(self.first + last);
                Kept::Ends { first: self.first, between, last }
            }
        }
    }

    pub(in crate::store) fn to_bytes(&self) -> Vec<u8> {
        let ranges = self.ranges.as_ref().map(ranges_to_numbers);
        let magic = if ranges.is_some() { PARTIAL } else { MAGIC };
        let numbers: Vec<u64> = ranges.into_iter().flatten().chain(self.marks.clone()).collect();
        let count = numbers.len() as u64;
        let head = [magic, self.bytes, self.sum, self.produced, self.first, count];
        let mut bytes: Vec<u8> =
            head.iter().chain(&numbers).flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a seal back. Returns `None` for a damaged seal.
    pub(in crate::store) fn from_bytes(bytes: &[u8]) -> Option<Seal> {
        let (numbers, sum) = bytes.split_last_chunk()?;
        if numbers.len() % 8 != 0 || xxh3_64(numbers) != u64::from_le_bytes(*sum) {
            return None;
        }
        let (numbers, _) = numbers.as_chunks();
        let mut numbers = numbers.iter().map(|number| u64::from_le_bytes(*number));
        let mut next = || numbers.next();
        let magic = next()?;
        if ![MAGIC, PARTIAL].contains(&magic) {
            return None;
        }
        let (bytes, sum, produced, first) = (next()?, next()?, next()?, next()?);
        let count = next()?;
        let mut marks: Vec<u64> = numbers.collect();
        let is_complete = marks.len() as u64 == count && first <= bytes;
        let ranges = match magic {
            PARTIAL => {
                let len =
                    usize::try_from(*marks.get(1)?).ok()?.checked_mul(RANGE)?.checked_add(2)?;
                let rest = if len <= marks.len() { marks.split_off(len) } else { return None };
                let numbers = std::mem::replace(&mut marks, rest);
                Some(ranges_of_numbers(produced, bytes, &numbers)?)
            }
            _ => None,
        };
        let sound =
            is_complete && (ranges.is_some() || bytes <= produced) && are_marks(&marks, bytes);
        sound.then_some(Seal { bytes, sum, produced, first, marks, ranges })
    }

    /// Returns the largest length in bytes of the seal of an output of this size.
    #[cfg(feature = "bucket")]
    pub(in crate::store) fn longest(output: u64) -> u64 {
        let marks = output.div_ceil(BLOCK as u64);
        let ranges = 2 + MOST_RANGES * RANGE as u64;
        Seal::HEAD as u64 + (marks + 1 + ranges).saturating_mul(8)
    }

    /// Returns the block that contains the line feed `number`, counted from 1, and the number of
    /// line feeds before that block.
    pub(in crate::store) fn block_of(&self, number: u64) -> Option<(u64, u64)> {
        let block = self.marks.partition_point(|&up_to| up_to < number);
        let before = if block == 0 { 0 } else { self.marks[block - 1] };
        (block < self.marks.len()).then_some((block as u64, before))
    }

    /// Returns the number of line feeds before a block.
    pub(in crate::store) fn before(&self, block: u64) -> Option<u64> {
        let Some(last) = block.checked_sub(1) else { return Some(0) };
        self.marks.get(usize::try_from(last).ok()?).copied()
    }
}

/// Tells whether these can be the line feed counts of an output: one count for each block, and no
/// block with more line feeds than bytes.
fn are_marks(marks: &[u64], bytes: u64) -> bool {
    let mut before = 0;
    let in_order = marks.iter().all(|&up_to| {
        let fits = up_to.checked_sub(before).is_some_and(|in_block| in_block <= BLOCK as u64);
        before = up_to;
        fits
    });
    in_order && (marks.is_empty() || marks.len() as u64 == bytes.div_ceil(BLOCK as u64))
}

fn ranges_to_numbers(kept: &KeptRanges) -> Vec<u64> {
    let mut numbers = vec![kept.lines, kept.ranges.len() as u64];
    for range in &kept.ranges {
        let KeptRange { bytes, first_line, lines, starts_line, verbatim, stored } = range;
        let flags = u64::from(*starts_line) * STARTS_LINE + u64::from(*verbatim) * VERBATIM;
        let places = [bytes.start, bytes.end, stored.start, stored.end];
        numbers.extend(places.into_iter().chain([*first_line, *lines, flags]));
    }
    numbers
}

/// Reads the ranges back. Returns `None` if they do not fit an output of `produced` bytes, of which
/// `bytes_stored` are stored.
///
/// Another machine may have written the numbers, so each number is checked against a limit.
fn ranges_of_numbers(produced: u64, bytes_stored: u64, numbers: &[u64]) -> Option<KeptRanges> {
    let (ranges, _) = numbers.get(2..)?.as_chunks::<RANGE>();
    let ranges = ranges.iter().map(|&[start, end, from, to, first_line, lines, flags]| KeptRange {
        bytes: start..end,
        first_line,
        lines,
        starts_line: flags & STARTS_LINE != 0,
        verbatim: flags & VERBATIM != 0,
        stored: from..to,
    });
    let kept = KeptRanges { bytes: produced, lines: numbers[0], ranges: ranges.collect() };
    let most_lines = produced.saturating_add(1);
    let (mut at, mut stored) = (0, 0);
    let is_sound = kept.ranges.iter().all(|range| {
        let KeptRange { bytes, stored: place, first_line, lines, .. } = range;
        let follows = bytes.start >= at && bytes.end >= bytes.start && bytes.end <= produced;
        let is_behind =
            place.start >= stored && place.end >= place.start && place.end <= bytes_stored;
        (at, stored) = (bytes.end, place.end);
        let is_line = (1..=most_lines).contains(first_line) && *lines <= most_lines;
        follows && is_behind && is_line
    });
    (is_sound && kept.lines <= most_lines).then_some(kept)
}

/// Builds a [`Seal`] from the bytes of an output as they are written.
pub(in crate::store) struct Sealer {
    sum: crc32fast::Hasher,
    bytes: u64,
    line_feeds: u64,
    marks: Vec<u64>,
}

impl Sealer {
    pub(in crate::store) fn new() -> Sealer {
        Sealer { sum: crc32fast::Hasher::new(), bytes: 0, line_feeds: 0, marks: Vec::new() }
    }

    pub(in crate::store) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = BLOCK - (self.bytes % BLOCK as u64) as usize;
            let (block, rest) = bytes.split_at(room.min(bytes.len()));
            // Both passes over a block find it in the nearest cache.
            self.sum.update(block);
            self.line_feeds += bytecount::count(block, b'\n') as u64;
            self.bytes += block.len() as u64;
            if self.bytes.is_multiple_of(BLOCK as u64) {
                self.marks.push(self.line_feeds);
            }
            bytes = rest;
        }
    }

    /// Returns the seal of an output that had `produced` bytes. If the output was not kept whole,
    /// `first` bytes of its start were stored.
    pub(in crate::store) fn finish(mut self, produced: u64, first: u64) -> Seal {
        if !self.bytes.is_multiple_of(BLOCK as u64) {
            self.marks.push(self.line_feeds);
        }
        if self.bytes <= SMALL {
            self.marks.clear();
        }
        let sum = self.sum.finalize().into();
        let (bytes, first) = (self.bytes, first.min(self.bytes));
        Seal { bytes, sum, produced, first, marks: self.marks, ranges: None }
    }

    /// Returns the number of bytes and the number of line feeds so far.
    pub(in crate::store) fn passed(&self) -> (u64, u64) {
        (self.bytes, self.line_feeds)
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sealer({} bytes)", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal(ranges: Option<KeptRanges>) -> Seal {
        Seal { bytes: 20, sum: 7, produced: 200, first: 10, marks: vec![4], ranges }
    }

    #[test]
    fn seal_of_an_earlier_version_is_read_without_ranges() {
        let old = seal(None);
        assert!(old.to_bytes().starts_with(b"ovrspil\x02"));
        assert_eq!(Seal::from_bytes(&old.to_bytes()), Some(old.clone()));
        assert_eq!(old.kept(), Kept::Ends { first: 10, between: 0, last: 10 });
    }

    #[test]
    fn seal_of_a_later_version_is_told_apart() {
        assert!(Seal::is_later(b"ovrspil\x04 and more"));
        for head in [&b"ovrspil\x03"[..], b"ovrspil\x02", b"ovrspil", b"{\"call\":", b""] {
            assert!(!Seal::is_later(head), "{head:?}");
        }
    }

    #[test]
    fn seal_with_ranges_is_read_back_or_refused() {
        let range = |bytes: std::ops::Range<u64>, stored: std::ops::Range<u64>| KeptRange {
            bytes,
            first_line: 1,
            lines: 2,
            starts_line: false,
            verbatim: true,
            stored,
        };
        let kept = |ranges| Some(KeptRanges { bytes: 200, lines: 9, ranges });
        let all = seal(kept(vec![range(0..200, 0..200)]));
        assert_eq!(all.kept(), Kept::Whole);
        let first = seal(kept(vec![range(0..10, 0..10)]));
        assert_eq!(first.kept(), Kept::Ends { first: 10, between: 0, last: 0 });
        let good = seal(kept(vec![range(0..10, 0..10), range(50..52, 10..12)]));
        let bytes = good.to_bytes();
        assert_eq!(Seal::len(&bytes), Some(bytes.len()));
        assert_eq!(Seal::from_bytes(&bytes), Some(good.clone()));
        assert_eq!(good.kept(), Kept::Ends { first: 10, between: 2, last: 0 });
        for bad in [
            vec![range(0..10, 0..10), range(5..12, 10..17)],
            vec![range(0..10, 0..10), range(50..300, 10..20)],
            vec![range(0..10, 5..15), range(50..52, 3..5)],
        ] {
            assert_eq!(Seal::from_bytes(&seal(kept(bad)).to_bytes()), None);
        }
    }
}
