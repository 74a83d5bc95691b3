//! Tests of the bucket with an object store in memory.

mod hostile;
mod masked;
mod memory;
mod silent;
mod upgrade;
mod writers;

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use self::memory::MemoryServer;
use super::layout::{Layout, day_of};
use super::remote::Remote;
use super::{Address, Bucket, BucketOptions};
use crate::Call;
use crate::store::{Catalog, Disk, DiskOptions, Durability, OutputId, Record, Store, random};

/// A bucket in memory and the machines that share it.
struct Fleet {
    server: MemoryServer,
    spools: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Fleet {
    fn new() -> Fleet {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Fleet { server: MemoryServer::default(), spools: tempfile::tempdir().unwrap(), runtime }
    }

    /// Returns a machine with its own spool, for the prefix `outputs` and the tenant `all`.
    fn machine(&self) -> Bucket {
        self.machine_of("me")
    }

    /// Returns a machine whose records have this writer.
    fn machine_of(&self, writer: &str) -> Bucket {
        let disk =
            DiskOptions { durability: Durability::None, keep_free: 0, ..DiskOptions::default() };
        let spool = self.spools.path().join(random(8).unwrap());
        let address = Address::parse("s3://team/outputs").unwrap();
        let layout = Layout::new(&address.prefix, "all");
        let remote = Remote::new(address, Vec::new()).with_server(Arc::new(self.server.clone()));
        remote.seen.set_ahead(0);
        let (upload_wait, writer) = (Duration::from_secs(30), Some(writer.to_owned()));
        let options = BucketOptions { upload_wait, writer, ..BucketOptions::default() };
        Bucket::over(Disk::new(spool, disk), layout, remote, options)
    }

    /// Returns a machine for which the server's clock is this many days ahead.
    fn machine_days_later(&self, days: i64) -> Bucket {
        let machine = self.machine();
        machine.0.remote.seen.set_ahead(days * 24 * 60 * 60);
        machine
    }

    fn put(&self, key: &str, bytes: impl Into<Vec<u8>>) {
        let bytes: Vec<u8> = bytes.into();
        self.runtime.block_on(self.server.put(&Path::from(key), bytes.into())).unwrap();
    }

    fn get(&self, key: &str) -> Vec<u8> {
        let got = self.runtime.block_on(self.server.get(&Path::from(key))).unwrap();
        self.runtime.block_on(got.bytes()).unwrap().to_vec()
    }

    fn has(&self, key: &str) -> bool {
        self.runtime.block_on(self.server.head(&Path::from(key))).is_ok()
    }

    /// Returns all keys of the bucket.
    fn keys(&self) -> Vec<String> {
        let listed = self.server.list(None).map_ok(|meta| meta.location.to_string());
        self.runtime.block_on(listed.try_collect()).unwrap()
    }

    /// Forgets the get requests so far.
    fn forget_gets(&self) {
        self.server.gets.lock().unwrap().clear();
    }

    /// Returns the keys that were read since the last [`Fleet::forget_gets`].
    fn gets(&self) -> Vec<String> {
        self.server.gets.lock().unwrap().iter().map(|(key, _)| key.clone()).collect()
    }
}

fn save(bucket: &Bucket, bytes: &[u8]) -> OutputId {
    let call = Call::new("bash");
    let mut draft = bucket.create(&call).unwrap();
    draft.append(bytes).unwrap();
    let saved = draft.publish().unwrap();
    let record = Record { call, bytes: bytes.len() as u64, lines: 1, ..Record::default() };
    bucket.describe(&saved.id, &record).unwrap();
    saved.id
}

fn record_key(name: &OutputId) -> String {
    format!("outputs/all/v1/records/{name}")
}

fn output_key(name: &OutputId) -> String {
    format!("outputs/all/v1/outputs/{}/unknown/bash/{name}.txt", day_of(name))
}

/// Returns an id in overspill's own form that no output has.
fn unused_name() -> OutputId {
    let now = jiff::Timestamp::now().as_millisecond() as u64;
    let bits = u128::from(
        random(12)
            .unwrap()
            .bytes()
            .fold(1_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))),
    );
    OutputId::parse(&ulid::Ulid::from_parts(now, bits).to_string()).unwrap()
}

/// Replaces a text by another one of the same length.
fn replaced(mut bytes: Vec<u8>, old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, old).collect();
    for at in places {
        bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    }
    bytes
}

/// Saves an output, changes its id and its keys to an age of this many days, and returns the id.
fn saved_days_ago(fleet: &Fleet, days: u64) -> OutputId {
    let name = save(&fleet.machine(), b"line\n");
    let time = name.time().unwrap().as_millisecond() as u64 - days * 24 * 60 * 60 * 1_000;
    let random = ulid::Ulid::from_string(name.as_str()).unwrap().random();
    let older = OutputId::parse(&ulid::Ulid::from_parts(time, random).to_string()).unwrap();
    let record = replaced(fleet.get(&record_key(&name)), name.as_str(), older.as_str());
    let record = replaced(record, &day_of(&name).to_string(), &day_of(&older).to_string());
    fleet.put(&record_key(&older), record);
    fleet.put(&output_key(&older), fleet.get(&output_key(&name)));
    fleet.machine().delete(&name).unwrap();
    older
}

#[test]
fn short_id_is_found_on_every_day_of_the_bucket() {
    let fleet = Fleet::new();
    let names = [1, 2, 3, 4, 40].map(|days| saved_days_ago(&fleet, days));
    let store: Arc<dyn Store> = Arc::new(fleet.machine());
    for name in &names {
        assert_eq!(store.ending(&name.short_id()).unwrap(), std::slice::from_ref(name));
    }
}
