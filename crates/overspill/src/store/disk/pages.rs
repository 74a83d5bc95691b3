//! The page cache: parts of outputs from a bucket, saved here so that they are not fetched again.
//!
//! Each part is a file, named after the output and the position of the part. The file contains the
//! bytes and then their checksum: nothing waits for the disk, so a power loss can damage a file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::ops::ControlFlow;

use bytes::Bytes;
use jiff::Timestamp;

use super::draft::system_time;
use super::root::{Area, if_there};
use super::temp::Temp;
use super::{Disk, dir};
use crate::Error;
use crate::store::OutputId;

/// The number of bytes of the checksum at the end of a file.
const SUM: usize = 4;

/// A cached part of an output.
#[derive(Debug)]
pub(in crate::store) struct Page {
    file: String,
    pub(in crate::store) bytes: u64,
    pub(in crate::store) used: Timestamp,
}

fn file_of(name: &OutputId, start: u64) -> String {
    format!("{name}-{start}")
}

impl Disk {
    /// Tells whether the part that begins at `start` is in the cache.
    pub(in crate::store) fn has_page(&self, name: &OutputId, start: u64) -> bool {
        let Ok(Some(root)) = self.last_root() else { return false };
        let Ok(Some(pages)) = root.area(Area::Pages) else { return false };
        pages.find(&file_of(name, start)).is_ok()
    }

    /// Returns the part that begins at `start`, if it is in the cache and undamaged.
    pub(in crate::store) fn page(&self, name: &OutputId, start: u64) -> Option<Vec<u8>> {
        let pages = self.last_root().ok()??.area(Area::Pages).ok()??;
        let (file, found) = pages.open_file(&file_of(name, start)).ok()?;
        let mut bytes = vec![0; usize::try_from(found.bytes).ok()?];
        let len = dir::read_at(&file, &mut bytes, 0).ok()?;
        let whole = len == bytes.len() && len > SUM;
        let sum = bytes.split_off(bytes.len().saturating_sub(SUM));
        if !whole || crc32fast::hash(&bytes).to_le_bytes() != *sum {
            let _ = pages.remove(&file_of(name, start));
            return None;
        }
        let _ = file.set_modified(system_time(self.options().clock.now().timestamp()));
        Some(bytes)
    }

    /// Saves a part, and replaces a shorter part that begins at the same position.
    pub(in crate::store) fn put_page(
        &self,
        name: &OutputId,
        start: u64,
        pieces: &[Bytes],
    ) -> Result<(), Error> {
        let root = self.make_root()?;
        let put = || {
            let len: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
            let pages = root.make_area(Area::Pages)?;
            let file = file_of(name, start);
            if let Some(there) = if_there(pages.find(&file))? {
                if there.bytes >= len + SUM as u64 {
                    return Ok(());
                }
                if_there(pages.remove(&file))?;
            }
            if root.dir.free()? < self.options().keep_free.saturating_add(len) {
                return Ok(());
            }
            let mut temp = Temp::new(&root)?;
            let mut sum = crc32fast::Hasher::new();
            pieces.iter().for_each(|piece| sum.update(piece));
            let sum = sum.finalize().to_le_bytes();
            let parts = pieces.iter().map(|piece| &piece[..]).chain([&sum[..]]);
            write_together(&temp.file, parts.map(IoSlice::new).collect())?;
            temp.publish(&pages, &file)
        };
        match put() {
            // Another process has saved the same part meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            put => put.map_err(|error| super::draft::failed(self.path(), error)),
        }
    }

    /// Returns all cached parts.
    pub(in crate::store) fn pages(&self) -> Vec<Page> {
        let mut all = Vec::new();
        if let Ok(Some(root)) = self.root()
            && let Ok(Some(pages)) = root.area(Area::Pages)
        {
            let _ = pages.walk(0, |file| {
                if let Ok(found) = pages.find(file) {
                    let (bytes, used) = (found.bytes, found.used);
                    all.push(Page { file: file.to_owned(), bytes, used });
                }
                ControlFlow::Continue(())
            });
        }
        all
    }

    /// Removes a cached part.
    pub(in crate::store) fn remove_page(&self, page: &Page) {
        if let Ok(Some(root)) = self.root()
            && let Ok(Some(pages)) = root.area(Area::Pages)
        {
            let _ = pages.remove(&page.file);
        }
    }

    /// Removes all cached parts of these outputs.
    pub(in crate::store) fn remove_pages_of(&self, names: &[OutputId]) {
        let names: HashSet<&str> = names.iter().map(OutputId::as_str).collect();
        for page in self.pages() {
            if page.file.rsplit_once('-').is_some_and(|(of, _)| names.contains(of)) {
                self.remove_page(&page);
            }
        }
    }
}

/// Writes many small pieces with few system calls.
fn write_together(mut file: &File, mut parts: Vec<IoSlice>) -> io::Result<()> {
    let mut parts = &mut parts[..];
    while !parts.is_empty() {
        match file.write_vectored(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut parts, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
