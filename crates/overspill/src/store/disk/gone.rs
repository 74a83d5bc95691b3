//! What was swept away, so that somebody who asks for it can be told.

use std::io::{self, Read, Write};

use super::dir::Dir;
use super::draft::failed;
use super::pins::Pins;
use super::root::{Area, Root, if_there};
use super::temp::Temp;
use super::{Disk, notes};
use crate::Error;
use crate::store::{Entry, ExpiredOutput, OutputId};

const FILE: &str = "gone.jsonl";
/// Longer than this, the older half of the list is dropped.
const LONGEST: u64 = 1 << 20;

impl Disk {
    /// Removes entries to which nothing has happened since they were listed.
    pub(super) fn expire_entries(&self, entries: &[&Entry]) -> Vec<Result<bool, Error>> {
        let root = match self.last_root() {
            Ok(Some(root)) => root,
            Ok(None) => return entries.iter().map(|_| Ok(false)).collect(),
            Err(error) => {
                let again = |_: &&Entry| self.last_root().map(|_| false);
                let others = entries.iter().skip(1).map(again);
                return [Err(error)].into_iter().chain(others).take(entries.len()).collect();
            }
        };
        let pins = Pins::read(&root);
        let records = root.area(Area::Records).ok().flatten();
        let now = self.options().clock.now().timestamp();
        let mut gone_now = Vec::new();
        let expired = entries.iter().map(|entry| {
            // What is known goes with the output.
            let record =
                records.as_ref().and_then(|records| notes::record_in(records, &entry.name));
            let removed = self.expire_entry(&root, &pins, records.as_deref(), entry);
            if matches!(removed, Ok(true)) {
                gone_now.push(ExpiredOutput::of(entry, record, now));
            }
            removed
        });
        let expired = expired.collect();
        if self.options().records && !gone_now.is_empty() {
            // By whoever removed it, so that many who sweep at once do not fill the list.
            let _ = note_gone(&root, &gone_now);
        }
        expired
    }

    fn expire_entry(
        &self,
        root: &Root,
        pins: &Pins,
        records: Option<&Dir>,
        entry: &Entry,
    ) -> Result<bool, Error> {
        let name = &entry.name;
        let wrong = |error| failed(&self.file(name), error);
        let found = if_there(root.dir.find(&self.file_name(name))).map_err(wrong)?;
        let same = found.is_some_and(|now| (now.bytes, now.used) == (entry.bytes, entry.used));
        if !same || pins.hold(name) {
            return Ok(false);
        }
        let removed = if_there(root.dir.remove(&self.file_name(name))).map_err(wrong)?;
        if let (Some(()), Some(records)) = (removed, records) {
            // What stays is tidied away later.
            let _ = records.remove(&notes::file(name));
        }
        Ok(removed.is_some())
    }

    /// Returns what is noted of an output that was swept.
    pub(super) fn find_gone(&self, name: &OutputId) -> Result<Option<ExpiredOutput>, Error> {
        let Some(root) = self.root()? else { return Ok(None) };
        if root.dir.find(&self.file_name(name)).is_ok() {
            return Ok(None);
        }
        let lines = read(&root).map_err(|error| failed(&self.path().join(FILE), error))?;
        let found = lines.split(|&byte| byte == b'\n').rev().find_map(|line| {
            let gone: ExpiredOutput = serde_json::from_slice(line).ok()?;
            (gone.name == *name).then_some(gone)
        });
        Ok(found)
    }

    /// Returns everything that is noted.
    pub(super) fn list_gone(&self) -> Result<Vec<ExpiredOutput>, Error> {
        let Some(root) = self.root()? else { return Ok(Vec::new()) };
        let lines = read(&root).map_err(|error| failed(&self.path().join(FILE), error))?;
        let lines = lines.split(|&byte| byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// Notes what is known of outputs that have gone.
fn note_gone(root: &Root, all: &[ExpiredOutput]) -> io::Result<()> {
    let mut lines = Vec::new();
    for gone in all {
        serde_json::to_writer(&mut lines, gone)?;
        lines.push(b'\n');
    }
    let (mut file, found) = root.make_hidden()?.open_to_append(FILE)?;
    // In one piece, so that lines of two processes do not mix.
    file.write_all(&lines)?;
    if found.bytes + lines.len() as u64 > LONGEST { shorten(root) } else { Ok(()) }
}

fn read(root: &Root) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(hidden) = root.hidden()?
        && let Some((file, _)) = if_there(hidden.open_file(FILE))?
    {
        file.take(2 * LONGEST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Drops the older half of the list. A line that another process adds meanwhile may be lost with
/// it, which costs one answer.
fn shorten(root: &Root) -> io::Result<()> {
    let bytes = read(root)?;
    let half = bytes.len() / 2;
    let from = memchr::memchr(b'\n', &bytes[half..]).map_or(bytes.len(), |at| half + at + 1);
    let mut temp = Temp::named(root)?;
    temp.file.write_all(&bytes[from..])?;
    temp.replace(&root.make_hidden()?, FILE)
}
