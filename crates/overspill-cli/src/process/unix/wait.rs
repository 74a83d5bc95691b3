//! Waits until descriptors are ready.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// A descriptor to wait for.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    pub(super) fd: BorrowedFd<'a>,
    pub(super) interest: Interest,
    /// Tells whether the descriptor is ready. `wait` sets this field.
    pub(super) ready: bool,
}

/// The event to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interest {
    /// The descriptor has bytes to read, or has reached its end.
    Read,
    /// The descriptor can take bytes.
    Write,
    /// The reader of the other end is gone.
    HangUp,
}

impl<'a> Watched<'a> {
    pub(super) fn new(fd: BorrowedFd<'a>, interest: Interest) -> Watched<'a> {
        Watched { fd, interest, ready: false }
    }
}

/// Waits with `poll` until a descriptor is ready, the time is over or a signal comes.
pub(super) fn poll_all(watched: &mut [Watched], timeout: Option<Duration>) -> io::Result<()> {
    let mut fds: Vec<PollFd> = watched
        .iter()
        .map(|one| {
            let flags = match one.interest {
                Interest::Read => PollFlags::IN,
                Interest::Write => PollFlags::OUT,
                // Linux always reports this event. Other systems must be asked for it.
                Interest::HangUp => PollFlags::HUP,
            };
            PollFd::from_borrowed_fd(one.fd, flags)
        })
        .collect();
    let timeout = timeout.map(|timeout| Timespec {
        tv_sec: timeout.as_secs() as i64,
        tv_nsec: i64::from(timeout.subsec_nanos()),
    });
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    for (one, fd) in watched.iter_mut().zip(&fds) {
        one.ready = match one.interest {
            Interest::Read | Interest::Write => !fd.revents().is_empty(),
            Interest::HangUp => fd.revents().intersects(PollFlags::ERR | PollFlags::HUP),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::super::extra::wait;
    use super::*;

    #[test]
    fn wait_reports_only_descriptors_that_are_ready() {
        let (first, mut first_writer) = io::pipe().unwrap();
        let (second, _second_writer) = io::pipe().unwrap();
        first_writer.write_all(b"x").unwrap();
        let mut watched = [
            Watched::new(first.as_fd(), Interest::Read),
            Watched::new(second.as_fd(), Interest::Read),
            Watched::new(first_writer.as_fd(), Interest::Write),
            Watched::new(first_writer.as_fd(), Interest::HangUp),
        ];
        wait(&mut watched, None).unwrap();
        assert_eq!(watched.map(|one| one.ready), [true, false, true, false]);
    }

    #[test]
    fn wait_reports_reader_that_is_gone() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut watched = [Watched::new(writer.as_fd(), Interest::HangUp)];
        wait(&mut watched, None).unwrap();
        assert!(watched[0].ready);
    }

    #[test]
    fn wait_ends_when_time_is_over() {
        let (reader, _writer) = io::pipe().unwrap();
        let mut watched = [Watched::new(reader.as_fd(), Interest::Read)];
        wait(&mut watched, Some(Duration::from_millis(5))).unwrap();
        assert!(!watched[0].ready);
    }
}
