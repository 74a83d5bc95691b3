//! Stands in for `channel.rs` on systems without `/proc/PID/fd`, on which no line is watched.

use std::fs::File;
use std::io;
use std::path::Path;

use super::Prelude;
use super::tee::TeeArgument;

pub(super) struct Channel;

pub(super) fn free_space(_: &Path) -> u64 {
    0
}

impl Channel {
    pub(super) fn open(_: &Prelude, _: usize, _: &Path) -> io::Result<Channel> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn prelude_path(&self) -> String {
        String::new()
    }

    pub(super) fn tee_argument(&self, _: usize, _: u64, _: u64) -> Option<TeeArgument> {
        None
    }

    pub(super) fn close(self) -> (Vec<u8>, Vec<File>) {
        (Vec::new(), Vec::new())
    }
}
