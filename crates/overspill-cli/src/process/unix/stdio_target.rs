//! The standard descriptors and the process group with which a command starts.

use std::os::fd::OwnedFd;

use super::pty::Pty;

/// The target of a standard descriptor of the command.
#[derive(Debug)]
pub(super) enum StdioTarget<'a> {
    /// The same file as in this process.
    Inherited,
    /// Not open.
    Closed,
    /// This descriptor of this process.
    Ours(&'a OwnedFd),
    /// This terminal, which becomes the command's controlling terminal.
    Terminal(&'a Pty),
}

/// The process group of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// The group of this process.
    Ours,
    /// A group of its own.
    Own,
    /// A group and a session of its own. A command with its own terminal needs a session.
    Session,
}
