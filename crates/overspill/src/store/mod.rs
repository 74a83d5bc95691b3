//! Saves whole outputs.
//!
//! A [`Store`] has six verbs, and up to three capabilities: [`Catalog`], [`Expiry`] and [`Lookup`].

#[cfg(feature = "bucket")]
pub mod bucket;
pub(crate) mod catalog;
pub(crate) mod conformance;
pub(crate) mod disk;
pub(crate) mod entry;
pub(crate) mod expiry;
pub(crate) mod kept;
mod lines;
pub(crate) mod lookup;
mod memory;
pub(crate) mod name;
pub(crate) mod nowhere;
pub(crate) mod preview_record;
pub(crate) mod read_ranges;
pub(crate) mod recent;
mod seal;
pub(crate) mod sent_text;

use std::fmt::Debug;
use std::fs::File;
use std::ops::Range;

use crate::{Call, Error};

pub use conformance::conformance;
pub use disk::{Disk, DiskOptions, Durability};
pub use entry::{Entry, Kept, SpillRef};
pub use memory::Memory;
pub use name::OutputId;

pub(crate) use catalog::Catalog;
pub(crate) use disk::{Access, PathStyle};
pub(crate) use entry::{Availability, ExpiredOutput, Integrity, Record};
pub(crate) use expiry::Expiry;
pub(crate) use kept::{KeptRange, KeptRanges, NotKept};
pub(crate) use lookup::Lookup;
pub(crate) use name::{Also, Missing, NamePart, NameStyle, random};
pub(crate) use nowhere::Nowhere;
pub(crate) use overspill_core::internal::Excerpt;
pub(crate) use preview_record::PreviewRecord;
pub(crate) use recent::{RecentOutputs, RecentQuery};
pub(crate) use sent_text::SentText;

/// Saves outputs under ids that are never used twice.
///
/// A store of your own needs the six verbs. [`Catalog`], [`Expiry`] and [`Lookup`] are what some stores can do
/// besides. Call their methods on a `dyn Store`: it answers for a store that has none of them.
pub trait Store: Debug + Send + Sync {
    /// Begins a new output for `call`. Nobody sees it before it is published.
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error>;

    /// Reads a range of an output. The range may end after the output does.
    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error>;

    /// Returns the size of an output and the time of its last use.
    fn entry(&self, name: &OutputId) -> Result<Entry, Error>;

    /// Lists the outputs of this store, in no particular order.
    fn list(&self) -> Result<Vec<Entry>, Error>;

    /// Removes an output and everything the store knows of it.
    fn delete(&self, name: &OutputId) -> Result<(), Error>;

    /// Marks an output as used now.
    fn touch(&self, name: &OutputId) -> Result<(), Error>;

    /// Opens an output that is a file on this machine, for callers that read all of it.
    fn open_file(&self, _: &OutputId) -> Result<Option<File>, Error> {
        Ok(None)
    }

    /// Returns the records of this store, if it keeps any.
    fn catalog(&self) -> Option<&dyn Catalog> {
        None
    }

    /// Returns how this store removes outputs, if it does more than [`Store::delete`].
    fn expiry(&self) -> Option<&dyn Expiry> {
        None
    }

    /// Returns what this store finds without reading outputs, if it finds anything.
    fn lookup(&self) -> Option<&dyn Lookup> {
        None
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

    /// Says that the caller was asked to end: publishing must not wait for a network.
    fn skip_network(&mut self) {}

    /// Gives the output its id now, so that it can be read and listed while it is written. Returns `None` if
    /// the store cannot do that.
    fn go_live(&mut self) -> Option<SpillRef> {
        None
    }

    /// Gives the complete output its id; from now on it can be read and listed.
    fn publish(self: Box<Self>) -> Result<SpillRef, Error>;
}
