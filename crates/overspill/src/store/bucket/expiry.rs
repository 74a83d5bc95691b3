//! Removes expired outputs from a bucket that many machines share.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};
use object_store::path::Path;
use object_store::{ObjectMeta, PutMode};

use super::Bucket;
use super::bucket_record::{BucketRecord, LINE, Unusable};
use super::failure::Failure;
use super::found::modified;
use super::layout::{Layout, Mark, day_of};
use super::remote::{AT_ONCE, LONG, PATIENCE};
use crate::Error;
use crate::store::{Entry, ExpiredOutput, Expiry, OutputId, Record, Store, random};

/// The age after which an upload counts as abandoned by its writer.
const STALE: SignedDuration = SignedDuration::from_hours(24);
/// The age at which a list of expired outputs is removed.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Expiry for Bucket {
    fn pin(&self, name: &OutputId, pinned: bool) -> Result<(), Error> {
        if self.is_unsent(name) {
            return self.0.spool.pin(name, pinned);
        }
        self.found(name)?;
        self.known().remove(name);
        let path = self.0.layout.mark(Mark::Pin, name);
        let done = match pinned {
            true => self.0.remote.put(&path, Vec::new(), PutMode::Overwrite),
            false => self.0.remote.delete(vec![path]),
        };
        done.map_err(|failure| self.failed(failure))?;
        // Another machine may have removed the output before it could see the pin.
        if pinned { self.found(name).map(drop) } else { Ok(()) }
    }

    /// Several machines may expire outputs at the same time. An output that was used or pinned
    /// meanwhile stays. An output that is only on this machine never expires.
    fn expire(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        match self.try_expire(entries) {
            Ok(expired) => expired.into_iter().map(Ok).collect(),
            Err(failure) => entries.iter().map(|_| Err(self.failed(failure.clone()))).collect(),
        }
    }

    /// Makes room on this machine. A short sweep removes nothing in the bucket, because that would
    /// take too long.
    fn due(&self, every: Duration, time: Duration) -> Result<Option<Vec<Entry>>, Error> {
        if self.0.spool.due(every, time)?.is_some() {
            self.shrink_spool()?;
        }
        Ok(None)
    }

    fn tidy(&self) -> Result<(), Error> {
        self.shrink_spool()?;
        let _ = self.0.spool.tidy();
        self.tidy_bucket().map_err(|failure| self.failed(failure))
    }

    fn time(&self) -> Result<Option<Timestamp>, Error> {
        if self.0.remote.time().is_none() {
            // Any response tells the time. A server that does not respond would not respond to the
            // next request either.
            if let Err(late @ Failure::Late(_)) = self.0.remote.head(&self.0.layout.at("time")) {
                return Err(self.failed(late));
            }
        }
        Ok(self.0.remote.time())
    }
}

impl Bucket {
    fn try_expire(&self, entries: &[&Entry]) -> Result<Vec<bool>, Failure> {
        let names: Vec<OutputId> = entries.iter().map(|entry| entry.name.clone()).collect();
        let notes = self.read_notes(names.clone())?;
        // A later version may have reasons to keep its outputs that this version cannot read.
        let is_later = |at: usize| matches!(notes[at], Some(Err(Unusable::Later)));
        let unsent: Vec<bool> = names.iter().map(|name| self.is_unsent(name)).collect();
        let keys = notes.iter().zip(&unsent).map(|(note, unsent)| match note {
            Some(Ok(note)) if !unsent => Some(note.key()),
            _ => None,
        });
        let mut there = self.heads(keys.collect())?;
        // Outputs without an object: the record is missing, damaged or names an object that is
        // gone.
        let lost =
            (0..names.len()).filter(|&at| there[at].is_none() && !unsent[at] && !is_later(at));
        let lost: Vec<usize> = lost.collect();
        let mut listed = self.listed(lost.iter().map(|&at| &names[at]))?;
        for at in lost {
            there[at] = listed.remove(&names[at]);
        }
        let marks = self.marks()?;
        let mut going = Vec::new();
        let mut expired = Vec::new();
        let decide = entries.iter().enumerate().map(|(at, entry)| {
            let Some(meta) = &there[at] else { return false };
            let name = &entry.name;
            let used = marks.used.get(name).copied().unwrap_or(modified(meta)).max(modified(meta));
            let same = meta.size == entry.bytes && used <= entry.used;
            if !same || marks.pins.contains(name) {
                return false;
            }
            going.push((meta.location.clone(), name.clone()));
            let note = notes[at].as_ref().and_then(|note| note.as_ref().ok());
            expired.push((entry, note.and_then(|note| note.record(self.writer()))));
            true
        });
        let decided: Vec<bool> = decide.collect();
        if !going.is_empty() {
            self.remove(going)?;
            // The outputs are removed, whether or not the list of expired outputs can be written.
            let _ = self.note_expired(&expired);
        }
        Ok(decided)
    }

    /// Lists the days of these outputs, and returns the outputs that exist.
    fn listed<'a>(
        &self,
        names: impl Iterator<Item = &'a OutputId>,
    ) -> Result<HashMap<OutputId, ObjectMeta>, Failure> {
        let days: HashSet<String> = names.map(day_of).collect();
        let mut found = HashMap::new();
        for day in days {
            let listed = self.0.remote.list(&self.0.layout.day(&day, None))?;
            let keyed = |meta: ObjectMeta| Some((self.0.layout.key(&meta.location)?.name, meta));
            found.extend(listed.into_iter().filter_map(keyed));
        }
        Ok(found)
    }

    /// Removes outputs, and then their records and marks.
    pub(super) fn remove(&self, outputs: Vec<(Path, OutputId)>) -> Result<(), Failure> {
        let (keys, names): (Vec<Path>, Vec<OutputId>) = outputs.into_iter().unzip();
        self.0.remote.delete(keys)?;
        // `tidy` removes records and marks later if this fails.
        let _ = self.remove_known(&names);
        Ok(())
    }

    /// Removes the records and marks of outputs, and the copies on this machine.
    pub(super) fn remove_known(&self, names: &[OutputId]) -> Result<(), Failure> {
        let mut known = Vec::new();
        for name in names {
            self.forget(name);
            known.push(self.0.layout.note(name));
            known.extend([Mark::Pin, Mark::Used].map(|mark| self.0.layout.mark(mark, name)));
            let _ = self.0.spool.delete(name);
        }
        self.0.spool.remove_pages_of(names);
        self.0.remote.delete(known)
    }

    fn heads(&self, keys: Vec<Option<Path>>) -> Result<Vec<Option<ObjectMeta>>, Failure> {
        self.0.remote.run(LONG, |objects| async move {
            let head = |key: Option<Path>| {
                let objects = objects.clone();
                async move {
                    match key {
                        Some(key) => objects.head(&key).await,
                        None => Ok(None),
                    }
                }
            };
            let mut all = futures_util::stream::iter(keys).map(head).buffered(AT_ONCE);
            let mut heads = Vec::new();
            while let Some(head) = all.next().await {
                heads.push(head?);
            }
            Ok(heads)
        })
    }

    fn note_expired(&self, outputs: &[(&&Entry, Option<Record>)]) -> Result<(), Failure> {
        let now = self.0.clock.now().timestamp();
        let mut lines = Vec::new();
        for (entry, record) in outputs {
            let record = record.clone().filter(|record| record.bytes > 0);
            let expired = ExpiredOutput::of(entry, record, now);
            serde_json::to_writer(&mut lines, &expired)
                .map_err(|error| Error::Other(error.into()))?;
            lines.push(b'\n');
        }
        let names = outputs.iter().map(|(entry, _)| entry.name.as_str());
        // The key contains the first and the last id of the list.
        let (Some(first), Some(last)) = (names.clone().min(), names.max()) else { return Ok(()) };
        let end = random(8).map_err(Failure::from)?;
        let path = self.0.layout.at(&format!("gone/{first}-{last}-{end}"));
        self.0.remote.put(&path, lines, PutMode::Create)
    }

    /// Removes the objects of interrupted writers, and records and marks without an output.
    pub(super) fn tidy_bucket(&self) -> Result<(), Failure> {
        let (remote, layout) = (&self.0.remote, &self.0.layout);
        let Some(now) = remote.time() else { return Ok(()) };
        let is_stale =
            |meta: &ObjectMeta, age: SignedDuration| now.duration_since(modified(meta)) > age;
        let notes = remote.list(&layout.notes())?;
        let marks = [Mark::Pin, Mark::Used].map(|mark| remote.list(&layout.marks(mark)));
        let [pins, used] = marks;
        // List the outputs after the records, so that an output that is saved meanwhile keeps its
        // record.
        let outputs = remote.list(&layout.outputs())?;
        let outputs = outputs.iter().filter_map(|meta| layout.key(&meta.location));
        let outputs: HashSet<OutputId> = outputs.map(|key| key.name).collect();
        let mut going = Vec::new();
        for meta in notes.iter().chain(&pins?).chain(&used?) {
            let Some(name) = Layout::named(&meta.location) else { continue };
            let is_note = meta.location == layout.note(&name);
            let is_ours = is_note
                || [Mark::Pin, Mark::Used]
                    .iter()
                    .any(|mark| meta.location == layout.mark(*mark, &name));
            if !is_ours || outputs.contains(&name) || !is_stale(meta, STALE) {
                continue;
            }
            // A record that cannot be read now does not stop the removal of others.
            if is_note && !matches!(self.abort_upload_of(&name), Ok(true)) {
                continue;
            }
            going.push(meta.location.clone());
        }
        let lists = remote.list(&layout.gone())?;
        let old = lists.into_iter().filter(|list| {
            is_stale(list, REMEMBERED) && layout.gone_range(&list.location).is_some()
        });
        going.extend(old.map(|list| list.location));
        if going.is_empty() { Ok(()) } else { remote.delete(going) }
    }

    /// Aborts the upload in parts of an interrupted writer, and tells whether the record may be
    /// removed. A damaged record aborts no upload, because its key may name any object. The record
    /// of a later version stays.
    fn abort_upload_of(&self, name: &OutputId) -> Result<bool, Failure> {
        let (layout, remote) = (&self.0.layout, &self.0.remote);
        let got = match remote.get(&layout.note(name), Some(0..LINE)) {
            Err(Failure::NotFound) => return Ok(true),
            got => got?,
        };
        match BucketRecord::from_bytes(layout, name, &got.bytes).unwrap_or(Err(Unusable::NO_LINE)) {
            Ok(note) => {
                if let Some(upload) = &note.upload {
                    self.abort(&note.key(), upload, PATIENCE);
                }
            }
            Err(Unusable::Damaged(reason)) => self.note_damage(name, reason),
            Err(Unusable::Later) => return Ok(false),
        }
        Ok(true)
    }
}
