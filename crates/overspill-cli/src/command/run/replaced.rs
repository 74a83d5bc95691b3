//! A file of a host that gets the whole output live, and at the end the preview instead.

use std::io::{self, Seek, SeekFrom};

use super::presenter::write;
use crate::hosts::TaskFile;
use crate::process::{Stream, stdout_file};

/// The file behind standard output.
#[derive(Debug)]
pub(super) struct Replaced {
    file: TaskFile,
    /// The position of the first byte of the output.
    start: Option<u64>,
}

impl Replaced {
    pub(super) fn new(file: TaskFile) -> Replaced {
        let start = stdout_file().ok().and_then(|mut stdout| stdout.stream_position().ok());
        Replaced { file, start }
    }

    /// Replaces the output by the preview, unless the command runs in the background: then the host
    /// reads the file in pages.
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
