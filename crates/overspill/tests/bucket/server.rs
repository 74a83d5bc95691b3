//! The server of the tests, and machines that share folders in its bucket.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use overspill::internal::store::bucket::Provider;
use overspill::store::bucket::{Address, Bucket, BucketOptions};
use overspill::store::{Disk, DiskOptions, Durability};

use crate::fault::{Fault, FaultServer};

/// A server, and a folder of its bucket that no other test uses.
pub(crate) struct Server {
    pub(crate) endpoint: String,
    provider: Provider,
    folder: String,
    spools: tempfile::TempDir,
    next: AtomicU32,
}

impl Server {
    /// Returns the S3 server, if there is one. Otherwise prints why the test is skipped.
    pub(crate) fn find() -> Option<Server> {
        Some(Server::at(Provider::S3, endpoint("OVERSPILL_TEST_S3")?))
    }

    /// Returns a server of every kind that is available. No server speaks Google's dialect of S3,
    /// so a proxy translates the differences.
    pub(crate) fn all() -> Vec<Server> {
        let s3 = endpoint("OVERSPILL_TEST_S3");
        let google = s3.as_ref().map(|s3| FaultServer::before(s3, Fault::Google).endpoint);
        let all = [
            (Provider::S3, s3),
            (Provider::Azure, endpoint("OVERSPILL_TEST_AZURE")),
            (Provider::Google, google),
        ];
        all.into_iter().filter_map(|(provider, at)| Some(Server::at(provider, at?))).collect()
    }

    fn at(provider: Provider, endpoint: String) -> Server {
        let mut bits = [0; 8];
        getrandom::fill(&mut bits).unwrap();
        let folder = format!("test-{:016x}", u64::from_ne_bytes(bits));
        let spools = tempfile::tempdir().unwrap();
        Server { endpoint, provider, folder, spools, next: AtomicU32::default() }
    }

    /// Returns a machine with its own spool that shares a folder with other machines.
    pub(crate) fn machine(&self, folder: &str) -> Bucket {
        self.machine_by(&self.endpoint, folder, Duration::from_secs(30))
    }

    /// Returns such a machine that reaches the server through a proxy.
    pub(crate) fn machine_by(&self, endpoint: &str, folder: &str, wait: Duration) -> Bucket {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.machine_at(&format!("spool-{number}"), endpoint, folder, wait)
    }

    /// Returns a machine with an existing spool.
    pub(crate) fn machine_at(
        &self,
        spool: &str,
        endpoint: &str,
        folder: &str,
        upload_wait: Duration,
    ) -> Bucket {
        self.machine_with(
            spool,
            endpoint,
            folder,
            BucketOptions { upload_wait, ..BucketOptions::default() },
        )
    }

    /// Returns a machine with a cache of this number of bytes.
    pub(crate) fn machine_keeping(&self, spool: &str, folder: &str, cache: u64) -> Bucket {
        let options = BucketOptions { cache, ..BucketOptions::default() };
        self.machine_with(spool, &self.endpoint, folder, options)
    }

    /// Returns the files of a machine's page cache.
    pub(crate) fn pages(&self, spool: &str) -> Vec<PathBuf> {
        let pages = self.spools.path().join(spool).join(".overspill/pages");
        let files = pages.read_dir().into_iter().flatten();
        files.map(|entry| entry.unwrap().path()).collect()
    }

    /// Returns a machine with its own options.
    pub(crate) fn machine_with(
        &self,
        spool: &str,
        endpoint: &str,
        folder: &str,
        options: BucketOptions,
    ) -> Bucket {
        self.machine_capped(spool, endpoint, folder, options, DiskOptions::default())
    }

    /// Returns a machine with its own options for the bucket and for the spool.
    pub(crate) fn machine_capped(
        &self,
        spool: &str,
        endpoint: &str,
        folder: &str,
        options: BucketOptions,
        disk: DiskOptions,
    ) -> Bucket {
        let durability = Durability::None;
        let disk = DiskOptions { durability, keep_free: 0, ..disk };
        let spool = Disk::new(self.spools.path().join(spool), disk);
        let (scheme, bucket) = match self.provider {
            Provider::Google => ("gs", "google"),
            provider => (provider.scheme(), "fleet"),
        };
        let address = format!("{scheme}://{bucket}/{}/{folder}", self.folder);
        let address = Address::parse(&address).unwrap();
        let variables = match self.provider {
            Provider::S3 => variables(endpoint),
            Provider::Azure => {
                let known = format!(
                    "AccountName=devstoreaccount1;AccountKey={AZURITE};BlobEndpoint={endpoint}"
                );
                vec![("AZURE_STORAGE_CONNECTION_STRING".to_owned(), known)]
            }
            Provider::Google => vec![("STORAGE_EMULATOR_HOST".to_owned(), endpoint.to_owned())],
        };
        Bucket::new(spool, address, BucketOptions { variables, ..options })
    }
}

/// The key of the default account of Azurite, from its manual.
const AZURITE: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

fn endpoint(variable: &str) -> Option<String> {
    let endpoint = std::env::var(variable).ok();
    if endpoint.is_none() {
        let reason =
            format!("skipped: {variable} names no server; `tools/buckets cargo test` starts one");
        let _ = writeln!(std::io::stderr(), "{reason}");
    }
    endpoint
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
