//! The bucket over an object store in memory.

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

    /// Returns a machine with a spool of its own, of the prefix `outputs` and the tenant `all`.
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

    /// Returns every key of the bucket.
    fn keys(&self) -> Vec<String> {
        let listed = self.server.list(None).map_ok(|meta| meta.location.to_string());
        self.runtime.block_on(listed.try_collect()).unwrap()
    }

    /// Forgets the gets so far.
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

/// Returns a name of our own form that no output has.
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
