//! A store that masks secrets in everything it returns, for readers such as a model.

use std::ops::Range;
use std::sync::Arc;

use super::Redaction;
use crate::store::{
    Catalog, Draft, Entry, ExpiredOutput, Expiry, Lookup, OutputId, RecentOutputs, RecentQuery,
    Record, Store,
};
use crate::{Call, Error};

/// A store that masks secrets when a caller reads the outputs and the records of another store.
///
/// `expiry` and `lookup` return no text, so this store passes them on. It has no `open_file`,
/// because the file contains the secrets.
#[derive(Debug)]
pub(crate) struct MaskedStore {
    store: Arc<dyn Store>,
    rules: Arc<Redaction>,
}

impl MaskedStore {
    pub(crate) fn new(store: Arc<dyn Store>, rules: Arc<Redaction>) -> MaskedStore {
        MaskedStore { store, rules }
    }

    fn masked_record(&self, mut record: Record) -> Record {
        record.call = self.rules.call(record.call);
        if let Some(text) = record.preview.as_mut().and_then(|preview| preview.sent_text.as_mut()) {
            for words in &mut text.words {
                *words = self.rules.field(Some(std::mem::take(words))).unwrap_or_default();
            }
        }
        record
    }

    fn masked_expired(&self, mut expired: ExpiredOutput) -> ExpiredOutput {
        expired.command = self.rules.field(expired.command);
        expired.tool = self.rules.field(expired.tool);
        expired
    }
}

impl Store for MaskedStore {
    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        // The text around a range shows what is a secret. A mask is as long as its secret.
        let around = self.rules.reach() as u64;
        let start = range.start.saturating_sub(around);
        let bytes = self.store.read(name, start..range.end.saturating_add(around))?;
        let masked = self.rules.bytes(&bytes).0;
        let at =
            |place: u64| usize::try_from(place - start).unwrap_or(usize::MAX).min(masked.len());
        Ok(masked[at(range.start)..at(range.end.max(range.start))].to_vec())
    }

    fn catalog(&self) -> Option<&dyn Catalog> {
        Some(self)
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        self.store.expiry()
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        self.store.lookup()
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
}

impl Catalog for MaskedStore {
    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        self.store.describe(name, record)
    }

    fn record(&self, name: &OutputId) -> Result<Option<Record>, Error> {
        Ok(self.store.record(name)?.map(|record| self.masked_record(record)))
    }

    fn records(&self, names: &[OutputId]) -> Result<Vec<Option<Record>>, Error> {
        let records = self.store.records(names)?.into_iter();
        Ok(records.map(|record| record.map(|record| self.masked_record(record))).collect())
    }

    fn retrieved(&self, name: &OutputId, bytes: u64, parts: &[Range<u64>]) -> Result<(), Error> {
        self.store.retrieved(name, bytes, parts)
    }

    fn newest(&self, query: &RecentQuery) -> Result<RecentOutputs, Error> {
        let mut newest = self.store.newest(query)?;
        for (_, record) in &mut newest.entries {
            *record = self.masked_record(std::mem::take(record));
        }
        Ok(newest)
    }

    fn expired(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        Ok(self.store.expired(name)?.map(|expired| self.masked_expired(expired)))
    }

    fn all_expired(&self) -> Result<Vec<ExpiredOutput>, Error> {
        let expired = self.store.all_expired()?.into_iter();
        Ok(expired.map(|expired| self.masked_expired(expired)).collect())
    }
}
