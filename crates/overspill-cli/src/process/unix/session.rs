//! Leads the session of a command that has a terminal like ours.
//!
//! A key such as Ctrl-Z stops no process whose parent is in another session: nobody could continue it. So a
//! process of ours leads the session, starts the command in a group of its own, and stops and ends as it does.

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

/// The argument that starts this program as such a process. It is no part of the command line.
const LEAD: &str = "__session";
/// The exit code if signals cannot be collected.
const OUR_OWN: u8 = 125;

/// Commands can get a terminal here.
pub(crate) const GIVES_TERMINALS: bool = true;

/// Returns the command line that runs a command below a leader; `None` if this program cannot be found.
pub(super) fn led(words: &[OsString]) -> Option<Vec<OsString>> {
    let program = std::env::current_exe().ok()?.into_os_string();
    Some([program, LEAD.into()].into_iter().chain(words.iter().cloned()).collect())
}

/// Tells whether this process was started only to lead a session.
pub(crate) fn is_to_lead(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|word| word == LEAD) && words.len() > 2
}

/// Tells whether the keys of our terminal are for us. They are if no shell has put us in the background.
pub(crate) fn is_in_foreground() -> bool {
    tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|group| group == getpgrp())
        // This is not our controlling terminal, so no shell controls jobs on it.
        || tcgetpgrp(rustix::stdio::stdin()).is_err()
}

/// Runs the command that the arguments name, and ends as it ends.
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
                        // The end of a leader hangs up the group in the foreground. What the command has left in
                        // the background goes on.
                        child.take_terminal();
                        end_like(how);
                        return match how {
                            How::Code(code) => code as u8,
                            How::Signal(signal) => (128 + signal) as u8,
                        };
                    }
                }
                // The terminal sends signals to its foreground. Before the command was there, that was us.
                signal => child.send(signal),
            }
        }
    }
}

/// Follows the changes of the command. Returns how it ended, if it has.
fn look_after(child: &Child) -> Option<How> {
    loop {
        match child.change()? {
            ChildChange::Ended(how) => return Some(how),
            // It was faster than we, and not in the foreground yet.
            ChildChange::Stopped(by)
                if by == Signal::SIGTTIN as i32 || by == Signal::SIGTTOU as i32 =>
            {
                child.give_terminal();
            }
            ChildChange::Stopped(_) => {
                child.take_terminal();
                // Our parent sees it, and stops as well until a shell continues it.
                let _ = raise(Signal::SIGSTOP);
                child.give_terminal();
            }
        }
        child.send(Signal::SIGCONT);
    }
}
