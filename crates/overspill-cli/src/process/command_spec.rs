//! What is to be run, and how.

use std::ffi::OsString;
use std::time::Duration;

/// A command as it is asked for.
#[derive(Debug, Default)]
pub(crate) struct CommandSpec {
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<OsString>,
    /// Where its standard error goes.
    pub(crate) stderr: Stderr,
    /// It writes to a terminal of its own.
    pub(crate) pty: bool,
    /// When it is ended, with everything it has started.
    pub(crate) timeout: Option<Duration>,
    /// What its environment has beside ours.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// When to say that it is still running.
    pub(crate) patience: Option<Duration>,
}

/// Where the command's standard error goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Stderr {
    /// Into the same stream as standard output, in the order written.
    #[default]
    Merged,
    /// Bounded and saved by itself, and shown on standard error.
    Separate,
    /// Not touched.
    Pass,
    /// Bounded and saved together with standard output; what fits goes to where it was written.
    #[value(skip)]
    Joined,
}
