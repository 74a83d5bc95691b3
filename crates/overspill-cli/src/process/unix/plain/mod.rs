//! The implementation for every Unix of the calls that differ between Unix systems. `linux` is the
//! other implementation.

mod parents;
mod select;
mod signal_queue;
mod start;

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, openpt};

pub(super) use parents::{Parents, name_of};
pub(super) use select::wait;
pub(super) use signal_queue::{SignalQueue, stop_too};
pub(super) use start::start;

/// Does nothing, because pipes have a fixed size.
pub(crate) fn widen(_pipe: impl AsFd) {}

/// Opens the end of a new terminal that overspill keeps.
pub(super) fn open_terminal() -> io::Result<OwnedFd> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
    Ok(ours)
}

/// Opens the command's end of a terminal.
pub(super) fn open_peer(_ours: &OwnedFd, path: &CStr) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}
