//! Reads outputs from the bucket: single pages on request, and ahead of a reader that continues.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;
use object_store::path::Path;

use super::failure::Failure;
use super::page_cache::PageCache;
use super::remote::{LONG, Remote, Waiting};
use crate::store::OutputId;

/// The alignment in bytes of a request for a page. The next page is then often fetched already.
pub(super) const STEP: u64 = 64 << 10;
/// The size in bytes of a request for an output that is read from start to end. Requests end at
/// multiples of this size, because servers keep large objects in such parts.
pub(super) const STRIDE: u64 = 8 << 20;
/// The number of such requests at the same time.
const STRIDES: usize = 2;
/// The largest number of bytes that are held in memory.
const HELD: u64 = 8 << 20;
/// After this many consecutive reads, overspill expects the reader to continue.
const IN_A_ROW: u32 = 2;
/// The number of outputs that are read ahead at the same time, as for a comparison.
const READERS: usize = 2;

/// The ranges that were read lately, and the requests under way.
#[derive(Debug, Default)]
pub(super) struct Fetch {
    held: VecDeque<FetchedRange>,
    readers: VecDeque<Reader>,
}

/// A range of an output, in the pieces in which it arrived, so that handing it out is the first
/// copy.
#[derive(Debug)]
pub(super) struct FetchedRange {
    pub(super) name: OutputId,
    pub(super) start: u64,
    pub(super) bytes: u64,
    pub(super) pieces: Vec<Bytes>,
}

impl FetchedRange {
    pub(super) fn new(name: &OutputId, start: u64, pieces: Vec<Bytes>) -> FetchedRange {
        let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        FetchedRange { name: name.clone(), start, bytes, pieces }
    }

    pub(super) fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// Appends the bytes of `range` that this range contains.
    fn copy(&self, range: Range<u64>, into: &mut Vec<u8>) {
        let mut start = self.start;
        for piece in &self.pieces {
            let end = start + piece.len() as u64;
            let (from, to) = (range.start.max(start), range.end.min(end));
            if from < to {
                into.extend_from_slice(&piece[(from - start) as usize..(to - start) as usize]);
            }
            start = end;
        }
    }
}

/// A reader that continues through an output.
#[derive(Debug)]
struct Reader {
    name: OutputId,
    /// The position where the last read ended.
    end: u64,
    in_a_row: u32,
    /// The position of the first byte that is not requested yet.
    asked: u64,
    coming: VecDeque<(u64, Waiting<Vec<Bytes>>)>,
}

/// An output in the bucket.
pub(super) struct Object<'a> {
    pub(super) name: &'a OutputId,
    pub(super) key: &'a Path,
    pub(super) bytes: u64,
}

impl Fetch {
    /// Holds a range of an output in memory.
    pub(super) fn keep(&mut self, held: FetchedRange) {
        self.held.push_back(held);
        let mut all: u64 = self.held.iter().map(|held| held.bytes).sum();
        while all > HELD
            && self.held.len() > 1
            && let Some(oldest) = self.held.pop_front()
        {
            all -= oldest.bytes;
        }
    }

    /// Drops everything about an output.
    pub(super) fn forget(&mut self, name: &OutputId) {
        self.held.retain(|held| held.name != *name);
        self.readers.retain(|reader| reader.name != *name);
    }

    /// Reads a range of an output. `range` must lie within the output.
    pub(super) fn read(
        &mut self,
        remote: &Remote,
        page_cache: &PageCache,
        object: &Object,
        range: Range<u64>,
    ) -> Result<Vec<u8>, Failure> {
        // An object can be larger than the memory.
        let mut bytes = Vec::with_capacity((range.end - range.start).min(HELD) as usize);
        self.expect(object, &range);
        while range.start + (bytes.len() as u64) < range.end {
            let at = range.start + bytes.len() as u64;
            if let Some(held) = self.held_at(object.name, at) {
                held.copy(at..range.end, &mut bytes);
                continue;
            }
            if let Some(held) = page_cache.find(object.name, at) {
                self.keep(held);
                continue;
            }
            let held = self.get(remote, page_cache, object, at, range.end)?;
            if held.end() <= at {
                return Err(Failure::Other("it became shorter while it was read".into()));
            }
            page_cache.keep(&held, object.bytes);
            self.keep(held);
        }
        Ok(bytes)
    }

    fn held_at(&self, name: &OutputId, at: u64) -> Option<&FetchedRange> {
        let has = |held: &&FetchedRange| held.name == *name && held.start <= at && at < held.end();
        self.held.iter().rev().find(has)
    }

    /// Records whether a read continues where the last read ended.
    fn expect(&mut self, object: &Object, range: &Range<u64>) {
        let known = self.readers.iter_mut().find(|reader| {
            // Numbering lines reads the last range a second time, which does not count.
            reader.name == *object.name && range.start <= reader.end
        });
        match known {
            Some(reader) if range.start == reader.end => {
                reader.in_a_row += 1;
                reader.end = range.end;
            }
            Some(_) => {}
            None => {
                self.readers.retain(|reader| reader.name != *object.name);
                if self.readers.len() == READERS {
                    self.readers.pop_front();
                }
                let (name, end) = (object.name.clone(), range.end);
                let coming = VecDeque::new();
                self.readers.push_back(Reader { name, end, in_a_row: 0, asked: 0, coming });
            }
        }
    }

    /// Fetches the byte at `at`, and possibly more.
    fn get(
        &mut self,
        remote: &Remote,
        page_cache: &PageCache,
        object: &Object,
        at: u64,
        end: u64,
    ) -> Result<FetchedRange, Failure> {
        let reader = self.readers.iter_mut().find(|reader| reader.name == *object.name);
        if let Some(reader) = reader.filter(|reader| reader.in_a_row >= IN_A_ROW) {
            return reader.next(remote, page_cache, object, at);
        }
        let start = at - at % STEP;
        let end = end.div_ceil(STEP).saturating_mul(STEP).min(object.bytes);
        let key = object.key.clone();
        let got = remote
            .run(LONG, |objects| async move { objects.pieces(&key, Some(start..end)).await })?;
        Ok(FetchedRange::new(object.name, start, got.0))
    }
}

impl Reader {
    fn next(
        &mut self,
        remote: &Remote,
        page_cache: &PageCache,
        object: &Object,
        at: u64,
    ) -> Result<FetchedRange, Failure> {
        // Do not wait for ranges that the reader has skipped.
        while self.coming.front().is_some_and(|(start, _)| stride_end(*start) <= at) {
            self.coming.pop_front();
        }
        if self.coming.front().is_none_or(|(start, _)| *start > at) {
            self.coming.clear();
            self.asked = at - at % STEP;
        }
        while self.coming.len() < STRIDES && self.asked < object.bytes {
            let (start, end) = (self.asked, object.bytes.min(stride_end(self.asked)));
            if start > at && page_cache.has(object.name, start) {
                break;
            }
            let key = object.key.clone();
            let waiting = remote.start(|objects| async move {
                objects.pieces(&key, Some(start..end)).await.map(|got| got.0)
            })?;
            self.coming.push_back((start, waiting));
            self.asked = end;
        }
        match self.coming.pop_front() {
            Some((start, waiting)) => {
                Ok(FetchedRange::new(object.name, start, waiting.within(LONG)?))
            }
            None => Err(Failure::Other("it became shorter while it was read".into())),
        }
    }
}

/// Returns the end of the request that begins at `start`.
fn stride_end(start: u64) -> u64 {
    (start / STRIDE + 1) * STRIDE
}
