//! Waits with `select`: on macOS `poll` does not work with every terminal.

use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::select::{FD_SETSIZE, FdSet, select};
use nix::sys::time::{TimeVal, TimeValLike};

use super::super::wait::{Interest, Watched, poll_all};

/// The interval at which to look for a gone reader. `select` cannot wait for that.
const LOOK: Duration = Duration::from_millis(100);
/// The longest timeout. Some systems refuse a longer timeout.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(3600);

/// Waits until a descriptor is ready, the time is over or a signal comes. It may return earlier.
pub(in super::super) fn wait(watched: &mut [Watched], timeout: Option<Duration>) -> io::Result<()> {
    if watched.iter().any(|one| one.fd.as_raw_fd() as usize >= FD_SETSIZE) {
        return poll_all(watched, timeout);
    }
    let mut timeout = timeout.map(|timeout| timeout.min(LONGEST_TIMEOUT));
    for one in watched.iter_mut().filter(|one| one.interest == Interest::HangUp) {
        poll_all(std::slice::from_mut(one), Some(Duration::ZERO))?;
        let longest = if one.ready { Duration::ZERO } else { LOOK };
        timeout = Some(timeout.map_or(longest, |timeout| timeout.min(longest)));
    }
    let (mut read, mut write) = (FdSet::new(), FdSet::new());
    for one in watched.iter() {
        match one.interest {
            Interest::Read => read.insert(one.fd),
            Interest::Write => write.insert(one.fd),
            Interest::HangUp => {}
        }
    }
    // Rounded up: a shorter time would end before the next event is due.
    let micros = |timeout: Duration| timeout.as_nanos().div_ceil(1000) as i64;
    let mut timeout = timeout.map(|timeout| TimeVal::microseconds(micros(timeout)));
    match select(None, &mut read, &mut write, None, timeout.as_mut()) {
        Ok(_) => {}
        // An interrupted call leaves the sets unchanged, so they say nothing.
        Err(Errno::EINTR) => (read, write) = (FdSet::new(), FdSet::new()),
        Err(errno) => return Err(errno.into()),
    }
    for one in watched {
        match one.interest {
            Interest::Read => one.ready = read.contains(one.fd),
            Interest::Write => one.ready = write.contains(one.fd),
            Interest::HangUp => {}
        }
    }
    Ok(())
}
