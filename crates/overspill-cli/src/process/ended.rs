//! The end of a command: its exit code or signal, and the errors of commands that cannot start.

use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::ui;

/// The end of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) how: How,
    /// The timeout after which overspill ended the command.
    pub(crate) timed_out: Option<Duration>,
    /// Tells whether a signal asked the command to end, or its reader is gone. Its work may not be
    /// complete.
    pub(crate) interrupted: bool,
    /// Tells whether a background process still has the output open.
    pub(crate) held: bool,
}

/// The exit code or the signal of a process that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// The process exited with this code.
    Code(i32),
    /// This signal ended the process.
    #[allow(dead_code, reason = "not every system has signals")]
    Signal(i32),
}

impl Ended {
    /// The exit code of the program `timeout` after the time is over.
    const TIMED_OUT: u8 = 124;

    /// Returns the exit code that a shell would report.
    pub(crate) fn code(&self) -> u8 {
        match self.how {
            _ if self.timed_out.is_some() => Ended::TIMED_OUT,
            How::Code(code) => code as u8,
            How::Signal(signal) => (128 + signal) as u8,
        }
    }
}

/// A command that could not be started.
#[derive(Debug)]
pub(crate) struct Unstartable {
    /// The program that the user named.
    pub(crate) program: String,
    /// The error of the system.
    pub(crate) source: io::Error,
}

impl Unstartable {
    /// The exit code of a shell that finds no such command.
    pub(crate) const NOT_FOUND: u8 = 127;

    /// Returns the exit code of a shell that cannot find, or cannot run, a command.
    pub(crate) fn code(&self) -> u8 {
        if self.source.kind() == ErrorKind::NotFound { Unstartable::NOT_FOUND } else { 126 }
    }
}

impl std::fmt::Display for Unstartable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = ui::escaped(&self.program, usize::MAX);
        match self.source.kind() {
            ErrorKind::NotFound => write!(
                f,
                "{program}: command not found\n\nhint: {}",
                needs_shell(&self.program).unwrap_or_else(|| {
                    "check its name and PATH; `overspill --help` lists the commands of overspill".into()
                })
            ),
            _ => write!(
                f,
                "{program}: {}\n\nhint: only a file that you may execute can be run; \
                 `overspill cut FILE` shows a file",
                ui::reason(&self.source)
            ),
        }
    }
}

impl std::error::Error for Unstartable {}

/// Returns the hint for a program that only a shell can run: a whole line, a variable, or a shell
/// builtin.
fn needs_shell(program: &str) -> Option<String> {
    const BUILTINS: [&str; 7] = ["alias", "cd", "eval", "export", "set", "source", "ulimit"];
    let is_visible = ui::escaped(program, 100) == program;
    if is_visible && program.contains([' ', '|', ';', '&', '<', '>', '$']) {
        let line = ui::shell_word(program);
        return Some(format!("`overspill run --shell {line}` runs the line in your shell"));
    }
    let is_variable = program.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    (is_variable || BUILTINS.contains(&program)).then(|| {
        "only a shell can run this; `overspill run --help` has an example of --shell".to_owned()
    })
}
