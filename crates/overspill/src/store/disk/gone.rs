//! What was swept away, so that somebody who asks for it can be told.

use std::io::{self, Read, Write};

use super::draft::failed;
use super::root::{Root, if_there};
use super::temp::Temp;
use super::{Disk, pins};
use crate::Error;
use crate::store::{Entry, Gone, Name, Store};

const FILE: &str = "gone.jsonl";
/// Longer than this, the older half of the list is dropped.
const LONGEST: u64 = 1 << 20;
/// So much of a command is enough to recognise it.
const COMMAND_CHARS: usize = 200;

impl Disk {
    /// Removes an entry if nothing has happened to it since it was listed.
    pub(super) fn expire_entry(&self, entry: &Entry) -> Result<bool, Error> {
        let Some(root) = self.last_root()? else { return Ok(false) };
        let found = if_there(root.dir.find(&self.file_name(&entry.name)))
            .map_err(|error| failed(&self.file(&entry.name), error))?;
        let same = found.is_some_and(|now| (now.bytes, now.used) == (entry.bytes, entry.used));
        if !same || pins::is_pinned(&root, &entry.name) {
            return Ok(false);
        }
        if self.options().records {
            // Before it goes: a line too many says nothing, as long as the output is there.
            let _ = self.note_gone(&root, entry);
        }
        match self.remove(&root, &entry.name) {
            Err(Error::NotFound { .. }) => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// Returns what is noted of an output that was swept.
    pub(super) fn find_gone(&self, name: &Name) -> Result<Option<Gone>, Error> {
        let Some(root) = self.root()? else { return Ok(None) };
        if root.dir.find(&self.file_name(name)).is_ok() {
            return Ok(None);
        }
        let lines = read(&root).map_err(|error| failed(&self.path().join(FILE), error))?;
        let found = lines.split(|&byte| byte == b'\n').rev().find_map(|line| {
            let gone: Gone = serde_json::from_slice(line).ok()?;
            (gone.name == *name).then_some(gone)
        });
        Ok(found)
    }

    fn note_gone(&self, root: &Root, entry: &Entry) -> io::Result<()> {
        let record = self.record(&entry.name).ok().flatten();
        let known = record.is_some();
        let record = record.unwrap_or_default();
        let short = |text: String| text.chars().take(COMMAND_CHARS).collect();
        let gone = Gone {
            name: entry.name.clone(),
            expired: self.options().clock.now().timestamp(),
            created: known.then_some(record.created),
            tool: record.call.tool.map(short),
            command: record.call.command.map(short),
            bytes: if known { record.bytes } else { entry.bytes },
            lines: known.then_some(record.lines),
        };
        let mut line = serde_json::to_vec(&gone)?;
        line.push(b'\n');
        let (mut file, found) = root.make_hidden()?.open_to_append(FILE)?;
        // In one piece, so that lines of two processes do not mix.
        file.write_all(&line)?;
        if found.bytes + line.len() as u64 > LONGEST { shorten(root) } else { Ok(()) }
    }
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
