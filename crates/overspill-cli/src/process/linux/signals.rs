//! Signals: those that come to us are the command's.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, raise, signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::process::{Pid, Resource, Rlimit, setrlimit};

use crate::process::How;

/// What is handed on. The last two come when the terminal is not ours to use.
const HANDED_ON: [Signal; 9] = [
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
/// What would end or stop us where an error of a call says as much.
const ERRORS_DO: [Signal; 3] = [Signal::SIGPIPE, Signal::SIGXFSZ, Signal::SIGTTOU];

/// Signals as things to be read, one by one and none of them lost on the way.
///
/// No handler is set: the command inherits handlers that ignore, and must get them as we did.
#[derive(Debug)]
pub(super) struct Signals {
    fd: SignalFd,
    /// The mask that we were started with, which is the command's.
    pub(super) mask: SigSet,
}

/// A signal that came.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceivedSignal {
    pub(super) signal: Signal,
    /// The terminal sent it, and so to the whole group.
    pub(super) by_terminal: bool,
    /// Who sent it, where it was a process.
    pub(super) from: Option<i32>,
}

impl Signals {
    /// Begins to take signals.
    pub(super) fn take() -> io::Result<Signals> {
        let watched: SigSet = HANDED_ON.into_iter().chain([Signal::SIGCHLD]).collect();
        let blocked = watched | ERRORS_DO.into_iter().collect::<SigSet>();
        let mask = blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        // Where it is ignored, nobody would learn how the command ended.
        // SAFETY: the default is no handler that could run.
        #[allow(unsafe_code, reason = "any handler could be set by it; this is none")]
        unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) }?;
        let fd = SignalFd::with_flags(&watched, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        Ok(Signals { fd, mask })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Returns the next signal that has come.
    pub(super) fn next(&self) -> Option<ReceivedSignal> {
        let info = self.fd.read_signal().ok().flatten()?;
        let signal = Signal::try_from(info.ssi_signo as i32).ok()?;
        // Above zero it was the kernel, which sends to the group of a terminal.
        let by_terminal = info.ssi_code > 0;
        let from = (!by_terminal).then_some(info.ssi_pid as i32);
        Some(ReceivedSignal { signal, by_terminal, from })
    }
}

/// The signal mask that this process was started with, once [`block_file_size_signal`] has changed it.
static FIRST_MASK: OnceLock<SigSet> = OnceLock::new();

/// Turns a write beyond the limit on file sizes (`ulimit -f`) into an error of that write. Otherwise
/// the signal ends the process. Threads that are started later inherit this.
pub(crate) fn block_file_size_signal() {
    let blocked = SigSet::from(Signal::SIGXFSZ).thread_swap_mask(SigmaskHow::SIG_BLOCK);
    if let Ok(mask) = blocked {
        let _ = FIRST_MASK.set(mask);
    }
}

/// Makes `command` start with the signal mask that this process was started with.
pub(crate) fn restore_signals(command: &mut Command) {
    let Some(mask) = FIRST_MASK.get().copied() else { return };
    // SAFETY: it sets the mask of the new process, which may be done between fork and exec.
    #[allow(unsafe_code, reason = "other closures could do what must not be done there")]
    unsafe {
        command.pre_exec(move || mask.thread_set_mask().map_err(io::Error::from));
    }
}

/// Stops this process, as the command was stopped, until somebody lets it go on.
pub(super) fn stop_too(by: i32) {
    let signal = Signal::try_from(by).unwrap_or(Signal::SIGSTOP);
    let only = SigSet::from(signal);
    // A signal that does not wait to be read does what it does to everybody.
    let _ = raise(signal);
    let _ = only.thread_unblock();
    let _ = only.thread_block();
}

/// Ends this process as the command ended, if that was by a signal. Returns if it cannot.
pub(crate) fn end_like(how: How) {
    let How::Signal(number) = how else { return };
    let Ok(signal) = Signal::try_from(number) else { return };
    // One core is enough.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = raise(signal);
    let _ = SigSet::from(signal).thread_unblock();
}

/// Tells whether `process` is `ancestor`, or was started by it or by one of those it started.
pub(super) fn descends(process: i32, ancestor: Pid) -> bool {
    /// Nobody nests deeper; what changes while we look must not keep us.
    const MOST: usize = 64;
    let mut at = process;
    for _ in 0..MOST {
        if at == ancestor.as_raw_nonzero().get() {
            return true;
        }
        match parent_of(at) {
            Some(parent) if parent > 1 => at = parent,
            _ => return false,
        }
    }
    false
}

fn parent_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it stands in brackets and may hold anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}
