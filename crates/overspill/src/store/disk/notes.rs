//! What is known of an output beyond its bytes: one file with its seal, if it has one, and a line
//! of JSON for each time it was described, of which the last one counts.
//!
//! One file and not two, because to make a file can cost more than to fill it.

use std::io::{self, Read, Write};

use super::dir;
use super::root::{Area, Root, if_there};
use super::seal::Seal;
use super::temp::Temp;
use crate::store::{Name, Record};

/// The ending of these files.
pub(super) const ENDING: &str = ".record";
/// Longer files are not read, and begun anew when something is added.
const LONGEST: u64 = 16 << 20;

/// Returns the file of an output.
pub(super) fn file(name: &Name) -> String {
    format!("{name}{ENDING}")
}

/// Notes the seal of an output that is not published yet. There must be nothing of that name.
pub(super) fn put_seal(root: &Root, name: &Name, seal: &Seal, durable: bool) -> io::Result<()> {
    let records = root.make_area(Area::Records)?;
    let mut notes = records.make_file(&file(name))?;
    let written = notes.write_all(&seal.to_bytes()).and_then(|()| {
        if durable {
            notes.sync_all()?;
            records.sync()?;
            root.make_hidden()?.sync()?;
        }
        Ok(())
    });
    written.inspect_err(|_| remove(root, name))
}

/// Returns the seal of an output, if there is one and it can be read.
pub(super) fn seal(root: &Root, name: &Name) -> Option<Seal> {
    let records = root.area(Area::Records).ok()??;
    let (notes, found) = records.open_file(&file(name)).ok()?;
    let mut head = [0; Seal::HEAD];
    dir::read_at(&notes, &mut head, 0).ok()?;
    let len = Seal::len(&head).filter(|len| *len as u64 <= found.bytes)?;
    let mut bytes = vec![0; len];
    dir::read_at(&notes, &mut bytes, 0).ok()?;
    Seal::from_bytes(&bytes)
}

/// Adds what is known of an output.
pub(super) fn describe(root: &Root, name: &Name, record: &Record) -> io::Result<()> {
    // Begins a line of its own also where somebody was interrupted.
    let mut line = vec![b'\n'];
    serde_json::to_writer(&mut line, record)?;
    line.push(b'\n');
    let records = root.make_area(Area::Records)?;
    let (mut notes, found) = records.open_to_append(&file(name))?;
    if found.bytes + line.len() as u64 <= LONGEST {
        // In one piece: a reader sees the whole line, or none that has ended.
        return notes.write_all(&line);
    }
    let mut temp = Temp::named(root)?;
    if let Some(seal) = seal(root, name) {
        temp.file.write_all(&seal.to_bytes())?;
    }
    temp.file.write_all(&line)?;
    temp.replace(&records, &file(name))
}

/// Returns what was last added, if it can be read.
pub(super) fn record(root: &Root, name: &Name) -> Option<Record> {
    let records = root.area(Area::Records).ok()??;
    let (notes, _) = records.open_file(&file(name)).ok()?;
    let mut bytes = Vec::new();
    notes.take(2 * LONGEST).read_to_end(&mut bytes).ok()?;
    let sealed = Seal::len(&bytes).filter(|len| *len <= bytes.len()).unwrap_or(0);
    let lines = bytes[sealed..].split(|&byte| byte == b'\n');
    // What follows the last line feed is nothing, or a line that was torn. `serde` would take an
    // array for a record as well.
    let mut whole = lines.rev().skip(1).filter(|line| line.starts_with(b"{"));
    whole.find_map(|line| serde_json::from_slice(line).ok())
}

/// Forgets all that is known of an output.
pub(super) fn remove(root: &Root, name: &Name) {
    if let Ok(Some(records)) = root.area(Area::Records) {
        // What stays is tidied away later.
        let _ = if_there(records.remove(&file(name)));
    }
}
