//! Directory operations of Linux: files without a name, and directory positions at which a listing
//! can continue.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{
    Access, AtFlags, CWD, Dir, DirEntry, Mode, OFlags, RenameFlags, access, linkat, openat,
    renameat_with,
};
use rustix::io::Errno;

/// The directory through which a file gets its first name, as `open(2)` describes. Linking the
/// descriptor itself needs a privilege on older kernels.
const OPEN_FILES: &str = "/proc/self/fd";

pub(super) fn can_name_the_nameless() -> bool {
    access(OPEN_FILES, Access::EXISTS).is_ok()
}

pub(super) fn make_nameless(dir: &OwnedFd, mode: Mode) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    match openat(dir, ".", flags, mode) {
        Ok(fd) => Ok(Some(fd)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

pub(super) fn link_nameless(file: &File, dir: &OwnedFd, name: &str) -> io::Result<()> {
    let path = format!("{OPEN_FILES}/{}", file.as_raw_fd());
    Ok(linkat(CWD, path, dir, name, AtFlags::SYMLINK_FOLLOW)?)
}

pub(super) fn rename_if_free(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> io::Result<()> {
    Ok(renameat_with(from, old, to, new, RenameFlags::NOREPLACE)?)
}

/// Returns the position after an entry.
pub(super) fn place_of(entry: &DirEntry, _nth: u64) -> u64 {
    entry.offset() as u64
}

/// Goes to a position. Linux does not need the number of entries before it, so it returns 0.
pub(super) fn go_to(dir: &mut Dir, place: u64) -> io::Result<u64> {
    if place > 0 {
        dir.seek(place as i64)?;
    }
    Ok(0)
}
