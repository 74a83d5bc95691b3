//! A directory on systems that are not Unix. The standard library knows neither owners nor modes of
//! files on these systems, so the parent directory decides who may read them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Access, Durability, Found};
use crate::Error;

/// A directory of the store.
#[derive(Debug)]
pub(super) struct Dir {
    path: PathBuf,
}

impl Dir {
    /// Opens the directory at `path` if it may be used. Returns `None` if the directory is missing.
    pub(super) fn open_root(path: &Path, _: Access) -> Result<Option<Dir>, Error> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(Some(Dir { path: path.into() })),
            Ok(metadata) => {
                let is_link = metadata.is_symlink();
                let reason = if is_link { "it is a link" } else { "it is not a directory" };
                Err(Error::Unsafe { path: path.into(), reason: reason.into() })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { path: path.into(), source }),
        }
    }

    /// Tells whether `path` still leads to this directory.
    pub(super) fn is_at(&self, path: &Path, _: Access) -> bool {
        self.path == path && self.is_alive()
    }

    /// Makes the directory at `path` and all missing directories above it.
    pub(super) fn make_all(path: &Path, _: Durability) -> io::Result<()> {
        match fs::create_dir_all(path) {
            // The caller opens the path next and finds out whether it is a directory.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Opens a subdirectory that belongs to the store.
    pub(super) fn open_dir(&self, name: &str) -> io::Result<Dir> {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path)?.is_dir() {
            true => Ok(Dir { path }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Opens a subdirectory. Returns `None` if it is missing or cannot be used.
    pub(super) fn open_dir_if_ours(&self, name: &str) -> io::Result<Option<Dir>> {
        match self.open_dir(name) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::PermissionDenied => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Tells whether this is still the subdirectory `name` of another directory.
    pub(super) fn is_in(&self, other: &Dir, name: &str) -> bool {
        self.path == other.path.join(name) && self.is_alive()
    }

    /// Makes a subdirectory, if it is missing.
    pub(super) fn make_dir(&self, name: &str) -> io::Result<()> {
        match fs::create_dir(self.path.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Tells whether this directory still exists.
    pub(super) fn is_alive(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_dir())
    }

    /// Opens a file to read it. Anything but a regular file counts as not found.
    pub(super) fn open_file(&self, name: &str) -> io::Result<(File, Found)> {
        // Setting the times of a file needs a handle that was opened for writing.
        self.open_with(name, OpenOptions::new().read(true).write(true))
    }

    /// Opens a file to read and write it, and makes it if it is missing.
    pub(super) fn open_or_make(&self, name: &str) -> io::Result<(File, Found)> {
        self.open_with(name, OpenOptions::new().read(true).write(true).create(true))
    }

    /// Opens a file to append to it, and makes it if it is missing.
    pub(super) fn open_to_append(&self, name: &str) -> io::Result<(File, Found)> {
        self.open_with(name, OpenOptions::new().append(true).create(true))
    }

    fn open_with(&self, name: &str, options: &OpenOptions) -> io::Result<(File, Found)> {
        let path = self.path.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let file = options.open(path)?;
        let found = found(&file.metadata()?)?;
        Ok((file, found))
    }

    /// Makes a new file. An existing file is an error.
    pub(super) fn make_file(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.path.join(name))
    }

    /// Returns `false`: these systems have no files without a name.
    pub(super) fn can_name_the_nameless() -> bool {
        false
    }

    /// Returns `None`: these systems have no files without a name.
    pub(super) fn make_nameless(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Returns an error: these systems have no files without a name.
    pub(super) fn link_nameless(&self, _: &File, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Moves the file `from` of this directory to a free name in another directory.
    pub(super) fn move_to(&self, from: &str, to: &Dir, name: &str) -> io::Result<()> {
        fs::hard_link(self.path.join(from), to.path.join(name))?;
        // The file is published. The sweep removes the old name if this fails.
        self.remove(from).or(Ok(()))
    }

    /// Moves the file `from` of this directory to a name in another directory, and replaces the
    /// file of that name.
    pub(super) fn replace(&self, from: &str, to: &Dir, name: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), to.path.join(name))
    }

    /// Returns the size and the time of a file. Anything but a regular file counts as not found.
    pub(super) fn find(&self, name: &str) -> io::Result<Found> {
        found(&fs::symlink_metadata(self.path.join(name))?)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// Removes a subdirectory if it is empty.
    pub(super) fn remove_dir(&self, name: &str) -> io::Result<()> {
        fs::remove_dir(self.path.join(name))
    }

    /// Calls `show` with every name, starting at a position. Returns the position at which `show`
    /// stopped, or 0 at the end. Positions count entries, so the listing misses some if others were
    /// removed.
    pub(super) fn walk(
        &self,
        place: u64,
        mut show: impl FnMut(&str) -> ControlFlow<()>,
    ) -> io::Result<u64> {
        for (nth, entry) in (1..).zip(fs::read_dir(&self.path)?).skip(place as usize) {
            let name = entry?.file_name();
            if name.to_str().is_some_and(|name| show(name).is_break()) {
                return Ok(nth);
            }
        }
        Ok(0)
    }

    /// Returns the largest number: the free space is unknown on these systems.
    pub(super) fn free(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// Does nothing: the standard library cannot sync a directory on these systems.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns `false` without locking: a locked file cannot be read on these systems.
pub(super) fn lock(_: &File) -> bool {
    false
}

/// Returns `false`: no file is locked on these systems.
pub(super) fn is_locked(_: &File) -> bool {
    false
}

/// Reads from position `at` until the buffer is full or the file ends.
pub(super) fn read_at(mut file: &File, mut buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let wanted = buffer.len();
    file.seek(SeekFrom::Start(at))?;
    while !buffer.is_empty() {
        match file.read(buffer) {
            Ok(0) => break,
            Ok(len) => buffer = &mut buffer[len..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(wanted - buffer.len())
}

fn found(metadata: &Metadata) -> io::Result<Found> {
    if !metadata.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let used = Timestamp::try_from(metadata.modified()?).map_err(io::Error::other)?;
    Ok(Found { bytes: metadata.len(), used })
}
