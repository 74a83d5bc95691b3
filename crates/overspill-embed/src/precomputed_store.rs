//! A store whose answers were fetched in advance, for a store that answers asynchronously, such as
//! by a promise.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use overspill::internal::store::Expiry;
use overspill::store::{Draft, Entry, OutputId, SpillRef, Store};
use overspill::{Call, Error};
use serde_json::Value;

use crate::callback_store::{entry_of, saved_as};

/// A store that returns the answers that it was made with.
#[derive(Debug, Default)]
pub struct PrecomputedStore {
    /// The saved output, or the reason why it could not be saved.
    saved: Option<Result<SpillRef, String>>,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    is_asked: AtomicBool,
    deleted: Mutex<Vec<String>>,
}

impl PrecomputedStore {
    /// Reads the answers: `saved` or `saveError` of saving, and `entries` of the list. `bytes` is
    /// the output that is read.
    pub fn of(answers: &Value, bytes: Vec<u8>) -> Result<PrecomputedStore, Error> {
        let saved = match (answers.get("saved"), answers.get("saveError")) {
            (_, Some(reason)) => Some(Err(reason.as_str().unwrap_or_default().to_owned())),
            (Some(saved), None) => Some(saved_as(saved).map_err(|error| error.to_string())),
            (None, None) => None,
        };
        let entries = answers.get("entries").and_then(Value::as_array);
        let entries = entries.into_iter().flatten().map(entry_of).collect::<Result<_, _>>()?;
        Ok(PrecomputedStore { saved, entries, bytes, ..PrecomputedStore::default() })
    }

    /// Tells whether an output had to be saved but no answer was given for it.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// Returns the ids that had to be deleted.
    pub fn deleted(&self) -> Vec<String> {
        self.deleted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Store for PrecomputedStore {
    fn create(&self, _: &Call) -> Result<Box<dyn Draft>, Error> {
        match &self.saved {
            Some(Ok(saved)) => Ok(Box::new(PrecomputedDraft(saved.clone()))),
            Some(Err(reason)) => Err(Error::Other(reason.clone().into())),
            None => {
                self.is_asked.store(true, Ordering::Relaxed);
                Err(Error::Other("the answer of the store is missing".into()))
            }
        }
    }

    fn read(&self, _: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(self.bytes.len());
        Ok(self.bytes[at(range.start)..at(range.end).max(at(range.start))].to_vec())
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        let found = self.entries.iter().find(|entry| entry.name == *name);
        found.cloned().ok_or_else(|| Error::NotFound { name: name.clone() })
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        Ok(self.entries.clone())
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        self.deleted.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_string());
        Ok(())
    }

    fn touch(&self, _: &OutputId) -> Result<(), Error> {
        Ok(())
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        Some(self)
    }
}

impl Expiry for PrecomputedStore {
    fn due(&self, _: Duration, _: Duration) -> Result<Option<Vec<Entry>>, Error> {
        // Listing may be slow, so a call never sweeps. Users can call `sweep`.
        Ok(None)
    }
}

/// An output that is saved already.
#[derive(Debug)]
struct PrecomputedDraft(SpillRef);

impl Draft for PrecomputedDraft {
    fn append(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        Ok(self.0)
    }
}
