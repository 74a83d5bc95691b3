//! The trait for stores that remove expired outputs efficiently and protect pinned ones.

use std::time::Duration;

use jiff::Timestamp;

use super::{Entry, OutputId, Store};
use crate::Error;

/// A store that removes outputs in a better way than one [`Store::delete`] after the other.
///
/// No method returns text of an output or a command.
pub trait Expiry: Store {
    /// Protects an output from expiring, or ends the protection.
    fn pin(&self, _: &OutputId, _pinned: bool) -> Result<(), Error> {
        Err(Error::Unsupported { what: "pinning" })
    }

    /// Removes the outputs that have not changed since they were listed. Returns for each output
    /// whether it was removed. A store with a catalog remembers the removed outputs for
    /// [`Catalog::expired`](super::Catalog::expired).
    fn expire(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        entries.iter().map(|entry| expire_unchanged(self, entry)).collect()
    }

    /// Lists outputs for a short sweep: as many as `time` allows, from the place where the last
    /// sweep stopped. Returns `None` if a process swept less than `every` ago.
    fn due(&self, _every: Duration, _time: Duration) -> Result<Option<Vec<Entry>>, Error> {
        self.list().map(Some)
    }

    /// Removes the files that interrupted writers left.
    fn tidy(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the time of the clock that dates the outputs, if this is not the local clock.
    fn time(&self) -> Result<Option<Timestamp>, Error> {
        Ok(None)
    }
}

/// The methods of [`Expiry`], for every store. A store without them has no pins, and its outputs
/// expire one by one.
impl dyn Store + '_ {
    /// See [`Expiry::pin`].
    pub fn pin(&self, name: &OutputId, pinned: bool) -> Result<(), Error> {
        let expiry = self.expiry().ok_or(Error::Unsupported { what: "pinning" })?;
        expiry.pin(name, pinned)
    }

    /// See [`Expiry::expire`].
    pub fn expire(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        match self.expiry() {
            Some(expiry) => expiry.expire(entries),
            None => entries.iter().map(|entry| expire_unchanged(self, entry)).collect(),
        }
    }

    /// See [`Expiry::due`].
    pub fn due(&self, every: Duration, time: Duration) -> Result<Option<Vec<Entry>>, Error> {
        self.expiry().map_or_else(|| self.list().map(Some), |it| it.due(every, time))
    }

    /// See [`Expiry::tidy`].
    pub fn tidy(&self) -> Result<(), Error> {
        self.expiry().map_or(Ok(()), |it| it.tidy())
    }

    /// See [`Expiry::time`].
    pub fn time(&self) -> Result<Option<Timestamp>, Error> {
        self.expiry().map_or(Ok(None), |it| it.time())
    }
}

fn expire_unchanged(store: &(impl Store + ?Sized), entry: &Entry) -> Result<bool, Error> {
    let deleted = match store.entry(&entry.name) {
        Ok(now) if now != *entry => return Ok(false),
        Ok(_) => store.delete(&entry.name),
        Err(error) => Err(error),
    };
    match deleted {
        Err(Error::NotFound { .. }) => Ok(false),
        deleted => deleted.map(|()| true),
    }
}
