//! The pipes and the terminal that carry the output of a command.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use super::extra;
use super::pty::Pty;
use super::stdio_target::StdioTarget;
use super::wait::{Interest, Watched};
use crate::process::{CommandSpec, CommandTerminal, Stderr, Stream};

/// Our ends of the pipes and the terminal between overspill and a command.
#[derive(Debug)]
pub(super) struct Pipes {
    out: Source,
    err: Source,
    /// The terminal of the command.
    pub(super) pty: Option<Pty>,
    /// The command's ends, until the command starts.
    theirs: Theirs,
}

/// The source of a stream.
#[derive(Debug)]
enum Source {
    Pipe(OwnedFd),
    Pty,
    None,
}

/// The ends of the pipes that the command gets.
#[derive(Debug, Default)]
struct Theirs {
    out: Option<OwnedFd>,
    err: Option<OwnedFd>,
    /// Tells whether the command inherits our standard error.
    err_passes: bool,
}

impl Pipes {
    /// Opens the pipes and the terminal that `asked` needs.
    pub(super) fn open_for(asked: &CommandSpec) -> io::Result<Pipes> {
        let mut pipes =
            Pipes { out: Source::None, err: Source::None, pty: None, theirs: Theirs::default() };
        if asked.terminal != CommandTerminal::None {
            pipes.pty = Some(Pty::new(asked.terminal)?);
            pipes.out = Source::Pty;
        } else {
            let (ours, theirs) = pipe()?;
            (pipes.out, pipes.theirs.out) = (Source::Pipe(ours), Some(theirs));
        }
        match asked.stderr {
            Stderr::Merged => {}
            Stderr::Pass => pipes.theirs.err_passes = true,
            Stderr::Separate | Stderr::Joined => {
                let (ours, theirs) = pipe()?;
                (pipes.err, pipes.theirs.err) = (Source::Pipe(ours), Some(theirs));
            }
        }
        Ok(pipes)
    }

    /// Returns the targets of the command's standard output and standard error.
    pub(super) fn targets(&self) -> [StdioTarget<'_>; 2] {
        let out = || match (&self.pty, &self.theirs.out) {
            (Some(pty), _) => StdioTarget::Terminal(pty),
            (None, Some(theirs)) => StdioTarget::Ours(theirs),
            (None, None) => StdioTarget::Inherited,
        };
        let err = match &self.theirs {
            Theirs { err: Some(theirs), .. } => StdioTarget::Ours(theirs),
            Theirs { err_passes: true, .. } => StdioTarget::Inherited,
            Theirs { .. } => out(),
        };
        [out(), err]
    }

    /// Closes the command's ends in this process. Otherwise the output would never end.
    pub(super) fn hand_over(&mut self) {
        self.theirs = Theirs::default();
        if let Some(pty) = &mut self.pty {
            pty.hand_over();
        }
    }

    /// Returns the descriptor of a stream until the stream is closed.
    pub(super) fn open(&self, stream: Stream) -> Option<BorrowedFd<'_>> {
        match (self.source(stream), &self.pty) {
            (Source::Pipe(fd), _) => Some(fd.as_fd()),
            (Source::Pty, Some(pty)) => Some(pty.ours.as_fd()),
            (Source::Pty | Source::None, _) => None,
        }
    }

    /// Returns the number of unread bytes in the pipes.
    pub(super) fn unread(&self) -> u64 {
        [Stream::Out, Stream::Err].into_iter().map(|stream| self.unread_of(stream)).sum()
    }

    /// Returns the number of unread bytes in the pipe of a stream.
    pub(super) fn unread_of(&self, stream: Stream) -> u64 {
        let unread = self.open(stream).and_then(|fd| rustix::io::ioctl_fionread(fd).ok());
        unread.unwrap_or(0)
    }

    /// Tells whether every process has closed a stream and no bytes are left to read.
    pub(super) fn is_at_end(&self, stream: Stream) -> bool {
        let Some(fd) = self.open(stream) else { return true };
        let mut watched = [Watched::new(fd, Interest::Read)];
        let is_ready = extra::wait(&mut watched, Some(Duration::ZERO)).is_ok() && watched[0].ready;
        // Ready means bytes or the end. The bytes are counted last, because only this process
        // removes some.
        is_ready && self.unread_of(stream) == 0
    }

    pub(super) fn is_open(&self) -> bool {
        [Stream::Out, Stream::Err].into_iter().any(|stream| self.open(stream).is_some())
    }

    /// Enlarges the pipe of a large output.
    pub(super) fn widen(&self, stream: Stream) {
        if let Source::Pipe(fd) = self.source(stream) {
            extra::widen(fd);
        }
    }

    /// Closes a stream. Returns its descriptor if it was a pipe or a terminal like ours.
    pub(super) fn close(&mut self, stream: Stream) -> Option<OwnedFd> {
        let source = match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        };
        match std::mem::replace(source, Source::None) {
            Source::Pipe(fd) => Some(fd),
            // The terminal stays open for the keys.
            Source::Pty => self.pty.as_ref().and_then(Pty::copy_if_like_ours),
            Source::None => None,
        }
    }

    fn source(&self, stream: Stream) -> &Source {
        match stream {
            Stream::Out => &self.out,
            Stream::Err => &self.err,
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    Ok((ours.into(), theirs.into()))
}
