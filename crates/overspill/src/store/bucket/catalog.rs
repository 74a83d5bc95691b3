//! Reads and writes the records of the outputs in a bucket.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use object_store::path::Path;

use super::Bucket;
use super::failure::Failure;
use crate::Error;
use crate::store::{
    Catalog, Entry, ExpiredOutput, OutputId, RecentOutputs, RecentQuery, Record, Store,
};

/// The largest number of bytes that a list of expired outputs may have. A list that overspill
/// writes has 64 entries of less than 3 KB each.
const LONGEST_LIST: u64 = 1 << 20;

impl Catalog for Bucket {
    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        let spooled = self.0.spool.describe(name, record);
        let deadline = self.deadlines().remove(name);
        let (Some(deadline), Ok(())) = (deadline, &spooled) else { return spooled };
        self.known().remove(name);
        let sent = self.send_described(name, deadline);
        if sent {
            // The bucket answers, so one earlier output that is still unsent may be sent too.
            let second = Instant::now() + Duration::from_secs(1);
            let _ = self.push_until(deadline.min(second), 1);
        }
        Ok(())
    }

    fn record(&self, name: &OutputId) -> Result<Option<Record>, Error> {
        match self.0.spool.record(name) {
            Ok(Some(record)) if record.bytes > 0 => return Ok(Some(record)),
            Ok(_) if self.is_unsent(name) => return Ok(None),
            _ => {}
        }
        let note = self.found(name)?.note;
        let record = note.and_then(|note| note.record(self.writer()));
        Ok(record.filter(|record| record.bytes > 0))
    }

    fn records(&self, names: &[OutputId]) -> Result<Vec<Option<Record>>, Error> {
        let here = |name: &OutputId| self.0.spool.record(name).ok().flatten();
        let mut records: Vec<Option<Record>> =
            names.iter().map(|name| here(name).filter(|record| record.bytes > 0)).collect();
        let missing: Vec<usize> = (0..names.len()).filter(|&at| records[at].is_none()).collect();
        let asked = missing.iter().map(|&at| names[at].clone()).collect();
        let notes = self.notes(asked).map_err(|failure| self.failed(failure))?;
        for (at, note) in missing.into_iter().zip(notes) {
            let record = note.and_then(|note| note.record(self.writer()));
            records[at] = record.filter(|record| record.bytes > 0);
        }
        Ok(records)
    }

    fn retrieved(&self, name: &OutputId, bytes: u64, parts: &[Range<u64>]) -> Result<(), Error> {
        match self.0.spool.retrieved(name, bytes, parts) {
            // The spool does not have this output. Machines cannot add to a sum in the bucket.
            Err(Error::NotFound { .. }) => Ok(()),
            noted => noted,
        }
    }

    /// Lists day by day, the last day first, and no more days than it needs.
    fn newest(&self, wanted: &RecentQuery) -> Result<RecentOutputs, Error> {
        let failed = |failure| self.failed(failure);
        let mut days = match &wanted.day {
            Some(day) => vec![day.clone()],
            None => self.days().map_err(failed)?,
        };
        let marks = self.marks().map_err(failed)?;
        let unsent = self.0.spool.unsent()?;
        let record = |name: &OutputId| self.0.spool.record(name).ok().flatten();
        let here = RecentQuery { most: usize::MAX, ..wanted.clone() };
        let mut newest = RecentOutputs::among(record, unsent.clone(), &here);
        let unsent: HashSet<OutputId> = unsent.into_iter().map(|entry| entry.name).collect();
        let mut keys = HashMap::new();
        while let Some(day) = days.pop() {
            let listed = self.day(&day, wanted, &marks).map_err(failed)?;
            let (entries, places): (Vec<Entry>, Vec<Path>) = listed.into_iter().unzip();
            keys.extend(entries.iter().map(|entry| entry.name.clone()).zip(places));
            let entries = entries.into_iter().filter(|entry| !unsent.contains(&entry.name));
            self.add_to(&mut newest, entries.collect(), wanted)?;
            if newest.entries.len() >= wanted.most {
                newest.unseen = !days.is_empty();
                break;
            }
        }
        wanted.order.sort(&mut newest.entries, |(entry, _)| entry);
        newest.more += newest.entries.len().saturating_sub(wanted.most);
        newest.entries.truncate(wanted.most);
        let names = newest.entries.iter().map(|(entry, _)| &entry.name);
        *self.places() = names.filter_map(|name| keys.remove_entry(name)).collect();
        Ok(newest)
    }

    fn expired(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        if self.entry(name).is_ok() {
            return Ok(None);
        }
        let expired = self.expired_in(|first, last| (first..=last).contains(&name.as_str()))?;
        Ok(expired.into_iter().rfind(|expired| expired.name == *name))
    }

    fn all_expired(&self) -> Result<Vec<ExpiredOutput>, Error> {
        let mut expired = self.expired_in(|_, _| true)?;
        expired.sort_by_key(|output| output.expired);
        Ok(expired)
    }
}

impl Bucket {
    /// Reads the lists of expired outputs whose first and last id are `wanted`.
    fn expired_in(&self, wanted: impl Fn(&str, &str) -> bool) -> Result<Vec<ExpiredOutput>, Error> {
        let failed = |failure| self.failed(failure);
        let lists = self.0.remote.list(&self.0.layout.gone()).map_err(failed)?;
        let mut expired = Vec::new();
        for list in lists {
            let Some((first, last)) = self.0.layout.gone_range(&list.location) else { continue };
            if !wanted(first.as_str(), last.as_str()) {
                continue;
            }
            if list.size > LONGEST_LIST {
                let reason = format!("it has {} bytes, more than any list has", list.size);
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
            expired.extend(entries.map(ExpiredOutput::sanitized));
        }
        Ok(expired)
    }
}
