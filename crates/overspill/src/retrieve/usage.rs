//! Counts the bytes that were shown of saved outputs, and the bytes that would have been shown
//! without overspill.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::Error;
use crate::store::{ExpiredOutput, OutputId, Record, Store};

/// The size of one output that was too large, and the bytes of it that were shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The id of the output, also of an expired one.
    pub id: OutputId,
    /// The time at which the output was saved.
    pub saved: Timestamp,
    /// The tool that printed the output.
    pub tool: Option<String>,
    /// The command that printed the output, if the call ran one.
    pub command: Option<String>,
    /// The name of the host agent that made the call, if it is known.
    pub host: Option<String>,
    /// The size of the output in bytes.
    pub produced: u64,
    /// The number of bytes that the host itself would have shown, if that is known.
    pub baseline: Option<u64>,
    /// The number of bytes sent with the preview, notice included. For an output that an older
    /// version saved, the number of bytes of the output that its preview shows.
    pub shown: u64,
    /// A person watched the output on a terminal. No model read it.
    pub on_terminal: bool,
    /// The number of bytes that were read later, page by page.
    pub retrieved: u64,
    /// The number of lines with a sign of failure that were cut and not read later, if that is
    /// known.
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

/// Returns the usage of all outputs that were saved since `since`, expired ones included as far as
/// the store remembers them.
///
/// Short outputs are not saved, so they are not in the list. Outputs that a person removed are not
/// in the list either.
pub fn usage(store: &dyn Store, since: Timestamp) -> Result<Vec<Usage>, Error> {
    let mut all = Vec::new();
    let names: Vec<OutputId> = store.list()?.into_iter().map(|entry| entry.name).collect();
    // An output is remembered before it is deleted, so it may still be in the store, or be
    // remembered twice.
    let mut seen: HashSet<OutputId> = names.iter().cloned().collect();
    for gone in store.all_expired()? {
        if gone.created.is_some() && gone.shown.is_some() && seen.insert(gone.name.clone()) {
            all.extend(Usage::of_expired(gone));
        }
    }
    // The time in an id comes from the clock of its machine, which may be wrong by some hours.
    let from = since.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(since);
    let is_late = |name: &OutputId| name.time().is_none_or(|time| time >= from);
    let names: Vec<OutputId> = names.into_iter().filter(is_late).collect();
    let records = store.records(&names)?;
    for (name, record) in names.into_iter().zip(records) {
        // An output without a record has no usage. The sizes of an output are recorded when its
        // command ends.
        if let Some(record) = record.filter(|record| !record.running && !record.cut_short) {
            all.push(Usage::of_record(name, record));
        }
    }
    all.retain(|usage| usage.saved >= since);
    Ok(all)
}
