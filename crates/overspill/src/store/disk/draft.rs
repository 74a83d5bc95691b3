//! An output on its way to the disk.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;

use super::root::Root;
use super::sum::copy;
use super::temp::Temp;
use super::{Disk, Durability, notes};
use crate::store::seal::{Seal, Sealer};
use crate::store::{Draft, Kept, Name, SpillRef};
use crate::{Call, Error};

/// How much is written between two looks at the room that is left.
const LOOK_EVERY: u64 = 16 << 20;
/// So much room there must be beyond what is kept of an output, for somebody else to write it: we come
/// after, and free what is not kept.
const AHEAD: u64 = 256 << 20;
/// Names that are tried before it must be something else.
const MOST_ATTEMPTS: u32 = 10_000;

/// An output that is being written.
///
/// Up to the cap its file grows. Then the second half of the file becomes a ring, in which the
/// newest bytes take the place of the oldest; publishing puts them in order.
#[derive(Debug)]
pub(super) struct DiskDraft {
    disk: Disk,
    root: Arc<Root>,
    call: Call,
    temp: Temp,
    /// Bytes produced so far.
    produced: u64,
    /// Bytes that can be written before the next look at the room that is left.
    room: u64,
    sealer: Option<Sealer>,
    /// A write has failed: nobody knows what is in the file.
    torn: bool,
    /// Somebody else writes to the file, and so it has no ring: what will not be kept is given
    /// back to the file system up to here, and its end stays where it is.
    hollow: Option<u64>,
    /// There was no room for what somebody else has written.
    full: Option<Error>,
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
            hollow: None,
            full: None,
        })
    }

    fn failed(&self, error: io::Error) -> Error {
        failed(self.disk.path(), error)
    }

    /// Returns how many bytes are kept of the start and, at most, of the end.
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
                let reason = format!("{free} bytes are free, and {keep} are to stay so");
                return Err(Error::Full { path: self.disk.path().into(), reason });
            }
            self.room = usable.min(len.max(LOOK_EVERY));
        }
        self.room = self.room.saturating_sub(len);
        Ok(())
    }

    /// Writes what is over the cap into the ring.
    fn write_round(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (first, last) = self.ends();
        // What would be overwritten at once need not be written.
        let skip = (bytes.len() as u64).saturating_sub(last);
        let mut at = self.produced + skip;
        let mut bytes = &bytes[skip as usize..];
        while !bytes.is_empty() {
            let offset = (at - first) % last;
            let len = (bytes.len() as u64).min(last - offset);
            let (now, later) = bytes.split_at(len as usize);
            self.temp.file.seek(SeekFrom::Start(first + offset))?;
            self.temp.file.write_all(now)?;
            at += len;
            bytes = later;
        }
        Ok(())
    }

    /// Copies the start and the ring, in order, to a new file.
    fn unroll(&mut self) -> io::Result<()> {
        let (first, last) = self.ends();
        let turn = if last == 0 { 0 } else { (self.produced - first) % last };
        match self.hollow {
            Some(_) => self.gather([(0, first), (self.produced - last, last), (0, 0)]),
            None => self.gather([(0, first), (first + turn, last - turn), (first, turn)]),
        }
    }

    /// Copies these parts, each from a place on and so long, to a new file.
    fn gather(&mut self, parts: [(u64, u64); 3]) -> io::Result<()> {
        let mut straight = Temp::new(&self.root)?;
        let mut sealer = Sealer::new();
        for (from, len) in parts {
            copy(&self.temp.file, from, len, |bytes| {
                sealer.push(bytes);
                straight.file.write_all(bytes)
            })?;
        }
        self.temp = straight;
        self.sealer = Some(sealer);
        Ok(())
    }

    /// Gives back what lies between the two ends, now and then.
    fn hollow_out(&mut self) {
        /// Little enough to stay near the cap, and enough for the calls not to matter.
        const STEP: u64 = 32 << 20;
        let (first, last) = self.ends();
        let from = self.hollow.unwrap_or(first);
        let to = self.produced.saturating_sub(last);
        if to >= from + STEP && super::dir::give_back(&self.temp.file, from..to) {
            self.hollow = Some(to);
        }
    }

    /// Gives the output a name that nobody else has.
    fn place(&mut self, seal: Option<&Seal>) -> Result<Name, Error> {
        let (disk, now) = (self.disk.clone(), self.disk.options().clock.now());
        for attempt in 0..MOST_ATTEMPTS {
            let name = disk.options().names.draw(&self.call, &now, attempt)?;
            let file = disk.options().names.file_of(&name);
            let mut sealed = false;
            // The seal comes first: an output that is not whole must never be seen without it.
            if let Some(seal) = seal {
                // That of a whole output may be lost: what is torn says so itself.
                let durable = self.is_durable() && seal.kept() != Kept::Whole;
                match notes::put_seal(&self.root, &name, seal, durable) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    // An output that is whole does without.
                    Err(error) if seal.kept() != Kept::Whole => return Err(self.failed(error)),
                    put => sealed = put.is_ok(),
                }
            }
            let placed = self.temp.publish(&self.root.dir, &file);
            let Err(error) = placed else { return Ok(name) };
            if sealed {
                notes::remove(&self.root, &name);
            }
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(failed(&disk.path().join(file), error));
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
        if !round.is_empty() {
            self.sealer = None;
            self.write_round(round).map_err(|error| self.failed(error))?;
            self.produced += round.len() as u64;
        } else if let Some(sealer) = &mut self.sealer {
            sealer.push(straight);
        }
        self.torn = was_torn;
        Ok(())
    }

    fn file(&self) -> Option<File> {
        let options = self.disk.options();
        let needed = options.keep_free.saturating_add(options.most_per_output);
        // Where the disk is full it would be the command that fails, and not our copy of its output.
        let free = self.root.dir.free().ok()?;
        (free >= needed.saturating_add(AHEAD)).then(|| self.temp.file.try_clone().ok())?
    }

    fn written(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.produced += bytes.len() as u64;
        if self.is_over() {
            self.sealer = None;
            self.hollow.get_or_insert(self.ends().0);
            self.hollow_out();
        } else if let Some(sealer) = &mut self.sealer {
            sealer.push(bytes);
        }
        if self.full.is_none() {
            self.full = self.look_for_room(bytes.len() as u64).err();
        } else {
            // It is too late not to write it, but not to keep it.
            super::dir::give_back(&self.temp.file, 0..self.produced);
        }
        Ok(())
    }

    fn part(&mut self) -> Result<(), Error> {
        if self.is_over() {
            // It gets a new file in any case.
            return Ok(());
        }
        let all = [(0, self.produced), (0, 0), (0, 0)];
        self.gather(all).map_err(|error| self.failed(error))
    }

    fn publish(mut self: Box<Self>) -> Result<SpillRef, Error> {
        if let Some(full) = self.full {
            return Err(full);
        }
        if self.torn {
            return Err(self.failed(io::Error::other("a part of it could not be written")));
        }
        if self.is_over() {
            self.room = 0;
            self.look_for_room(self.disk.options().most_per_output)?;
            self.unroll().map_err(|error| self.failed(error))?;
        }
        let (first, _) = self.ends();
        let seal = self.sealer.take().map(|sealer| sealer.finish(self.produced, first));
        let kept = seal.as_ref().map_or(Kept::Whole, Seal::kept);
        let used = system_time(self.disk.options().clock.now().timestamp());
        // The store's own clock tells ages; a file system that cannot note them tells them itself.
        let _ = self.temp.file.set_modified(used);
        if self.is_durable() {
            self.temp.file.sync_all().map_err(|error| self.failed(error))?;
        }
        let name = self.place(seal.as_ref())?;
        if self.is_durable() {
            self.root.dir.sync().map_err(|error| self.failed(error))?;
        }
        Ok(SpillRef::new(name.clone(), self.disk.shown(&name), kept))
    }
}

pub(super) fn system_time(at: Timestamp) -> SystemTime {
    at.into()
}

/// Says what failed, and tells a full disk from other failures.
pub(super) fn failed(path: &Path, source: io::Error) -> Error {
    let path = PathBuf::from(path);
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Error::Full { path, reason: source.to_string() }
        }
        _ => Error::Io { path, source },
    }
}
