//! A store in a bucket that many machines share: S3 and compatible servers, Azure, Google.
//!
//! overspill saves an output on this machine first, in the spool, and then sends it. The call waits
//! for the upload for a limited time. An output that is not in the bucket by then is sent later.
//!
//! ```no_run
//! use overspill::store::{Disk, DiskOptions, bucket::{Address, Bucket, BucketOptions}};
//!
//! let spool = Disk::new("/var/lib/agent/spool", DiskOptions::default());
//! let address = Address::parse("s3://team/outputs").expect("an address");
//! let variables = std::env::vars().filter(|(name, _)| name.starts_with("AWS_")).collect();
//! let bucket = Bucket::new(spool, address, BucketOptions { variables, ..BucketOptions::default()
//! });
//! ```

pub(crate) mod address;
mod bucket_record;
mod catalog;
pub(crate) mod check;
mod connect;
mod damage;
mod draft;
mod expiry;
mod failure;
mod fetch;
mod found;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod http;
mod layout;
mod lifecycle;
mod listing;
mod lookup;
mod page_cache;
mod proxy;
pub(crate) mod remote;
#[cfg(test)]
mod tests;
pub(crate) mod upload;
mod watch;

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use object_store::PutMode;
use object_store::path::Path;

use self::damage::Damage;
use self::draft::BucketDraft;
use self::failure::Failure;
use self::fetch::{Fetch, Object};
use self::found::{FoundObject, Known};
use self::layout::{Layout, Mark};
use self::page_cache::PageCache;
use self::remote::{Remote, Traffic};
use super::{Catalog, Disk, Draft, Entry, Expiry, Lookup, OutputId, Store};
use crate::{Call, Clock, Error};

pub use address::Address;

/// Reading an output writes a new use mark if the last use mark is older than this.
const USED_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// A store that saves outputs in a bucket, and on this machine until they are in the bucket.
#[derive(Debug, Clone)]
pub struct Bucket(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    spool: Disk,
    layout: Layout,
    remote: Remote,
    clock: Clock,
    writer: Option<String>,
    upload_wait: Duration,
    page_cache: PageCache,
    fetch: Mutex<Fetch>,
    known: Mutex<HashMap<OutputId, Known>>,
    /// The time of the last unanswered request about an output that is also on this machine.
    silent: Mutex<Option<Instant>>,
    /// The keys of the outputs that were listed last.
    places: Mutex<HashMap<OutputId, Path>>,
    /// The time until which the records of outputs that were just saved can be sent.
    deadlines: Mutex<HashMap<OutputId, Instant>>,
    /// The damaged objects that requests met.
    damage: Damage,
}

/// The options of a [`Bucket`].
#[derive(Clone)]
pub struct BucketOptions {
    /// The owner of the outputs. Every tenant has its own folder.
    pub tenant: String,
    /// The time for which a call may wait for its upload.
    pub upload_wait: Duration,
    /// The largest number of bytes on this machine for copies of objects in the bucket.
    pub cache: u64,
    /// Variables with the names that the provider's own programs use: region, account, endpoint,
    /// credentials. Also the variables of a proxy, such as `HTTPS_PROXY` and `NO_PROXY`.
    pub variables: Vec<(String, String)>,
    /// The setting behind each variable, so that errors can name the setting: pairs of variable
    /// and setting.
    pub setting_names: Vec<(String, String)>,
    /// The reason why the server must not be contacted, if there is one. Outputs wait in the spool.
    pub blocked: Option<String>,
    /// The name of this user on this machine. Records in the bucket contain it, see
    /// [`Record::saved_elsewhere`].
    ///
    /// [`Record::saved_elsewhere`]: crate::store::Record::saved_elsewhere
    pub writer: Option<String>,
    /// The clock that dates the outputs.
    pub clock: Clock,
}

impl Default for BucketOptions {
    /// Returns the defaults: the tenant `all`, a wait of five seconds, 1 GiB of copies, no
    /// variables, no writer, the system's clock.
    fn default() -> BucketOptions {
        BucketOptions {
            tenant: "all".into(),
            upload_wait: Duration::from_secs(5),
            cache: 1 << 30,
            variables: Vec::new(),
            setting_names: Vec::new(),
            blocked: None,
            writer: None,
            clock: Clock::default(),
        }
    }
}

/// Leaves out the variables, because they contain credentials.
impl std::fmt::Debug for BucketOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BucketOptions")
            .field("tenant", &self.tenant)
            .field("upload_wait", &self.upload_wait)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

impl Bucket {
    /// Returns a store in a bucket. `spool` is a directory for this bucket and tenant only.
    /// [`Address::spool`] returns a name for it.
    ///
    /// This function sends no request.
    pub fn new(spool: Disk, address: Address, options: BucketOptions) -> Bucket {
        let layout = Layout::new(&address.prefix, &options.tenant);
        let mut remote = Remote::new(address, options.variables.clone());
        remote.setting_names = options.setting_names.clone();
        remote.blocked = options.blocked.clone();
        Bucket::over(spool, layout, remote, options)
    }

    /// Returns a store that uses the server behind `remote`.
    fn over(spool: Disk, layout: Layout, remote: Remote, options: BucketOptions) -> Bucket {
        let BucketOptions { upload_wait, cache, clock, writer, .. } = options;
        let page_cache = PageCache::new(spool.clone(), cache);
        let (fetch, known, silent, places, deadlines, damage) = Default::default();
        Bucket(Arc::new(Inner {
            spool,
            layout,
            remote,
            clock,
            writer,
            upload_wait,
            page_cache,
            fetch,
            known,
            silent,
            places,
            deadlines,
            damage,
        }))
    }

    /// Returns the address of the bucket.
    pub fn address(&self) -> &Address {
        self.0.remote.address()
    }

    /// Returns the folder that contains all objects of the tenant.
    pub fn folder(&self) -> String {
        self.0.layout.at("").to_string()
    }

    /// Returns the number of requests and received bytes so far.
    pub fn traffic(&self) -> Traffic {
        let seen = &self.0.remote.seen;
        let (requests, received) = (&seen.requests, &seen.received);
        Traffic {
            requests: requests.load(Ordering::Relaxed),
            received: received.load(Ordering::Relaxed),
        }
    }

    fn failed(&self, failure: Failure) -> Error {
        Error::Bucket { address: self.address().to_string(), reason: failure.to_string() }
    }

    fn failed_at(&self, name: &OutputId, failure: Failure) -> Error {
        match failure {
            Failure::NotFound => {
                self.forget(name);
                Error::NotFound { name: name.clone() }
            }
            failure => self.failed(failure),
        }
    }

    fn writer(&self) -> Option<&str> {
        self.0.writer.as_deref()
    }

    fn fetch(&self) -> MutexGuard<'_, Fetch> {
        self.0.fetch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<OutputId, Known>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn places(&self) -> MutexGuard<'_, HashMap<OutputId, Path>> {
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deadlines(&self) -> MutexGuard<'_, HashMap<OutputId, Instant>> {
        self.0.deadlines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, name: &OutputId) {
        self.known().remove(name);
        self.fetch().forget(name);
    }

    /// Tells whether an output is on this machine only.
    fn is_unsent(&self, name: &OutputId) -> bool {
        !self.0.spool.is_sent(name) && self.0.spool.entry(name).is_ok()
    }

    fn read_found(&self, found: &FoundObject, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let name = &found.entry.name;
        let end = range.end.min(found.entry.bytes);
        let start = range.start.min(end);
        let object = Object { name, key: &found.key, bytes: found.entry.bytes };
        let read = self.fetch().read(&self.0.remote, &self.0.page_cache, &object, start..end);
        self.trim_page_cache();
        read.map_err(|failure| self.failed_at(name, failure))
    }
}

impl Store for Bucket {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        let spooled = self.0.spool.create(call)?;
        let (bucket, call, wait) = (self.clone(), call.clone(), self.0.upload_wait);
        Ok(Box::new(BucketDraft { bucket, call, spooled, wait }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        match self.0.spool.read(name, range.clone()) {
            Err(Error::NotFound { .. }) => self.read_found(&self.found(name)?, range),
            read => read,
        }
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        if self.is_unsent(name) {
            return self.0.spool.entry(name);
        }
        let Ok(here) = self.0.spool.entry(name) else { return Ok(self.found(name)?.entry) };
        match self.found_soon(name) {
            Ok(found) => Ok(found.entry),
            // An output on this machine can be read without the bucket.
            Err(Error::Bucket { .. }) => Ok(here),
            Err(error) => Err(error),
        }
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        self.list_all()
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        if self.is_unsent(name) {
            return self.0.spool.delete(name);
        }
        let removed = match self.found(name) {
            Ok(found) => self.remove(vec![(found.key, name.clone())]),
            // The key of the record is certain. The object that the record names is not touched.
            Err(Error::Damaged { .. }) => self.remove_known(std::slice::from_ref(name)),
            Err(error) => return Err(error),
        };
        removed.map_err(|failure| self.failed(failure))
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        if self.is_unsent(name) {
            return self.0.spool.touch(name);
        }
        let found = match self.0.spool.touch(name) {
            Ok(()) => self.found_soon(name)?,
            Err(_) => self.found(name)?,
        };
        let now = self.0.remote.time().unwrap_or_else(|| self.0.clock.now().timestamp());
        if now.duration_since(found.entry.used) < USED_EVERY {
            return Ok(());
        }
        self.known().remove(name);
        let path = self.0.layout.mark(Mark::Used, name);
        let put = self.0.remote.put(&path, Vec::new(), PutMode::Overwrite);
        put.map_err(|failure| self.failed(failure))
    }

    fn open_file(&self, name: &OutputId) -> Result<Option<File>, Error> {
        match self.0.spool.open_file(name) {
            Err(Error::NotFound { .. }) => self.found(name).map(|_| None),
            opened => opened,
        }
    }

    fn catalog(&self) -> Option<&dyn Catalog> {
        Some(self)
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        Some(self)
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }
}
