//! The record file of an output. The file has the seal, if the output has a seal, and a line of JSON
//! for each `describe`. The last of these lines counts. Each `retrieved` adds a line with the number of bytes
//! and a line with the parts.
//!
//! The file also contains the seal, because making a second file can cost more than filling it.

use std::io::{self, Write};
use std::ops::Range;

use super::dir::{self, Dir};
use super::root::{Area, Root, if_there};
use super::temp::Temp;
use crate::store::seal::Seal;
use crate::store::{OutputId, Record, read_ranges};

/// The ending of record files.
pub(super) const ENDING: &str = ".record";
/// The beginning of a line with the number of bytes that a reader got later.
const RETRIEVED: &str = "retrieved ";
/// The beginning of a line with the parts that a reader got later. Earlier versions skip this
/// line.
const PARTS: &str = "parts ";
/// The size in bytes above which a record file does not grow: the next `describe` replaces it.
const LARGEST_FILE: u64 = 16 << 20;

/// Returns the name of the record file of an output.
pub(super) fn file(name: &OutputId) -> String {
    format!("{name}{ENDING}")
}

/// Writes the seal of an output that is not published yet. The record file must not exist.
pub(super) fn put_seal(root: &Root, name: &OutputId, seal: &Seal, durable: bool) -> io::Result<()> {
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

/// Replaces the record file of an output by a file with the seal and the same lines.
pub(super) fn add_seal(root: &Root, name: &OutputId, seal: &Seal, durable: bool) -> io::Result<()> {
    let records = root.make_area(Area::Records)?;
    let lines = lines(&records, name).map_or_else(Vec::new, |lines| lines.added);
    let mut temp = Temp::named(root)?;
    temp.file.write_all(&seal.to_bytes())?;
    temp.file.write_all(&lines)?;
    if durable {
        temp.file.sync_all()?;
    }
    temp.replace(&records, &file(name))?;
    if durable {
        records.sync()?;
    }
    Ok(())
}

/// Returns the seal of an output, if it exists and can be read.
pub(super) fn seal(root: &Root, name: &OutputId) -> Option<Seal> {
    seal_if(root, name, |_| true)
}

/// Returns the seal of an output that was not kept whole. For other outputs this function reads
/// only a few bytes.
pub(super) fn partial_seal(root: &Root, name: &OutputId) -> Option<Seal> {
    seal_if(root, name, Seal::is_partial)
}

fn seal_if(root: &Root, name: &OutputId, wanted: impl FnOnce(&[u8]) -> bool) -> Option<Seal> {
    let records = root.area(Area::Records).ok()??;
    let (notes, found) = records.open_file(&file(name)).ok()?;
    let mut head = [0; Seal::HEAD];
    dir::read_at(&notes, &mut head, 0).ok()?;
    let len = Seal::len(&head).filter(|len| *len as u64 <= found.bytes)?;
    if !wanted(&head) {
        return None;
    }
    let mut bytes = vec![0; len];
    dir::read_at(&notes, &mut bytes, 0).ok()?;
    Seal::from_bytes(&bytes)
}

/// Tells whether a later version of overspill wrote the record file of an output.
pub(super) fn is_later(root: &Root, name: &OutputId) -> bool {
    let head = || {
        let records = root.area(Area::Records).ok()??;
        let (notes, _) = records.open_file(&file(name)).ok()?;
        let mut head = [0; 8];
        dir::read_at(&notes, &mut head, 0).ok()?;
        Some(head)
    };
    head().is_some_and(|head| Seal::is_later(&head))
}

/// Adds a record of an output.
pub(super) fn describe(root: &Root, name: &OutputId, record: &Record) -> io::Result<()> {
    // Begin a new line, even after a line that an interrupted writer left.
    let mut line = vec![b'\n'];
    // `retrieved` and `read_later` are the sums of separate lines, which stay.
    let described = Record { retrieved: 0, read_later: Vec::new(), ..record.clone() };
    serde_json::to_writer(&mut line, &described)?;
    line.push(b'\n');
    let records = root.make_area(Area::Records)?;
    let (mut notes, found) = records.open_to_append(&file(name))?;
    if found.bytes + line.len() as u64 <= LARGEST_FILE {
        // One write: a reader sees either the whole line or a line without its line feed.
        return notes.write_all(&line);
    }
    let mut temp = Temp::named(root)?;
    if let Some(seal) = seal(root, name) {
        temp.file.write_all(&seal.to_bytes())?;
    }
    temp.file.write_all(&line)?;
    temp.replace(&records, &file(name))
}

/// Adds to the number of bytes and to the parts that readers got after the preview.
pub(super) fn retrieved(
    root: &Root,
    name: &OutputId,
    bytes: u64,
    parts: &[Range<u64>],
) -> io::Result<()> {
    let records = root.make_area(Area::Records)?;
    let (mut notes, found) = records.open_to_append(&file(name))?;
    let parts = match read_ranges::merged(parts.to_vec()) {
        parts if parts.is_empty() => String::new(),
        parts => format!("{PARTS}{}\n", read_ranges::to_line(&parts)),
    };
    let line = format!("\n{RETRIEVED}{bytes}\n{parts}");
    if found.bytes + line.len() as u64 <= LARGEST_FILE {
        notes.write_all(line.as_bytes())
    } else {
        Ok(())
    }
}

/// Returns the last record of an output, if it can be read.
pub(super) fn record(root: &Root, name: &OutputId) -> Option<Record> {
    record_in(&*root.area(Area::Records).ok()??, name)
}

/// Returns the first record of an output, if it can be read.
#[cfg(feature = "bucket")]
pub(super) fn first_record(root: &Root, name: &OutputId) -> Option<Record> {
    let bytes = lines(&*root.area(Area::Records).ok()??, name)?.added;
    let mut lines = bytes.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{"));
    lines.find_map(|line| serde_json::from_slice(line).ok())
}

/// The content of a record file.
struct RecordLines {
    /// All lines after the seal.
    added: Vec<u8>,
    /// The file has a seal, so the output is complete.
    is_sealed: bool,
}

fn lines(records: &Dir, name: &OutputId) -> Option<RecordLines> {
    let (notes, found) = records.open_file(&file(name)).ok()?;
    let mut bytes = vec![0; found.bytes.min(2 * LARGEST_FILE) as usize];
    let len = dir::read_at(&notes, &mut bytes, 0).ok()?;
    bytes.truncate(len);
    let sealed = Seal::len(&bytes).filter(|len| *len <= bytes.len()).unwrap_or(0);
    Some(RecordLines { added: bytes.split_off(sealed), is_sealed: sealed > 0 })
}

/// Returns the last record of an output from an open directory of records.
pub(super) fn record_in(records: &Dir, name: &OutputId) -> Option<Record> {
    let RecordLines { added: bytes, is_sealed } = lines(records, name)?;
    let lines = bytes.split(|&byte| byte == b'\n');
    let retrieved = lines.clone().rev().skip(1).filter_map(retrieved_in).sum();
    let parts = lines.clone().rev().skip(1).filter_map(|it| it.strip_prefix(PARTS.as_bytes()));
    let read_later = read_ranges::merged(parts.flat_map(read_ranges::of_line).collect());
    // The text after the last line feed is empty or an incomplete line. The check for `{` is
    // needed because `serde` would also read a record from an array.
    let mut whole = lines.rev().skip(1).filter(|line| line.starts_with(b"{"));
    let record: Record = whole.find_map(|line| serde_json::from_slice(line).ok())?;
    let running = record.running && !is_sealed;
    Some(Record { retrieved, read_later, running, cut_short: false, ..record })
}

fn retrieved_in(line: &[u8]) -> Option<u64> {
    let number = line.strip_prefix(RETRIEVED.as_bytes())?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Removes the record file of an output.
pub(super) fn remove(root: &Root, name: &OutputId) {
    if let Ok(Some(records)) = root.area(Area::Records) {
        // `tidy` removes the file later if this fails.
        let _ = if_there(records.remove(&file(name)));
    }
}
