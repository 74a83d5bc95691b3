//! The Linux implementation of the calls that differ between Unix systems. `unix/plain` is the
//! other implementation.

mod signal_queue;
mod start;

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::pipe::fcntl_setpipe_size;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt};

use super::LARGE_PIPE;

pub(super) use super::wait::poll_all as wait;
pub(super) use signal_queue::{SignalQueue, stop_too};
pub(super) use start::start;

/// Enlarges a pipe, so that the writer and the reader wait for each other less often.
pub(crate) fn widen(pipe: impl AsFd) {
    let _ = fcntl_setpipe_size(pipe, LARGE_PIPE);
}

/// Opens the end of a new terminal that overspill keeps.
pub(super) fn open_terminal() -> io::Result<OwnedFd> {
    Ok(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}

/// Opens the command's end of a terminal, without the file system.
pub(super) fn open_peer(ours: &OwnedFd, _path: &CStr) -> io::Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    Ok(ioctl_tiocgptpeer(ours, flags)?)
}

/// Returns the name of a process. The process may have changed it from the name of its file.
pub(super) fn name_of(process: i32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned())
}

/// Finds the parents of processes in `/proc`.
#[derive(Debug)]
pub(super) struct Parents;

impl Parents {
    pub(super) fn new() -> Parents {
        Parents
    }

    pub(super) fn of(&self, process: i32) -> Option<i32> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The program's name stands in brackets before the numbers and may contain any byte.
        let (_, rest) = stat.rsplit_once(") ")?;
        rest.split(' ').nth(1)?.parse().ok()
    }
}
