//! The process of the command: its signals, its terminal and its end.

use nix::sys::signal::Signal;
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, getpgrp, kill_process, kill_process_group, waitpid};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use super::stdio_target::Group;
use crate::process::How;

/// A command that was started.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) pid: Pid,
    group: Group,
    /// Tells whether this process was in the foreground of the terminal, and the command's group is
    /// there now.
    has_terminal: bool,
}

/// A change of the command's state.
#[derive(Debug, Clone, Copy)]
pub(super) enum ChildChange {
    Ended(How),
    /// This signal stopped the command.
    Stopped(i32),
}

impl Child {
    pub(super) fn new(pid: Pid, group: Group) -> Child {
        let mut child = Child { pid, group, has_terminal: false };
        let ours = tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|group| group == getpgrp());
        child.has_terminal = ours && group == Group::Own;
        child.give_terminal();
        child
    }

    /// Tells whether a signal of our terminal reaches the command directly.
    pub(super) fn hears_terminal(&self) -> bool {
        self.group == Group::Ours
    }

    /// Sends a signal to the command, and to its whole group unless that is also our group.
    pub(super) fn send(&self, signal: Signal) {
        let Some(signal) = rustix::process::Signal::from_named_raw(signal as i32) else { return };
        // The command may have ended in the meantime.
        let _ = match self.group {
            Group::Ours => kill_process(self.pid, signal),
            Group::Own | Group::Session => kill_process_group(self.pid, signal),
        };
    }

    /// Puts the command in the foreground of the terminal.
    pub(super) fn give_terminal(&self) {
        if self.has_terminal {
            let _ = tcsetpgrp(rustix::stdio::stdin(), self.pid);
        }
    }

    /// Puts this process in the foreground of the terminal.
    pub(super) fn take_terminal(&self) {
        if self.has_terminal {
            let _ = tcsetpgrp(rustix::stdio::stdin(), getpgrp());
        }
    }

    /// Returns the next change of the command's state, if any.
    pub(super) fn change(&self) -> Option<ChildChange> {
        loop {
            let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
            let status = match waitpid(Some(self.pid), options) {
                Ok(status) => status?.1,
                Err(Errno::INTR) => continue,
                // Another part of this process has waited for the command, so the exit code is
                // lost.
                Err(_) => return Some(ChildChange::Ended(How::Code(1))),
            };
            let ended = status
                .exit_status()
                .map(How::Code)
                .or_else(|| status.terminating_signal().map(How::Signal))
                .map(ChildChange::Ended);
            return ended.or_else(|| status.stopping_signal().map(ChildChange::Stopped));
        }
    }
}
