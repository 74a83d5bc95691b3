//! What is typed at our terminal, on its way to the command's.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags};

use super::pty::Pty;

/// Keys that were typed and not yet taken by the command.
///
/// Nothing here waits: a command that does not read must not keep us from reading what it writes.
#[derive(Debug, Default)]
pub(super) struct TerminalInput {
    waiting: Vec<u8>,
    /// There is somebody who types.
    pub(super) open: bool,
}

impl TerminalInput {
    /// Returns what to wait for: a key, or the command to take one.
    pub(super) fn watched<'a>(&self, pty: &'a Pty) -> Option<PollFd<'a>> {
        let stdin: BorrowedFd<'static> = rustix::stdio::stdin();
        match (self.waiting.is_empty(), self.open) {
            (false, _) => Some(PollFd::from_borrowed_fd(pty.ours.as_fd(), PollFlags::OUT)),
            (true, true) => Some(PollFd::from_borrowed_fd(stdin, PollFlags::IN)),
            (true, false) => None,
        }
    }

    /// Moves on what can be moved.
    pub(super) fn carry(&mut self, pty: &Pty) {
        if self.waiting.is_empty() && self.open {
            let mut typed = [0; 1024];
            match rustix::io::read(rustix::stdio::stdin(), &mut typed) {
                Ok(0) => {
                    self.open = false;
                    pty.end_input();
                }
                Ok(len) => self.waiting.extend_from_slice(&typed[..len]),
                Err(error) if error == rustix::io::Errno::INTR => {}
                Err(_) => self.open = false,
            }
        }
        if !self.waiting.is_empty()
            && let Ok(len) = rustix::io::write(&pty.ours, &self.waiting)
        {
            self.waiting.drain(..len);
        }
    }
}
