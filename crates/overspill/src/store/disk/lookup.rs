//! Finds lines of the outputs in a directory, and compares outputs with their checksums.

use std::path::Path;

use super::draft::failed;
use super::root::Root;
use super::{Disk, Found, notes, sum};
use crate::Error;
use crate::store::seal::Seal;
use crate::store::{Integrity, KeptRanges, Lookup, OutputId, lines};

impl Lookup for Disk {
    fn place(&self, name: &OutputId) -> String {
        self.file(name).to_string_lossy().into_owned()
    }

    fn directory_other_than(&self, path: &Path) -> Option<String> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty())?;
        // The path of a notice may begin at the project, which the caller need not be in.
        let is_end = parent.is_relative() && self.path().ends_with(parent);
        let is_same = || match (parent.canonicalize(), self.path().canonicalize()) {
            (Ok(one), Ok(other)) => one == other,
            _ => parent == self.path(),
        };
        if is_end || is_same() {
            return None;
        }
        Some(self.path().to_string_lossy().into_owned())
    }

    fn kept_ranges(&self, name: &OutputId) -> Result<Option<KeptRanges>, Error> {
        let (root, found) = self.find(name)?;
        let seal = notes::partial_seal(&root, name).filter(|seal| seal.bytes == found.bytes);
        Ok(seal.and_then(|seal| seal.ranges))
    }

    fn line_start(&self, name: &OutputId, line: u64) -> Result<Option<u64>, Error> {
        let (root, file, found) = self.open(name)?;
        let read = |range| self.read_range(name, &file, found, range);
        lines::line_start(line, found.bytes, || Ok(seal(&root, name, found)), read)
    }

    fn line_at(&self, name: &OutputId, place: u64) -> Result<Option<u64>, Error> {
        let (root, file, found) = self.open(name)?;
        let read = |range| self.read_range(name, &file, found, range);
        lines::line_at(place, || Ok(seal(&root, name, found)), read)
    }

    fn check(&self, name: &OutputId) -> Result<Integrity, Error> {
        let (root, file, found) = self.open(name)?;
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
