//! Carries keys from the terminal of overspill to the terminal of the command.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::pty::Pty;
use super::wait::{Interest, Watched};

/// The interval at which overspill in the background checks whether it has the terminal's keys
/// again.
const LOOK_FOR_KEYS: Duration = Duration::from_millis(200);
/// The interval at which overspill checks whether the command has started, while keys wait for it.
const LOOK_FOR_COMMAND: Duration = Duration::from_millis(5);
/// The longest time that keys wait for the start of the command.
const LONGEST_START: Duration = Duration::from_secs(2);

/// Keys that were typed and that the command has not read yet.
///
/// Nothing here blocks, so overspill still reads the output of a command that does not read its
/// input.
#[derive(Debug, Default)]
pub(super) struct TerminalInput {
    waiting: Vec<u8>,
    /// Tells whether the keys of our terminal go to the command.
    pub(super) open: bool,
    /// Tells whether our terminal has no more keys.
    pub(super) is_over: bool,
    /// The leader that still starts the command, and the time until which keys wait for it.
    starting: Option<(Pid, Instant)>,
}

impl TerminalInput {
    /// Leaves keys in our terminal until the leader has put the command in the foreground.
    ///
    /// The system ignores Ctrl-Z for a leader that has just begun. Later, Ctrl-Z can stop the new
    /// process before it becomes the command. Then the leader hangs: it waits in `posix_spawn` for
    /// the start of the command.
    pub(super) fn wait_for_command(&mut self, leader: Pid) {
        self.starting = Some((leader, Instant::now() + LONGEST_START));
    }

    /// Lets keys through if the command has started.
    pub(super) fn look_for_command(&mut self, pty: &Pty) {
        let is_starting = |(leader, until): &(Pid, Instant)| {
            pty.foreground() == Some(*leader) && Instant::now() < *until
        };
        self.starting = self.starting.filter(is_starting);
    }

    /// Returns the time until the next check of the command or of our terminal. Neither reports a
    /// change.
    pub(super) fn next_look(&self) -> Option<Duration> {
        match (self.starting, self.open) {
            (Some(_), _) => Some(LOOK_FOR_COMMAND),
            (None, false) => Some(LOOK_FOR_KEYS),
            (None, true) => None,
        }
    }

    /// Returns the descriptor to wait for: a key, or room for a key in the command's terminal.
    pub(super) fn watched<'a>(&self, pty: &'a Pty) -> Option<Watched<'a>> {
        let stdin: BorrowedFd<'static> = rustix::stdio::stdin();
        match (self.waiting.is_empty(), self.open && self.starting.is_none()) {
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
