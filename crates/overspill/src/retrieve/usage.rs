//! What outputs have cost, and what they would have.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::Error;
use crate::store::{OutputId, Record, Store};

/// What was produced and what was shown of one output that was too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// When it was saved.
    pub saved: Timestamp,
    /// The tool it came from.
    pub tool: Option<String>,
    /// How many bytes it had.
    pub produced: u64,
    /// How many bytes went out with the preview, notice included. Of an output that an older version
    /// saved, the bytes of the output that its preview shows.
    pub shown: u64,
    /// A person watched it on a terminal, so that no model read it.
    pub on_terminal: bool,
    /// How many bytes were shown of it later, page by page.
    pub retrieved: u64,
}

/// Returns the usage of all outputs that were saved since then, and of those that are remembered to
/// have expired.
///
/// What fits is not saved, and so not among them; nor is what somebody has removed.
pub fn usage(store: &dyn Store, since: Timestamp) -> Result<Vec<Usage>, Error> {
    let mut all = Vec::new();
    let names: Vec<OutputId> = store.list()?.into_iter().map(|entry| entry.name).collect();
    // Noted before it went, an output may be there all the same, or be noted twice.
    let mut seen: HashSet<OutputId> = names.iter().cloned().collect();
    for gone in store.all_expired()? {
        if let (Some(saved), Some(shown)) = (gone.created, gone.shown)
            && seen.insert(gone.name.clone())
        {
            let (produced, retrieved) = (gone.bytes, gone.retrieved);
            let (shown, on_terminal) = (gone.sent.unwrap_or(shown), gone.on_terminal);
            all.push(Usage { saved, tool: gone.tool, produced, shown, on_terminal, retrieved });
        }
    }
    // A name tells its time by the clock of its machine, which may be wrong by some hours.
    let from = since.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(since);
    let is_late = |name: &OutputId| name.time().is_none_or(|time| time >= from);
    let names: Vec<OutputId> = names.into_iter().filter(is_late).collect();
    // Nothing is known of one that was saved without a record. The size of a running one is not known yet.
    for record in store.records(&names)?.into_iter().flatten().filter(|record| !record.running) {
        let shown = record.sent.unwrap_or_else(|| record.shown_bytes());
        let Record { created: saved, call, bytes: produced, retrieved, on_terminal, .. } = record;
        all.push(Usage { saved, tool: call.tool, produced, shown, on_terminal, retrieved });
    }
    all.retain(|usage| usage.saved >= since);
    Ok(all)
}
