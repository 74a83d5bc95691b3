//! The trait for stores that keep a record of each output: its command, exit code, sizes and
//! shown parts.

use std::ops::Range;

use super::{ExpiredOutput, OutputId, RecentOutputs, RecentQuery, Record, Store};
use crate::Error;

/// A store that keeps a record of each output.
///
/// Records contain commands, and commands contain secrets: a store that masks text wraps this
/// whole trait.
pub trait Catalog: Store {
    /// Sets the record of an output.
    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error>;

    /// Returns the record that [`Catalog::describe`] set last.
    fn record(&self, name: &OutputId) -> Result<Option<Record>, Error>;

    /// Returns the records of many outputs. An output whose record cannot be read gets `None`.
    fn records(&self, names: &[OutputId]) -> Result<Vec<Option<Record>>, Error> {
        Ok(names.iter().map(|name| self.record(name).ok().flatten()).collect())
    }

    /// Adds to [`Record::retrieved`] and [`Record::read_later`]: a reader got this number of bytes
    /// after the preview, from these parts of the output, as far as the parts are known.
    fn retrieved(&self, _: &OutputId, _bytes: u64, _parts: &[Range<u64>]) -> Result<(), Error> {
        Ok(())
    }

    /// Lists the outputs that were saved or used last, with their records.
    ///
    /// A bucket lists the outputs that were saved last and does not look at all others.
    fn newest(&self, query: &RecentQuery) -> Result<RecentOutputs, Error> {
        let record = |name: &OutputId| self.record(name).ok().flatten();
        Ok(RecentOutputs::among(record, self.list()?, query))
    }

    /// Returns the facts that the store remembers about an expired output.
    fn expired(&self, _: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        Ok(None)
    }

    /// Returns the facts that the store remembers about all expired outputs, the oldest first.
    fn all_expired(&self) -> Result<Vec<ExpiredOutput>, Error> {
        Ok(Vec::new())
    }
}

/// The methods of [`Catalog`], for every store. A store without a catalog returns no records.
impl dyn Store + '_ {
    /// See [`Catalog::describe`].
    pub fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        self.catalog().map_or(Ok(()), |it| it.describe(name, record))
    }

    /// See [`Catalog::record`].
    pub fn record(&self, name: &OutputId) -> Result<Option<Record>, Error> {
        self.catalog().map_or(Ok(None), |it| it.record(name))
    }

    /// See [`Catalog::records`].
    pub fn records(&self, names: &[OutputId]) -> Result<Vec<Option<Record>>, Error> {
        self.catalog().map_or_else(|| Ok(vec![None; names.len()]), |it| it.records(names))
    }

    /// See [`Catalog::retrieved`].
    pub fn retrieved(
        &self,
        name: &OutputId,
        bytes: u64,
        parts: &[Range<u64>],
    ) -> Result<(), Error> {
        self.catalog().map_or(Ok(()), |it| it.retrieved(name, bytes, parts))
    }

    /// See [`Catalog::newest`].
    pub fn newest(&self, query: &RecentQuery) -> Result<RecentOutputs, Error> {
        match self.catalog() {
            Some(catalog) => catalog.newest(query),
            None => Ok(RecentOutputs::among(|_| None, self.list()?, query)),
        }
    }

    /// See [`Catalog::expired`].
    pub fn expired(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        self.catalog().map_or(Ok(None), |it| it.expired(name))
    }

    /// See [`Catalog::all_expired`].
    pub fn all_expired(&self) -> Result<Vec<ExpiredOutput>, Error> {
        self.catalog().map_or(Ok(Vec::new()), |it| it.all_expired())
    }
}
