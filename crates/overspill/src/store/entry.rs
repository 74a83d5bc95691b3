//! The data that stores return about outputs: references, entries of listings, records, and the
//! remembered facts of expired outputs.

use std::ops::Range;

use jiff::Timestamp;
use overspill_core::{CutFailures, Size};
use serde::{Deserialize, Serialize};

use super::{OutputId, PreviewRecord};
use crate::Call;

/// A reference to a saved output: its id and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillRef {
    /// The id of the output in its store.
    pub id: OutputId,
    /// The path or address of the output, as the notice shows it.
    pub path: String,
    /// The part of the output that the store kept.
    pub kept: Kept,
    /// The machines that can read the output.
    pub within: Availability,
    /// The number of secrets that were masked before the output was saved.
    pub masked: u64,
}

impl SpillRef {
    /// Returns the reference of an output on this machine without masked secrets.
    pub fn new(id: OutputId, path: String, kept: Kept) -> SpillRef {
        SpillRef { id, path, kept, within: Availability::ThisMachine, masked: 0 }
    }
}

/// The machines that can read a saved output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Availability {
    /// Only this machine.
    #[default]
    ThisMachine,
    /// Every machine that shares the bucket.
    Shared,
    /// The output waits on this machine for its upload to the bucket. The text is the reason.
    UploadPending(String),
}

/// The part of an output that a store kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// All bytes.
    Whole,
    /// The start, the end, and lines between them that the preview shows.
    /// [`Lookup::kept_ranges`](super::Lookup::kept_ranges) returns the position of each part.
    Ends {
        /// The number of bytes of the start.
        first: u64,
        /// The number of bytes of the lines between start and end.
        #[serde(default)]
        between: u64,
        /// The number of bytes of the end.
        last: u64,
    },
}

/// A saved output in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The id of the output.
    pub name: OutputId,
    /// The number of stored bytes.
    pub bytes: u64,
    /// The time of the last use.
    pub used: Timestamp,
    /// The output is pinned: it never expires.
    pub pinned: bool,
}

/// The result of comparing an output with the checksum from its publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrity {
    /// The output is unchanged and complete.
    Whole,
    /// The output is unchanged, but only its start and its end were saved.
    Partial,
    /// The output has changed.
    Damaged,
    /// No checksum was recorded.
    Unknown,
}

impl Integrity {
    /// Returns the result for an output whose checksum is the `same` or not.
    pub(in crate::store) fn of(kept: &Kept, same: bool) -> Integrity {
        match kept {
            _ if !same => Integrity::Damaged,
            Kept::Whole => Integrity::Whole,
            Kept::Ends { .. } => Integrity::Partial,
        }
    }
}

/// The facts that a store remembers about an expired output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpiredOutput {
    /// The id that the output had.
    pub name: OutputId,
    /// The time at which the output was removed.
    pub expired: Timestamp,
    /// The time at which the output was saved, if it is known.
    #[serde(default)]
    pub created: Option<Timestamp>,
    /// The tool that printed the output.
    #[serde(default)]
    pub tool: Option<String>,
    /// The beginning of the command that printed the output.
    #[serde(default)]
    pub command: Option<String>,
    /// The size of the output in bytes.
    pub bytes: u64,
    /// The number of lines of the output, if it is known.
    #[serde(default)]
    pub lines: Option<u64>,
    /// The number of bytes of the output that the preview showed, if it is known.
    #[serde(default)]
    pub shown: Option<u64>,
    /// The number of bytes that the reader got with the preview, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// A person watched the output on a terminal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_terminal: bool,
    /// The number of bytes of the output that readers got after the preview.
    #[serde(default)]
    pub retrieved: u64,
    /// The name of the host that made the call, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The number of bytes that the host would have shown without overspill, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<u64>,
    /// The number of lines with a sign of failure that no reader got, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen_failures: Option<u64>,
}

/// The largest size in bytes that a record of another machine may claim: 256 TiB.
#[cfg(feature = "bucket")]
const LARGEST: u64 = 1 << 48;
/// The largest number of pipelines that a record of another machine may have.
#[cfg(feature = "bucket")]
const MOST_PIPELINES: usize = 100;
/// The largest number of characters of a command that is remembered.
const COMMAND_CHARS: usize = 200;

impl ExpiredOutput {
    /// Limits every field of an entry that another machine wrote.
    #[cfg(feature = "bucket")]
    pub(in crate::store) fn sanitized(self) -> ExpiredOutput {
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

    /// Returns the entry of an output that expires at the time `expired`.
    pub(super) fn of(entry: &Entry, record: Option<Record>, expired: Timestamp) -> ExpiredOutput {
        let created = record.as_ref().map(|record| record.created);
        // The sizes of an output are recorded when its command ends.
        let known = record.as_ref().is_some_and(|record| !record.running && !record.cut_short);
        let record = record.unwrap_or_default();
        let shown = known.then(|| record.shown_bytes());
        let unseen_failures = record.unseen_failures();
        let short = |text: String| text.chars().take(COMMAND_CHARS).collect();
        ExpiredOutput {
            name: entry.name.clone(),
            expired,
            created,
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

/// The exit codes of a pipeline in which a stage failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PipelineStatus {
    /// The stages, from the first to the last.
    pub stages: Vec<StageStatus>,
}

/// The exit code of a stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StageStatus {
    /// The command of the stage, if it is certain.
    pub command: Option<String>,
    /// The exit code of the stage.
    pub exit: i32,
}

/// The record of an output: its call, its sizes, and the parts that readers got.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The call that printed the output.
    pub call: Call,
    /// The time at which the output was saved.
    pub created: Timestamp,
    /// The exit code of the command.
    pub exit: Option<i32>,
    /// The signal that ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The command was stopped before it was done, or may have been.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The run time of the command in milliseconds. Older versions did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// The command still runs, and the output grows. A store sets this only while the process that
    /// writes the output lives.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
    /// The process that wrote the output was killed. The end of the output may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// The size in bytes of the output as the command printed it.
    pub bytes: u64,
    /// The number of lines of the output.
    pub lines: u64,
    /// The number of characters of the output.
    pub chars: u64,
    /// The byte ranges of the output that the preview shows.
    pub shown: Vec<Range<u64>>,
    /// The part of the output that the store kept, if not all.
    pub kept: Option<Kept>,
    /// The number of bytes that the reader got: the preview with its notice and marks. Older
    /// versions did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// A person watched the output on a terminal. No model read it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_terminal: bool,
    /// The number of bytes that readers got after the preview: the sum of
    /// [`Catalog::retrieved`](super::Catalog::retrieved).
    pub retrieved: u64,
    /// The byte ranges that `read`, `grep` and `diff` printed after the preview: in order, at most
    /// 256. The last range also covers all later ones if there were more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_later: Vec<Range<u64>>,
    /// The name of the host that made the call, such as `claude-code`, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The number of bytes that the host would have shown without overspill, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<u64>,
    /// The lines with a sign of failure that the preview does not show, if overspill looked at each
    /// line.
    #[serde(with = "cut_failures", skip_serializing_if = "Option::is_none")]
    pub cut_failures: Option<CutFailures>,
    /// The policy that made the preview. Older versions did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<PreviewRecord>,
    /// The pipelines of the command in which a stage failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pipelines: Vec<PipelineStatus>,
    /// Another user or another machine saved the output in a bucket, or the bucket does not know
    /// who did. The directory of the call is then a directory of that machine.
    #[serde(skip)]
    pub saved_elsewhere: bool,
}

impl Record {
    /// Tells whether the command failed: by exit code, by a signal, or in a stage of a pipeline.
    pub fn has_failed(&self) -> bool {
        self.exit.is_some_and(|code| code != 0)
            || self.signal.is_some()
            || !self.pipelines.is_empty()
    }

    /// Returns the number of bytes of the output that the preview shows.
    pub fn shown_bytes(&self) -> u64 {
        let lengths = self.shown.iter().map(|range| range.end.saturating_sub(range.start));
        lengths.fold(0, u64::saturating_add)
    }

    /// Returns the number of lines with a sign of failure that neither the preview nor a later page
    /// has shown, if it is known. Lines whose positions are not recorded count as not shown.
    pub fn unseen_failures(&self) -> Option<u64> {
        let cut = self.cut_failures.as_ref()?;
        let is_read = |place: &&u64| self.read_later.iter().any(|range| range.contains(place));
        Some(cut.lines.saturating_sub(cut.first.iter().filter(is_read).count() as u64))
    }

    /// Limits every number of a record that another machine wrote, so that sums do not overflow.
    #[cfg(feature = "bucket")]
    pub(in crate::store) fn sanitized(mut self) -> Record {
        // This machine cannot see the processes of another machine.
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

    /// Sets the sizes in bytes, lines and characters.
    #[must_use]
    pub fn with_size(self, size: Size) -> Record {
        Record { bytes: size.bytes, lines: size.lines, chars: size.chars, ..self }
    }
}

/// The JSON form of [`CutFailures`].
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
