//! Removes expired outputs from a directory: pins, short sweeps that take turns, and the files of
//! interrupted writers.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::dir::Dir;
use super::draft::{failed, system_time};
use super::folder::{Folder, is_folder_name};
use super::locate::Located;
use super::pins::{self, Pins};
use super::root::{Area, Root, if_there};
use super::{Disk, expired, notes};
use crate::Error;
use crate::store::{Entry, ExpiredOutput, Expiry, OutputId};

/// The file with the place at which the next short sweep continues. The time of the file is the time
/// of the last sweep.
const STAMP: &str = "swept";
/// The age after which a draft counts as abandoned by its writer.
const STALE: SignedDuration = SignedDuration::from_hours(24);
/// The number of files that are listed between two looks at the clock.
const STEP: usize = 256;

impl Expiry for Disk {
    fn pin(&self, name: &OutputId, pinned: bool) -> Result<(), Error> {
        let Located { root, .. } = self.find(name)?;
        pins::set(&root, name, pinned).map_err(|error| failed(&self.file(name), error))
    }

    fn expire(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        let Ok(Some(root)) = self.last_root() else {
            return entries.iter().map(|_| self.last_root().map(|_| false)).collect();
        };
        let pins = Pins::read(&root);
        let records = root.area(Area::Records).ok().flatten();
        let now = self.options().clock.now().timestamp();
        let mut removed_outputs = Vec::new();
        let expire = entries.iter().map(|entry| {
            // Read the record before it is removed with the output.
            let record =
                records.as_ref().and_then(|records| notes::record_in(records, &entry.name));
            let removed = self.expire_entry(&root, &pins, records.as_deref(), entry);
            if matches!(removed, Ok(true)) {
                removed_outputs.push(ExpiredOutput::of(entry, record, now));
            }
            removed
        });
        let answers = expire.collect();
        if self.options().records && !removed_outputs.is_empty() {
            // Only the process that removed an output lists it, so that parallel sweeps do not
            // fill the list.
            let _ = expired::add(&root, &removed_outputs);
        }
        answers
    }

    fn due(&self, every: Duration, time: Duration) -> Result<Option<Vec<Entry>>, Error> {
        let Some(root) = self.root()? else { return Ok(None) };
        self.take_turn(&root, every, time).map_err(|error| failed(self.path(), error))
    }

    /// Removes the files of interrupted writers, and records and marks without an output.
    fn tidy(&self) -> Result<(), Error> {
        let Some(root) = self.root()? else { return Ok(()) };
        let now = self.options().clock.now().timestamp();
        let tidy = || {
            if let Some(drafts) = root.area(Area::Drafts)? {
                remove_stale(&drafts, now, |_| true)?;
            }
            if self.has_folders() {
                for name in root.folder_names()? {
                    if let Some(folder) = root.folder(&name)? {
                        root.remove_if_empty(&folder);
                    }
                }
                // Listing the outputs tells `is_orphan` where to look.
                self.all_entries(&root)?;
            }
            for area in [Area::Records, Area::Pins, Area::Sent] {
                if let Some(dir) = root.area(area)? {
                    remove_stale(&dir, now, |file| self.is_orphan(&root, file))?;
                }
            }
            Ok(())
        };
        tidy().map_err(|error| failed(self.path(), error))
    }
}

impl Disk {
    fn expire_entry(
        &self,
        root: &Root,
        pins: &Pins,
        records: Option<&Dir>,
        entry: &Entry,
    ) -> Result<bool, Error> {
        let name = &entry.name;
        let wrong = |error| failed(&self.file(name), error);
        let file = self.file_name(name);
        let is_ours = self.options().names.name_of(&file).is_some();
        let located = match is_ours {
            true => self.locate(root, name, |dir| dir.find(&file)).map_err(wrong)?,
            false => None,
        };
        let Some((folder, now)) = located else { return Ok(false) };
        let same = (now.bytes, now.used) == (entry.bytes, entry.used);
        let is_free = same && !pins.contains(name) && !self.is_written(&folder, name);
        // A later version may have reasons to keep the output that this version cannot read.
        if !is_free || notes::is_later(root, name) {
            return Ok(false);
        }
        let removed = if_there(folder.dir.remove(&file)).map_err(wrong)?;
        if removed.is_some() {
            root.remove_if_empty(&folder);
        }
        if let (Some(()), Some(records)) = (removed, records) {
            // `tidy` removes the record later if this fails.
            let _ = records.remove(&notes::file(name));
        }
        Ok(removed.is_some())
    }

    fn take_turn(
        &self,
        root: &Root,
        every: Duration,
        time: Duration,
    ) -> io::Result<Option<Vec<Entry>>> {
        let now = self.options().clock.now().timestamp();
        let (mut stamp, found) = root.make_hidden()?.open_or_make(STAMP)?;
        if stamp.try_lock().is_err() {
            return Ok(None);
        }
        // A wrong clock may have written a time in the future. This must not stop all sweeps.
        let apart = now.duration_since(found.used).abs();
        if found.bytes > 0 && apart < SignedDuration::try_from(every).unwrap_or_default() {
            return Ok(None);
        }
        let mut text = String::new();
        Read::by_ref(&mut stamp).take(128).read_to_string(&mut text)?;
        let (entries, place) = self.some_entries(root, SweepPlace::parse(&text), time)?;
        stamp.set_len(0)?;
        stamp.seek(SeekFrom::Start(0))?;
        writeln!(stamp, "{place}")?;
        stamp.set_modified(system_time(now))?;
        Ok(Some(entries))
    }

    /// Lists entries from `place` on until the time is over. Returns the entries and the place
    /// where the next sweep continues.
    fn some_entries(
        &self,
        root: &Root,
        mut place: SweepPlace,
        time: Duration,
    ) -> io::Result<(Vec<Entry>, SweepPlace)> {
        let until = Instant::now() + time;
        let pins = Pins::read(root);
        let mut entries = Vec::new();
        loop {
            let folder = match &place.folder {
                Some(name) => root.folder(name)?,
                None => Some(root.top()),
            };
            place.entry = match folder {
                Some(folder) => self.step(&folder, place.entry, &pins, &mut entries)?,
                None => 0,
            };
            if place.entry == 0 {
                let names = if self.has_folders() { root.folder_names()? } else { Vec::new() };
                place.folder = names.into_iter().find(|name| Some(name) > place.folder.as_ref());
            }
            let is_end = place.entry == 0 && place.folder.is_none();
            if is_end || Instant::now() >= until {
                return Ok((entries, place));
            }
        }
    }

    /// Lists some entries of a folder from `place` on. Returns the place of the next entries, or 0
    /// at the end.
    fn step(
        &self,
        folder: &Folder,
        place: u64,
        pins: &Pins,
        entries: &mut Vec<Entry>,
    ) -> io::Result<u64> {
        let mut names = Vec::with_capacity(STEP);
        let place = folder.dir.walk(place, |file| {
            names.extend(self.options().names.name_of(file));
            match names.len() {
                STEP.. => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })?;
        entries.extend(self.entries(folder, pins, names));
        Ok(place)
    }

    /// Tells whether a record or mark belongs to an output of this store that no longer exists.
    fn is_orphan(&self, root: &Root, file: &str) -> bool {
        let stem = file.strip_suffix(notes::ENDING).unwrap_or(file);
        let Some(name) = OutputId::parse(stem) else { return false };
        let data = self.file_name(&name);
        // Stores with other name styles may share the directory.
        self.options().names.name_of(&data).is_some()
            && matches!(self.locate(root, &name, |dir| dir.find(&data)), Ok(None))
            && !notes::is_later(root, &name)
    }
}

/// The place at which a short sweep continues. The store's own directory comes first, then the
/// folders in the order of their names.
#[derive(Debug, Default)]
struct SweepPlace {
    /// The position in the directory or folder.
    entry: u64,
    folder: Option<Arc<str>>,
}

impl SweepPlace {
    /// Reads a place. An invalid text means the beginning.
    fn parse(text: &str) -> SweepPlace {
        let mut words = text.split_whitespace();
        let entry = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let folder = words.next().filter(|name| is_folder_name(name)).map(Arc::from);
        SweepPlace { entry, folder }
    }
}

impl fmt::Display for SweepPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.entry, self.folder.as_deref().unwrap_or_default())
    }
}

fn remove_stale(dir: &Dir, now: Timestamp, is_done: impl Fn(&str) -> bool) -> io::Result<()> {
    let mut names = Vec::new();
    dir.walk(0, |name| {
        names.push(name.to_owned());
        ControlFlow::Continue(())
    })?;
    for name in names {
        let Ok(found) = dir.find(&name) else { continue };
        if now.duration_since(found.used) > STALE && is_done(&name) {
            let _ = dir.remove(&name);
        }
    }
    Ok(())
}
