//! The record of an output in a bucket: a line of JSON, and after it the seal.
//!
//! Any machine with write rights can write a false record. So overspill uses nothing of a record
//! before [`BucketRecord::from_bytes`] has checked it.

use object_store::path::Path;
use serde::{Deserialize, Serialize};

use super::layout::{FORMAT, Layout};
use crate::Error;
use crate::store::seal::Seal;
use crate::store::{Kept, OutputId, Record};

/// The number of bytes that overspill reads first. Nearly every line of JSON is shorter.
pub(super) const HEAD: u64 = 16 << 10;
/// The largest number of bytes that a line of JSON may have.
pub(super) const LINE: u64 = 4 << 20;
/// The length in characters to which a command is cut if the line of JSON would be too long.
const COMMAND_CHARS: usize = 100_000;

/// The record of an output in a bucket. This version ignores fields that a later version adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct BucketRecord {
    /// The number of the layout in which the record was written.
    overspill: u32,
    /// The key of the output. The layout must make the same key for the output's id.
    key: String,
    /// The number of stored bytes.
    pub(super) bytes: u64,
    /// The checksum of the stored bytes.
    pub(super) sum: u64,
    /// The number of bytes that the command printed.
    produced: u64,
    /// The number of stored bytes of the start, if not all bytes were stored.
    first: u64,
    /// The output was not kept whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// The id of the multipart upload of the output, while the upload is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) upload: Option<String>,
    /// The user and machine that saved the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    writer: Option<String>,
    /// The facts about the output, as the writer recorded them: command, exit code and others.
    #[serde(default)]
    record: Option<Record>,
}

/// The reason why a record cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// A later version of overspill wrote the record.
    Later,
    /// overspill does not write such a record. The text is the reason.
    Damaged(&'static str),
}

impl Unusable {
    /// The reason for a record without a complete first line.
    pub(super) const NO_LINE: Unusable = Unusable::Damaged("its first line is not complete");
}

impl BucketRecord {
    pub(super) fn new(
        key: String,
        seal: &Seal,
        record: Option<Record>,
        writer: Option<String>,
    ) -> BucketRecord {
        let Seal { bytes, sum, produced, first, .. } = *seal;
        let partial = seal.kept() != Kept::Whole;
        BucketRecord {
            overspill: FORMAT,
            key,
            bytes,
            sum,
            produced,
            first,
            partial,
            upload: None,
            writer,
            record,
        }
    }

    /// Adds the id of the multipart upload of the output.
    pub(super) fn with_upload(self, upload: &str) -> BucketRecord {
        BucketRecord { upload: Some(upload.into()), ..self }
    }

    /// Returns the key of the output.
    pub(super) fn key(&self) -> Path {
        Path::from(self.key.as_str())
    }

    /// Returns the record as `reader` sees it: it says whether another user or machine saved the
    /// output.
    pub(super) fn record(&self, reader: Option<&str>) -> Option<Record> {
        let saved_elsewhere = reader.is_none() || self.writer.as_deref() != reader;
        self.record.clone().map(|record| Record { saved_elsewhere, ..record })
    }

    /// Returns the part of the output that was kept.
    pub(super) fn kept(&self) -> Kept {
        if self.bytes >= self.produced && !self.partial {
            Kept::Whole
        } else {
            Kept::Ends {
                first: self.first,
                between: 0,
                last: self.bytes.saturating_sub(self.first),
            }
        }
    }

    pub(super) fn to_bytes(&self, seal: &Seal) -> Result<Vec<u8>, Error> {
        let json = |note: &BucketRecord| {
            serde_json::to_vec(note).map_err(|error| Error::Other(error.into()))
        };
        let mut bytes = json(self)?;
        if bytes.len() as u64 >= LINE {
            bytes = json(&self.clone().with_short_command())?;
        }
        bytes.push(b'\n');
        bytes.extend(seal.to_bytes());
        Ok(bytes)
    }

    fn with_short_command(mut self) -> BucketRecord {
        if let Some(record) = &mut self.record {
            let command = record.call.command.take();
            record.call.command = command.map(|text| text.chars().take(COMMAND_CHARS).collect());
        }
        self
    }

    /// Reads and checks the line of JSON. Returns `None` if `bytes` does not contain the whole
    /// line.
    pub(super) fn from_bytes(
        layout: &Layout,
        name: &OutputId,
        bytes: &[u8],
    ) -> Option<Result<BucketRecord, Unusable>> {
        let end = memchr::memchr(b'\n', bytes)?;
        Some(match serde_json::from_slice::<BucketRecord>(&bytes[..end]) {
            Err(_) if is_later(&bytes[..end]) => Err(Unusable::Later),
            Err(_) => Err(Unusable::Damaged("its first line is not the JSON of a record")),
            Ok(note) if note.overspill > FORMAT => Err(Unusable::Later),
            Ok(note) if !layout.makes(&note.key, name) => {
                Err(Unusable::Damaged("its key is not the key of this output"))
            }
            Ok(note) => Ok(BucketRecord { record: note.record.map(Record::sanitized), ..note }),
        })
    }

    /// Reads the seal, which follows the line of JSON.
    pub(super) fn seal(bytes: &[u8]) -> Option<Seal> {
        let end = memchr::memchr(b'\n', bytes)?;
        Seal::from_bytes(&bytes[end + 1..])
    }
}

/// Tells whether a later version of overspill wrote a line of JSON. Its other fields may differ.
fn is_later(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Version {
        overspill: u32,
    }
    serde_json::from_slice::<Version>(line).is_ok_and(|version| version.overspill > FORMAT)
}
