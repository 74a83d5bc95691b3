//! Implement `Store` and `Draft`. This store keeps outputs in a map and hands out addresses instead
//! of paths. A database or a service can take the place of the map. `conformance` checks the store.
//!
//! `cargo run -p overspill --example how_do_i_keep_outputs_in_my_own_store`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use overspill::store::{Draft, Entry, Kept, OutputId, SpillRef, Store, conformance};
use overspill::{Call, Error, Overspill};

/// Outputs by name, with the time of their last use.
type Shelf = Arc<Mutex<BTreeMap<OutputId, (Vec<u8>, Timestamp)>>>;

#[derive(Debug, Clone, Default)]
struct Service {
    shelf: Shelf,
}

#[derive(Debug)]
struct Upload {
    shelf: Shelf,
    bytes: Vec<u8>,
}

fn lock(shelf: &Shelf) -> MutexGuard<'_, BTreeMap<OutputId, (Vec<u8>, Timestamp)>> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Draft for Upload {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let mut shelf = lock(&self.shelf);
        let taken = Error::Other("every name is taken".into());
        let mut free = (0..).filter_map(|n| OutputId::parse(&format!("output-{n}")));
        let name = free.find(|name| !shelf.contains_key(name)).ok_or(taken)?;
        shelf.insert(name.clone(), (self.bytes, Timestamp::now()));
        let path = format!("https://outputs.example/{name}");
        Ok(SpillRef::new(name, path, Kept::Whole))
    }
}

impl Service {
    fn with<T>(
        &self,
        name: &OutputId,
        f: impl FnOnce(&mut (Vec<u8>, Timestamp)) -> T,
    ) -> Result<T, Error> {
        lock(&self.shelf).get_mut(name).map(f).ok_or_else(|| Error::NotFound { name: name.clone() })
    }
}

fn entry(name: &OutputId, (bytes, used): &(Vec<u8>, Timestamp)) -> Entry {
    Entry { name: name.clone(), bytes: bytes.len() as u64, used: *used, pinned: false }
}

impl Store for Service {
    fn create(&self, _: &Call) -> Result<Box<dyn Draft>, Error> {
        Ok(Box::new(Upload { shelf: self.shelf.clone(), bytes: Vec::new() }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.with(name, |(bytes, _)| {
            let end = range.end.min(bytes.len() as u64);
            bytes[range.start.min(end) as usize..end as usize].to_vec()
        })
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        self.with(name, |output| entry(name, output))
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        Ok(lock(&self.shelf).iter().map(|(name, output)| entry(name, output)).collect())
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        let removed = lock(&self.shelf).remove(name);
        removed.map(drop).ok_or_else(|| Error::NotFound { name: name.clone() })
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        self.with(name, |(_, used)| *used = Timestamp::now())
    }
}

/// Runs the example.
pub fn main() {
    // The suite that our own stores pass.
    conformance(|| Arc::new(Service::default()));

    let overspill = Overspill::builder().store(Service::default()).max_lines(10).build();
    let output = "one more line\n".repeat(3000);
    let outcome = overspill.process(output.as_bytes(), &Call::new("bash"));
    println!("{}", outcome.text());
    let address = outcome.saved().map(|saved| saved.path.as_str());
    assert_eq!(address, Some("https://outputs.example/output-0"));
}
