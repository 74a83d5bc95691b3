//! A directory that stays open, so that it cannot be swapped, and access to its files that follows
//! no links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawMode, fchmod, fstat, mkdirat, open, openat, renameat,
    statat, unlinkat,
};
use rustix::io::Errno;

use super::checked_file::Refused;

// A directory may allow entering and not reading.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ENTER: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ENTER: OFlags = OFlags::RDONLY;

const DIRECTORY: OFlags =
    ENTER.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
// Without blocking: opening a named pipe must not wait for a writer.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const CREATE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The permissions of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileMode(RawMode);

impl FileMode {
    /// Returns the permissions that both files have.
    pub(crate) fn stricter(self, other: FileMode) -> FileMode {
        FileMode(self.0 & other.0)
    }
}

/// An open directory.
#[derive(Debug)]
pub(super) struct Directory(OwnedFd);

impl Directory {
    /// Opens the directory at an absolute path without links. A link in the path is an error.
    pub(super) fn open(path: &Path) -> io::Result<Directory> {
        let mut directory = Directory(open("/", DIRECTORY, Mode::empty())?);
        for part in path.components() {
            if let Component::Normal(name) = part {
                directory = directory.enter(name)?;
            }
        }
        Ok(directory)
    }

    fn enter(&self, name: &OsStr) -> io::Result<Directory> {
        Ok(Directory(openat(&self.0, name, DIRECTORY, Mode::empty())?))
    }

    /// Makes a directory in this directory, unless it exists, and opens it.
    pub(super) fn make(&self, name: &OsStr) -> io::Result<Directory> {
        match mkdirat(&self.0, name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
            Ok(()) | Err(Errno::EXIST) => self.enter(name),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Opens a regular file to read it. Returns `None` if the file does not exist.
    pub(super) fn open_file(&self, name: &OsStr) -> Result<Option<(File, FileMode)>, Refused> {
        // Opening a device can have effects, so the kind of the file is also checked before.
        if !self.has_regular(name)? {
            return Ok(None);
        }
        let file = match openat(&self.0, name, READ, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(Refused::Link),
            Err(errno) => return Err(failed(errno)),
        };
        let mode = fstat(&file).map_err(failed)?.st_mode;
        check(mode)?;
        Ok(Some((File::from(file), FileMode(mode & 0o777))))
    }

    /// Writes a new file with this text. It can replace a regular file, and nothing else.
    pub(super) fn replace_file(
        &self,
        name: &OsStr,
        text: &str,
        mode: Option<FileMode>,
    ) -> Result<(), Refused> {
        self.has_regular(name)?;
        let mut new = OsString::from(".");
        new.push(name);
        new.push(format!(".{}.new", std::process::id()));
        // The text is written before other users get the permission to read it.
        let first = if mode.is_some() { 0o600 } else { 0o666 };
        let file = openat(&self.0, &new, CREATE, Mode::from_raw_mode(first)).map_err(failed)?;
        let written = || -> io::Result<()> {
            let mut file = File::from(file);
            file.write_all(text.as_bytes())?;
            if let Some(FileMode(mode)) = mode {
                fchmod(&file, Mode::from_raw_mode(mode))?;
            }
            file.sync_all()?;
            // A link that was made meanwhile is replaced and not followed.
            Ok(renameat(&self.0, &new, &self.0, name)?)
        };
        written().map_err(|error| {
            let _ = unlinkat(&self.0, &new, AtFlags::empty());
            error.into()
        })
    }

    /// Removes a file.
    pub(super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Tells whether a regular file of this name exists. Anything else of that name is an error.
    fn has_regular(&self, name: &OsStr) -> Result<bool, Refused> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => check(found.st_mode).map(|()| true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(failed(errno)),
        }
    }
}

fn failed(errno: Errno) -> Refused {
    Refused::Io(errno.into())
}

fn check(mode: RawMode) -> Result<(), Refused> {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(Refused::Link),
        _ => Err(Refused::NotRegular),
    }
}
