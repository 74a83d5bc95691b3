//! What has expired, in a bucket where many machines may look for it at once.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt;
use jiff::SignedDuration;
use object_store::path::Path;
use object_store::{ObjectMeta, PutMode};

use super::Bucket;
use super::bucket_record::{BucketRecord, LINE, Unusable};
use super::failure::Failure;
use super::found::modified;
use super::layout::{Layout, Mark, day_of};
use super::remote::{AT_ONCE, LONG, PATIENCE};
use crate::Error;
use crate::store::{Entry, ExpiredOutput, OutputId, Record, Store, random};

/// What nobody has finished in this time, nobody will.
const STALE: SignedDuration = SignedDuration::from_hours(24);
/// For so long it is remembered what has expired.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A list of expired outputs has 64 entries of less than 3 KB each; a larger object is none of ours.
const LONGEST_LIST: u64 = 1 << 20;

impl Bucket {
    /// Removes entries to which nothing has happened since they were listed.
    ///
    /// Several machines may do so at once: what one has removed is gone for the other, and nothing
    /// is removed that is pinned or was used by then. What is on this machine only never expires.
    pub(super) fn expire_entries(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        match self.try_expire(entries) {
            Ok(expired) => expired.into_iter().map(Ok).collect(),
            Err(failure) => entries.iter().map(|_| Err(self.failed(failure.clone()))).collect(),
        }
    }

    fn try_expire(&self, entries: &[&Entry]) -> Result<Vec<bool>, Failure> {
        let names: Vec<OutputId> = entries.iter().map(|entry| entry.name.clone()).collect();
        let notes = self.notes(names.clone())?;
        let unsent: Vec<bool> = names.iter().map(|name| self.is_unsent(name)).collect();
        let keys = notes.iter().zip(&unsent).map(|(note, unsent)| match note {
            Some(note) if !unsent => Some(note.key()),
            _ => None,
        });
        let mut there = self.heads(keys.collect())?;
        // No record leads to these: it is missing or damaged, or its key has another session or tool.
        let lost = (0..names.len()).filter(|&at| there[at].is_none() && !unsent[at]);
        let lost: Vec<usize> = lost.collect();
        let mut listed = self.listed(lost.iter().map(|&at| &names[at]))?;
        for at in lost {
            there[at] = listed.remove(&names[at]);
        }
        let marks = self.marks()?;
        let mut going = Vec::new();
        let mut gone = Vec::new();
        let decide = entries.iter().enumerate().map(|(at, entry)| {
            let Some(meta) = &there[at] else { return false };
            let name = &entry.name;
            let used = marks.used.get(name).copied().unwrap_or(modified(meta)).max(modified(meta));
            let same = meta.size == entry.bytes && used <= entry.used;
            if !same || marks.pins.contains(name) {
                return false;
            }
            going.push((meta.location.clone(), name.clone()));
            gone.push((entry, notes[at].as_ref().and_then(|note| note.record.clone())));
            true
        });
        let decided: Vec<bool> = decide.collect();
        if !going.is_empty() {
            self.remove(going)?;
            // What was noted is a convenience; it has gone all the same.
            let _ = self.note_gone(&gone);
        }
        Ok(decided)
    }

    /// Lists the days of these outputs, and returns those that are there.
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

    /// Removes outputs, first themselves and then whatever is known of them.
    pub(super) fn remove(&self, outputs: Vec<(Path, OutputId)>) -> Result<(), Failure> {
        let (keys, names): (Vec<Path>, Vec<OutputId>) = outputs.into_iter().unzip();
        self.0.remote.delete(keys)?;
        // What stays is tidied away later.
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

    fn note_gone(&self, gone: &[(&&Entry, Option<Record>)]) -> Result<(), Failure> {
        let now = self.0.clock.now().timestamp();
        let mut lines = Vec::new();
        for (entry, record) in gone {
            let gone =
                ExpiredOutput::of(entry, record.clone().filter(|record| record.bytes > 0), now);
            serde_json::to_writer(&mut lines, &gone).map_err(|error| Error::Other(error.into()))?;
            lines.push(b'\n');
        }
        let names = gone.iter().map(|(entry, _)| entry.name.as_str());
        // Its name says which outputs it may speak of.
        let (Some(first), Some(last)) = (names.clone().min(), names.max()) else { return Ok(()) };
        let end = random(8).map_err(Failure::from)?;
        let path = self.0.layout.at(&format!("gone/{first}-{last}-{end}"));
        self.0.remote.put(&path, lines, PutMode::Create)
    }

    /// Returns what is noted of an output that has expired.
    pub(super) fn find_gone(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        if self.entry(name).is_ok() {
            return Ok(None);
        }
        let mut gone = self.gone_in(|first, last| (first..=last).contains(&name.as_str()))?;
        gone.retain(|gone| gone.name == *name);
        Ok(gone.pop())
    }

    pub(super) fn list_gone(&self) -> Result<Vec<ExpiredOutput>, Error> {
        let mut gone = self.gone_in(|_, _| true)?;
        gone.sort_by_key(|gone| gone.expired);
        Ok(gone)
    }

    /// Reads the lists that may speak of these outputs.
    fn gone_in(&self, wanted: impl Fn(&str, &str) -> bool) -> Result<Vec<ExpiredOutput>, Error> {
        let failed = |failure| self.failed(failure);
        let lists = self.0.remote.list(&self.0.layout.gone()).map_err(failed)?;
        let mut gone = Vec::new();
        for list in lists {
            let Some((first, last)) = self.0.layout.gone_range(&list.location) else { continue };
            if !wanted(first.as_str(), last.as_str()) {
                continue;
            }
            if list.size > LONGEST_LIST {
                let reason = format!("it has {} bytes, and no list has so many", list.size);
                self.note_damaged_list(list.location.filename().unwrap_or_default(), reason);
                continue;
            }
            let bytes = match self.0.remote.get(&list.location, Some(0..LONGEST_LIST)) {
                Err(Failure::NotFound) => continue,
                got => got.map_err(failed)?.bytes,
            };
            let lines = bytes.split(|&byte| byte == b'\n');
            let entries =
                lines.filter_map(|line| serde_json::from_slice::<ExpiredOutput>(line).ok());
            gone.extend(entries.map(ExpiredOutput::bounded));
        }
        Ok(gone)
    }

    /// Removes what is left of writers that were interrupted, and what is known of outputs that are
    /// not there.
    pub(super) fn tidy_bucket(&self) -> Result<(), Failure> {
        let (remote, layout) = (&self.0.remote, &self.0.layout);
        let Some(now) = remote.time() else { return Ok(()) };
        let is_stale =
            |meta: &ObjectMeta, age: SignedDuration| now.duration_since(modified(meta)) > age;
        let notes = remote.list(&layout.notes())?;
        let marks = [Mark::Pin, Mark::Used].map(|mark| remote.list(&layout.marks(mark)));
        let [pins, used] = marks;
        // Listed after what is known of them, so that none is missed that was saved meanwhile.
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
            // A record that cannot be read now keeps no other from being removed.
            if is_note && self.abort_upload_of(&name).is_err() {
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

    /// Ends the upload in parts of a writer that was interrupted. A damaged record ends none: its key may
    /// be that of any upload.
    fn abort_upload_of(&self, name: &OutputId) -> Result<(), Failure> {
        let (layout, remote) = (&self.0.layout, &self.0.remote);
        let got = match remote.get(&layout.note(name), Some(0..LINE)) {
            Err(Failure::NotFound) => return Ok(()),
            got => got?,
        };
        match BucketRecord::from_bytes(layout, name, &got.bytes).unwrap_or(Err(Unusable::NO_LINE)) {
            Ok(note) => {
                if let Some(upload) = &note.upload {
                    self.abort(&note.key(), upload, PATIENCE);
                }
            }
            Err(Unusable::Damaged(reason)) => self.note_damage(name, reason),
            Err(Unusable::Later) => {}
        }
        Ok(())
    }
}
