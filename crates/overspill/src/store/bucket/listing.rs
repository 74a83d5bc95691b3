//! Lists the outputs in the bucket, and the outputs that wait on this machine.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt;
use jiff::Timestamp;
use object_store::ObjectMeta;
use object_store::path::Path;

use super::Bucket;
use super::bucket_record::{BucketRecord, HEAD, Unusable};
use super::failure::Failure;
use super::found::modified;
use super::layout::{Key, Layout, Mark, is_day};
use super::remote::{AT_ONCE, LONG, PATIENCE};
use crate::Error;
use crate::store::name::component;
use crate::store::{Entry, OutputId, RecentOutputs, RecentQuery};

/// The pins and the times of the last use, by id.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) pins: HashSet<OutputId>,
    pub(super) used: HashMap<OutputId, Timestamp>,
}

impl Marks {
    /// Returns the entry of an output for a listing.
    fn entry(&self, name: OutputId, meta: &ObjectMeta) -> Entry {
        let used = self.used.get(&name).copied().unwrap_or(Timestamp::MIN).max(modified(meta));
        let pinned = self.pins.contains(&name);
        Entry { name, bytes: meta.size, used, pinned }
    }
}

impl Bucket {
    /// Lists the outputs in the bucket and the unsent ones in the spool.
    pub(super) fn list_all(&self) -> Result<Vec<Entry>, Error> {
        let outputs = self.0.remote.list(&self.0.layout.outputs());
        let outputs = outputs.map_err(|failure| self.failed(failure))?;
        let marks = self.marks().map_err(|failure| self.failed(failure))?;
        let mut entries = self.0.spool.unsent()?;
        let unsent: HashSet<OutputId> = entries.iter().map(|entry| entry.name.clone()).collect();
        let ours = outputs.iter().filter_map(|meta| {
            let Key { name, .. } = self.0.layout.key(&meta.location)?;
            (!unsent.contains(&name)).then(|| marks.entry(name, meta))
        });
        entries.extend(ours);
        Ok(entries)
    }

    /// Lists all pins and times of last use.
    pub(super) fn marks(&self) -> Result<Marks, Failure> {
        let [pins, used] = [Mark::Pin, Mark::Used].map(|mark| self.0.layout.marks(mark));
        let (pins, used) = self.0.remote.run(LONG, |objects| async move {
            let (pins, used) = futures_util::join!(objects.list(&pins), objects.list(&used));
            Ok((pins?, used?))
        })?;
        let named = |meta: &ObjectMeta| Layout::named(&meta.location);
        let used = used.iter().filter_map(|meta| Some((named(meta)?, modified(meta))));
        Ok(Marks { pins: pins.iter().filter_map(named).collect(), used: used.collect() })
    }

    /// Returns the days that have outputs, the last day last.
    pub(super) fn days(&self) -> Result<Vec<String>, Failure> {
        let outputs = self.0.layout.outputs();
        let folders =
            self.0.remote.run(PATIENCE, |objects| async move { objects.folders(&outputs).await });
        let mut days: Vec<String> = folders?.into_iter().filter(|day| is_day(day)).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// Lists the outputs of a day whose keys match the query, the newest first.
    pub(super) fn day(
        &self,
        day: &str,
        wanted: &RecentQuery,
        marks: &Marks,
    ) -> Result<Vec<(Entry, Path)>, Failure> {
        let listed = self.0.remote.list(&self.0.layout.day(day, wanted.session.as_deref()))?;
        let tool = wanted.tool.as_deref().map(|tool| component(Some(tool)));
        let ours = listed.iter().filter_map(|meta| {
            let key = self.0.layout.key(&meta.location)?;
            let fits = tool.as_ref().is_none_or(|tool| key.tool == *tool);
            fits.then(|| (marks.entry(key.name, meta), meta.location.clone()))
        });
        let mut entries: Vec<(Entry, Path)> = ours.collect();
        entries.sort_unstable_by(|(a, _), (b, _)| b.name.cmp(&a.name));
        Ok(entries)
    }

    /// Adds the outputs that match the query, with their records.
    pub(super) fn add_to(
        &self,
        newest: &mut RecentOutputs,
        mut entries: Vec<Entry>,
        wanted: &RecentQuery,
    ) -> Result<(), Error> {
        entries.retain(|entry| wanted.takes_entry(entry));
        // The key contains session and tool. All other conditions need every record.
        let needs_records = wanted.command.is_some()
            || wanted.directory.is_some()
            || wanted.host.is_some()
            || wanted.failed;
        let by_key = !needs_records;
        while !entries.is_empty() && (newest.entries.len() < wanted.most || !by_key) {
            let some: Vec<Entry> = match by_key {
                true => entries.drain(..entries.len().min(wanted.most - newest.entries.len())),
                false => entries.drain(..entries.len().min(16 * AT_ONCE)),
            }
            .collect();
            let names = some.iter().map(|entry| entry.name.clone()).collect();
            let notes = self.notes(names).map_err(|failure| self.failed(failure))?;
            for (entry, note) in some.into_iter().zip(notes) {
                // If an output has no record, only its key decides.
                let known = note.is_some();
                let record = note.and_then(|note| note.record(self.writer())).unwrap_or_default();
                if !known && by_key || wanted.takes(&entry, &record) {
                    match newest.entries.len() < wanted.most {
                        true => newest.entries.push((entry, record)),
                        false => newest.more += 1,
                    }
                }
            }
        }
        newest.more += entries.len();
        Ok(())
    }

    /// Returns the records that can be used.
    pub(super) fn notes(&self, names: Vec<OutputId>) -> Result<Vec<Option<BucketRecord>>, Failure> {
        let notes = self.read_notes(names)?;
        Ok(notes.into_iter().map(|note| note.and_then(Result::ok)).collect())
    }

    /// Reads the records of many outputs. A record that is missing, or has a first line of more
    /// than [`HEAD`] bytes, is `None`.
    pub(super) fn read_notes(
        &self,
        names: Vec<OutputId>,
    ) -> Result<Vec<Option<Result<BucketRecord, Unusable>>>, Failure> {
        let (layout, asked) = (self.0.layout.clone(), names.clone());
        let notes = self.0.remote.run(LONG, |objects| async move {
            let note = |name: OutputId| {
                let (objects, layout) = (objects.clone(), layout.clone());
                async move {
                    let got = match objects.get(&layout.note(&name), Some(0..HEAD)).await {
                        Err(Failure::NotFound) => return Ok::<_, Failure>(None),
                        got => got?,
                    };
                    let is_all = got.bytes.len() as u64 == got.meta.size;
                    let note = BucketRecord::from_bytes(&layout, &name, &got.bytes);
                    Ok(note.or(is_all.then_some(Err(Unusable::NO_LINE))))
                }
            };
            let mut all = futures_util::stream::iter(asked).map(note).buffered(AT_ONCE);
            let mut notes = Vec::new();
            while let Some(note) = all.next().await {
                notes.push(note?);
            }
            Ok(notes)
        })?;
        for (name, note) in names.iter().zip(&notes) {
            if let Some(Err(Unusable::Damaged(reason))) = note {
                self.note_damage(name, reason);
            }
        }
        Ok(notes)
    }
}
