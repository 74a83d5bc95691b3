//! Starts a command with the standard library.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use rustix::process::Pid;

use super::super::signals::{Signals, is_ignored};
use super::super::stdio_target::{Group, StdioTarget};
use crate::process::Unstartable;

/// Starts the command with these three descriptors and the original signal mask of this process.
pub(in super::super) fn start(
    words: &[OsString],
    targets: [StdioTarget; 3],
    group: Group,
    signals: &Signals,
    variables: &[(&'static str, OsString)],
) -> Result<Pid, Unstartable> {
    let failed = |source| Unstartable { program: words[0].to_string_lossy().into_owned(), source };
    try_start(words, targets, group, signals, variables).map_err(failed)
}

fn try_start(
    words: &[OsString],
    targets: [StdioTarget; 3],
    group: Group,
    signals: &Signals,
    variables: &[(&'static str, OsString)],
) -> io::Result<Pid> {
    let is_terminal = |target: &StdioTarget| matches!(target, StdioTarget::Terminal(_));
    let before_exec = BeforeExec {
        closes_stdin: matches!(targets[0], StdioTarget::Closed),
        terminal: (group == Group::Session)
            .then(|| targets.iter().position(is_terminal))
            .flatten()
            .map(|number| number as i32),
        // The standard library sets SIGPIPE to its default.
        ignored: signals
            .queue
            .ignored_before()
            .chain([Signal::SIGPIPE].into_iter().filter(|pipe| is_ignored(*pipe)))
            .collect(),
        mask: signals.mask,
    };
    let [stdin, stdout, stderr] = targets;
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(stdio(stdin)?)
        .stdout(stdio(stdout)?)
        .stderr(stdio(stderr)?);
    if group == Group::Own {
        command.process_group(0);
    }
    // SAFETY: the closure only makes system calls that are allowed between fork and exec.
    #[allow(unsafe_code, reason = "other closures could do what must not be done there")]
    unsafe {
        command.pre_exec(move || before_exec.run());
    }
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}

fn stdio(target: StdioTarget) -> io::Result<Stdio> {
    let copy = |fd: &OwnedFd| fd.try_clone().map(Stdio::from);
    match target {
        StdioTarget::Inherited | StdioTarget::Closed => Ok(Stdio::inherit()),
        StdioTarget::Ours(fd) => copy(fd),
        StdioTarget::Terminal(pty) => match &pty.theirs {
            Some(theirs) => copy(theirs),
            None => Err(io::ErrorKind::NotFound.into()),
        },
    }
}

/// Prepares the new process, before it becomes the command.
struct BeforeExec {
    closes_stdin: bool,
    /// The standard descriptor of the terminal that becomes the command's controlling terminal.
    terminal: Option<i32>,
    /// The signals that the command must ignore.
    ignored: Vec<Signal>,
    mask: SigSet,
}

impl BeforeExec {
    fn run(&self) -> io::Result<()> {
        if let Some(terminal) = self.terminal {
            rustix::process::setsid()?;
            // SAFETY: the standard library has just opened this descriptor.
            #[allow(unsafe_code, reason = "other numbers could belong to no open file")]
            let terminal = unsafe { BorrowedFd::borrow_raw(terminal) };
            rustix::process::ioctl_tiocsctty(terminal.as_fd())?;
        }
        if self.closes_stdin {
            // SAFETY: nothing in this process uses standard input from here on.
            #[allow(unsafe_code, reason = "the descriptor could be in use")]
            unsafe {
                rustix::io::close(0);
            }
        }
        for ignored in &self.ignored {
            // SAFETY: ignoring a signal sets no handler that could run.
            #[allow(unsafe_code, reason = "any handler could be set by it; this sets no handler")]
            unsafe {
                signal(*ignored, SigHandler::SigIgn)?;
            }
        }
        Ok(self.mask.thread_set_mask()?)
    }
}
