//! Carries keys from our terminal to the command's terminal.

use std::os::fd::{AsFd, BorrowedFd};

use super::pty::Pty;
use super::wait::{Interest, Watched};

/// Keys that were typed and that the command has not read yet.
///
/// Nothing here blocks: while a command does not read, we still read its output.
#[derive(Debug, Default)]
pub(super) struct TerminalInput {
    waiting: Vec<u8>,
    /// Our terminal's keys go to the command.
    pub(super) open: bool,
    /// Our terminal has no more keys.
    pub(super) is_over: bool,
}

impl TerminalInput {
    /// Returns what to wait for: a key, or room for one in the command's terminal.
    pub(super) fn watched<'a>(&self, pty: &'a Pty) -> Option<Watched<'a>> {
        let stdin: BorrowedFd<'static> = rustix::stdio::stdin();
        match (self.waiting.is_empty(), self.open) {
            (false, _) => Some(Watched::new(pty.ours.as_fd(), Interest::Write)),
            (true, true) => Some(Watched::new(stdin, Interest::Read)),
            (true, false) => None,
        }
    }

    /// Reads and writes as much as is possible without blocking.
    pub(super) fn carry(&mut self, pty: &Pty) {
        if self.waiting.is_empty() && self.open {
            let mut typed = [0; 1024];
            match rustix::io::read(rustix::stdio::stdin(), &mut typed) {
                Ok(0) => {
                    (self.open, self.is_over) = (false, true);
                    pty.end_input();
                }
                Ok(len) => self.waiting.extend_from_slice(&typed[..len]),
                Err(error) if error == rustix::io::Errno::INTR => {}
                Err(_) => (self.open, self.is_over) = (false, true),
            }
        }
        if !self.waiting.is_empty()
            && let Ok(len) = rustix::io::write(&pty.ours, &self.waiting)
        {
            self.waiting.drain(..len);
        }
    }
}
