//! How two stored outputs differ, line by line.
//!
//! What they share at both ends is found by comparing bytes. What is between is compared as hashes
//! of its lines: all at once, or, if it is too long for that, a window after the other. So
//! time and memory are bounded whatever the outputs are.

mod common;
#[cfg(test)]
mod tests;
mod window;
mod write;

use overspill_core::Limits;

use self::common::Middle;
use self::window::Window;
use self::write::Writer;
use super::partial::MissingLines;
use super::source::Source;
use crate::Error;
use crate::store::{OutputId, Store};

/// How two outputs differ, as much of it as there is room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences {
    /// Hunks in the unified format, with three lines around each change.
    pub text: String,
    /// The outputs are the same, byte for byte.
    pub same: bool,
    /// How many lines were added and removed, as far as was compared.
    pub added: u64,
    /// How many were removed.
    pub removed: u64,
    /// How many lines of differences there are, as far as was compared.
    pub lines: u64,
    /// Both were compared to their ends.
    pub to_the_end: bool,
    /// So many lines differ that not all could be compared with all: it may be less.
    pub coarse: bool,
    /// The next page begins with this line of the differences.
    pub next: Option<u64>,
    /// What of each output was not kept, and so not compared.
    pub not_compared: [Option<MissingLines>; 2],
}

/// Compares two outputs; shows the differences from a line of them on, counted from 1, as much as
/// fits `limits`.
pub fn diff(
    store: &dyn Store,
    old: &OutputId,
    new: &OutputId,
    from_line: u64,
    limits: &Limits,
) -> Result<Differences, Error> {
    // Whether they could be marked as used or not, they can be read.
    let _ = (store.touch(old), store.touch(new));
    let (mut old, mut new) = (Source::open(store, old)?, Source::open(store, new)?);
    let missing = |source: &Source<'_>| source.kept.as_deref().and_then(MissingLines::of);
    let not_compared = [missing(&old), missing(&new)];
    let mut writer = Writer::new(from_line, limits);
    let Some(middle) = Middle::between(&mut old, &mut new)? else {
        // What was not kept of an output may differ.
        let same = not_compared == [None, None];
        return Ok(Differences { same, not_compared, ..writer.finish(false, true) });
    };
    let mut window = Window::new(&middle);
    while !writer.is_full() && window.fill(&mut old, &mut new)? {
        let changes = window.compare();
        writer.write(&window, &changes, &mut old, &mut new)?;
        window.forget_compared();
    }
    let to_the_end = window.is_at_end();
    Ok(Differences { not_compared, ..writer.finish(window.is_coarse, to_the_end) })
}

/// Returns the last run before this one of the same command in the same directory.
pub fn previous_run(store: &dyn Store, name: &OutputId) -> Result<Option<OutputId>, Error> {
    let Some(record) = store.record(name)?.filter(|record| record.call.command.is_some()) else {
        return Ok(None);
    };
    let mut last = None;
    for entry in store.list()? {
        // One that cannot be read is none we could compare with.
        let Ok(Some(other)) = store.record(&entry.name) else { continue };
        let same = other.call.command == record.call.command
            && other.call.directory == record.call.directory;
        let when = (other.created, entry.name);
        if same
            && when < (record.created, name.clone())
            && last.as_ref().is_none_or(|last| *last < when)
        {
            last = Some(when);
        }
    }
    Ok(last.map(|(_, name)| name))
}
