//! How a command ended.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// How a command ended, and what was left when it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    /// How.
    pub(crate) how: How,
    /// It was we who ended it, after this time.
    pub(crate) timed_out: Option<Duration>,
    /// Somebody asked for its end, or its reader went away: it may not have been done.
    pub(crate) interrupted: bool,
    /// Something that it started still holds its output.
    pub(crate) held: bool,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Ended {
    /// What `timeout` says when time was up.
    const TIMED_OUT: u8 = 124;

    /// Returns the exit code that tells all this, as a shell does.
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
    /// What was asked for.
    pub(crate) program: String,
    /// Why not.
    pub(crate) source: io::Error,
}

impl Unstartable {
    /// Returns what a shell says when it cannot find, or cannot run, a command.
    pub(crate) fn code(&self) -> u8 {
        if self.source.kind() == ErrorKind::NotFound { 127 } else { 126 }
    }
}

impl std::fmt::Display for Unstartable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.source.kind() {
            ErrorKind::NotFound => write!(f, "{}: command not found", self.program),
            _ => write!(f, "{}: {}", self.program, self.source),
        }
    }
}

impl std::error::Error for Unstartable {}
