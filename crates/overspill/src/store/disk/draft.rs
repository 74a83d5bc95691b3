//! An output while overspill writes it into a directory.

use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;

use super::folder::Folder;
use super::gather::{Gather, fitted};
use super::root::Root;
use super::temp::Temp;
use super::{Disk, Durability, notes, sum};
use crate::store::seal::{Seal, Sealer};
use crate::store::{Draft, Excerpt, Kept, KeptRanges, OutputId, Record, SpillRef};
use crate::{Call, Error};

/// The number of bytes that are written between two checks of the free disk space.
const LOOK_EVERY: u64 = 16 << 20;
/// The number of names that are tried before saving fails.
const MOST_ATTEMPTS: u32 = 10_000;

/// An output that is being written into a directory.
///
/// Up to the cap the file grows. Beyond the cap the second half of the file is a ring, in which
/// the newest bytes overwrite the oldest. Publishing puts them in order. The ring has one byte more
/// than is kept: that byte tells whether the kept end begins at the start of a line.
#[derive(Debug)]
pub(super) struct DiskDraft {
    disk: Disk,
    root: Arc<Root>,
    call: Call,
    temp: Temp,
    /// The number of bytes produced so far.
    produced: u64,
    /// The number of bytes that can be written before the next check of the free disk space.
    room: u64,
    sealer: Option<Sealer>,
    /// A write has failed, so the content of the file is unknown.
    torn: bool,
    /// The number of line feeds so far, except those that the sealer has counted.
    feeds: u64,
    /// The last byte so far.
    last: Option<u8>,
    /// The lines between the two ends that are kept.
    excerpts: Vec<Excerpt>,
    /// The id and folder of an output that can be read while it is written.
    live: Option<(OutputId, Folder)>,
    /// The ring of an output that can be read while it is written. The file itself then contains
    /// only the start, because the bytes of a ring are not in order.
    ring: Option<Temp>,
}

impl DiskDraft {
    pub(super) fn new(disk: &Disk, call: &Call) -> Result<DiskDraft, Error> {
        let root = disk.make_root()?;
        let temp = Temp::new(&root).map_err(|error| failed(disk.path(), error))?;
        let sealer = disk.options().records.then(Sealer::new);
        let (disk, call) = (disk.clone(), call.clone());
        Ok(DiskDraft {
            disk,
            root,
            call,
            temp,
            produced: 0,
            room: 0,
            sealer,
            torn: false,
            feeds: 0,
            last: None,
            excerpts: Vec::new(),
            live: None,
            ring: None,
        })
    }

    fn failed(&self, error: io::Error) -> Error {
        failed(self.disk.path(), error)
    }

    /// Returns the number of bytes to keep of the start, and the largest number of the end.
    fn ends(&self) -> (u64, u64) {
        let most = self.disk.options().most_per_output;
        (most - most / 2, most / 2)
    }

    fn is_durable(&self) -> bool {
        self.disk.options().durability == Durability::Full
    }

    fn is_over(&self) -> bool {
        self.produced > self.disk.options().most_per_output
    }

    fn look_for_room(&mut self, len: u64) -> Result<(), Error> {
        let keep = self.disk.options().keep_free;
        if len > self.room && keep > 0 {
            let free = self.root.dir.free().map_err(|error| self.failed(error))?;
            let usable = free.saturating_sub(keep);
            if usable < len {
                let reason = format!("{free} bytes are free, and store.keep_free is {keep}");
                return Err(Error::Full { path: self.disk.path().into(), reason });
            }
            self.room = usable.min(len.max(LOOK_EVERY));
        }
        self.room = self.room.saturating_sub(len);
        Ok(())
    }

    /// Counts the line feeds of new bytes, and seals the bytes while the output is kept whole.
    fn came(&mut self, bytes: &[u8], is_whole: bool) {
        self.last = bytes.last().copied().or(self.last);
        if let Some(sealer) = self.sealer.as_mut().filter(|_| is_whole) {
            return sealer.push(bytes);
        }
        let sealed = self.sealer.take().map_or(0, |sealer| sealer.passed().1);
        self.feeds += sealed + bytecount::count(bytes, b'\n') as u64;
    }

    /// Writes the bytes beyond the cap into the ring.
    fn write_round(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (first, last) = self.ends();
        let ring = last + 1;
        if self.live.is_some() && self.ring.is_none() {
            self.ring = Some(self.part_ring(first)?);
        }
        let (file, start) = match &mut self.ring {
            Some(ring) => (&mut ring.file, 0),
            None => (&mut self.temp.file, first),
        };
        // Skip bytes that the same call would overwrite.
        let skip = (bytes.len() as u64).saturating_sub(ring);
        let mut at = self.produced + skip;
        let mut bytes = &bytes[skip as usize..];
        while !bytes.is_empty() {
            let offset = (at - first) % ring;
            let len = (bytes.len() as u64).min(ring - offset);
            let (now, later) = bytes.split_at(len as usize);
            file.seek(SeekFrom::Start(start + offset))?;
            file.write_all(now)?;
            at += len;
            bytes = later;
        }
        Ok(())
    }

    /// Moves everything after the start into a file for the ring.
    fn part_ring(&self, first: u64) -> io::Result<Temp> {
        let mut ring = Temp::new(&self.root)?;
        sum::copy(&self.temp.file, first, self.produced - first, |bytes| {
            ring.file.write_all(bytes)
        })?;
        self.temp.file.set_len(first)?;
        Ok(ring)
    }

    /// Copies the start, the excerpts and the ring, in order, to a new file.
    fn unroll(&mut self) -> io::Result<KeptRanges> {
        let (first, last) = self.ends();
        let whole_hole = first..self.produced - last;
        let (hole, excerpts) = fitted(whole_hole.clone(), std::mem::take(&mut self.excerpts));
        // A file without a name cannot replace another file.
        let is_live = self.live.is_some();
        let new = if is_live { Temp::named(&self.root) } else { Temp::new(&self.root) };
        let mut gather = Gather::new(new?)?;
        let file = &self.temp.file;
        gather.range(0..hole.start, (1, true), true, |to| to.copy(file, 0, hole.start))?;
        for Excerpt { bytes, line, starts_line, text, verbatim } in excerpts {
            gather.range(bytes, (line, starts_line), verbatim, |to| to.write(&text))?;
        }
        let ring = last + 1;
        let (file, start) = match &self.ring {
            Some(ring) => (&ring.file, 0),
            None => (file, first),
        };
        // The byte before the kept end is the oldest byte in the ring.
        let turn = (self.produced - first) % ring;
        let mut byte = [0];
        super::dir::read_at(file, &mut byte, start + turn)?;
        let skip = hole.end - whole_hole.end;
        let starts_line = skip > 0 || byte == *b"\n";
        gather.range(hole.end..self.produced, (0, starts_line), true, |to| {
            let to_end = last - turn;
            to.copy(file, start + turn + 1 + skip.min(to_end), to_end - skip.min(to_end))?;
            let skip = skip.saturating_sub(to_end);
            to.copy(file, start + skip, turn - skip)
        })?;
        let (temp, sealer, kept) = gather.finish(self.produced, self.feeds, self.last);
        (self.temp, self.sealer) = (temp, Some(sealer));
        Ok(kept)
    }

    /// Gives the output a name while it is written. The record is written first, so that no reader
    /// takes the output for complete.
    fn name_now(&mut self) -> Option<(OutputId, Folder)> {
        if !self.disk.options().records || !super::dir::lock(&self.temp.file) {
            return None;
        }
        let now = self.disk.options().clock.now();
        let record = Record {
            call: self.call.clone(),
            created: now.timestamp(),
            running: true,
            ..Record::default()
        };
        for attempt in 0..MOST_ATTEMPTS {
            let name = self.disk.options().names.draw(&self.call, &now, attempt).ok()?;
            let file = self.disk.options().names.file_of(&name);
            let folder = self.disk.make_folder(&self.root);
            if folder.is_ok_and(|folder| folder.dir.find(&file).is_ok()) {
                continue;
            }
            notes::describe(&self.root, &name, &record).ok()?;
            match self.disk.publish(&self.root, &mut self.temp, &file) {
                Ok(folder) => return Some((name, folder)),
                Err(error) => {
                    notes::remove(&self.root, &name);
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return None;
                    }
                }
            }
        }
        None
    }

    /// Completes an output that already has its name.
    fn complete(
        &mut self,
        name: &OutputId,
        folder: &Folder,
        seal: Option<&Seal>,
    ) -> Result<(), Error> {
        let file = self.disk.file_in(folder, name);
        let wrong = |error| failed(&file, error);
        let on_disk = self.disk.options().names.file_of(name);
        folder.dir.find(&on_disk).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                wrong(io::Error::new(error.kind(), "it was removed while it was written"))
            }
            _ => wrong(error),
        })?;
        if self.ring.is_some() {
            self.temp.replace(&folder.dir, &on_disk).map_err(wrong)?;
        }
        if let Some(seal) = seal {
            let durable = self.is_durable() && seal.kept() != Kept::Whole;
            match notes::add_seal(&self.root, name, seal, durable) {
                // A whole output can do without a seal.
                Err(error) if seal.kept() != Kept::Whole => return Err(wrong(error)),
                _ => {}
            }
        }
        self.live = None;
        Ok(())
    }

    /// Gives the output a name that is not taken.
    fn place(&mut self, seal: Option<&Seal>) -> Result<(OutputId, Folder), Error> {
        let (disk, now) = (self.disk.clone(), self.disk.options().clock.now());
        for attempt in 0..MOST_ATTEMPTS {
            let name = disk.options().names.draw(&self.call, &now, attempt)?;
            let file = disk.options().names.file_of(&name);
            let mut sealed = false;
            // The seal is written first: readers must never see a partial output without it.
            if let Some(seal) = seal {
                // The seal of a whole output need not survive a power loss: a torn seal is
                // detected.
                let durable = self.is_durable() && seal.kept() != Kept::Whole;
                match notes::put_seal(&self.root, &name, seal, durable) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    // A whole output can do without a seal.
                    Err(error) if seal.kept() != Kept::Whole => return Err(self.failed(error)),
                    put => sealed = put.is_ok(),
                }
            }
            let error = match self.disk.publish(&self.root, &mut self.temp, &file) {
                Ok(folder) => return Ok((name, folder)),
                Err(error) => error,
            };
            if sealed {
                notes::remove(&self.root, &name);
            }
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(failed(&disk.folder().join(file), error));
            }
        }
        Err(self.failed(io::Error::new(io::ErrorKind::AlreadyExists, "no name is free")))
    }
}

impl Draft for DiskDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let was_torn = std::mem::replace(&mut self.torn, true);
        let left = self.disk.options().most_per_output.saturating_sub(self.produced);
        let (straight, round) = bytes.split_at(left.min(bytes.len() as u64) as usize);
        self.look_for_room(straight.len() as u64)?;
        self.temp.file.write_all(straight).map_err(|error| self.failed(error))?;
        self.produced += straight.len() as u64;
        self.came(bytes, round.is_empty());
        if !round.is_empty() {
            self.write_round(round).map_err(|error| self.failed(error))?;
            self.produced += round.len() as u64;
        }
        self.torn = was_torn;
        Ok(())
    }

    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        let (first, last) = self.ends();
        Ok(self.is_over().then(|| first..self.produced - last))
    }

    fn keep(&mut self, excerpts: Vec<Excerpt>) -> Result<(), Error> {
        self.excerpts = excerpts;
        Ok(())
    }

    fn go_live(&mut self) -> Option<SpillRef> {
        if self.live.is_none() && !self.is_over() && !self.torn {
            self.live = self.name_now();
        }
        let (name, folder) = self.live.clone()?;
        let path = self.disk.shown_path(&folder, &name);
        Some(SpillRef::new(name, path, Kept::Whole))
    }

    fn publish(mut self: Box<Self>) -> Result<SpillRef, Error> {
        if self.torn {
            return Err(self.failed(io::Error::other("a part of it could not be written")));
        }
        let mut ranges = None;
        if self.is_over() {
            self.room = 0;
            self.look_for_room(self.disk.options().most_per_output)?;
            ranges = Some(self.unroll().map_err(|error| self.failed(error))?);
        }
        let first = ranges.iter().flat_map(|kept| &kept.ranges).next();
        let first = first.filter(|range| range.bytes.start == 0).map_or(0, |range| range.bytes.end);
        let sealer = self.sealer.take();
        let seal = sealer.map(|sealer| Seal { ranges, ..sealer.finish(self.produced, first) });
        let kept = seal.as_ref().map_or(Kept::Whole, Seal::kept);
        let used = system_time(self.disk.options().clock.now().timestamp());
        // The store's own clock dates the outputs. If the file system refuses, its own time stays.
        let _ = self.temp.file.set_modified(used);
        if self.is_durable() {
            self.temp.file.sync_all().map_err(|error| self.failed(error))?;
        }
        let (name, folder) = match self.live.clone() {
            Some((name, folder)) => {
                self.complete(&name, &folder, seal.as_ref())?;
                (name, folder)
            }
            None => self.place(seal.as_ref())?,
        };
        if self.is_durable() {
            folder.dir.sync().map_err(|error| self.failed(error))?;
        }
        let path = self.disk.shown_path(&folder, &name);
        Ok(SpillRef::new(name, path, kept))
    }
}

impl Drop for DiskDraft {
    fn drop(&mut self) {
        if let Some((name, folder)) = self.live.take() {
            // If this fails, the record still says that the output is not complete.
            let _ = self.disk.remove(&self.root, &folder, &name);
        }
    }
}

pub(super) fn system_time(at: Timestamp) -> SystemTime {
    at.into()
}

/// Turns an I/O error into an error that names the path and tells a full disk from other failures.
pub(super) fn failed(path: &Path, source: io::Error) -> Error {
    let path = PathBuf::from(path);
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Error::Full { path, reason: source.to_string() }
        }
        _ => Error::Io { path, source },
    }
}
