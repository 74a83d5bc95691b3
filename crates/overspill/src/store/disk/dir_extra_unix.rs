//! Directory operations of Unix systems other than Linux: all files have names, and the position in
//! a listing is a count of entries.

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

/// Returns the position after the `nth` entry.
pub(super) fn place_of(_: &DirEntry, nth: u64) -> u64 {
    nth
}

/// Goes to a position and returns the number of entries before it. If entries were removed in
/// between, the listing misses as many others. The next listing from the beginning sees them.
pub(super) fn go_to(dir: &mut Dir, place: u64) -> io::Result<u64> {
    for nth in 0..place {
        match dir.read() {
            Some(entry) => drop(entry?),
            None => return Ok(nth),
        }
    }
    Ok(place)
}
