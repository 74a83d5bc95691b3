//! An open directory on Unix, and operations in it that never follow a link.

use std::ffi::CStr;
use std::fs::{File, TryLockError};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use jiff::Timestamp;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawMode, Stat, chmodat, fchmod, fstat, fstatvfs, fsync,
    linkat, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::dir_extra as extra;
use super::{Access, Durability, Found};
use crate::Error;

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
// Do not block: another user may have put a pipe under one of the store's file names.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
const PRIVATE_DIRECTORY: Mode = Mode::RWXU;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open directory.
#[derive(Debug)]
pub(super) struct Dir {
    fd: OwnedFd,
    /// The state of the directory when it was opened. Its owner is the user.
    stat: Stat,
}

impl Dir {
    /// Opens the directory at `path` if it may be used. Returns `None` if the directory is missing.
    pub(super) fn open_root(path: &Path, access: Access) -> Result<Option<Dir>, Error> {
        let failed = |errno: Errno| Error::Io { path: path.into(), source: errno.into() };
        let fd = match openat(CWD, path, DIRECTORY, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let is_link = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| kind(&stat) == FileType::Symlink);
                let reason = if is_link { "it is a link" } else { "it is not a directory" };
                return Err(Error::Unsafe { path: path.into(), reason: reason.into() });
            }
            Err(errno) => return Err(failed(errno)),
        };
        let stat = fstat(&fd).map_err(failed)?;
        if let Some(reason) = objection(&stat, access) {
            return Err(Error::Unsafe { path: path.into(), reason });
        }
        Ok(Some(Dir { fd, stat }))
    }

    /// Tells whether `path` still leads to this directory, and the directory may still be used.
    pub(super) fn is_at(&self, path: &Path, access: Access) -> bool {
        statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| {
            (stat.st_dev, stat.st_ino) == (self.stat.st_dev, self.stat.st_ino)
                && objection(&stat, access).is_none()
        })
    }

    /// Makes the directory at `path` and all missing directories above it, private to the user.
    pub(super) fn make_all(path: &Path, durability: Durability) -> io::Result<()> {
        let mut made = mkdirat(CWD, path, PRIVATE_DIRECTORY);
        if let (Err(Errno::NOENT), Some(parent)) = (made, path.parent()) {
            Dir::make_all(parent, durability)?;
            made = mkdirat(CWD, path, PRIVATE_DIRECTORY);
        }
        match made {
            Ok(()) => {
                give_owner_all(CWD, path)?;
                match (durability, path.parent()) {
                    (Durability::Full, Some(parent)) => File::open(parent)?.sync_all(),
                    (Durability::Full | Durability::None, _) => Ok(()),
                }
            }
            // Another process was faster. The caller opens the path next and checks it.
            Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Opens a subdirectory that must be private to the user.
    pub(super) fn open_dir(&self, name: &str) -> io::Result<Dir> {
        let fd = openat(&self.fd, name, DIRECTORY, Mode::empty())?;
        let stat = fstat(&fd)?;
        match objection(&stat, Access::Private) {
            Some(reason) => Err(io::Error::new(io::ErrorKind::PermissionDenied, reason)),
            None => Ok(Dir { fd, stat }),
        }
    }

    /// Opens a subdirectory. Returns `None` if it is missing or not private to the user.
    pub(super) fn open_dir_if_ours(&self, name: &str) -> io::Result<Option<Dir>> {
        let fd = match openat(&self.fd, name, DIRECTORY, Mode::empty()) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => return Ok(None),
            opened => opened?,
        };
        let stat = fstat(&fd)?;
        Ok(objection(&stat, Access::Private).is_none().then_some(Dir { fd, stat }))
    }

    /// Tells whether this is still the subdirectory `name` of another directory, and still private
    /// to the user.
    pub(super) fn is_in(&self, other: &Dir, name: &str) -> bool {
        statat(&other.fd, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| {
            (stat.st_dev, stat.st_ino) == (self.stat.st_dev, self.stat.st_ino)
                && objection(&stat, Access::Private).is_none()
        })
    }

    /// Makes a subdirectory, if it is missing.
    pub(super) fn make_dir(&self, name: &str) -> io::Result<()> {
        match mkdirat(&self.fd, name, PRIVATE_DIRECTORY) {
            Ok(()) => give_owner_all(&self.fd, name),
            Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Tells whether this directory still has a name.
    pub(super) fn is_alive(&self) -> bool {
        fstat(&self.fd).is_ok_and(|stat| stat.st_nlink > 0)
    }

    /// Opens a file to read it. Anything but a regular file of the user counts as not found.
    pub(super) fn open_file(&self, name: &str) -> io::Result<(File, Found)> {
        self.open_with(name, OFlags::RDONLY)
    }

    /// Opens a file to read and write it, and makes it if it is missing.
    pub(super) fn open_or_make(&self, name: &str) -> io::Result<(File, Found)> {
        self.open_with(name, OFlags::RDWR | OFlags::CREATE)
    }

    /// Opens a file to append to it, and makes it if it is missing.
    pub(super) fn open_to_append(&self, name: &str) -> io::Result<(File, Found)> {
        self.open_with(name, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)
    }

    fn open_with(&self, name: &str, flags: OFlags) -> io::Result<(File, Found)> {
        let fd = match openat(&self.fd, name, flags | FILE, PRIVATE_FILE) {
            // `LOOP` is a link. `NXIO` is a special file, such as a pipe without a reader.
            Err(Errno::LOOP | Errno::NXIO) => return Err(Errno::NOENT.into()),
            opened => opened?,
        };
        let found = self.found(&fstat(&fd)?).ok_or(Errno::NOENT)?;
        let file = if flags.contains(OFlags::CREATE) { private(fd)? } else { File::from(fd) };
        Ok((file, found))
    }

    /// Makes a new file. An existing file is an error.
    pub(super) fn make_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | FILE;
        private(openat(&self.fd, name, flags, PRIVATE_FILE)?)
    }

    /// Tells whether a file without a name can get a name later.
    pub(super) fn can_name_the_nameless() -> bool {
        extra::can_name_the_nameless()
    }

    /// Makes a file without a name. Returns `None` if the file system has no such files.
    pub(super) fn make_nameless(&self) -> io::Result<Option<File>> {
        extra::make_nameless(&self.fd, PRIVATE_FILE)?.map(private).transpose()
    }

    /// Gives a file without a name a free name.
    pub(super) fn link_nameless(&self, file: &File, name: &str) -> io::Result<()> {
        extra::link_nameless(file, &self.fd, name)
    }

    /// Moves the file `from` of this directory to a free name in another directory.
    pub(super) fn move_to(&self, from: &str, to: &Dir, name: &str) -> io::Result<()> {
        match linkat(&self.fd, from, &to.fd, name, AtFlags::empty()) {
            // The file is published. The sweep removes the old name if this fails.
            Ok(()) => self.remove(from).or(Ok(())),
            // Some file systems have no hard links.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
                extra::rename_if_free(&self.fd, from, &to.fd, name)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Moves the file `from` of this directory to a name in another directory, and replaces the
    /// file of that name.
    pub(super) fn replace(&self, from: &str, to: &Dir, name: &str) -> io::Result<()> {
        Ok(renameat(&self.fd, from, &to.fd, name)?)
    }

    /// Returns the size and the time of a file. Anything but a regular file of the user counts as
    /// not found.
    pub(super) fn find(&self, name: &str) -> io::Result<Found> {
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        self.found(&stat).ok_or_else(|| Errno::NOENT.into())
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes a subdirectory if it is empty.
    pub(super) fn remove_dir(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Calls `show` with every name that may be a file or a directory, starting at a position.
    /// Returns the position at which `show` stopped, or 0 at the end.
    pub(super) fn walk(
        &self,
        place: u64,
        mut show: impl FnMut(&str) -> ControlFlow<()>,
    ) -> io::Result<u64> {
        let mut entries = rustix::fs::Dir::read_from(&self.fd)?;
        let mut nth = extra::go_to(&mut entries, place)?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            nth += 1;
            let may_be = [FileType::RegularFile, FileType::Directory, FileType::Unknown];
            if !may_be.contains(&entry.file_type()) {
                continue;
            }
            let Ok(name) = CStr::to_str(entry.file_name()) else { continue };
            if show(name).is_break() {
                return Ok(extra::place_of(&entry, nth));
            }
        }
        Ok(0)
    }

    /// Returns the number of bytes that the user may still write here.
    pub(super) fn free(&self) -> io::Result<u64> {
        let room = fstatvfs(&self.fd)?;
        Ok(room.f_bavail.saturating_mul(room.f_frsize))
    }

    /// Writes the names in this directory to the disk, so that they survive a power loss.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(fsync(&self.fd)?)
    }

    fn found(&self, stat: &Stat) -> Option<Found> {
        let ours = kind(stat) == FileType::RegularFile && stat.st_uid == self.stat.st_uid;
        let used = Timestamp::new(stat.st_mtime as _, stat.st_mtime_nsec as _).ok()?;
        ours.then_some(Found { bytes: stat.st_size as u64, used })
    }
}

/// Reads from position `at` until the buffer is full or the file ends.
pub(super) fn read_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<usize> {
    let wanted = buffer.len();
    while !buffer.is_empty() {
        match file.read_at(buffer, at) {
            Ok(0) => break,
            Ok(len) => {
                buffer = &mut buffer[len..];
                at += len as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(wanted - buffer.len())
}

/// Locks a file until it is closed, and tells whether that worked. Others can still read the file.
pub(super) fn lock(file: &File) -> bool {
    file.try_lock().is_ok()
}

/// Tells whether another process has locked this file.
pub(super) fn is_locked(file: &File) -> bool {
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = file.unlock();
            false
        }
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
    }
}

/// Returns the reason why a directory may not be used, if there is one.
fn objection(stat: &Stat, access: Access) -> Option<String> {
    let mode = stat.st_mode as RawMode & 0o777;
    let open_to = match access {
        Access::Private if mode & 0o077 != 0 => "other users can open it",
        Access::Shared if mode & 0o002 != 0 => "all users can write to it",
        Access::Private | Access::Shared => "",
    };
    if kind(stat) != FileType::Directory {
        Some("it is not a directory".into())
    } else if stat.st_uid != geteuid().as_raw() {
        Some(format!("it belongs to another user ({})", stat.st_uid))
    } else if !open_to.is_empty() {
        Some(format!("{open_to} (mode {mode:04o})"))
    } else {
        None
    }
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode as RawMode)
}

/// Gives the owner all rights to a new directory, which a umask may have taken away.
fn give_owner_all(
    dir: impl rustix::fd::AsFd,
    name: impl rustix::path::Arg + Copy,
) -> io::Result<()> {
    let stat = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if kind(&stat) == FileType::Directory && stat.st_mode as RawMode & 0o700 != 0o700 {
        chmodat(&dir, name, PRIVATE_DIRECTORY, AtFlags::empty())?;
    }
    Ok(())
}

fn private(fd: OwnedFd) -> io::Result<File> {
    if fstat(&fd)?.st_mode as RawMode & 0o777 != 0o600 {
        fchmod(&fd, PRIVATE_FILE)?;
    }
    Ok(File::from(fd))
}
