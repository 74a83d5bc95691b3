//! A directory by its path, for systems on which a directory cannot be kept open.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::checked_file::Refused;

/// The permissions of a file. On these systems a file has the permissions of its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileMode;

impl FileMode {
    /// Returns the permissions that both files have.
    pub(crate) fn stricter(self, _: FileMode) -> FileMode {
        FileMode
    }
}

/// A directory.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    /// Opens the directory at an absolute path without links.
    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory(path.to_owned()))
    }

    /// Makes a directory in this directory, unless it exists.
    pub(super) fn make(&self, name: &OsStr) -> io::Result<Directory> {
        let path = self.0.join(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(Directory(path)),
        }
    }

    /// Opens a regular file to read it. Returns `None` if the file does not exist.
    pub(super) fn open_file(&self, name: &OsStr) -> Result<Option<(File, FileMode)>, Refused> {
        if !self.has_regular(name)? {
            return Ok(None);
        }
        Ok(Some((File::open(self.0.join(name))?, FileMode)))
    }

    /// Writes a new file with this text. It can replace a regular file, and nothing else.
    pub(super) fn replace_file(
        &self,
        name: &OsStr,
        text: &str,
        _: Option<FileMode>,
    ) -> Result<(), Refused> {
        self.has_regular(name)?;
        let mut new = OsString::from(".");
        new.push(name);
        new.push(format!(".{}.new", std::process::id()));
        let new = self.0.join(new);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        drop(file);
        let written = written.and_then(|()| fs::rename(&new, self.0.join(name)));
        written.map_err(|error| {
            let _ = fs::remove_file(&new);
            error.into()
        })
    }

    /// Removes a file.
    pub(super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Tells whether a regular file of this name exists. Anything else of that name is an error.
    fn has_regular(&self, name: &OsStr) -> Result<bool, Refused> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(found) if found.is_symlink() => Err(Refused::Link),
            Ok(found) if found.is_file() => Ok(true),
            Ok(_) => Err(Refused::NotRegular),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
