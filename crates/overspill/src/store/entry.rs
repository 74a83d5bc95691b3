//! Entries and records of stored outputs.

use std::ops::Range;

use jiff::Timestamp;
use overspill_core::{CutFailures, Size};
use serde::{Deserialize, Serialize};

use super::{OutputId, PreviewRecord};
use crate::Call;

/// A saved output: its id, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillRef {
    /// The id of the output in its store.
    pub id: OutputId,
    /// The path or address of the output, as the notice shows it.
    pub path: String,
    /// How much of the output the store kept.
    pub kept: Kept,
    /// Who can get at it.
    pub within: Availability,
    /// How many secrets in it were masked before it was saved.
    pub masked: u64,
}

impl SpillRef {
    /// An output that was kept on this machine, as it was.
    pub fn new(id: OutputId, path: String, kept: Kept) -> SpillRef {
        SpillRef { id, path, kept, within: Availability::ThisMachine, masked: 0 }
    }
}

/// Who can get at a saved output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Availability {
    /// Everybody who works on this machine.
    #[default]
    ThisMachine,
    /// Every machine that shares the bucket.
    Shared,
    /// It waits on this machine for its upload to the bucket, for this reason.
    UploadPending(String),
}

/// How much of an output was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// Every byte.
    Whole,
    /// So many bytes of its start and of its end, and lines between them that the preview shows.
    /// [`Lookup::kept_ranges`](super::Lookup::kept_ranges) tells where each stands.
    Ends {
        /// Bytes of the start.
        first: u64,
        /// Bytes of lines between them.
        #[serde(default)]
        between: u64,
        /// Bytes of the end.
        last: u64,
    },
}

/// An output as it stands in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OutputId,
    /// How many bytes are stored.
    pub bytes: u64,
    /// When it was last used.
    pub used: Timestamp,
    /// It is not to be swept.
    pub pinned: bool,
}

/// Whether an output is unchanged since it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrity {
    /// It is, and it is all of it.
    Whole,
    /// It is, but it was too large to be kept whole.
    Partial,
    /// It is not.
    Damaged,
    /// Nothing was noted when it was published.
    Unknown,
}

impl Integrity {
    /// Returns the state of an output whose checksum is the same or not.
    pub(in crate::store) fn of(kept: &Kept, same: bool) -> Integrity {
        match kept {
            _ if !same => Integrity::Damaged,
            Kept::Whole => Integrity::Whole,
            Kept::Ends { .. } => Integrity::Partial,
        }
    }
}

/// An output that has expired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpiredOutput {
    /// The name it had.
    pub name: OutputId,
    /// When it was removed.
    pub expired: Timestamp,
    /// When it was saved, if that is known.
    #[serde(default)]
    pub created: Option<Timestamp>,
    /// The tool it came from.
    #[serde(default)]
    pub tool: Option<String>,
    /// The beginning of the command it came from.
    #[serde(default)]
    pub command: Option<String>,
    /// How large it was.
    pub bytes: u64,
    /// How many lines it had, if that is known.
    #[serde(default)]
    pub lines: Option<u64>,
    /// How many bytes of it were shown in its preview, if that is known.
    #[serde(default)]
    pub shown: Option<u64>,
    /// How many bytes went out to the reader with the preview, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// A person watched it on a terminal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_terminal: bool,
    /// How many bytes of it were shown after that.
    #[serde(default)]
    pub retrieved: u64,
    /// The name of the host agent that made the call, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// How many bytes of it the host itself would have shown, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<u64>,
    /// How many lines with a sign of failure nobody was shown, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen_failures: Option<u64>,
}

/// The largest size that is believed of another machine: 256 TiB.
#[cfg(feature = "bucket")]
const LARGEST: u64 = 1 << 48;
/// A record of another machine has no more pipelines than this.
#[cfg(feature = "bucket")]
const MOST_PIPELINES: usize = 100;
/// The most characters of a command that are remembered.
const COMMAND_CHARS: usize = 200;

impl ExpiredOutput {
    /// Bounds every field of an entry that another machine wrote.
    #[cfg(feature = "bucket")]
    pub(in crate::store) fn clamped(self) -> ExpiredOutput {
        let short = |text: String| text.chars().take(COMMAND_CHARS).collect();
        ExpiredOutput {
            tool: self.tool.map(short),
            command: self.command.map(short),
            bytes: self.bytes.min(LARGEST),
            lines: self.lines.map(|lines| lines.min(LARGEST)),
            shown: self.shown.map(|shown| shown.min(LARGEST)),
            sent: self.sent.map(|sent| sent.min(LARGEST)),
            retrieved: self.retrieved.min(LARGEST),
            host: self.host.map(short),
            baseline: self.baseline.map(|bytes| bytes.min(LARGEST)),
            unseen_failures: self.unseen_failures.map(|lines| lines.min(LARGEST)),
            ..self
        }
    }

    /// Makes the entry of an output that expires now.
    pub(super) fn of(entry: &Entry, record: Option<Record>, expired: Timestamp) -> ExpiredOutput {
        let known = record.is_some();
        let record = record.unwrap_or_default();
        let shown = known.then(|| record.shown_bytes());
        let unseen_failures = record.unseen_failures();
        let short = |text: String| text.chars().take(COMMAND_CHARS).collect();
        ExpiredOutput {
            name: entry.name.clone(),
            expired,
            created: known.then_some(record.created),
            tool: record.call.tool.map(short),
            command: record.call.command.map(short),
            bytes: if known { record.bytes } else { entry.bytes },
            lines: known.then_some(record.lines),
            shown,
            sent: record.sent,
            on_terminal: record.on_terminal,
            retrieved: record.retrieved,
            host: record.host,
            baseline: record.baseline,
            unseen_failures,
        }
    }
}

/// A pipeline of a shell line in which a stage failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PipelineStatus {
    /// Its stages, from the first to the last.
    pub stages: Vec<StageStatus>,
}

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StageStatus {
    /// The command, if it is certain.
    pub command: Option<String>,
    /// Its exit code.
    pub exit: i32,
}

/// The record of an output: where it comes from, and what was shown of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The call it comes from.
    pub call: Call,
    /// When it was saved.
    pub created: Timestamp,
    /// How the command ended.
    pub exit: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// It was ended before it was done, or may have been.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// How long the command ran, in milliseconds. Older versions did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// The command still runs, and the output grows. A store says so only while the process that writes the
    /// output lives.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
    /// The process that wrote the output was killed. The end of the output may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// How large it was when it was produced.
    pub bytes: u64,
    /// How many lines it had.
    pub lines: u64,
    /// How many characters it had.
    pub chars: u64,
    /// Which parts of it were shown.
    pub shown: Vec<Range<u64>>,
    /// How much of it was kept, if not all.
    pub kept: Option<Kept>,
    /// How many bytes went out to the reader: the preview with its notice and marks. Older versions did
    /// not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// A person watched it on a terminal. No model read it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_terminal: bool,
    /// How many bytes were shown after the preview: the sum of [`Catalog::retrieved`](super::Catalog::retrieved).
    pub retrieved: u64,
    /// The parts that were shown after the preview, by `read`, `grep` and `diff`: in order, at most 256. If there are
    /// more, the last one reaches from its start to the end of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_later: Vec<Range<u64>>,
    /// The name of the host agent that made the call, such as `claude-code`, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// How many bytes of it the host itself would have shown without overspill, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<u64>,
    /// The lines with a sign of failure that the preview does not show, if it looked at each line.
    #[serde(with = "cut_failures", skip_serializing_if = "Option::is_none")]
    pub cut_failures: Option<CutFailures>,
    /// The policy that made its preview. Older versions did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<PreviewRecord>,
    /// The pipelines of the command in which a stage failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pipelines: Vec<PipelineStatus>,
    /// Another user or another machine saved it in a bucket, or the bucket does not know who did. The
    /// directory of the call is then a directory of that machine.
    #[serde(skip)]
    pub saved_elsewhere: bool,
}

impl Record {
    /// Tells whether the command failed: by its exit code, by a signal, or hidden by a pipe.
    pub fn has_failed(&self) -> bool {
        self.exit.is_some_and(|code| code != 0)
            || self.signal.is_some()
            || !self.pipelines.is_empty()
    }

    /// Returns how many bytes of it were shown in its preview.
    pub fn shown_bytes(&self) -> u64 {
        let lengths = self.shown.iter().map(|range| range.end.saturating_sub(range.start));
        lengths.fold(0, u64::saturating_add)
    }

    /// Returns how many lines with a sign of failure neither the preview nor a later page has shown, if that is
    /// known. Lines whose places are not recorded count as not shown.
    pub fn unseen_failures(&self) -> Option<u64> {
        let cut = self.cut_failures.as_ref()?;
        let is_read = |place: &&u64| self.read_later.iter().any(|range| range.contains(place));
        Some(cut.lines.saturating_sub(cut.first.iter().filter(is_read).count() as u64))
    }

    /// Bounds every number of a record that another machine wrote, so that sums do not overflow.
    #[cfg(feature = "bucket")]
    pub(in crate::store) fn clamped(mut self) -> Record {
        // Processes of another machine are not seen here.
        (self.running, self.cut_short) = (false, false);
        for number in [&mut self.bytes, &mut self.lines, &mut self.chars, &mut self.retrieved] {
            *number = (*number).min(LARGEST);
        }
        self.sent = self.sent.map(|sent| sent.min(LARGEST));
        self.took_ms = self.took_ms.map(|took| took.min(LARGEST));
        self.baseline = self.baseline.map(|bytes| bytes.min(LARGEST));
        self.host = self.host.filter(|name| {
            name.len() <= 32 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        });
        self.read_later.retain(|range| range.end <= self.bytes);
        self.read_later = super::read_ranges::merged(self.read_later);
        if let Some(cut) = &mut self.cut_failures {
            cut.lines = cut.lines.min(self.lines);
            cut.first.retain(|place| *place < self.bytes);
            cut.first.truncate(usize::try_from(cut.lines).unwrap_or(usize::MAX).min(64));
        }
        let parts = self.shown.len();
        // Ranges follow each other within the output.
        let mut end = 0;
        self.shown.retain(|range| {
            let fits = end <= range.start && range.start <= range.end && range.end <= self.bytes;
            end = if fits { range.end } else { end };
            fits
        });
        let is_whole = self.shown.len() == parts;
        self.preview = self.preview.filter(|preview| is_whole && preview.is_plausible(parts));
        self.signal = self.signal.filter(|signal| (1..=127).contains(signal));
        self.pipelines.truncate(MOST_PIPELINES);
        self.kept = self.kept.filter(|kept| match kept {
            Kept::Whole => true,
            Kept::Ends { first, between, last } => {
                let ends = first.checked_add(*last);
                *between <= self.bytes && ends.is_some_and(|bytes| bytes <= self.bytes)
            }
        });
        self
    }

    /// Sets the three sizes.
    #[must_use]
    pub fn with_size(self, size: Size) -> Record {
        Record { bytes: size.bytes, lines: size.lines, chars: size.chars, ..self }
    }
}

/// The JSON of [`CutFailures`].
mod cut_failures {
    use overspill_core::CutFailures;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct CutFailuresJson {
        lines: u64,
        #[serde(default)]
        first: Vec<u64>,
    }

    pub(super) fn serialize<S: Serializer>(
        cut: &Option<CutFailures>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let json =
            |cut: &CutFailures| CutFailuresJson { lines: cut.lines, first: cut.first.clone() };
        cut.as_ref().map(json).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<CutFailures>, D::Error> {
        let json = Option::<CutFailuresJson>::deserialize(from)?;
        Ok(json.map(|CutFailuresJson { lines, first }| CutFailures { lines, first }))
    }
}
