//! Finds lines of a stored output with the line feed counts in its seal.

use std::ops::Range;

use super::seal::{BLOCK, SMALL, Seal};
use crate::Error;

/// Returns the position of line `line`, counted from 1, in an output of `bytes` bytes.
pub(super) fn line_start(
    line: u64,
    bytes: u64,
    seal: impl FnOnce() -> Result<Option<Seal>, Error>,
    read: impl FnOnce(Range<u64>) -> Result<Vec<u8>, Error>,
) -> Result<Option<u64>, Error> {
    let Some(line_feeds) = line.checked_sub(1) else { return Ok(None) };
    if line_feeds == 0 || bytes == 0 {
        return Ok((bytes > 0).then_some(0));
    }
    // The seal of a small output has no line feed counts.
    let (block, before, len) = if bytes <= SMALL {
        (0, 0, SMALL)
    } else {
        match seal()?.and_then(|seal| seal.block_of(line_feeds)) {
            Some((block, before)) => (block, before, BLOCK as u64),
            None => return Ok(None),
        }
    };
    let from = block * BLOCK as u64;
    let text = read(from..from + len)?;
    // Another machine may have written a wrong seal.
    let Some(nth) = line_feeds.checked_sub(before.saturating_add(1)) else { return Ok(None) };
    let at = memchr::memchr_iter(b'\n', &text).nth(nth as usize);
    // A line feed at the very end does not begin a line.
    Ok(at.map(|at| from + at as u64 + 1).filter(|&start| start < bytes))
}

/// Returns the number of the line at byte `place`, counted from 1.
pub(super) fn line_at(
    place: u64,
    seal: impl FnOnce() -> Result<Option<Seal>, Error>,
    read: impl FnOnce(Range<u64>) -> Result<Vec<u8>, Error>,
) -> Result<Option<u64>, Error> {
    let block = place / BLOCK as u64;
    let Some(before) = seal()?.and_then(|seal| seal.before(block)) else { return Ok(None) };
    let text = read(block * BLOCK as u64..place)?;
    Ok(before.checked_add(bytecount::count(&text, b'\n') as u64 + 1))
}
