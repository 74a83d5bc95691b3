//! What was fetched of other machines' outputs stays on this one for a while, since whoever has read
//! a page reads it again, or the next one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Bucket;
use super::fetch::{FetchedRange, STEP, STRIDE};
use crate::Error;
use crate::store::{Disk, Expiry, OutputId, Store};

/// Whoever gets no more than this at once looks at a page.
const PAGE: u64 = 16 * STEP;
/// An output of more than this part of the room is a large one.
const LARGE: u64 = 16;
/// After so many bytes it is seen to that the rest has room.
const LOOK_EVERY: u64 = 64 << 20;
/// So often it is seen to by commands that fetch little.
const TURN: Duration = Duration::from_secs(60);

/// Where fetched parts of outputs are kept.
#[derive(Debug)]
pub(super) struct PageCache {
    spool: Disk,
    /// How many bytes may be kept in all.
    room: u64,
    /// How many were kept since somebody looked.
    kept: AtomicU64,
    /// How many of those there were when it was last asked whether somebody should.
    asked: AtomicU64,
}

impl PageCache {
    pub(super) fn new(spool: Disk, room: u64) -> PageCache {
        PageCache { spool, room, kept: AtomicU64::default(), asked: AtomicU64::default() }
    }

    /// Returns a part that has what stands at `at`.
    pub(super) fn find(&self, name: &OutputId, at: u64) -> Option<FetchedRange> {
        if self.room == 0 {
            return None;
        }
        // A part begins at one of these places, so that no list is needed.
        [at - at % STEP, at - at % STRIDE].into_iter().find_map(|start| {
            let bytes = self.spool.page(name, start)?;
            Some(FetchedRange::new(name, start, vec![bytes.into()])).filter(|held| at < held.end())
        })
    }

    /// Tells whether the stride that begins there need not be fetched.
    pub(super) fn has(&self, name: &OutputId, start: u64) -> bool {
        self.room > 0 && self.spool.has_page(name, start)
    }

    /// Keeps what was fetched, unless all of a large output is being read: that would push out much
    /// else, and whoever reads so much does not wait for a disk besides.
    pub(super) fn keep(&self, held: &FetchedRange, output: u64) {
        let is_page = held.bytes <= PAGE;
        if self.room == 0 || !is_page && output > self.room / LARGE {
            return;
        }
        // It can be fetched again, whatever goes wrong here.
        if self.spool.put_page(&held.name, held.start, &held.pieces).is_ok() {
            self.kept.fetch_add(held.bytes, Ordering::Relaxed);
        }
    }
}

impl Bucket {
    /// Sees to it that what is kept has room, once in a while.
    pub(super) fn trim_page_cache(&self) {
        let PageCache { kept, asked, .. } = &self.0.page_cache;
        let new = kept.load(Ordering::Relaxed);
        // Whoever reads what is here already has changed nothing.
        if asked.swap(new, Ordering::Relaxed) == new {
            return;
        }
        if new >= LOOK_EVERY || matches!(self.0.spool.due(TURN, Duration::ZERO), Ok(Some(_))) {
            kept.store(0, Ordering::Relaxed);
            asked.store(0, Ordering::Relaxed);
            let _ = self.shrink_spool();
        }
    }

    /// Removes from this machine what is in the bucket, the least used first, until the rest has room.
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

/// What is here as well as in the bucket.
enum Copy<'a> {
    Output(&'a OutputId),
    Part(&'a crate::store::disk::Page),
}
