//! Collects signals with `signalfd`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::super::signals::ReceivedSignal;

/// Collects signals for reading them one by one.
///
/// A queue sets no handlers, so the command inherits the signal dispositions of this process.
#[derive(Debug)]
pub(in super::super) struct SignalQueue(SignalFd);

impl SignalQueue {
    /// Starts to collect `signals`. The caller has blocked them, and they stay blocked.
    pub(in super::super) fn open(signals: &SigSet) -> io::Result<SignalQueue> {
        let fd = SignalFd::with_flags(signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        Ok(SignalQueue(fd))
    }

    /// Returns the descriptor that becomes readable when a signal arrives.
    pub(in super::super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Returns the next signal that has arrived.
    pub(in super::super) fn next(&self) -> Option<ReceivedSignal> {
        let info = self.0.read_signal().ok().flatten()?;
        let signal = Signal::try_from(info.ssi_signo as i32).ok()?;
        // Codes above zero come from the kernel, which sends these signals to the whole group of
        // the terminal.
        let by_terminal = info.ssi_code > 0;
        let from = (!by_terminal).then_some(info.ssi_pid as i32);
        Some(ReceivedSignal { signal, by_terminal, from })
    }
}

/// Stops this process with the signal that stopped the command, until `SIGCONT` comes.
pub(in super::super) fn stop_too(by: i32) {
    let signal = Signal::try_from(by).unwrap_or(Signal::SIGSTOP);
    let only = SigSet::from(signal);
    // The signal is blocked, so it acts as soon as it is unblocked.
    let _ = raise(signal);
    let _ = only.thread_unblock();
    let _ = only.thread_block();
}
