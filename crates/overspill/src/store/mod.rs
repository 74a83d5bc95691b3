//! Where whole outputs are kept.
//!
//! A [`Store`] has few verbs; what can be done with them, such as sweeping, is a function over them.

mod conformance;
mod disk;
mod entry;
mod kept;
mod memory;
mod name;
mod nowhere;
#[cfg(feature = "object")]
pub mod object;
mod preview_record;
mod recent;
mod seal;

use std::fmt::Debug;
use std::fs::File;
use std::ops::Range;
use std::time::Duration;

use jiff::Timestamp;

use crate::{Call, Error};

pub use conformance::{conformance, partial_conformance};
pub use disk::{Access, Disk, DiskOptions, Durability, PathStyle};
pub use entry::{Availability, Entry, ExpiredOutput, Integrity, Kept, Record, SpillRef};
pub use kept::{KeptRange, KeptRanges, NotKept};
pub use memory::Memory;
pub(crate) use name::random;
pub use name::{Also, Missing, NamePart, NameStyle, OutputId};
pub use nowhere::Nowhere;
pub use overspill_core::Excerpt;
pub use preview_record::PreviewRecord;
pub use recent::{RecentOrder, RecentOutputs, RecentQuery};

/// Keeps outputs under names that are never used twice.
///
/// A store of your own needs the first six verbs; the others have an answer for stores that know
/// nothing beyond the bytes.
pub trait Store: Debug + Send + Sync {
    /// Begins a new output for `call`. Nobody sees it before it is published.
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error>;

    /// Reads a part of an output; what lies beyond its end is left out.
    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error>;

    /// Says how large and how old an output is.
    fn entry(&self, name: &OutputId) -> Result<Entry, Error>;

    /// Lists what is there, in no particular order, and only what is ours.
    fn list(&self) -> Result<Vec<Entry>, Error>;

    /// Removes an output, and whatever is known of it.
    fn delete(&self, name: &OutputId) -> Result<(), Error>;

    /// Marks an output as used now.
    fn touch(&self, name: &OutputId) -> Result<(), Error>;

    /// Adds what is known of an output beyond its bytes.
    fn describe(&self, _: &OutputId, _: &Record) -> Result<(), Error> {
        Ok(())
    }

    /// Returns what was last said by [`Store::describe`].
    fn record(&self, _: &OutputId) -> Result<Option<Record>, Error> {
        Ok(None)
    }

    /// Does the same for many; nothing is known of one that cannot be read.
    fn records(&self, names: &[OutputId]) -> Result<Vec<Option<Record>>, Error> {
        Ok(names.iter().map(|name| self.record(name).ok().flatten()).collect())
    }

    /// Returns which ranges of an output were kept; `None` if that is all of it, or nothing was noted
    /// when it was saved.
    fn kept_ranges(&self, _: &OutputId) -> Result<Option<KeptRanges>, Error> {
        Ok(None)
    }

    /// Opens an output that is a file, for those who read all of it.
    fn open_file(&self, _: &OutputId) -> Result<Option<File>, Error> {
        Ok(None)
    }

    /// Notes that so many bytes of an output were shown after the preview;
    /// [`Record::retrieved`] is the sum of them.
    fn retrieved(&self, _: &OutputId, _bytes: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Keeps an output from being swept, or no longer.
    fn pin(&self, _: &OutputId, _pinned: bool) -> Result<(), Error> {
        Err(Error::Unsupported { what: "pinning" })
    }

    /// Returns where line `line` begins, counted from 1, if the store knows without reading on.
    ///
    /// Of an output that was not kept whole these are the lines as they are stored.
    fn line_start(&self, _: &OutputId, _line: u64) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Returns where an output is, as it is shown: a path, or an address.
    fn place(&self, name: &OutputId) -> String {
        name.to_string()
    }

    /// Returns what time it is where the ages of outputs are noted, if that is not our own clock.
    fn time(&self) -> Result<Option<Timestamp>, Error> {
        Ok(None)
    }

    /// Lists what was used last, with what is known of each.
    ///
    /// A store of many machines lists what was saved last, and does not look at all there is.
    fn newest(&self, wanted: &RecentQuery) -> Result<RecentOutputs, Error> {
        RecentOutputs::among(self, self.list()?, wanted)
    }

    /// Returns the outputs whose names begin so, in no particular order.
    fn named(&self, start: &str) -> Result<Vec<Entry>, Error> {
        let mut entries = self.list()?;
        entries.retain(|entry| entry.name.as_str().starts_with(start));
        Ok(entries)
    }

    /// Returns the names that end so, see [`OutputId::ends_like`], in no particular order.
    ///
    /// A store of many machines looks only at what is on this one, and at what was saved lately.
    fn ending(&self, end: &str) -> Result<Vec<OutputId>, Error> {
        let names = self.list()?.into_iter().map(|entry| entry.name);
        Ok(names.filter(|name| name.ends_like(end)).collect())
    }

    /// Returns which line the byte at `place` is in, counted from 1, if the store knows without
    /// reading on.
    fn line_at(&self, _: &OutputId, _place: u64) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Tells whether an output is still what was published.
    fn check(&self, _: &OutputId) -> Result<Integrity, Error> {
        Ok(Integrity::Unknown)
    }

    /// Removes an output because its time is over, unless something has happened to it since it
    /// was listed; tells whether it did. A store that can remembers it for [`Store::gone`].
    fn expire(&self, entry: &Entry) -> Result<bool, Error> {
        let unchanged = match self.entry(&entry.name) {
            Err(Error::NotFound { .. }) => false,
            now => now? == *entry,
        };
        if !unchanged {
            return Ok(false);
        }
        match self.delete(&entry.name) {
            Err(Error::NotFound { .. }) => Ok(false),
            deleted => deleted.map(|()| true),
        }
    }

    /// Does [`Store::expire`] for many, which may cost less than one by one; answers for each.
    fn expire_all(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        entries.iter().map(|entry| self.expire(entry)).collect()
    }

    /// Returns what is remembered of an output that has expired.
    fn gone(&self, _: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        Ok(None)
    }

    /// Returns all that is remembered of outputs that have expired, the oldest first.
    fn all_gone(&self) -> Result<Vec<ExpiredOutput>, Error> {
        Ok(Vec::new())
    }

    /// Lists for a little sweep what can be listed in so much `time`, going on where the last one
    /// stopped; or `None` if there was one less than `every` ago, by anybody.
    fn due(&self, _every: Duration, _time: Duration) -> Result<Option<Vec<Entry>>, Error> {
        self.list().map(Some)
    }

    /// Returns the damage this store has met so far, one sentence for each damaged object.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Clears away what interrupted writers have left.
    fn tidy(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// An output that is being written. Dropped without being published, it leaves nothing behind.
pub trait Draft: Debug + Send {
    /// Adds to the output.
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// Returns which bytes of the output will not be kept, if it is larger than the store keeps.
    ///
    /// Called once, after the last byte.
    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        Ok(None)
    }

    /// Keeps these lines although they are in the hole. They are in order and do not overlap.
    fn keep(&mut self, _: Vec<Excerpt>) -> Result<(), Error> {
        Ok(())
    }

    /// Says that whoever is to get the answer was asked to end, and may not wait for a network.
    fn skip_network(&mut self) {}

    /// Gives the complete output its name; from now on it can be read and listed.
    fn publish(self: Box<Self>) -> Result<SpillRef, Error>;
}
