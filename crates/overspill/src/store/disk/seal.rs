//! What is noted of an output when it is published: how to tell that it is still the same, and
//! where its lines are.
//!
//! A file of 64-bit numbers, lowest byte first: six of a head, the line feeds up to the end of
//! each block, and a hash of all that.

use std::fs::File;
use std::io;

use xxhash_rust::xxh3::xxh3_64;

use super::dir;
use crate::store::Kept;

/// How often line feeds are noted. Finding a line reads one block.
pub(super) const BLOCK: usize = 32 << 10;
/// Up to here an output is read instead.
pub(super) const SMALL: u64 = 64 << 10;

const MAGIC: u64 = u64::from_le_bytes(*b"ovrspil\x02");

/// What is noted of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seal {
    /// Bytes that were stored.
    pub(super) bytes: u64,
    /// Their checksum.
    pub(super) sum: u64,
    /// Bytes there were.
    pub(super) produced: u64,
    /// Bytes of the start that were stored, if not all.
    pub(super) first: u64,
    /// Line feeds up to the end of each block, if it is worth it.
    pub(super) marks: Vec<u64>,
}

impl Seal {
    /// Bytes that tell how long a seal is.
    pub(super) const HEAD: usize = 6 * 8;

    /// Returns how many bytes a seal has that begins like this, if it is one.
    pub(super) fn len(bytes: &[u8]) -> Option<usize> {
        let (numbers, _) = bytes.get(..Seal::HEAD)?.as_chunks();
        let marks = usize::try_from(u64::from_le_bytes(numbers[5])).ok()?;
        let is_one = u64::from_le_bytes(numbers[0]) == MAGIC;
        let rest = marks.checked_add(1)?.checked_mul(8)?;
        Seal::HEAD.checked_add(rest).filter(|_| is_one)
    }

    pub(super) fn kept(&self) -> Kept {
        if self.bytes == self.produced {
            Kept::Whole
        } else {
            Kept::Ends { first: self.first, last: self.bytes - self.first }
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let marks = self.marks.len() as u64;
        let head = [MAGIC, self.bytes, self.sum, self.produced, self.first, marks];
        let mut bytes: Vec<u8> =
            head.iter().chain(&self.marks).flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a seal back; a torn one is none.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Seal> {
        let (numbers, sum) = bytes.split_last_chunk()?;
        if numbers.len() % 8 != 0 || xxh3_64(numbers) != u64::from_le_bytes(*sum) {
            return None;
        }
        let (numbers, _) = numbers.as_chunks();
        let mut numbers = numbers.iter().map(|number| u64::from_le_bytes(*number));
        let mut next = || numbers.next();
        if next()? != MAGIC {
            return None;
        }
        let (bytes, sum, produced, first) = (next()?, next()?, next()?, next()?);
        let count = next()?;
        let marks: Vec<u64> = numbers.collect();
        let sound = marks.len() as u64 == count && first <= bytes && bytes <= produced;
        sound.then_some(Seal { bytes, sum, produced, first, marks })
    }

    /// Returns which block holds the line feed `number`, counted from 1, and how many come before
    /// that block.
    pub(super) fn block_of(&self, number: u64) -> Option<(u64, u64)> {
        let block = self.marks.partition_point(|&up_to| up_to < number);
        let before = if block == 0 { 0 } else { self.marks[block - 1] };
        (block < self.marks.len()).then_some((block as u64, before))
    }

    /// Returns how many line feeds come before a block.
    pub(super) fn before(&self, block: u64) -> Option<u64> {
        let Some(last) = block.checked_sub(1) else { return Some(0) };
        self.marks.get(usize::try_from(last).ok()?).copied()
    }
}

/// Makes a [`Seal`] of bytes as they pass by.
pub(super) struct Sealer {
    sum: crc32fast::Hasher,
    bytes: u64,
    line_feeds: u64,
    marks: Vec<u64>,
}

impl Sealer {
    pub(super) fn new() -> Sealer {
        Sealer { sum: crc32fast::Hasher::new(), bytes: 0, line_feeds: 0, marks: Vec::new() }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = BLOCK - (self.bytes % BLOCK as u64) as usize;
            let (block, rest) = bytes.split_at(room.min(bytes.len()));
            // Block by block both find it in the nearest cache.
            self.sum.update(block);
            self.line_feeds += bytecount::count(block, b'\n') as u64;
            self.bytes += block.len() as u64;
            if self.bytes.is_multiple_of(BLOCK as u64) {
                self.marks.push(self.line_feeds);
            }
            bytes = rest;
        }
    }

    /// Closes the seal of an output that had `produced` bytes, of which `first` of the start were
    /// stored if it was not kept whole.
    pub(super) fn finish(mut self, produced: u64, first: u64) -> Seal {
        if !self.bytes.is_multiple_of(BLOCK as u64) {
            self.marks.push(self.line_feeds);
        }
        if self.bytes <= SMALL {
            self.marks.clear();
        }
        let sum = self.sum.finalize().into();
        Seal { bytes: self.bytes, sum, produced, first: first.min(self.bytes), marks: self.marks }
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sealer({} bytes)", self.bytes)
    }
}

/// Sums a file up as a [`Sealer`] does.
pub(super) fn sum_of(file: &File) -> io::Result<u64> {
    let mut sum = crc32fast::Hasher::new();
    copy(file, 0, u64::MAX, |bytes| {
        sum.update(bytes);
        Ok(())
    })?;
    Ok(sum.finalize().into())
}

/// Hands on so many bytes of a file from a place on, piece by piece.
pub(super) fn copy(
    file: &File,
    mut from: u64,
    mut len: u64,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    const PAGE: usize = 4096;
    const PIECE: usize = 256 << 10;
    // Reading into memory that does not begin with a page costs several times as much.
    let mut space = vec![0; PIECE + PAGE];
    let skip = space.as_ptr().align_offset(PAGE).min(PAGE);
    let buffer = &mut space[skip..skip + PIECE];
    while len > 0 {
        let want = len.min(PIECE as u64) as usize;
        let got = dir::read_at(file, &mut buffer[..want], from)?;
        if got == 0 {
            break;
        }
        take(&buffer[..got])?;
        from += got as u64;
        len -= got as u64;
    }
    Ok(())
}
