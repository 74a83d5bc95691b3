//! A file that a command writes to by itself.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{WaitOptions, set_child_subreaper, wait};

/// How often it is looked whether the file has grown: soon after it has, and less often then.
const SOONEST: Duration = Duration::from_millis(2);
const LATEST: Duration = Duration::from_millis(64);

/// Reads a file as it grows.
#[derive(Debug)]
pub(super) struct Follow {
    file: File,
    at: u64,
    /// How long to wait for more.
    pub(super) pause: Duration,
}

impl Follow {
    pub(super) fn new(file: File) -> io::Result<Follow> {
        // Whoever else gets hold of it adds to its end.
        fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::APPEND)?;
        // Those that the command leaves behind become ours, so that we know of them.
        set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(Follow { file, at: 0, pause: SOONEST })
    }

    /// Reads what has been added, as far as there is space for it.
    pub(super) fn read(&mut self, space: &mut [u8]) -> usize {
        let len = self.file.read_at(space, self.at).unwrap_or(0);
        self.at += len as u64;
        self.pause = if len > 0 { SOONEST } else { (self.pause * 2).min(LATEST) };
        len
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
