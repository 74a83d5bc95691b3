//! The page cache: keeps fetched parts of other machines' outputs on this machine, because readers
//! often read a page again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Bucket;
use super::fetch::{FetchedRange, STEP, STRIDE};
use crate::Error;
use crate::store::{Disk, Expiry, OutputId, Store};

/// The size in bytes up to which a read counts as a page.
const PAGE: u64 = 16 * STEP;
/// An output is large if it is larger than the size of the cache divided by this number.
const LARGE: u64 = 16;
/// The cache is trimmed after this many new bytes.
const LOOK_EVERY: u64 = 64 << 20;
/// The shortest time between two trims by commands that fetch little.
const TURN: Duration = Duration::from_secs(60);

/// The cache of fetched parts of outputs.
#[derive(Debug)]
pub(super) struct PageCache {
    spool: Disk,
    /// The largest number of bytes in the cache.
    room: u64,
    /// The number of bytes added since the cache was last trimmed.
    kept: AtomicU64,
    /// The value of `kept` when trimming was last considered.
    asked: AtomicU64,
}

impl PageCache {
    pub(super) fn new(spool: Disk, room: u64) -> PageCache {
        PageCache { spool, room, kept: AtomicU64::default(), asked: AtomicU64::default() }
    }

    /// Returns a part that contains the byte `at`.
    pub(super) fn find(&self, name: &OutputId, at: u64) -> Option<FetchedRange> {
        if self.room == 0 {
            return None;
        }
        // Parts begin only at fixed positions, so that no index is needed.
        [at - at % STEP, at - at % STRIDE].into_iter().find_map(|start| {
            let bytes = self.spool.page(name, start)?;
            Some(FetchedRange::new(name, start, vec![bytes.into()])).filter(|held| at < held.end())
        })
    }

    /// Tells whether the cache has the part that begins at `start`.
    pub(super) fn has(&self, name: &OutputId, start: u64) -> bool {
        self.room > 0 && self.spool.has_page(name, start)
    }

    /// Adds a fetched part, unless a reader reads all of a large output, which would push out
    /// everything else.
    pub(super) fn keep(&self, held: &FetchedRange, output: u64) {
        let is_page = held.bytes <= PAGE;
        if self.room == 0 || !is_page && output > self.room / LARGE {
            return;
        }
        // A part that cannot be saved is fetched again.
        if self.spool.put_page(&held.name, held.start, &held.pieces).is_ok() {
            self.kept.fetch_add(held.bytes, Ordering::Relaxed);
        }
    }
}

impl Bucket {
    /// Trims the cache from time to time.
    pub(super) fn trim_page_cache(&self) {
        let PageCache { kept, asked, .. } = &self.0.page_cache;
        let new = kept.load(Ordering::Relaxed);
        // Reading from the cache adds nothing to it.
        if asked.swap(new, Ordering::Relaxed) == new {
            return;
        }
        if new >= LOOK_EVERY || matches!(self.0.spool.due(TURN, Duration::ZERO), Ok(Some(_))) {
            kept.store(0, Ordering::Relaxed);
            asked.store(0, Ordering::Relaxed);
            let _ = self.shrink_spool();
        }
    }

    /// Removes local copies of outputs and pages that are in the bucket, the least recently used
    /// first, until the rest fits.
    pub(super) fn shrink_spool(&self) -> Result<(), Error> {
        let (_, sent) = self.0.spool.unsent_and_sent()?;
        let pages = self.0.spool.pages();
        let copies = sent.iter().map(|entry| (entry.used, entry.bytes, Copy::Output(&entry.name)));
        let parts = pages.iter().map(|page| (page.used, page.bytes, Copy::Part(page)));
        let mut all: Vec<_> = copies.chain(parts).collect();
        all.sort_unstable_by_key(|(used, ..)| std::cmp::Reverse(*used));
        let mut kept = 0_u64;
        for (_, bytes, copy) in all {
            kept = kept.saturating_add(bytes);
            if kept > self.0.page_cache.room {
                match copy {
                    Copy::Output(name) => drop(self.0.spool.delete(name)),
                    Copy::Part(page) => self.0.spool.remove_page(page),
                }
            }
        }
        Ok(())
    }
}

/// A copy of an object in the bucket.
enum Copy<'a> {
    Output(&'a OutputId),
    Part(&'a crate::store::disk::Page),
}
