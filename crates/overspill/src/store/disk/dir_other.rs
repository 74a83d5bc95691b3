//! A directory on systems that are not Unix. The standard library knows no owners and no modes of files
//! there, so the directory above decides who may read them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Access, Durability, Found};
use crate::Error;

/// A directory.
#[derive(Debug)]
pub(super) struct Dir {
    path: PathBuf,
}

impl Dir {
    /// Opens the directory at `path` if it may be used; one that is missing is `None`.
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

    /// Tells whether this is still what stands at `path`, and still may be used.
    pub(super) fn is_at(&self, path: &Path, _: Access) -> bool {
        self.path == path && self.is_alive()
    }

    /// Makes the directory at `path` and those above it that are missing.
    pub(super) fn make_all(path: &Path, _: Durability) -> io::Result<()> {
        match fs::create_dir_all(path) {
            // What it is, opening it will show.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Opens a directory of ours in this one.
    pub(super) fn open_dir(&self, name: &str) -> io::Result<Dir> {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path)?.is_dir() {
            true => Ok(Dir { path }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Opens a directory in this one.
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

    /// Tells whether this is still the directory of this name in another one.
    pub(super) fn is_in(&self, other: &Dir, name: &str) -> bool {
        self.path == other.path.join(name) && self.is_alive()
    }

    /// Makes a directory in this one, if it is not there.
    pub(super) fn make_dir(&self, name: &str) -> io::Result<()> {
        match fs::create_dir(self.path.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Tells whether this directory is still there.
    pub(super) fn is_alive(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_dir())
    }

    /// Opens a file of ours to read it. What is not a file is not found.
    pub(super) fn open_file(&self, name: &str) -> io::Result<(File, Found)> {
        // Times can be set through a file only if it was opened for writing.
        self.open_with(name, OpenOptions::new().read(true).write(true))
    }

    /// Opens a file to read and write it, and makes it if it is not there.
    pub(super) fn open_or_make(&self, name: &str) -> io::Result<(File, Found)> {
        self.open_with(name, OpenOptions::new().read(true).write(true).create(true))
    }

    /// Opens a file to add to it, and makes it if it is not there.
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

    /// Makes a file that was not there.
    pub(super) fn make_file(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.path.join(name))
    }

    /// All files have names.
    pub(super) fn can_name_the_nameless() -> bool {
        false
    }

    /// Makes no file: all of them have names.
    pub(super) fn make_nameless(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Links nothing: all files have names.
    pub(super) fn link_nameless(&self, _: &File, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Moves the file `from` of this directory to a name in another one, which must be free.
    pub(super) fn move_to(&self, from: &str, to: &Dir, name: &str) -> io::Result<()> {
        fs::hard_link(self.path.join(from), to.path.join(name))?;
        // Published; what is left behind, the sweep finds.
        self.remove(from).or(Ok(()))
    }

    /// Moves the file `from` of this directory to a name in another one, whatever is there.
    pub(super) fn replace(&self, from: &str, to: &Dir, name: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), to.path.join(name))
    }

    /// Looks at a file of ours. What is not a file is not found.
    pub(super) fn find(&self, name: &str) -> io::Result<Found> {
        found(&fs::symlink_metadata(self.path.join(name))?)
    }

    /// Removes a name.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// Removes a directory if it is empty.
    pub(super) fn remove_dir(&self, name: &str) -> io::Result<()> {
        fs::remove_dir(self.path.join(name))
    }

    /// Shows every name that may be a file or a directory, from a place on. Returns the place where it was told to
    /// stop, or 0 at the end. Places count entries, so the walk misses some if others were removed.
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

    /// Returns how many bytes may still be written here: nobody knows.
    pub(super) fn free(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// Does nothing: names are the system's business.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Locked files cannot be read here, so none is locked.
pub(super) fn lock(_: &File) -> bool {
    false
}

/// No file is locked here.
pub(super) fn is_locked(_: &File) -> bool {
    false
}

/// Reads at a place until the buffer is full or the file ends.
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
