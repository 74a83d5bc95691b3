//! The server that tests ask, and buckets of their own in it.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use overspill::store::object::{Address, Bucket, BucketOptions};
use overspill::store::{Disk, DiskOptions, Durability};

/// A server, and a folder of its bucket that nobody else uses.
pub(crate) struct Server {
    pub(crate) endpoint: String,
    folder: String,
    spools: tempfile::TempDir,
    next: AtomicU32,
}

impl Server {
    /// Returns the server, if there is one; otherwise says why the test sees nothing.
    pub(crate) fn find() -> Option<Server> {
        let Ok(endpoint) = std::env::var("OVERSPILL_TEST_S3") else {
            let reason =
                "skipped: OVERSPILL_TEST_S3 names no S3 server; `tools/s3 cargo test` starts one";
            let _ = writeln!(std::io::stderr(), "{reason}");
            return None;
        };
        let mut bits = [0; 8];
        getrandom::fill(&mut bits).unwrap();
        let folder = format!("test-{:016x}", u64::from_ne_bytes(bits));
        let spools = tempfile::tempdir().unwrap();
        Some(Server { endpoint, folder, spools, next: AtomicU32::default() })
    }

    /// Returns a machine with a spool of its own that shares a folder with others.
    pub(crate) fn machine(&self, folder: &str) -> Bucket {
        self.machine_by(&self.endpoint, folder, Duration::from_secs(30))
    }

    /// The same, by way of somebody else.
    pub(crate) fn machine_by(&self, endpoint: &str, folder: &str, wait: Duration) -> Bucket {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.machine_at(&format!("spool-{number}"), endpoint, folder, wait)
    }

    /// A machine whose spool is there already.
    pub(crate) fn machine_at(
        &self,
        spool: &str,
        endpoint: &str,
        folder: &str,
        upload_wait: Duration,
    ) -> Bucket {
        let durability = Durability::None;
        let options = DiskOptions { durability, keep_free: 0, ..DiskOptions::default() };
        let spool = Disk::new(self.spools.path().join(spool), options);
        let address = Address::parse(&format!("s3://fleet/{}/{folder}", self.folder)).unwrap();
        let variables = variables(endpoint);
        let options = BucketOptions { upload_wait, variables, ..BucketOptions::default() };
        Bucket::new(spool, address, options)
    }
}

pub(crate) fn variables(endpoint: &str) -> Vec<(String, String)> {
    [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_ACCESS_KEY_ID", "fleetkey"),
        ("AWS_SECRET_ACCESS_KEY", "fleetsecret"),
        ("AWS_REGION", "us-east-1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}
