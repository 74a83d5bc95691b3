//! What a command's output comes by.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use super::pty::Pty;
use super::start::StdioTarget;
use crate::buffer::Buffer;
use crate::process::{CommandSpec, Stderr, Stream};

/// The ends of pipes and terminals between a command and us.
#[derive(Debug)]
pub(super) struct Pipes {
    out: Source,
    err: Source,
    /// The command's own terminal.
    pub(super) pty: Option<Pty>,
    /// The command's ends, until it has them.
    theirs: Theirs,
}

#[derive(Debug)]
enum Source {
    Pipe(OwnedFd),
    Pty,
    None,
}

#[derive(Debug, Default)]
struct Theirs {
    out: Option<OwnedFd>,
    err: Option<OwnedFd>,
    /// Standard error is not touched.
    err_passes: bool,
}

impl Pipes {
    /// Lays what `asked` needs.
    pub(super) fn lay(asked: &CommandSpec) -> io::Result<Pipes> {
        let mut wires =
            Pipes { out: Source::None, err: Source::None, pty: None, theirs: Theirs::default() };
        if asked.pty {
            wires.pty = Some(Pty::new()?);
            wires.out = Source::Pty;
        } else {
            let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
            (wires.out, wires.theirs.out) = (Source::Pipe(ours), Some(theirs));
        }
        match asked.stderr {
            Stderr::Merged => {}
            Stderr::Pass => wires.theirs.err_passes = true,
            Stderr::Separate | Stderr::Joined => {
                let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
                (wires.err, wires.theirs.err) = (Source::Pipe(ours), Some(theirs));
            }
        }
        Ok(wires)
    }

    /// Returns what standard output and standard error of the command are.
    pub(super) fn places(&self) -> [StdioTarget<'_>; 2] {
        let out = || match (&self.pty, &self.theirs.out) {
            (Some(pty), _) => StdioTarget::Terminal(&pty.path),
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

    /// Closes the command's ends here: whoever holds one waits for itself.
    pub(super) fn hand_over(&mut self) {
        self.theirs = Theirs::default();
    }

    /// Returns where the command's output can be read, as long as there may be more.
    pub(super) fn open(&self, stream: Stream) -> Option<BorrowedFd<'_>> {
        match (self.source(stream), &self.pty) {
            (Source::Pipe(fd), _) => Some(fd.as_fd()),
            (Source::Pty, Some(pty)) => Some(pty.ours.as_fd()),
            (Source::Pty | Source::None, _) => None,
        }
    }

    /// Returns how many bytes the pipes hold now.
    pub(super) fn unread(&self) -> u64 {
        let open = [Stream::Out, Stream::Err].into_iter().filter_map(|stream| self.open(stream));
        open.filter_map(|fd| rustix::io::ioctl_fionread(fd).ok()).sum()
    }

    pub(super) fn is_open(&self) -> bool {
        [Stream::Out, Stream::Err].into_iter().any(|stream| self.open(stream).is_some())
    }

    /// Makes room for more at a time, for an output that turns out to be large.
    pub(super) fn widen(&self, stream: Stream) {
        if let Source::Pipe(fd) = self.source(stream) {
            let _ = fcntl_setpipe_size(fd, Buffer::LARGE_PIPE);
        }
    }

    /// Stops reading a stream and returns what it was read from, if it was a pipe.
    pub(super) fn close(&mut self, stream: Stream) -> Option<OwnedFd> {
        let source = match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        };
        match std::mem::replace(source, Source::None) {
            Source::Pipe(fd) => Some(fd),
            Source::Pty | Source::None => None,
        }
    }

    fn source(&self, stream: Stream) -> &Source {
        match stream {
            Stream::Out => &self.out,
            Stream::Err => &self.err,
        }
    }
}
