//! An input that also ends when a signal asks overspill to end.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use rustix::io::ioctl_fionread;

use super::LARGE_PIPE;
use super::extra::{SignalQueue, wait};
use super::signals::is_ignored;
use super::wait::{Interest, Watched};
use crate::process::How;

/// The signals that ask overspill to end.
const ENDS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Standard input or a file, read to its end or to the first signal that asks overspill to end.
///
/// Bytes that were written before the signal are still read. A second signal ends overspill at
/// once.
#[derive(Debug)]
pub(crate) struct InterruptibleInput {
    /// The file, or `None` for standard input.
    file: Option<File>,
    /// The queue of signals. `None` after a signal, or if signals cannot be collected.
    end_signals: Option<EndSignals>,
    came: Option<Signal>,
    /// The number of bytes that are still read after the signal.
    left: u64,
}

/// Collects the signals that ask overspill to end, until this value is dropped.
#[derive(Debug)]
struct EndSignals {
    queue: Option<SignalQueue>,
    watched: SigSet,
}

impl InterruptibleInput {
    /// Starts to collect signals. Call it before threads start: each thread has its own signal
    /// mask.
    pub(crate) fn new(file: Option<File>) -> InterruptibleInput {
        InterruptibleInput { file, end_signals: EndSignals::new().ok(), came: None, left: 0 }
    }

    /// Stops collecting signals. From then on a signal ends the process as usual.
    pub(crate) fn listen_no_more(&mut self) {
        self.came = self.came.or_else(|| self.end_signals.as_ref()?.next());
        self.end_signals = None;
    }

    /// Returns the signal that ended the input early. The process must end with the same signal.
    pub(crate) fn asked(&self) -> Option<How> {
        self.came.map(|signal| How::Signal(signal as i32))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_ref().map_or(rustix::stdio::stdin(), File::as_fd)
    }

    /// Waits until there are bytes to read, or a signal asks overspill to end.
    fn wait(&mut self) -> io::Result<()> {
        let Some(signals) = &self.end_signals else { return Ok(()) };
        let Some(queue) = &signals.queue else { return Ok(()) };
        let mut both = [queue.as_fd(), self.fd()].map(|fd| Watched::new(fd, Interest::Read));
        while both.iter().all(|one| !one.ready) {
            wait(&mut both, None)?;
        }
        if both[0].ready
            && let Some(signal) = signals.next()
        {
            self.came = Some(signal);
            self.end_signals = None;
            // A pipe contains at most this number of bytes from before the signal.
            self.left = ioctl_fionread(self.fd()).unwrap_or(0).min(LARGE_PIPE as u64);
        }
        Ok(())
    }
}

impl Read for InterruptibleInput {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        self.wait()?;
        if self.came.is_none() {
            return Ok(rustix::io::read(self.fd(), space)?);
        }
        let most = space.len().min(self.left as usize);
        if most == 0 {
            return Ok(0);
        }
        let len = rustix::io::read(self.fd(), &mut space[..most])?;
        self.left -= len as u64;
        Ok(len)
    }
}

impl EndSignals {
    fn new() -> io::Result<EndSignals> {
        let all: SigSet = ENDS.into_iter().collect();
        let before = all.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let watched = ENDS.into_iter().filter(|end| !before.contains(*end) && !is_ignored(*end));
        let watched: SigSet = watched.collect();
        // Ignored signals must not be collected: they ask for nothing.
        (before | watched).thread_set_mask()?;
        let queue = SignalQueue::open(&watched)
            .inspect_err(|_| before.thread_set_mask().unwrap_or_default())?;
        Ok(EndSignals { queue: Some(queue), watched })
    }

    fn next(&self) -> Option<Signal> {
        self.queue.as_ref()?.next().map(|came| came.signal)
    }
}

impl Drop for EndSignals {
    fn drop(&mut self) {
        // The queue goes first, and leaves the signals blocked.
        self.queue = None;
        let _ = self.watched.thread_unblock();
    }
}
