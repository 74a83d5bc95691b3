//! Carries keys from our terminal to the command's terminal.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::pty::Pty;
use super::wait::{Interest, Watched};

/// In the background we look so often whether the keys are ours again.
const LOOK_FOR_KEYS: Duration = Duration::from_millis(200);
/// While keys wait for the start of the command, we look so often whether it has started.
const LOOK_FOR_COMMAND: Duration = Duration::from_millis(5);
/// Keys wait no longer than this for the start of the command.
const LONGEST_START: Duration = Duration::from_secs(2);

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
    /// This leader still starts the command. Keys wait for it until this time.
    starting: Option<(Pid, Instant)>,
}

impl TerminalInput {
    /// Leaves keys in our terminal until the leader has put the command in the foreground.
    ///
    /// The system ignores Ctrl-Z for a leader that has just begun. Later, Ctrl-Z can stop the new process before
    /// it becomes the command. Then the leader hangs: it waits in `posix_spawn` until the command is there.
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

    /// Returns the time until the next look at the command or at our terminal. Neither tells us of a change.
    pub(super) fn next_look(&self) -> Option<Duration> {
        match (self.starting, self.open) {
            (Some(_), _) => Some(LOOK_FOR_COMMAND),
            (None, false) => Some(LOOK_FOR_KEYS),
            (None, true) => None,
        }
    }

    /// Returns what to wait for: a key, or room for one in the command's terminal.
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
