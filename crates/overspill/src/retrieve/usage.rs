//! The bytes that were shown of saved outputs, and the bytes that would have been shown.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::Error;
use crate::store::{ExpiredOutput, OutputId, Record, Store};

/// What was produced and what was shown of one output that was too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The id of the output. An expired output has one, too.
    pub id: OutputId,
    /// When it was saved.
    pub saved: Timestamp,
    /// The tool it came from.
    pub tool: Option<String>,
    /// The command it came from, where it was one.
    pub command: Option<String>,
    /// The name of the host agent that made the call, if it is known.
    pub host: Option<String>,
    /// How many bytes it had.
    pub produced: u64,
    /// How many bytes the host itself would have shown, if that is known.
    pub baseline: Option<u64>,
    /// How many bytes went out with the preview, notice included. Of an output that an older version
    /// saved, the bytes of the output that its preview shows.
    pub shown: u64,
    /// A person watched it on a terminal, so that no model read it.
    pub on_terminal: bool,
    /// How many bytes were shown of it later, page by page.
    pub retrieved: u64,
    /// How many lines with a sign of failure were cut and not read later, if that is known.
    pub unseen_failures: Option<u64>,
    /// The output is still in the store.
    pub is_there: bool,
}

impl Usage {
    fn of_expired(gone: ExpiredOutput) -> Option<Usage> {
        Some(Usage {
            saved: gone.created?,
            shown: gone.sent.or(gone.shown)?,
            id: gone.name,
            tool: gone.tool,
            command: gone.command,
            host: gone.host,
            produced: gone.bytes,
            baseline: gone.baseline,
            on_terminal: gone.on_terminal,
            retrieved: gone.retrieved,
            unseen_failures: gone.unseen_failures,
            is_there: false,
        })
    }

    fn of_record(id: OutputId, record: Record) -> Usage {
        Usage {
            id,
            saved: record.created,
            shown: record.sent.unwrap_or_else(|| record.shown_bytes()),
            unseen_failures: record.unseen_failures(),
            tool: record.call.tool,
            command: record.call.command,
            host: record.host,
            produced: record.bytes,
            baseline: record.baseline,
            on_terminal: record.on_terminal,
            retrieved: record.retrieved,
            is_there: true,
        }
    }
}

/// Returns the usage of all outputs that were saved since then, and of those that are remembered to
/// have expired.
///
/// Short outputs are not saved, and so not among them. Outputs that somebody has removed are not either.
pub fn usage(store: &dyn Store, since: Timestamp) -> Result<Vec<Usage>, Error> {
    let mut all = Vec::new();
    let names: Vec<OutputId> = store.list()?.into_iter().map(|entry| entry.name).collect();
    // Noted before it went, an output may be there all the same, or be noted twice.
    let mut seen: HashSet<OutputId> = names.iter().cloned().collect();
    for gone in store.all_expired()? {
        if gone.created.is_some() && gone.shown.is_some() && seen.insert(gone.name.clone()) {
            all.extend(Usage::of_expired(gone));
        }
    }
    // A name tells its time by the clock of its machine, which may be wrong by some hours.
    let from = since.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(since);
    let is_late = |name: &OutputId| name.time().is_none_or(|time| time >= from);
    let names: Vec<OutputId> = names.into_iter().filter(is_late).collect();
    let records = store.records(&names)?;
    for (name, record) in names.into_iter().zip(records) {
        // Nothing is known of one that was saved without a record. The size of a running one is not known yet.
        if let Some(record) = record.filter(|record| !record.running) {
            all.push(Usage::of_record(name, record));
        }
    }
    all.retain(|usage| usage.saved >= since);
    Ok(all)
}
