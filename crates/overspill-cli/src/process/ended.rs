//! How a command ended.

use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::ui;

/// How a command ended, and what was left of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) how: How,
    /// The timeout after which we ended it.
    pub(crate) timed_out: Option<Duration>,
    /// A signal asked for its end, or its reader is gone. Its work may not be complete.
    pub(crate) interrupted: bool,
    /// A background process still has its output open.
    pub(crate) held: bool,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    #[allow(dead_code, reason = "not every system has signals")]
    Signal(i32),
}

impl Ended {
    /// The exit code of the program `timeout` after its time is over.
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
    /// The program that was asked for.
    pub(crate) program: String,
    /// The reason.
    pub(crate) source: io::Error,
}

impl Unstartable {
    /// Returns the exit code of a shell that cannot find, or cannot run, a command.
    pub(crate) fn code(&self) -> u8 {
        if self.source.kind() == ErrorKind::NotFound { 127 } else { 126 }
    }
}

impl std::fmt::Display for Unstartable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = ui::escaped(&self.program, usize::MAX);
        match self.source.kind() {
            ErrorKind::NotFound => write!(
                f,
                "{program}: command not found\n\nhint: check its name and PATH; `overspill --help` lists \
                 the commands of overspill"
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
