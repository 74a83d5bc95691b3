//! Finds lines of the outputs in a directory, and compares outputs with their checksums.

use std::path::Path;

use super::draft::failed;
use super::folder::is_folder_name;
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

    fn directory_other_than(&self, path: &Path) -> Option<String> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty())?;
        // Outputs of a project are in a folder of the directory.
        let is_folder = |folder: &&Path| {
            folder.file_name().and_then(|name| name.to_str()).is_some_and(is_folder_name)
        };
        let above = Some(parent).filter(is_folder).and_then(Path::parent);
        if self.is_at(parent) || self.has_folders() && above.is_some_and(|above| self.is_at(above))
        {
            return None;
        }
        Some(self.path().to_string_lossy().into_owned())
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

/// Returns the seal of an output, if it fits the size of the file that was found.
fn seal(root: &Root, name: &OutputId, found: Found) -> Option<Seal> {
    notes::seal(root, name).filter(|seal| seal.bytes == found.bytes)
}

impl Disk {
    /// Tells whether a path leads to the directory of this store. The path in a notice may be
    /// relative to the project, and the caller may be in another directory.
    fn is_at(&self, path: &Path) -> bool {
        let is_end = path.is_relative() && self.path().ends_with(path);
        is_end
            || match (path.canonicalize(), self.path().canonicalize()) {
                (Ok(one), Ok(other)) => one == other,
                _ => path == self.path(),
            }
    }
}
