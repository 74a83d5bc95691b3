//! What directories can do on Linux: files without a name, and places to go on reading from.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, Mode, OFlags, RenameFlags, linkat, openat, renameat_with,
};
use rustix::io::Errno;

pub(super) fn make_nameless(dir: &OwnedFd, mode: Mode) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    match openat(dir, ".", flags, mode) {
        Ok(fd) => Ok(Some(fd)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

pub(super) fn link_nameless(file: &File, dir: &OwnedFd, name: &str) -> io::Result<()> {
    // By way of `/proc`, as `open(2)` says: linking the descriptor itself takes a privilege on
    // older kernels.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    match linkat(CWD, path, dir, name, AtFlags::SYMLINK_FOLLOW) {
        Err(Errno::NOENT) => Ok(linkat(file, "", dir, name, AtFlags::EMPTY_PATH)?),
        linked => Ok(linked?),
    }
}

pub(super) fn rename_if_free(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> io::Result<()> {
    Ok(renameat_with(from, old, to, new, RenameFlags::NOREPLACE)?)
}

pub(super) fn place_of(entry: &DirEntry) -> u64 {
    entry.offset() as u64
}

pub(super) fn go_to(dir: &mut Dir, place: u64) -> io::Result<()> {
    if place > 0 {
        dir.seek(place as i64)?;
    }
    Ok(())
}
