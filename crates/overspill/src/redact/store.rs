//! A store as a model may see it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::Redaction;
use crate::store::{
    Draft, Entry, ExpiredOutput, Integrity, KeptRanges, OutputId, RecentOutputs, RecentQuery,
    Record, Store,
};
use crate::{Call, Error};

/// Masks what is read from another store; everything else is that store's.
#[derive(Debug)]
pub(crate) struct MaskedStore {
    store: Arc<dyn Store>,
    rules: Arc<Redaction>,
}

impl MaskedStore {
    pub(crate) fn new(store: Arc<dyn Store>, rules: Arc<Redaction>) -> MaskedStore {
        MaskedStore { store, rules }
    }

    fn told_record(&self, mut record: Record) -> Record {
        record.call = self.rules.call(record.call);
        record
    }

    fn told_gone(&self, mut gone: ExpiredOutput) -> ExpiredOutput {
        gone.command = self.rules.field(gone.command);
        gone.tool = self.rules.field(gone.tool);
        gone
    }
}

impl Store for MaskedStore {
    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        // What stands around a part tells what is a secret in it.
        let around = self.rules.reach() as u64;
        let start = range.start.saturating_sub(around);
        let bytes = self.store.read(name, start..range.end.saturating_add(around))?;
        let masked = self.rules.bytes(&bytes).0;
        let at =
            |place: u64| usize::try_from(place - start).unwrap_or(usize::MAX).min(masked.len());
        Ok(masked[at(range.start)..at(range.end.max(range.start))].to_vec())
    }

    fn record(&self, name: &OutputId) -> Result<Option<Record>, Error> {
        Ok(self.store.record(name)?.map(|record| self.told_record(record)))
    }

    fn records(&self, names: &[OutputId]) -> Result<Vec<Option<Record>>, Error> {
        let records = self.store.records(names)?.into_iter();
        Ok(records.map(|record| record.map(|record| self.told_record(record))).collect())
    }

    fn newest(&self, wanted: &RecentQuery) -> Result<RecentOutputs, Error> {
        let mut newest = self.store.newest(wanted)?;
        for (_, record) in &mut newest.entries {
            *record = self.told_record(std::mem::take(record));
        }
        Ok(newest)
    }

    fn gone(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        Ok(self.store.gone(name)?.map(|gone| self.told_gone(gone)))
    }

    fn all_gone(&self) -> Result<Vec<ExpiredOutput>, Error> {
        Ok(self.store.all_gone()?.into_iter().map(|gone| self.told_gone(gone)).collect())
    }

    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        self.store.create(call)
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        self.store.entry(name)
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        self.store.list()
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        self.store.delete(name)
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        self.store.touch(name)
    }

    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        self.store.describe(name, record)
    }

    fn kept_ranges(&self, name: &OutputId) -> Result<Option<KeptRanges>, Error> {
        self.store.kept_ranges(name)
    }

    fn retrieved(&self, name: &OutputId, bytes: u64) -> Result<(), Error> {
        self.store.retrieved(name, bytes)
    }

    fn pin(&self, name: &OutputId, pinned: bool) -> Result<(), Error> {
        self.store.pin(name, pinned)
    }

    fn line_start(&self, name: &OutputId, line: u64) -> Result<Option<u64>, Error> {
        self.store.line_start(name, line)
    }

    fn line_at(&self, name: &OutputId, place: u64) -> Result<Option<u64>, Error> {
        self.store.line_at(name, place)
    }

    fn place(&self, name: &OutputId) -> String {
        self.store.place(name)
    }

    fn warnings(&self) -> Vec<String> {
        self.store.warnings()
    }

    fn time(&self) -> Result<Option<Timestamp>, Error> {
        self.store.time()
    }

    fn named(&self, start: &str) -> Result<Vec<Entry>, Error> {
        self.store.named(start)
    }

    fn check(&self, name: &OutputId) -> Result<Integrity, Error> {
        self.store.check(name)
    }

    fn expire(&self, entry: &Entry) -> Result<bool, Error> {
        self.store.expire(entry)
    }

    fn expire_all(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        self.store.expire_all(entries)
    }

    fn due(&self, every: Duration, time: Duration) -> Result<Option<Vec<Entry>>, Error> {
        self.store.due(every, time)
    }

    fn tidy(&self) -> Result<(), Error> {
        self.store.tidy()
    }
}
