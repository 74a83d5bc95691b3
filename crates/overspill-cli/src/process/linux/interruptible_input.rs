//! An input that also ends when somebody asks us to end.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionread};

use crate::buffer::Buffer;
use crate::process::How;

/// What asks us to end.
const ASKS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Standard input or a file, to its end or to the first signal that asks us to end.
///
/// What was written before the signal is still read. A second signal ends us at once.
#[derive(Debug)]
pub(crate) struct InterruptibleInput {
    /// Standard input if there is none.
    file: Option<File>,
    /// Nobody if we were told already, or cannot be.
    asks: Option<Asks>,
    came: Option<Signal>,
    /// How much is still read after the signal.
    left: u64,
}

/// Signals that wait to be read, until this is dropped.
#[derive(Debug)]
struct Asks {
    fd: SignalFd,
    waiting: SigSet,
}

impl InterruptibleInput {
    /// Begins to listen: before threads are started, since each has its own idea of what may wait.
    pub(crate) fn new(file: Option<File>) -> InterruptibleInput {
        InterruptibleInput { file, asks: Asks::new().ok(), came: None, left: 0 }
    }

    /// Ends listening, with a last look: from here on a signal does what it does to everybody.
    pub(crate) fn listen_no_more(&mut self) {
        self.came = self.came.or_else(|| self.asks.as_ref()?.next());
        self.asks = None;
    }

    /// Returns what ended the input before its end, and is to end us.
    pub(crate) fn asked(&self) -> Option<How> {
        self.came.map(|signal| How::Signal(signal as i32))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_ref().map_or(rustix::stdio::stdin(), File::as_fd)
    }

    /// Waits until there is something to read, or somebody asks us to end.
    fn wait(&mut self) -> io::Result<()> {
        let Some(asks) = &self.asks else { return Ok(()) };
        let of = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        let mut both = [of(asks.fd.as_fd()), of(self.fd())];
        // Only what stops us and lets us go on interrupts this: everything else waits.
        while let Err(error) = poll(&mut both, None) {
            if error != Errno::INTR {
                return Err(error.into());
            }
        }
        if !both[0].revents().is_empty()
            && let Some(signal) = asks.next()
        {
            self.came = Some(signal);
            self.asks = None;
            // Of a pipe there can be no more that was written before the signal came.
            self.left = ioctl_fionread(self.fd()).unwrap_or(0).min(Buffer::LARGE_PIPE as u64);
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

impl Asks {
    fn new() -> nix::Result<Asks> {
        let all: SigSet = ASKS.into_iter().collect();
        let before = all.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let waiting = ASKS.into_iter().filter(|ask| !before.contains(*ask) && !is_ignored(*ask));
        let waiting: SigSet = waiting.collect();
        // Those that are ignored must not wait: they would come out as asking.
        (before | waiting).thread_set_mask()?;
        let fd = SignalFd::with_flags(&waiting, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC);
        let fd = fd.inspect_err(|_| before.thread_set_mask().unwrap_or_default())?;
        Ok(Asks { fd, waiting })
    }

    fn next(&self) -> Option<Signal> {
        let info = self.fd.read_signal().ok().flatten()?;
        Signal::try_from(info.ssi_signo as i32).ok()
    }
}

impl Drop for Asks {
    fn drop(&mut self) {
        let _ = self.waiting.thread_unblock();
    }
}

/// Tells whether whoever started us has this signal ignored. It must wait meanwhile: to ask is to
/// set it and to set it back.
fn is_ignored(ask: Signal) -> bool {
    // SAFETY: neither the default nor ignoring is a handler that could run.
    #[allow(unsafe_code, reason = "any handler could be set by it; these are none")]
    let before = unsafe { signal(ask, SigHandler::SigDfl) };
    let is_ignored = matches!(before, Ok(SigHandler::SigIgn));
    if is_ignored {
        // SAFETY: as above.
        #[allow(unsafe_code, reason = "any handler could be set by it; this is none")]
        let _ = unsafe { signal(ask, SigHandler::SigIgn) };
    }
    is_ignored
}
