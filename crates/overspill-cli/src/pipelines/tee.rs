//! `overspill tee`: a stage that overspill inserts into a pipeline. It passes its input on, and
//! copies it to a file.
//!
//! In: standard input, a pipe. Out: standard output, a pipe, and a file of the process that runs
//! the line. The kernel moves the bytes. When the reader leaves, this stage leaves at once, so that
//! the writer gets its SIGPIPE as without overspill. The exit code is 0. If Ctrl-C ended the
//! reader, SIGINT ends this stage, too: bash goes on with the line if a stage seems to have handled
//! the signal.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::time::Instant;

use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, fcntl_getpipe_size, splice, tee};

use super::report::CAPTURE;

/// The name of the subcommand, which is hidden from users.
pub(super) const NAME: &str = "tee";

/// The argument of a stage: `PID:PIPE:FILE:MOST:FLOOR:PLACE`.
pub(super) struct TeeArgument {
    /// The process that runs the line.
    pub(super) pid: u32,
    /// The descriptor of the pipe for reports, in that process.
    pub(super) pipe: i32,
    /// The descriptor of the file, in that process.
    pub(super) file: i32,
    /// The largest number of bytes that are copied.
    pub(super) most: u64,
    /// The number of bytes that stay free on the disk.
    pub(super) floor: u64,
    /// The number of the place in the line. It is the last field.
    pub(super) place: usize,
}

impl std::fmt::Display for TeeArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TeeArgument { pid, pipe, file, most, floor, place } = self;
        write!(f, "{pid}:{pipe}:{file}:{most}:{floor}:{place}")
    }
}

impl TeeArgument {
    fn read(text: &str) -> Option<TeeArgument> {
        let mut parts = text.split(':');
        let argument = TeeArgument {
            pid: parts.next()?.parse().ok()?,
            pipe: parts.next()?.parse().ok()?,
            file: parts.next()?.parse().ok()?,
            most: parts.next()?.parse().ok()?,
            floor: parts.next()?.parse().ok()?,
            place: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(argument)
    }

    fn open(&self, descriptor: i32) -> io::Result<File> {
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let path = format!("/proc/{}/fd/{descriptor}", self.pid);
        OpenOptions::new().write(true).custom_flags(nonblocking).open(path)
    }

    /// Opens the file for the copy, which has no name. A file with a name belongs to another
    /// process, which now has the id from the argument.
    fn open_copy(&self) -> Option<File> {
        let file = self.open(self.file).ok()?;
        let metadata = file.metadata().ok()?;
        (metadata.is_file() && metadata.nlink() == 0).then_some(file)
    }
}

/// Runs the stage if the arguments ask for it. Returns the exit code.
pub(crate) fn called(words: &[OsString]) -> Option<u8> {
    let [_, name, argument] = words else { return None };
    if name != NAME {
        return None;
    }
    let argument = TeeArgument::read(argument.to_str()?)?;
    // If the reader is gone or the file is full, the write fails and this process goes on. A signal
    // to the whole line is for the commands: this stage ends when its input ends.
    let signals = [
        Signal::SIGPIPE,
        Signal::SIGXFSZ,
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ];
    let _ = SigSet::from_iter(signals).thread_block();
    let started = Instant::now();
    let mut copied = Copied::default();
    copied.all(argument.open_copy().filter(|_| argument.most > 0), argument.most, argument.floor);
    let how = if copied.reader_left { "left" } else { "whole" };
    let Copied { total, saved, .. } = copied;
    let (place, millis) = (argument.place, started.elapsed().as_millis());
    if let Ok(mut pipe) = argument.open(argument.pipe) {
        let report = format!("{CAPTURE}\0{place}\0{total}\0{saved}\0{how}\0{millis}\0");
        let _ = pipe.write_all(report.as_bytes());
    }
    if was_interrupted() && reader_leaves() {
        let _ = SigSet::from_iter([Signal::SIGINT]).thread_unblock();
        let _ = raise(Signal::SIGINT);
    }
    Some(0)
}

/// Tells whether Ctrl-C came while it was blocked, and removes the signal.
fn was_interrupted() -> bool {
    let interrupt = SigSet::from_iter([Signal::SIGINT]);
    SignalFd::with_flags(&interrupt, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
        .is_ok_and(|signals| matches!(signals.read_signal(), Ok(Some(_))))
}

/// Waits a moment until the reader leaves. A reader that handles the signal does not leave.
fn reader_leaves() -> bool {
    let moment = rustix::event::Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    let output = rustix::stdio::stdout();
    let mut reader = [PollFd::new(&output, PollFlags::empty())];
    let _ = poll(&mut reader, Some(&moment));
    reader[0].revents().contains(PollFlags::ERR)
}

/// The state of the copy.
#[derive(Default)]
struct Copied {
    total: u64,
    saved: u64,
    reader_left: bool,
    /// The number of copied bytes at which to check the free space next.
    next_look: u64,
}

/// The number of copied bytes between two checks of the free space.
const LOOK_EVERY: u64 = 16 << 20;

impl Copied {
    /// Moves everything from standard input to standard output, and the first bytes also to the
    /// file.
    fn all(&mut self, file: Option<File>, most: u64, floor: u64) {
        let (input, output) = (rustix::stdio::stdin(), rustix::stdio::stdout());
        let chunk = fcntl_getpipe_size(input).unwrap_or(64 << 10);
        let mut file = file;
        loop {
            if self.reader_has_left(input, output) {
                return;
            }
            if let Some(full) = file.take_if(|file| !self.has_room(file, floor)) {
                // Without this free space, the store would refuse the copy.
                let _ = full.set_len(0);
                self.saved = 0;
            }
            let target = file.as_ref().filter(|_| self.saved < most);
            let left = usize::try_from(most - self.saved.min(most)).unwrap_or(usize::MAX);
            let moved = match target {
                Some(_) => tee(input, output, chunk.min(left), SpliceFlags::empty()),
                None => splice(input, None, output, None, chunk, SpliceFlags::MOVE),
            };
            match moved {
                Ok(0) => return,
                Ok(len) => {
                    self.total += len as u64;
                    if target.is_some() && !self.copy(input, file.as_ref(), len) {
                        file = None;
                    }
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(Errno::PIPE) => {
                    self.reader_left = true;
                    return;
                }
                // The input or output is not a pipe, so plain reads and writes are needed.
                Err(_) => return self.rest(),
            }
        }
    }

    /// Tells whether the disk has room for more.
    fn has_room(&mut self, file: &File, floor: u64) -> bool {
        if self.saved < self.next_look {
            return true;
        }
        self.next_look = self.saved + LOOK_EVERY;
        let free = rustix::fs::fstatvfs(file)
            .map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        free >= floor
    }

    /// Waits for input. Tells whether the reader has left.
    fn reader_has_left(&mut self, input: BorrowedFd, output: BorrowedFd) -> bool {
        loop {
            let mut both =
                [PollFd::new(&input, PollFlags::IN), PollFd::new(&output, PollFlags::empty())];
            match poll(&mut both, None) {
                Err(Errno::INTR) => continue,
                Err(_) => return false,
                Ok(_) => {}
            }
            if both[1].revents().contains(PollFlags::ERR) {
                // Everything has arrived if no bytes are left and the writer is gone.
                let is_over = both[0].revents().contains(PollFlags::HUP)
                    && !both[0].revents().contains(PollFlags::IN);
                self.reader_left = !is_over;
                return true;
            }
            if !both[0].revents().is_empty() {
                return false;
            }
        }
    }

    /// Moves bytes that the reader already has from the pipe to the file. Tells whether that
    /// worked.
    fn copy(&mut self, input: BorrowedFd, file: Option<&File>, len: usize) -> bool {
        let mut left = len;
        while let Some(file) = file.filter(|_| left > 0) {
            match splice(input, None, file.as_fd(), None, left, SpliceFlags::MOVE) {
                Ok(moved) if moved > 0 => {
                    self.saved += moved as u64;
                    left -= moved;
                }
                Err(Errno::INTR) => {}
                _ => break,
            }
        }
        // The disk is full. The reader already has these bytes, so they only leave the pipe.
        let is_copied = left == 0;
        let mut discarded = vec![0; left];
        while left > 0 {
            match rustix::io::read(input, &mut discarded[..left]) {
                Ok(0) => break,
                Ok(len) => left -= len,
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        is_copied
    }

    /// Copies the rest with plain reads and writes.
    fn rest(&mut self) {
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        let mut chunk = vec![0; 64 << 10];
        loop {
            match input.read(&mut chunk) {
                Ok(0) => return,
                Ok(len) => {
                    self.total += len as u64;
                    if output.write_all(&chunk[..len]).and_then(|()| output.flush()).is_err() {
                        self.reader_left = true;
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}
