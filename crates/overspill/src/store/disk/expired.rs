//! The list of expired outputs. With it, `read` can report when an expired id was removed and which
//! command it came from.

use std::io::{self, Read, Write};

use super::root::{Root, if_there};
use super::temp::Temp;
use crate::store::ExpiredOutput;

pub(super) const FILE: &str = "gone.jsonl";
/// The size in bytes above which the older half of the list is dropped.
const LARGEST_LIST: u64 = 1 << 20;

/// Adds expired outputs to the list.
pub(super) fn add(root: &Root, expired: &[ExpiredOutput]) -> io::Result<()> {
    let mut lines = Vec::new();
    for output in expired {
        serde_json::to_writer(&mut lines, output)?;
        lines.push(b'\n');
    }
    let (mut file, found) = root.make_hidden()?.open_to_append(FILE)?;
    // One write, so that lines of two processes do not mix.
    file.write_all(&lines)?;
    if found.bytes + lines.len() as u64 > LARGEST_LIST { shorten(root) } else { Ok(()) }
}

/// Returns the list, the oldest first. Lines that cannot be read are left out.
pub(super) fn read(root: &Root) -> io::Result<Vec<ExpiredOutput>> {
    let bytes = read_bytes(root)?;
    let lines = bytes.split(|&byte| byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

fn read_bytes(root: &Root) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(hidden) = root.hidden()?
        && let Some((file, _)) = if_there(hidden.open_file(FILE))?
    {
        file.take(2 * LARGEST_LIST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Drops the older half of the list. A line that another process adds meanwhile may be lost.
fn shorten(root: &Root) -> io::Result<()> {
    let bytes = read_bytes(root)?;
    let half = bytes.len() / 2;
    let from = memchr::memchr(b'\n', &bytes[half..]).map_or(bytes.len(), |at| half + at + 1);
    let mut temp = Temp::named(root)?;
    temp.file.write_all(&bytes[from..])?;
    temp.replace(&root.make_hidden()?, FILE)
}
