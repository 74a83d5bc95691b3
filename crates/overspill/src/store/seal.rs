//! What is noted of an output when it is published: how to tell that it is still the same, and
//! where its lines are.
//!
//! A file of 64-bit numbers, lowest byte first: six of a head, the line feeds up to the end of
//! each block, and a hash of all that.

use xxhash_rust::xxh3::xxh3_64;

use super::Kept;

/// How often line feeds are noted. Finding a line reads one block.
pub(in crate::store) const BLOCK: usize = 32 << 10;
/// Up to here an output is read instead.
pub(in crate::store) const SMALL: u64 = 64 << 10;

const MAGIC: u64 = u64::from_le_bytes(*b"ovrspil\x02");

/// What is noted of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Seal {
    /// Bytes that were stored.
    pub(in crate::store) bytes: u64,
    /// Their checksum.
    pub(in crate::store) sum: u64,
    /// Bytes there were.
    pub(in crate::store) produced: u64,
    /// Bytes of the start that were stored, if not all.
    pub(in crate::store) first: u64,
    /// Line feeds up to the end of each block, if it is worth it.
    pub(in crate::store) marks: Vec<u64>,
}

impl Seal {
    /// Bytes that tell how long a seal is.
    pub(in crate::store) const HEAD: usize = 6 * 8;

    /// Returns how many bytes a seal has that begins like this, if it is one.
    pub(in crate::store) fn len(bytes: &[u8]) -> Option<usize> {
        let (numbers, _) = bytes.get(..Seal::HEAD)?.as_chunks();
        let marks = usize::try_from(u64::from_le_bytes(numbers[5])).ok()?;
        let is_one = u64::from_le_bytes(numbers[0]) == MAGIC;
        let rest = marks.checked_add(1)?.checked_mul(8)?;
        Seal::HEAD.checked_add(rest).filter(|_| is_one)
    }

    pub(in crate::store) fn kept(&self) -> Kept {
        if self.bytes == self.produced {
            Kept::Whole
        } else {
            Kept::Ends { first: self.first, last: self.bytes - self.first }
        }
    }

    pub(in crate::store) fn to_bytes(&self) -> Vec<u8> {
        let marks = self.marks.len() as u64;
        let head = [MAGIC, self.bytes, self.sum, self.produced, self.first, marks];
        let mut bytes: Vec<u8> =
            head.iter().chain(&self.marks).flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a seal back; a torn one is none.
    pub(in crate::store) fn from_bytes(bytes: &[u8]) -> Option<Seal> {
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
        (sound && are_marks(&marks, bytes)).then_some(Seal { bytes, sum, produced, first, marks })
    }

    /// Returns how many bytes the seal of an output has at most.
    #[cfg(feature = "object")]
    pub(in crate::store) fn longest(output: u64) -> u64 {
        let marks = output.div_ceil(BLOCK as u64);
        Seal::HEAD as u64 + (marks + 1).saturating_mul(8)
    }

    /// Returns which block holds the line feed `number`, counted from 1, and how many come before
    /// that block.
    pub(in crate::store) fn block_of(&self, number: u64) -> Option<(u64, u64)> {
        let block = self.marks.partition_point(|&up_to| up_to < number);
        let before = if block == 0 { 0 } else { self.marks[block - 1] };
        (block < self.marks.len()).then_some((block as u64, before))
    }

    /// Returns how many line feeds come before a block.
    pub(in crate::store) fn before(&self, block: u64) -> Option<u64> {
        let Some(last) = block.checked_sub(1) else { return Some(0) };
        self.marks.get(usize::try_from(last).ok()?).copied()
    }
}

/// Tells whether these can be the line feeds up to the end of each block of an output: one number for
/// each block, and no block with more line feeds than bytes.
fn are_marks(marks: &[u64], bytes: u64) -> bool {
    let mut before = 0;
    let in_order = marks.iter().all(|&up_to| {
        let fits = up_to.checked_sub(before).is_some_and(|in_block| in_block <= BLOCK as u64);
        before = up_to;
        fits
    });
    in_order && (marks.is_empty() || marks.len() as u64 == bytes.div_ceil(BLOCK as u64))
}

/// Makes a [`Seal`] of bytes as they pass by.
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
    pub(in crate::store) fn finish(mut self, produced: u64, first: u64) -> Seal {
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
