//! A store that keeps outputs in memory, for tests and for agents that need outputs only while
//! they run.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::{
    Catalog, Draft, Entry, Expiry, Kept, NameStyle, OutputId, Record, SpillRef, Store, read_ranges,
};
use crate::{Call, Clock, Error};

/// A store that keeps outputs in memory.
#[derive(Debug, Clone)]
pub struct Memory {
    names: NameStyle,
    clock: Clock,
    outputs: Arc<Mutex<HashMap<OutputId, Output>>>,
}

#[derive(Debug)]
struct Output {
    bytes: Vec<u8>,
    used: Timestamp,
    pinned: bool,
    record: Option<Record>,
}

impl Memory {
    /// Returns an empty store.
    pub fn new(names: NameStyle, clock: Clock) -> Memory {
        Memory { names, clock, outputs: Arc::default() }
    }

    fn outputs(&self) -> MutexGuard<'_, HashMap<OutputId, Output>> {
        // A panic under the lock leaves the map intact, so a poisoned lock is safe to use.
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, name: &OutputId, use_it: impl FnOnce(&mut Output) -> T) -> Result<T, Error> {
        let mut outputs = self.outputs();
        let output = outputs.get_mut(name).ok_or_else(|| Error::NotFound { name: name.clone() })?;
        Ok(use_it(output))
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new(NameStyle::OWN, Clock::default())
    }
}

impl Store for Memory {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        Ok(Box::new(MemoryDraft { store: self.clone(), call: call.clone(), bytes: Vec::new() }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.with(name, |output| {
            let end = range.end.min(output.bytes.len() as u64);
            let start = range.start.min(end);
            output.bytes[start as usize..end as usize].to_vec()
        })
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        self.with(name, |output| output.entry(name))
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        Ok(self.outputs().iter().map(|(name, output)| output.entry(name)).collect())
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        let removed = self.outputs().remove(name);
        removed.map(drop).ok_or_else(|| Error::NotFound { name: name.clone() })
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        let now = self.clock.now().timestamp();
        self.with(name, |output| output.used = now)
    }

    fn catalog(&self) -> Option<&dyn Catalog> {
        Some(self)
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        Some(self)
    }
}

impl Catalog for Memory {
    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        self.with(name, |output| {
            let (retrieved, read_later) =
                output.record.as_ref().map_or_else(Default::default, |record| {
                    (record.retrieved, record.read_later.clone())
                });
            output.record = Some(Record { retrieved, read_later, ..record.clone() });
        })
    }

    fn record(&self, name: &OutputId) -> Result<Option<Record>, Error> {
        self.with(name, |output| output.record.clone())
    }

    fn retrieved(&self, name: &OutputId, bytes: u64, parts: &[Range<u64>]) -> Result<(), Error> {
        self.with(name, |output| {
            if let Some(record) = &mut output.record {
                record.retrieved += bytes;
                let all = record.read_later.iter().chain(parts).cloned();
                record.read_later = read_ranges::merged(all.collect());
            }
        })
    }
}

impl Expiry for Memory {
    fn pin(&self, name: &OutputId, pinned: bool) -> Result<(), Error> {
        self.with(name, |output| output.pinned = pinned)
    }
}

impl Output {
    fn entry(&self, name: &OutputId) -> Entry {
        let bytes = self.bytes.len() as u64;
        Entry { name: name.clone(), bytes, used: self.used, pinned: self.pinned }
    }
}

#[derive(Debug)]
struct MemoryDraft {
    store: Memory,
    call: Call,
    bytes: Vec<u8>,
}

impl Draft for MemoryDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let now = self.store.clock.now();
        let mut outputs = self.store.outputs();
        let mut attempt = 0;
        let name = loop {
            let name = self.store.names.draw(&self.call, &now, attempt)?;
            if !outputs.contains_key(&name) {
                break name;
            }
            attempt += 1;
        };
        let output =
            Output { bytes: self.bytes, used: now.timestamp(), pinned: false, record: None };
        outputs.insert(name.clone(), output);
        let path = format!("memory:{}", self.store.names.file_of(&name));
        Ok(SpillRef::new(name, path, Kept::Whole))
    }
}
