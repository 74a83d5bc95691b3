//! A query for the outputs that were saved or used last, and its answer.

use jiff::Timestamp;

use super::{Entry, OutputId, Record};

/// A query for recent outputs. A field without a value excludes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecentQuery {
    /// Only outputs saved on this day in UTC, such as `2026-01-13`, by the clock of the machine
    /// that saved them.
    pub day: Option<String>,
    /// Only outputs of this session.
    pub session: Option<String>,
    /// Only outputs of this tool.
    pub tool: Option<String>,
    /// Only outputs of calls by this host.
    pub host: Option<String>,
    /// Only outputs of commands that contain this text.
    pub command: Option<String>,
    /// Only outputs of commands that ran in this directory.
    pub directory: Option<String>,
    /// Only outputs of commands that failed.
    pub failed: bool,
    /// Only outputs saved at this time or later.
    pub since: Option<Timestamp>,
    /// Only outputs of more than this number of bytes.
    pub larger: Option<u64>,
    /// The largest number of outputs to return.
    pub most: usize,
    /// The order of the answer.
    pub order: RecentOrder,
}

/// The order of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecentOrder {
    /// The last saved first.
    #[default]
    Saved,
    /// The last saved or read first. A bucket looks for the last saved outputs and then sorts them
    /// in this order.
    Used,
    /// The largest first. A bucket looks for the last saved outputs and then sorts them in this
    /// order.
    Size,
}

impl RecentOrder {
    /// Sorts entries into this order.
    pub(super) fn sort<T>(self, entries: &mut [T], entry: impl Fn(&T) -> &Entry) {
        entries.sort_by(|a, b| {
            let [a, b] = [entry(a), entry(b)].map(|entry| {
                let (size, time) = match self {
                    // Ids of other name styles contain no time.
                    RecentOrder::Saved => (0, entry.name.time().unwrap_or(entry.used)),
                    RecentOrder::Used => (0, entry.used),
                    RecentOrder::Size => (entry.bytes, entry.used),
                };
                (size, time, &entry.name)
            });
            b.cmp(&a)
        });
    }
}

/// The answer to a [`RecentQuery`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecentOutputs {
    /// The outputs, in the order of the query.
    pub entries: Vec<(Entry, Record)>,
    /// The number of further outputs that match and are not in `entries`.
    pub more: usize,
    /// The store did not look at all outputs.
    pub unseen: bool,
}

impl RecentQuery {
    /// Tells whether an output with this record matches the query.
    pub fn takes(&self, entry: &Entry, record: &Record) -> bool {
        let call = &record.call;
        let same = |wanted: &Option<String>, has: &Option<String>| {
            wanted.is_none() || wanted.as_deref() == has.as_deref()
        };
        self.takes_entry(entry)
            && (!self.failed || record.has_failed())
            && same(&self.session, &call.session)
            && same(&self.tool, &call.tool)
            && same(&self.host, &record.host)
            && same(&self.directory, &call.directory)
            && self.command.as_ref().is_none_or(|part| {
                call.command.as_ref().is_some_and(|command| command.contains(part))
            })
    }

    /// Tells whether an output matches the conditions that need no record: its day, time and size.
    pub(super) fn takes_entry(&self, entry: &Entry) -> bool {
        let saved = entry.name.time().unwrap_or(entry.used);
        let day = || entry.name.time().map(|time| time.strftime("%Y-%m-%d").to_string());
        self.since.is_none_or(|since| saved >= since)
            && self.larger.is_none_or(|larger| entry.bytes > larger)
            && self.day.as_ref().is_none_or(|wanted| day().as_ref() == Some(wanted))
    }

    /// Tells whether the query matches every output, so that no record is needed.
    pub(super) fn is_any(&self) -> bool {
        *self == RecentQuery { most: self.most, order: self.order, ..RecentQuery::default() }
    }
}

impl RecentOutputs {
    /// Returns the outputs of a list that match the query.
    pub(super) fn among(
        record: impl Fn(&OutputId) -> Option<Record>,
        mut entries: Vec<Entry>,
        wanted: &RecentQuery,
    ) -> RecentOutputs {
        wanted.order.sort(&mut entries, |entry| entry);
        let mut newest = RecentOutputs::default();
        for entry in entries {
            let is_full = newest.entries.len() >= wanted.most;
            if is_full && wanted.is_any() {
                newest.more += 1;
                continue;
            }
            let record = record(&entry.name).unwrap_or_default();
            match wanted.takes(&entry, &record) {
                true if is_full => newest.more += 1,
                true => newest.entries.push((entry, record)),
                false => {}
            }
        }
        newest
    }
}
