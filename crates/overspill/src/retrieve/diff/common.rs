//! What two outputs share at their ends.

use std::ops::Range;

use crate::Error;
use crate::retrieve::source::{BLOCK, Source};

/// How many lines around a change are shown.
pub(super) const CONTEXT: u64 = 3;

/// What is between the ends that two outputs share, with some lines of those around it.
#[derive(Debug)]
pub(super) struct Middle {
    pub(super) old: Range<u64>,
    pub(super) new: Range<u64>,
    /// How many lines come before it, in both.
    pub(super) lines_before: u64,
}

impl Middle {
    /// Returns `None` if all is shared.
    pub(super) fn between(
        old: &mut Source<'_>,
        new: &mut Source<'_>,
    ) -> Result<Option<Middle>, Error> {
        let shared = shared_start(old, new)?;
        if shared == old.total && shared == new.total {
            return Ok(None);
        }
        let first = line_start(old, shared)?;
        let at_end = shared_end(old, new, first)?;
        let start = lines_back(old, first, CONTEXT)?;
        let end = lines_on(old, old.total - at_end, CONTEXT)?;
        Ok(Some(Middle {
            old: start..end,
            new: start..new.total - (old.total - end),
            lines_before: count_lines(old, start)?,
        }))
    }
}

/// Returns how many bytes both begin with.
fn shared_start(old: &mut Source<'_>, new: &mut Source<'_>) -> Result<u64, Error> {
    let mut at = 0;
    loop {
        let (a, b) = (old.block(at)?, new.block(at)?);
        let same = common_start(a, b);
        at += same as u64;
        if same < BLOCK {
            return Ok(at);
        }
    }
}

/// Returns how many bytes both end with, from the beginning of a line on, without what comes before
/// `from`.
fn shared_end(old: &mut Source<'_>, new: &mut Source<'_>, from: u64) -> Result<u64, Error> {
    let most = old.total.min(new.total) - from;
    let mut shared = 0;
    while shared < most {
        let len = (most - shared).min(BLOCK as u64);
        let (a_end, b_end) = (old.total - shared, new.total - shared);
        let (a, b) = (old.range(a_end - len, a_end)?, new.range(b_end - len, b_end)?);
        if a != b {
            shared += a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count() as u64;
            break;
        }
        shared += len;
    }
    // From the beginning of a line in both, that is, after the first line feed they share.
    let mut at = old.total - shared;
    while at < old.total {
        let block = old.block(at)?;
        match memchr::memchr(b'\n', block) {
            Some(feed) => return Ok(old.total - (at + feed as u64 + 1)),
            None if block.is_empty() => break,
            None => at += block.len() as u64,
        }
    }
    Ok(0)
}

pub(super) fn common_start(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 4096;
    let len = a.len().min(b.len());
    let mut at = 0;
    // Whole pieces compare at the speed of memory.
    while at + STEP <= len && a[at..at + STEP] == b[at..at + STEP] {
        at += STEP;
    }
    at + a[at..len].iter().zip(&b[at..len]).take_while(|(a, b)| a == b).count()
}

/// Returns where the line begins that `at` is in.
fn line_start(source: &mut Source<'_>, at: u64) -> Result<u64, Error> {
    let mut end = at;
    while end > 0 {
        let from = end.saturating_sub(BLOCK as u64);
        if let Some(feed) = memchr::memrchr(b'\n', source.range(from, end)?) {
            return Ok(from + feed as u64 + 1);
        }
        end = from;
    }
    Ok(0)
}

/// Returns the beginning of the line that is so many lines before the one that begins at `at`.
fn lines_back(source: &mut Source<'_>, mut at: u64, lines: u64) -> Result<u64, Error> {
    for _ in 0..lines {
        at = line_start(source, at.saturating_sub(1))?;
    }
    Ok(at)
}

/// Returns the place so many lines on.
fn lines_on(source: &mut Source<'_>, mut at: u64, mut lines: u64) -> Result<u64, Error> {
    while at < source.total && lines > 0 {
        let block = source.block(at)?;
        let Some(feed) = memchr::memchr(b'\n', block) else {
            at += block.len() as u64;
            continue;
        };
        at += feed as u64 + 1;
        lines -= 1;
    }
    Ok(at)
}

fn count_lines(source: &mut Source<'_>, end: u64) -> Result<u64, Error> {
    let (mut at, mut lines) = (0, 0);
    while at < end {
        let block = source.range(at, end)?;
        if block.is_empty() {
            break;
        }
        lines += bytecount::count(block, b'\n') as u64;
        at += block.len() as u64;
    }
    Ok(lines)
}
