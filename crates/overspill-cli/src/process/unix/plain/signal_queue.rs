//! Collects signals with a handler that writes into a pipe.

use std::ffi::{c_int, c_void};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::libc::siginfo_t;
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, raise, sigaction,
};
use rustix::process::{getpgrp, getpid};

use super::super::signals::ReceivedSignal;

/// The pipe that the handler writes to. It is never closed, so the handler can always use it.
static PIPE: OnceLock<(PipeReader, PipeWriter)> = OnceLock::new();
/// The writing end of the pipe.
static WRITER: AtomicI32 = AtomicI32::new(-1);
/// The process in which the handler was set. Its children have the handler until they call `exec`.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// The number of a signal and its sender, as the handler writes them.
type SignalRecord = [u8; 8];

/// Collects signals for reading them one by one. Only one queue exists at a time.
#[derive(Debug)]
pub(in super::super) struct SignalQueue {
    signals: SigSet,
    reader: BorrowedFd<'static>,
    before: Vec<(Signal, SigAction)>,
}

impl SignalQueue {
    /// Starts to collect `signals`. The caller has blocked them. Dropping the queue blocks them
    /// again.
    pub(in super::super) fn open(signals: &SigSet) -> io::Result<SignalQueue> {
        let (reader, writer) = match PIPE.get() {
            Some(pipe) => pipe,
            None => {
                let (reader, writer) = io::pipe()?;
                rustix::io::ioctl_fionbio(&reader, true)?;
                rustix::io::ioctl_fionbio(&writer, true)?;
                PIPE.get_or_init(|| (reader, writer))
            }
        };
        WRITER.store(writer.as_raw_fd(), Ordering::Relaxed);
        OWNER.store(own_pid(), Ordering::Relaxed);
        let mut queue =
            SignalQueue { signals: *signals, reader: reader.as_fd(), before: Vec::new() };
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_RESTART;
        let action = SigAction::new(SigHandler::SigAction(record), flags, SigSet::empty());
        for signal in signals.iter() {
            queue.before.push((signal, set(signal, &action)?));
        }
        signals.thread_unblock()?;
        Ok(queue)
    }

    /// Returns the descriptor that becomes readable when a signal arrives.
    pub(in super::super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader
    }

    /// Returns the next signal that has arrived.
    pub(in super::super) fn next(&self) -> Option<ReceivedSignal> {
        let mut bytes = SignalRecord::default();
        // Records are written whole, so they are read whole.
        while rustix::io::read(self.reader, &mut bytes).ok()? == bytes.len() {
            let [a, b, c, d, sender @ ..] = bytes;
            let number = i32::from_ne_bytes([a, b, c, d]);
            let from = Some(i32::from_ne_bytes(sender)).filter(|from| *from > 0);
            if let Ok(signal) = Signal::try_from(number) {
                let by_terminal = from.is_none() && is_key(signal) && is_in_foreground();
                return Some(ReceivedSignal { signal, by_terminal, from });
            }
        }
        None
    }

    /// Returns the signals that were ignored before. The command must ignore them, too.
    pub(super) fn ignored_before(&self) -> impl Iterator<Item = Signal> {
        let is_ignored = |action: &SigAction| matches!(action.handler(), SigHandler::SigIgn);
        self.before.iter().filter(move |(_, action)| is_ignored(action)).map(|(signal, _)| *signal)
    }
}

impl Drop for SignalQueue {
    fn drop(&mut self) {
        let _ = self.signals.thread_block();
        for (signal, action) in &self.before {
            let _ = set(*signal, action);
        }
        // Pending signals act when the caller unblocks them.
        while let Some(unread) = self.next() {
            let _ = raise(unread.signal);
        }
    }
}

/// Writes the signal into the pipe. As a signal handler, it calls only functions that POSIX allows
/// in handlers.
extern "C" fn record(number: c_int, info: *mut siginfo_t, _: *mut c_void) {
    let errno = Errno::last_raw();
    if own_pid() == OWNER.load(Ordering::Relaxed) {
        // SAFETY: the system passes a valid `info` to handlers that are set with `SA_SIGINFO`. The
        // pipe is never closed.
        #[allow(unsafe_code, reason = "the system calls this function with a pointer")]
        let (sender, writer) = unsafe {
            let sender = info.as_ref().map_or(0, |info| info.si_pid());
            (sender, BorrowedFd::borrow_raw(WRITER.load(Ordering::Relaxed)))
        };
        let mut bytes = SignalRecord::default();
        bytes[..4].copy_from_slice(&number.to_ne_bytes());
        bytes[4..].copy_from_slice(&sender.to_ne_bytes());
        let _ = rustix::io::write(writer, &bytes);
    } else if let Ok(signal) = Signal::try_from(number) {
        // A child that has not called `exec` yet: the signal is for the child itself.
        let _ = set(signal, &default());
        let _ = raise(signal);
    }
    Errno::set_raw(errno);
}

/// Stops this process with the signal that stopped the command, until `SIGCONT` comes.
pub(in super::super) fn stop_too(by: i32) {
    let signal = Signal::try_from(by).unwrap_or(Signal::SIGSTOP);
    let before = set(signal, &default());
    let mask = SigSet::from(signal).thread_swap_mask(SigmaskHow::SIG_UNBLOCK);
    let _ = raise(signal);
    if let Ok(mask) = mask {
        let _ = mask.thread_set_mask();
    }
    if let Ok(before) = before {
        let _ = set(signal, &before);
    }
}

fn default() -> SigAction {
    SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty())
}

/// Sets the action of a signal, and returns the earlier action.
fn set(signal: Signal, action: &SigAction) -> nix::Result<SigAction> {
    // SAFETY: the only handler that is set here is `record`.
    #[allow(unsafe_code, reason = "a handler may call few functions; `record` does")]
    unsafe {
        sigaction(signal, action)
    }
}

fn own_pid() -> i32 {
    getpid().as_raw_nonzero().get()
}

/// Tells whether a terminal sends this signal to its group, for a key or for a new size.
fn is_key(signal: Signal) -> bool {
    matches!(signal, Signal::SIGINT | Signal::SIGQUIT | Signal::SIGTSTP | Signal::SIGWINCH)
}

/// Tells whether the terminal sends its signals to our group. Not every system names the sender of
/// a signal, so a signal without a sender may come from a process.
fn is_in_foreground() -> bool {
    let Ok(terminal) = std::fs::File::open("/dev/tty") else { return false };
    rustix::termios::tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp())
}
