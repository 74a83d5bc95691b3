//! Leads the session of a command that has a terminal like ours.
//!
//! A key such as Ctrl-Z does not stop a process whose parent is in another session, because no
//! process could continue it. So a process of overspill leads the session, starts the command in
//! its own group, and stops and ends like the command.

use std::ffi::OsString;

use nix::sys::signal::{Signal, raise};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;

use super::child::{Child, ChildChange};
use super::extra::{start, wait};
use super::signals::{Signals, end_like};
use super::stdio_target::{Group, StdioTarget};
use super::wait::{Interest, Watched};
use crate::process::How;
use crate::ui;

/// The hidden argument that starts this program as such a leader.
const LEAD: &str = "__session";
/// The exit code if signals cannot be collected.
const OUR_OWN: u8 = 125;

/// Tells whether overspill can give a command a terminal.
pub(crate) const GIVES_TERMINALS: bool = true;

/// Returns the command line that runs a command below a leader; `None` if the path of this program
/// is unknown.
pub(super) fn led(words: &[OsString]) -> Option<Vec<OsString>> {
    let program = std::env::current_exe().ok()?.into_os_string();
    Some([program, LEAD.into()].into_iter().chain(words.iter().cloned()).collect())
}

/// Tells whether this process was started only to lead a session.
pub(crate) fn is_to_lead(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|word| word == LEAD) && words.len() > 2
}

/// Tells whether this process gets the keys of our terminal: if no shell has put it in the
/// background.
pub(crate) fn is_in_foreground() -> bool {
    tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|group| group == getpgrp())
        // This is not our controlling terminal, so no shell controls jobs on it.
        || tcgetpgrp(rustix::stdio::stdin()).is_err()
}

/// Runs the command that the arguments name, and ends like the command.
pub(crate) fn lead_session(words: &[OsString]) -> u8 {
    let signals = match Signals::take() {
        Ok(signals) => signals,
        Err(error) => {
            ui::say(&format!("signals cannot be collected: {}", ui::reason(&error)));
            return OUR_OWN;
        }
    };
    let inherited = || StdioTarget::Inherited;
    let targets = [inherited(), inherited(), inherited()];
    let pid = match start(&words[2..], targets, Group::Own, &signals, &[]) {
        Ok(pid) => pid,
        Err(error) => {
            let code = error.code();
            ui::Failure::of(&error.into()).print(code);
            return code;
        }
    };
    let child = Child::new(pid, Group::Own);
    loop {
        let _ = wait(&mut [Watched::new(signals.as_fd(), Interest::Read)], None);
        while let Some(came) = signals.next() {
            match came.signal {
                Signal::SIGCHLD => {
                    if let Some(how) = look_after(&child) {
                        // The end of a leader hangs up the group in the foreground. Background
                        // processes of the command go on.
                        child.take_terminal();
                        end_like(how);
                        return match how {
                            How::Code(code) => code as u8,
                            How::Signal(signal) => (128 + signal) as u8,
                        };
                    }
                }
                // The terminal sends signals to its foreground group. Before the start of the
                // command, that is this process.
                signal => child.send(signal),
            }
        }
    }
}

/// Follows the changes of the command. Returns its end, if it has ended.
fn look_after(child: &Child) -> Option<How> {
    loop {
        match child.change()? {
            ChildChange::Ended(how) => return Some(how),
            // The command was faster than this process, and not in the foreground yet.
            ChildChange::Stopped(by)
                if by == Signal::SIGTTIN as i32 || by == Signal::SIGTTOU as i32 =>
            {
                child.give_terminal();
            }
            ChildChange::Stopped(_) => {
                child.take_terminal();
                // The parent sees this stop, and stops as well until a shell continues it.
                let _ = raise(Signal::SIGSTOP);
                child.give_terminal();
            }
        }
        child.send(Signal::SIGCONT);
    }
}
