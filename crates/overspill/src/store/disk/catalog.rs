//! Reads and writes the records of the outputs in a directory.

use std::ops::Range;

use super::draft::failed;
use super::locate::Located;
use super::root::Area;
use super::{Disk, expired, notes};
use crate::Error;
use crate::store::{Catalog, ExpiredOutput, OutputId, RecentOutputs, RecentQuery, Record};

impl Catalog for Disk {
    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        let Located { root, .. } = self.find(name)?;
        if !self.options().records {
            return Ok(());
        }
        notes::describe(&root, name, record).map_err(|error| failed(&self.file(name), error))
    }

    fn record(&self, name: &OutputId) -> Result<Option<Record>, Error> {
        let Located { root, folder, .. } = self.find(name)?;
        let record = notes::record(&root, name);
        Ok(record.map(|record| record.with_writer(|| self.is_written(&folder, name))))
    }

    fn retrieved(&self, name: &OutputId, bytes: u64, parts: &[Range<u64>]) -> Result<(), Error> {
        let Located { root, .. } = self.find(name)?;
        if !self.options().records {
            return Ok(());
        }
        notes::retrieved(&root, name, bytes, parts).map_err(|error| failed(&self.file(name), error))
    }

    fn newest(&self, query: &RecentQuery) -> Result<RecentOutputs, Error> {
        let Some(root) = self.root()? else { return Ok(RecentOutputs::default()) };
        let entries = self.all_entries(&root).map_err(|error| failed(self.path(), error))?;
        let records = root.area(Area::Records).ok().flatten();
        // The entries name outputs that exist. Only a running output has to be located again.
        let is_written = |name: &OutputId| {
            let located = self.find(name);
            located.is_ok_and(|located| self.is_written(&located.folder, name))
        };
        let record = |name: &OutputId| {
            let record = notes::record_in(records.as_deref()?, name)?;
            Some(record.with_writer(|| is_written(name)))
        };
        Ok(RecentOutputs::among(record, entries, query))
    }

    fn expired(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        if self.find(name).is_ok() {
            return Ok(None);
        }
        Ok(self.all_expired()?.into_iter().rfind(|expired| expired.name == *name))
    }

    fn all_expired(&self) -> Result<Vec<ExpiredOutput>, Error> {
        let Some(root) = self.root()? else { return Ok(Vec::new()) };
        expired::read(&root).map_err(|error| failed(&self.path().join(expired::FILE), error))
    }
}

impl Record {
    /// Tells a running output from an output whose writer has died.
    fn with_writer(self, is_written: impl FnOnce() -> bool) -> Record {
        let running = self.running && is_written();
        Record { running, cut_short: self.running && !running, ..self }
    }
}
