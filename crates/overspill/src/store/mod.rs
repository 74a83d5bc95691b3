//! Stores: the places where overspill saves whole outputs.
//!
//! Every [`Store`] has six methods. A store can add three capabilities: [`Catalog`], [`Expiry`]
//! and [`Lookup`].

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

/// A store that saves each output under an id that is never used twice.
///
/// Your own store needs only the six required methods. [`Catalog`], [`Expiry`] and [`Lookup`] are
/// optional. Call their methods on a `dyn Store`: it has defaults for a store without them.
pub trait Store: Debug + Send + Sync {
    /// Begins a new output for `call`. Readers see it after [`Draft::publish`] or [`Draft::go_live`].
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error>;

    /// Reads a range of an output. The range may end after the end of the output.
    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error>;

    /// Returns the size of an output and the time of its last use.
    fn entry(&self, name: &OutputId) -> Result<Entry, Error>;

    /// Lists the outputs of this store, in no particular order.
    fn list(&self) -> Result<Vec<Entry>, Error>;

    /// Removes an output and its record.
    fn delete(&self, name: &OutputId) -> Result<(), Error>;

    /// Marks an output as used now.
    fn touch(&self, name: &OutputId) -> Result<(), Error>;

    /// Opens an output that is a file on this machine, for callers that read the whole output.
    fn open_file(&self, _: &OutputId) -> Result<Option<File>, Error> {
        Ok(None)
    }

    /// Returns the catalog of this store, if it keeps records.
    fn catalog(&self) -> Option<&dyn Catalog> {
        None
    }

    /// Returns the expiry of this store, if it can do more than [`Store::delete`].
    fn expiry(&self) -> Option<&dyn Expiry> {
        None
    }

    /// Returns the lookup of this store, if it finds outputs and lines without reading outputs.
    fn lookup(&self) -> Option<&dyn Lookup> {
        None
    }
}

/// An output that is being written. A draft that is dropped before it is published leaves nothing.
pub trait Draft: Debug + Send {
    /// Adds bytes to the output.
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// Returns the range of the output that will not be kept, if the output is too large.
    ///
    /// The caller asks once, after the last byte.
    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        Ok(None)
    }

    /// Keeps these lines although they are in the range that will not be kept. They are in order
    /// and do not overlap.
    fn keep(&mut self, _: Vec<Excerpt>) -> Result<(), Error> {
        Ok(())
    }

    /// Tells the draft that the caller has to stop soon: publishing must not wait for a network.
    fn skip_network(&mut self) {}

    /// Gives the output its id now, so that it can be read and listed while it is written. Returns
    /// `None` if the store cannot do that.
    fn go_live(&mut self) -> Option<SpillRef> {
        None
    }

    /// Gives the complete output its id. From then on it can be read and listed.
    fn publish(self: Box<Self>) -> Result<SpillRef, Error>;
}
