//! Taking turns at sweeping a little, and tidying up after those who were interrupted.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::dir::Dir;
use super::draft::{failed, system_time};
use super::pins::Pins;
use super::root::{Area, Root};
use super::{Disk, notes};
use crate::Error;
use crate::store::{Entry, OutputId};

/// Says when somebody last swept a little, and where to go on.
const STAMP: &str = "swept";
/// What nobody has finished in this time, nobody will.
const STALE: SignedDuration = SignedDuration::from_hours(24);
/// Files that are looked at between two looks at the time.
const STEP: usize = 256;

impl Disk {
    /// Returns entries to sweep, if nobody in any process was given some lately.
    pub(super) fn entries_due(
        &self,
        every: Duration,
        time: Duration,
    ) -> Result<Option<Vec<Entry>>, Error> {
        let Some(root) = self.root()? else { return Ok(None) };
        self.take_turn(&root, every, time).map_err(|error| failed(self.path(), error))
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
        // A stamp from the future, by a clock that was wrong, must not end all sweeping.
        let apart = now.duration_since(found.used).abs();
        if found.bytes > 0 && apart < SignedDuration::try_from(every).unwrap_or_default() {
            return Ok(None);
        }
        let mut text = String::new();
        Read::by_ref(&mut stamp).take(32).read_to_string(&mut text)?;
        let place = text.trim().parse().unwrap_or(0);
        let (entries, place) = self.some_entries(root, place, time)?;
        stamp.set_len(0)?;
        stamp.seek(SeekFrom::Start(0))?;
        writeln!(stamp, "{place}")?;
        stamp.set_modified(system_time(now))?;
        Ok(Some(entries))
    }

    /// Lists what can be listed in so much time, from a place on.
    fn some_entries(
        &self,
        root: &Root,
        mut place: u64,
        time: Duration,
    ) -> io::Result<(Vec<Entry>, u64)> {
        let until = Instant::now() + time;
        let pins = Pins::read(root);
        let mut entries = Vec::new();
        loop {
            let mut names = Vec::with_capacity(STEP);
            place = root.dir.walk(place, |file| {
                names.extend(self.options().names.name_of(file));
                match names.len() {
                    STEP.. => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            })?;
            entries.extend(self.entries(root, &pins, names));
            if place == 0 || Instant::now() >= until {
                return Ok((entries, place));
            }
        }
    }

    /// Removes what interrupted writers have left, and what is known of outputs that are gone.
    pub(super) fn tidy_hidden(&self) -> Result<(), Error> {
        let Some(root) = self.root()? else { return Ok(()) };
        let now = self.options().clock.now().timestamp();
        let tidy = || {
            if let Some(drafts) = root.area(Area::Drafts)? {
                remove_stale(&drafts, now, |_| true)?;
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

    /// Tells whether a file is about an output of ours that is not there.
    fn is_orphan(&self, root: &Root, file: &str) -> bool {
        let stem = file.strip_suffix(notes::ENDING).unwrap_or(file);
        let Some(name) = OutputId::parse(stem) else { return false };
        let data = self.file_name(&name);
        // Stores with other names may share the directory.
        self.options().names.name_of(&data).is_some()
            && root.dir.find(&data).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
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
