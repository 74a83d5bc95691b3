//! What directories cannot do on other systems than Linux.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Dir, DirEntry, Mode};

pub(super) fn can_name_the_nameless() -> bool {
    false
}

pub(super) fn make_nameless(_: &OwnedFd, _: Mode) -> io::Result<Option<OwnedFd>> {
    Ok(None)
}

pub(super) fn link_nameless(_: &File, _: &OwnedFd, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn rename_if_free(_: &OwnedFd, _: &str, _: &OwnedFd, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Always the beginning: a walk that was stopped begins again.
pub(super) fn place_of(_: &DirEntry) -> u64 {
    0
}

pub(super) fn go_to(_: &mut Dir, _: u64) -> io::Result<()> {
    Ok(())
}
