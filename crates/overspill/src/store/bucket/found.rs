//! Finds one output in the bucket: its key and its record.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use object_store::ObjectMeta;
use object_store::path::Path;

use super::Bucket;
use super::bucket_record::{BucketRecord, HEAD, LINE, Unusable};
use super::failure::Failure;
use super::fetch::FetchedRange;
use super::layout::{Mark, day_of};
use super::remote::{Objects, PATIENCE};
use crate::Error;
use crate::store::seal::{SMALL, Seal, saved_by_later_version};
use crate::store::{Entry, OutputId};

/// The time for which a found output is remembered. A command asks for the same output several
/// times.
const FRESH: Duration = Duration::from_secs(2);
/// The time after an unanswered request during which the bucket is not asked about outputs that are
/// also on this machine.
const SILENT: Duration = Duration::from_secs(30);
/// The time limit of a request about an output that is also on this machine.
pub(super) const OFFLINE: Duration = Duration::from_secs(2);
/// The largest number of outputs that are remembered.
const MOST_KNOWN: usize = 256;

/// An output in the bucket.
#[derive(Debug, Clone)]
pub(super) struct FoundObject {
    pub(super) entry: Entry,
    pub(super) key: Path,
    pub(super) note: Option<BucketRecord>,
    /// The output has a record, but the record is damaged.
    pub(super) is_damaged: bool,
    /// The seal with the line positions, after the first call that needs it.
    pub(super) seal: Option<Seal>,
}

/// An output that was found, with the time.
#[derive(Debug)]
pub(super) struct Known {
    at: Instant,
    pub(super) found: FoundObject,
}

impl Bucket {
    /// Finds an output in the bucket.
    pub(super) fn found(&self, name: &OutputId) -> Result<FoundObject, Error> {
        self.found_within(name, PATIENCE)
    }

    /// Finds an output that is also on this machine, with a short time limit and without repeating
    /// an unanswered request.
    pub(super) fn found_soon(&self, name: &OutputId) -> Result<FoundObject, Error> {
        let mut silent = self.0.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if silent.is_some_and(|since| since.elapsed() < SILENT) {
            return Err(self.failed(Failure::Other("it did not answer just now".into())));
        }
        let found = self.found_within(name, OFFLINE);
        *silent = matches!(found, Err(Error::Bucket { .. })).then(Instant::now);
        found
    }

    /// Finds an output in the bucket, with this time limit for each request.
    fn found_within(&self, name: &OutputId, wait: Duration) -> Result<FoundObject, Error> {
        if let Some(known) = self.known().get(name).filter(|known| known.at.elapsed() < FRESH) {
            return Ok(known.found.clone());
        }
        let found = self.look_up(name, wait)?;
        let mut known = self.known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(name.clone(), Known { at: Instant::now(), found: found.clone() });
        Ok(found)
    }

    fn look_up(&self, name: &OutputId, wait: Duration) -> Result<FoundObject, Error> {
        let not_found = || Error::NotFound { name: name.clone() };
        if name.time().is_none() {
            return Err(not_found());
        }
        let (note, damage) = match self.note(name, wait)? {
            Ok(note) => (note, None),
            Err(Unusable::Later) => return Err(saved_by_later_version(name)),
            Err(Unusable::Damaged(reason)) => (None, Some(reason)),
        };
        let listed = match &note {
            Some(note) => Ok(Some(note.key())),
            None => self.key_of(name),
        };
        let key = match (listed.map_err(|failure| self.failed(failure))?, damage) {
            (Some(key), _) => key,
            (None, None) => return Err(not_found()),
            (None, Some(reason)) => return Err(self.damaged(name, reason)),
        };
        // One request asks whether the output exists and fetches its start, unless the cache has
        // it.
        let first = match self.0.page_cache.has(name, 0) {
            true => 0,
            false => note.as_ref().map_or(0, |note| note.bytes).min(SMALL),
        };
        let (layout, name_of, key_of) = (self.0.layout.clone(), name.clone(), key.clone());
        let asked = self.0.remote.run(wait, |objects| async move {
            let [pin, used] = [Mark::Pin, Mark::Used].map(|mark| layout.mark(mark, &name_of));
            let (pin, used, start) = futures_util::join!(
                objects.head(&pin),
                objects.head(&used),
                start_of(&objects, &key_of, first)
            );
            Ok((pin?, used?, start?))
        });
        let (pin, used, (meta, start)) = asked.map_err(|failure| self.failed_at(name, failure))?;
        if !start.is_empty() {
            let held = FetchedRange::new(name, 0, vec![start.into()]);
            self.0.page_cache.keep(&held, meta.size);
            self.fetch().keep(held);
        }
        let used = used.map_or(Timestamp::MIN, |used| modified(&used)).max(modified(&meta));
        let entry = Entry { name: name.clone(), bytes: meta.size, used, pinned: pin.is_some() };
        Ok(FoundObject { entry, key, note, is_damaged: damage.is_some(), seal: None })
    }

    /// Returns the record of an output, if it exists, or the reason why it cannot be used.
    ///
    /// A damaged record hides no output: the output is found by listing its day.
    fn note(
        &self,
        name: &OutputId,
        wait: Duration,
    ) -> Result<Result<Option<BucketRecord>, Unusable>, Error> {
        let path = self.0.layout.note(name);
        let mut noted = Err(Unusable::NO_LINE);
        for longest in [HEAD, LINE] {
            let path = path.clone();
            let got = self
                .0
                .remote
                .run(wait, |objects| async move { objects.get(&path, Some(0..longest)).await });
            let got = match got {
                Ok(got) => got,
                Err(Failure::NotFound) => return Ok(Ok(None)),
                Err(failure) => return Err(self.failed(failure)),
            };
            if let Some(note) = BucketRecord::from_bytes(&self.0.layout, name, &got.bytes) {
                noted = note.map(Some);
                break;
            }
            if got.meta.size <= longest {
                break;
            }
        }
        if let Err(Unusable::Damaged(reason)) = noted {
            self.note_damage(name, reason);
        }
        Ok(noted)
    }

    /// Finds the key of an output without a record by listing its day.
    pub(super) fn key_of(&self, name: &OutputId) -> Result<Option<Path>, Failure> {
        let listed = self.0.remote.list(&self.0.layout.day(&day_of(name), None))?;
        let is_it = |meta: &ObjectMeta| {
            self.0.layout.key(&meta.location).is_some_and(|key| key.name == *name)
        };
        Ok(listed.into_iter().find(is_it).map(|meta| meta.location))
    }
}

/// Returns the metadata of an object, and its first `first` bytes.
async fn start_of(
    objects: &Objects,
    key: &Path,
    first: u64,
) -> Result<(ObjectMeta, Vec<u8>), Failure> {
    if first == 0 {
        return Ok((objects.head(key).await?.ok_or(Failure::NotFound)?, Vec::new()));
    }
    let got = objects.get(key, Some(0..first)).await?;
    Ok((got.meta, got.bytes))
}

/// Returns the time at which an object was written, by the server's clock, in whole seconds: not
/// all responses are more precise.
pub(super) fn modified(meta: &ObjectMeta) -> Timestamp {
    Timestamp::from_second(meta.last_modified.timestamp()).unwrap_or_default()
}
