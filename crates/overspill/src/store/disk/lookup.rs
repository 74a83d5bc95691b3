//! Finds lines of the outputs in a directory, and compares outputs with their checksums.

use super::draft::failed;
use super::locate::Located;
use super::root::Root;
use super::{Disk, Found, notes, sum};
use crate::Error;
use crate::store::seal::Seal;
use crate::store::{Integrity, KeptRanges, Lookup, OutputId, lines};

impl Lookup for Disk {
    fn place(&self, name: &OutputId) -> String {
        self.file(name).to_string_lossy().into_owned()
    }

    fn kept_ranges(&self, name: &OutputId) -> Result<Option<KeptRanges>, Error> {
        let Located { root, found, .. } = self.find(name)?;
        let seal = notes::partial_seal(&root, name).filter(|seal| seal.bytes == found.bytes);
        Ok(seal.and_then(|seal| seal.ranges))
    }

    fn line_start(&self, name: &OutputId, line: u64) -> Result<Option<u64>, Error> {
        let (Located { root, found, .. }, file) = self.open(name)?;
        let read = |range| self.read_range(name, &file, found, range);
        lines::line_start(line, found.bytes, || Ok(seal(&root, name, found)), read)
    }

    fn line_at(&self, name: &OutputId, place: u64) -> Result<Option<u64>, Error> {
        let (Located { root, found, .. }, file) = self.open(name)?;
        let read = |range| self.read_range(name, &file, found, range);
        lines::line_at(place, || Ok(seal(&root, name, found)), read)
    }

    fn check(&self, name: &OutputId) -> Result<Integrity, Error> {
        let (Located { root, found, .. }, file) = self.open(name)?;
        let Some(seal) = notes::seal(&root, name) else { return Ok(Integrity::Unknown) };
        let same = seal.bytes == found.bytes
            && sum::sum_of(&file).map_err(|error| failed(&self.file(name), error))? == seal.sum;
        Ok(Integrity::of(&seal.kept(), same))
    }
}

/// Returns the seal of an output, if it belongs to the file that was found.
fn seal(root: &Root, name: &OutputId, found: Found) -> Option<Seal> {
    notes::seal(root, name).filter(|seal| seal.bytes == found.bytes)
}
