//! A directory of files, one for each output.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Id, access};
use crate::Error;

/// Keeps each output as a file of its own, private to the user.
///
/// An output is written under a name that no reader looks at, and gets its own name when it is
/// complete.
#[derive(Debug, Clone)]
pub struct Disk {
    root: PathBuf,
}

/// A stored output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillRef {
    /// Its name.
    pub id: Id,
    /// Its file.
    pub path: PathBuf,
}

/// An output that is being written.
#[derive(Debug)]
pub struct Draft {
    reference: SpillRef,
    temporary: PathBuf,
    file: File,
}

impl Disk {
    /// Keeps outputs in `root`, which is made when the first one comes.
    pub fn at(root: impl Into<PathBuf>) -> Disk {
        Disk { root: root.into() }
    }

    /// Begins a new output.
    pub(crate) fn draft(&self, id: Id) -> Result<Draft, Error> {
        let drafts = self.root.join("drafts");
        for directory in [&self.root, &drafts] {
            private_directory(directory)
                .map_err(|source| Error::Root { path: directory.clone(), source })?;
        }
        let temporary = drafts.join(id.to_string());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        access::private_file(&mut options);
        let file = options
            .open(&temporary)
            .map_err(|source| Error::Write { path: temporary.clone(), source })?;
        let path = self.root.join(format!("{id}.txt"));
        Ok(Draft { reference: SpillRef { id, path }, temporary, file })
    }
}

impl Draft {
    /// Adds to the output.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file
            .write_all(bytes)
            .map_err(|source| Error::Write { path: self.temporary.clone(), source })
    }

    /// Gives the complete output its name.
    pub(crate) fn publish(self) -> Result<SpillRef, Error> {
        // A link, unlike a rename, never replaces what stands there already.
        let path = &self.reference.path;
        fs::hard_link(&self.temporary, path)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(self.reference.clone())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Published or given up. If even this fails, nobody looks among the drafts.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes a directory that only its owner can enter, or makes sure that it is one.
fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    access::private_directory(&mut builder);
    builder.create(path)?;
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "not a directory"));
    }
    access::check_private(&metadata)
}
