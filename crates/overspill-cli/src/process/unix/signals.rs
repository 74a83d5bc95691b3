//! Collects the signals to this process, to pass them on to the command.

use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, raise, signal};
use rustix::process::{Resource, Rlimit, setrlimit};

use super::extra::SignalQueue;
use crate::process::How;

/// The signals that overspill passes on to the command.
const FORWARDED: [Signal; 9] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGWINCH,
    Signal::SIGCONT,
    Signal::SIGTSTP,
];
/// The signals that stay blocked, because the failed call also returns an error.
const ERRORS_DO: [Signal; 3] = [Signal::SIGPIPE, Signal::SIGXFSZ, Signal::SIGTTOU];

/// The signals that come to this process while the command runs.
#[derive(Debug)]
pub(super) struct Signals {
    pub(super) queue: SignalQueue,
    /// The original signal mask of this process, which the command gets.
    pub(super) mask: SigSet,
}

/// A signal that came.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceivedSignal {
    pub(super) signal: Signal,
    /// Tells whether the terminal sent the signal, and so to the whole group.
    pub(super) by_terminal: bool,
    /// The process that sent the signal.
    pub(super) from: Option<i32>,
}

impl Signals {
    /// Starts to collect signals. They stay blocked afterwards.
    pub(super) fn take() -> io::Result<Signals> {
        let watched: SigSet = FORWARDED.into_iter().chain([Signal::SIGCHLD]).collect();
        let blocked = watched | ERRORS_DO.into_iter().collect::<SigSet>();
        let mask = blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        // If SIGCHLD were ignored, the system would not report the end of the command.
        set_disposition(Signal::SIGCHLD, SigHandler::SigDfl)?;
        let queue = SignalQueue::open(&watched)?;
        Ok(Signals { queue, mask })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }

    /// Returns the next signal that has arrived.
    pub(super) fn next(&self) -> Option<ReceivedSignal> {
        self.queue.next()
    }
}

/// The original signal mask of this process, set by [`block_file_size_signal`].
static FIRST_MASK: OnceLock<SigSet> = OnceLock::new();

/// Turns a write beyond the limit on file sizes (`ulimit -f`) into an error of that write.
/// Otherwise the signal ends the process. Threads that start later inherit this.
pub(crate) fn block_file_size_signal() {
    let blocked = SigSet::from(Signal::SIGXFSZ).thread_swap_mask(SigmaskHow::SIG_BLOCK);
    if let Ok(mask) = blocked {
        let _ = FIRST_MASK.set(mask);
    }
}

/// Leaves the interrupt keys to a child that shares our terminal, and turns a write to an ended
/// child into an error. The child must have started before.
pub(crate) fn leave_keys_to_child() {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGPIPE].into_iter().collect();
    // Otherwise the signal ends overspill while the pager still has the terminal.
    let _ = signals.thread_block();
}

/// Calls `start`, whose threads block all signals.
pub(crate) fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK);
    let started = start();
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    started
}

/// Makes `command` start with the original signal mask of this process.
pub(crate) fn restore_signals(command: &mut Command) {
    let Some(mask) = FIRST_MASK.get().copied() else { return };
    // SAFETY: the closure only sets the mask of the new process, which is allowed between fork and
    // exec.
    #[allow(unsafe_code, reason = "other closures could do what must not be done there")]
    unsafe {
        command.pre_exec(move || mask.thread_set_mask().map_err(io::Error::from));
    }
}

/// Ends this process with the signal that ended the command. Returns if there was no signal, or if
/// the signal does not end this process.
pub(crate) fn end_like(how: How) {
    let How::Signal(number) = how else { return };
    let Ok(signal) = Signal::try_from(number) else { return };
    // The command has already left its core file, if any.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = raise(signal);
    let _ = SigSet::from(signal).thread_unblock();
}

/// Sets SIGPIPE to its default.
pub(crate) fn default_sigpipe() {
    let _ = set_disposition(Signal::SIGPIPE, SigHandler::SigDfl);
}

/// Tells whether a signal is ignored, as the parent process may have chosen. The caller has blocked
/// the signal: the only way to ask is to change the disposition for a moment.
pub(super) fn is_ignored(asked: Signal) -> bool {
    let before = set_disposition(asked, SigHandler::SigDfl);
    let is_ignored = matches!(before, Ok(SigHandler::SigIgn));
    if is_ignored {
        let _ = set_disposition(asked, SigHandler::SigIgn);
    }
    is_ignored
}

/// Sets a signal to its default or ignores it. Handlers are set elsewhere.
fn set_disposition(of: Signal, new: SigHandler) -> nix::Result<SigHandler> {
    debug_assert!(matches!(new, SigHandler::SigDfl | SigHandler::SigIgn));
    // SAFETY: neither the default nor ignoring is a handler that could run.
    #[allow(unsafe_code, reason = "any handler could be set by it; these are none")]
    unsafe {
        signal(of, new)
    }
}
