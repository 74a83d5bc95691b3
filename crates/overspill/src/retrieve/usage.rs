//! What outputs have cost, and what they would have.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::Error;
use crate::store::{Name, Record, Store};

/// What was produced and what was shown of one output that was too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// When it was saved.
    pub saved: Timestamp,
    /// The tool it came from.
    pub tool: Option<String>,
    /// How many bytes it had.
    pub produced: u64,
    /// How many of them were shown in the preview.
    pub shown: u64,
    /// How many bytes were shown of it later, page by page.
    pub retrieved: u64,
}

/// Returns the usage of all outputs that are saved, and of those that are remembered to have expired.
///
/// What fits is not saved, and so not among them; nor is what somebody has removed.
pub fn usage(store: &dyn Store) -> Result<Vec<Usage>, Error> {
    let mut all = Vec::new();
    let entries = store.list()?;
    // Noted before it went, an output may be there all the same, or be noted twice.
    let mut seen: HashSet<Name> = entries.iter().map(|entry| entry.name.clone()).collect();
    for gone in store.all_gone()? {
        if let (Some(saved), Some(shown)) = (gone.created, gone.shown)
            && seen.insert(gone.name.clone())
        {
            let (produced, retrieved) = (gone.bytes, gone.retrieved);
            all.push(Usage { saved, tool: gone.tool, produced, shown, retrieved });
        }
    }
    for entry in entries {
        // Nothing is known of one that was saved without a record.
        let Ok(Some(record)) = store.record(&entry.name) else { continue };
        let shown = record.shown_bytes();
        let Record { created: saved, call, bytes: produced, retrieved, .. } = record;
        all.push(Usage { saved, tool: call.tool, produced, shown, retrieved });
    }
    Ok(all)
}
