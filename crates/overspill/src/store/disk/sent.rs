//! Marks the outputs of a spool that were uploaded to the bucket.
//!
//! overspill records completed uploads, not pending ones: a writer that dies between the upload and
//! its mark leaves an output that is uploaded again.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::draft::failed;
use super::root::{Area, if_there};
use super::{Disk, notes};
use crate::Error;
use crate::store::seal::Seal;
use crate::store::{Entry, OutputId, Record, Store};

impl Disk {
    /// Returns the seal of an output.
    pub(in crate::store) fn seal(&self, name: &OutputId) -> Option<Seal> {
        notes::seal(&*self.root().ok()??, name)
    }

    /// Returns the first record of an output.
    pub(in crate::store) fn first_record(&self, name: &OutputId) -> Option<Record> {
        notes::first_record(&*self.root().ok()??, name)
    }

    /// Marks an output as uploaded.
    pub(in crate::store) fn set_sent(&self, name: &OutputId) -> Result<(), Error> {
        let Some(root) = self.root()? else { return Ok(()) };
        let marked = root.make_area(Area::Sent).and_then(|sent| sent.open_or_make(name.as_str()));
        marked.map(drop).map_err(|error| failed(&self.file(name), error))
    }

    /// Removes the mark of an output.
    pub(in crate::store) fn clear_sent(&self, name: &OutputId) -> Result<(), Error> {
        let Some(root) = self.root()? else { return Ok(()) };
        let cleared = root.area(Area::Sent).and_then(|sent| match sent {
            Some(sent) => if_there(sent.remove(name.as_str())).map(drop),
            None => Ok(()),
        });
        cleared.map_err(|error| failed(&self.file(name), error))
    }

    /// Tells whether an output was uploaded.
    pub(in crate::store) fn is_sent(&self, name: &OutputId) -> bool {
        let Ok(Some(root)) = self.root() else { return false };
        let Ok(Some(sent)) = root.area(Area::Sent) else { return false };
        matches!(if_there(sent.find(name.as_str())), Ok(Some(_)))
    }

    /// Returns the outputs that were not uploaded yet, the oldest first, if this is the spool of a
    /// [`Bucket`](crate::store::bucket::Bucket).
    pub fn unsent(&self) -> Result<Vec<Entry>, Error> {
        self.unsent_and_sent().map(|(unsent, _)| unsent)
    }

    /// Returns the outputs that were not uploaded yet, the oldest first, and the uploaded outputs.
    pub(in crate::store) fn unsent_and_sent(&self) -> Result<(Vec<Entry>, Vec<Entry>), Error> {
        let Some(root) = self.root()? else { return Ok(Default::default()) };
        let mut sent = HashSet::new();
        if let Ok(Some(marks)) = root.area(Area::Sent) {
            let _ = marks.walk(0, |name| {
                sent.insert(name.to_owned());
                ControlFlow::Continue(())
            });
        }
        let mut entries = self.list()?;
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries.into_iter().partition(|entry| !sent.contains(entry.name.as_str())))
    }
}
