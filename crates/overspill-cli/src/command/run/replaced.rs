//! A file of a host that gets the whole output as it comes, and the preview in its place at the end.

use std::io::{self, Seek, SeekFrom};

use super::presenter::write;
use crate::hosts::TaskFile;
use crate::process::{Stream, stdout_file};

/// The file that standard output is.
#[derive(Debug)]
pub(super) struct Replaced {
    file: TaskFile,
    /// The position of our first byte.
    start: Option<u64>,
}

impl Replaced {
    pub(super) fn new(file: TaskFile) -> Replaced {
        let start = stdout_file().ok().and_then(|mut stdout| stdout.stream_position().ok());
        Replaced { file, start }
    }

    /// Puts the preview in the place of the output, unless the command runs in the background: the
    /// host reads the file by pages then.
    pub(super) fn replace(&self, preview: &str) -> io::Result<usize> {
        let Some(start) = self.start.filter(|_| !self.file.is_in_background()) else {
            return Ok(0);
        };
        let mut stdout = stdout_file()?;
        stdout.set_len(start)?;
        stdout.seek(SeekFrom::Start(start))?;
        write(Stream::Out, preview.as_bytes())
    }
}
