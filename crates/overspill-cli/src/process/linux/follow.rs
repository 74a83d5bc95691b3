//! A file that a command writes to by itself.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::sys::signal::Signal;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Resource, WaitOptions, getrlimit, set_child_subreaper, wait};

/// How often it is looked whether the file has grown: soon after it has, and less often then.
const SOONEST: Duration = Duration::from_millis(2);
const LATEST: Duration = Duration::from_millis(64);

/// A command that is further ahead of us than this waits for us: the disk is not as large as what some
/// would write.
const FAR: u64 = 64 << 20;
/// Until it is no further ahead than this.
const NEAR: u64 = 16 << 20;

/// Tells whether a command may write to a file as it likes.
pub(crate) fn may_write_files() -> bool {
    getrlimit(Resource::Fsize).current.is_none()
}

/// Reads a file as it grows.
#[derive(Debug)]
pub(super) struct Follow {
    file: File,
    at: u64,
    /// How long to wait for more.
    pub(super) pause: Duration,
    /// The command waits for us.
    pub(super) waits: bool,
}

impl Follow {
    pub(super) fn new(file: File) -> io::Result<Follow> {
        // Whoever else gets hold of it adds to its end.
        fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::APPEND)?;
        // Those that the command leaves behind become ours, so that we know of them.
        set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(Follow { file, at: 0, pause: SOONEST, waits: false })
    }

    /// Reads what has been added, as far as there is space for it.
    pub(super) fn read(&mut self, space: &mut [u8]) -> usize {
        let len = self.file.read_at(space, self.at).unwrap_or(0);
        self.at += len as u64;
        self.pause = match len {
            0 => (self.pause * 2).clamp(SOONEST, LATEST),
            // There is more, most likely, and nothing to wait for.
            len if len == space.len() => Duration::ZERO,
            _ => SOONEST,
        };
        len
    }

    /// Returns how much was added and not read yet.
    pub(super) fn ahead(&self) -> u64 {
        self.file.metadata().map_or(0, |file| file.len().saturating_sub(self.at))
    }

    /// Decides whether the command waits for us; returns what it is to be told, if that changes.
    pub(super) fn pace(&mut self) -> Option<Signal> {
        let ahead = self.ahead();
        let (waits, signal) = match self.waits {
            false if ahead > FAR => (true, Signal::SIGSTOP),
            true if ahead < NEAR => (false, Signal::SIGCONT),
            _ => return None,
        };
        self.waits = waits;
        Some(signal)
    }
}

/// Tells whether anybody is left of those that the command has started.
pub(super) fn anybody_left() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
