//! Records of the outputs in a directory.

use super::draft::failed;
use super::locate::Located;
use super::{Disk, expired, notes};
use crate::Error;
use crate::store::{Catalog, ExpiredOutput, OutputId, Record};

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
        Ok(notes::record(&root, name).map(|record| {
            let running = record.running && self.is_written(&folder, name);
            Record { running, cut_short: record.running && !running, ..record }
        }))
    }

    fn retrieved(&self, name: &OutputId, bytes: u64) -> Result<(), Error> {
        let Located { root, .. } = self.find(name)?;
        if !self.options().records {
            return Ok(());
        }
        notes::retrieved(&root, name, bytes).map_err(|error| failed(&self.file(name), error))
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
