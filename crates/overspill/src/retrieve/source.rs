//! Reads an output block by block, from a file or from the store.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::rc::Rc;

use crate::Error;
use crate::store::{KeptRanges, OutputId, Store};

/// The number of bytes of a block.
pub(super) const BLOCK: usize = 256 << 10;
const PAGE: usize = 4096;

/// An output, and the last block that was read.
pub(super) struct Source<'a> {
    store: &'a dyn Store,
    name: &'a OutputId,
    pub(super) total: u64,
    /// The saved ranges of the original, if not all of it was saved.
    pub(super) kept: Option<Rc<KeptRanges>>,
    file: Option<File>,
    /// The position in the file.
    at: u64,
    space: Vec<u8>,
    /// The part of `space` with the last block.
    held: Range<usize>,
}

impl<'a> Source<'a> {
    /// Opens an output.
    pub(super) fn open(store: &'a dyn Store, name: &'a OutputId) -> Result<Source<'a>, Error> {
        let total = store.entry(name)?.bytes;
        let file = store.open_file(name)?;
        let space = vec![0; if file.is_some() { BLOCK + PAGE } else { 0 }];
        let kept = store.kept_ranges(name)?.map(Rc::new);
        Ok(Source { store, name, total, kept, file, at: 0, space, held: 0..0 })
    }

    /// Returns the block at `at`. It is empty at the end.
    #[cfg(feature = "diff")]
    pub(super) fn block(&mut self, at: u64) -> Result<&[u8], Error> {
        let end = self.total.min(at.saturating_add(BLOCK as u64));
        self.range(at, end)
    }

    /// Returns the bytes from `at` up to `end`, at most a block.
    pub(super) fn range(&mut self, at: u64, end: u64) -> Result<&[u8], Error> {
        let len = end.min(self.total).saturating_sub(at).min(BLOCK as u64) as usize;
        self.held = 0..0;
        if len > 0 && self.file.is_none() {
            self.space = self.store.read(self.name, at..at + len as u64)?;
            self.held = 0..self.space.len();
        } else if len > 0 {
            // Reading into memory that is not aligned to a page takes several times as long.
            let skip = self.space.as_ptr().align_offset(PAGE).min(PAGE);
            let path = || self.name.as_str().into();
            let filled = self.fill(at, skip..skip + len);
            let filled = filled.map_err(|source| Error::Io { path: path(), source })?;
            self.held = skip..skip + filled;
        }
        Ok(self.held())
    }

    /// Returns the last block.
    pub(super) fn held(&self) -> &[u8] {
        &self.space[self.held.clone()]
    }

    fn fill(&mut self, at: u64, room: Range<usize>) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Ok(0) };
        if self.at != at {
            file.seek(SeekFrom::Start(at))?;
            self.at = at;
        }
        let buffer = &mut self.space[room];
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(len) => filled += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.at += filled as u64;
        Ok(filled)
    }
}
