//! What a command is started with.

use std::os::fd::OwnedFd;

use super::pty::Pty;

/// What a standard descriptor of the command is.
#[derive(Debug)]
pub(super) enum StdioTarget<'a> {
    /// The same as ours.
    Inherited,
    /// Not open.
    Closed,
    /// This descriptor of ours.
    Ours(&'a OwnedFd),
    /// This terminal, which becomes the command's controlling terminal.
    Terminal(&'a Pty),
}

/// The process group of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Our group.
    Ours,
    /// A group of its own.
    Own,
    /// A group and a session of its own. A command with its own terminal needs a session.
    Session,
}
