//! What is known of an output in a bucket: a line of JSON, and after it where its lines are.

use serde::{Deserialize, Serialize};

use super::layout::FORMAT;
use crate::Error;
use crate::store::seal::Seal;
use crate::store::{Kept, Name, Record};

/// Enough for the line of JSON of nearly every output.
pub(super) const HEAD: u64 = 16 << 10;

/// What is known of an output. Fields that a later version adds are left alone by this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The layout it was written in.
    pub(super) overspill: u32,
    /// The output's own key.
    pub(super) key: String,
    /// Bytes that were stored.
    pub(super) bytes: u64,
    /// Their checksum.
    pub(super) sum: u64,
    /// Bytes there were.
    pub(super) produced: u64,
    /// Bytes of the start that were stored, if not all.
    pub(super) first: u64,
    /// The upload in parts that brings the output, while it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) upload: Option<String>,
    /// What the writer said of it.
    #[serde(default)]
    pub(super) record: Option<Record>,
}

impl Note {
    pub(super) fn new(key: String, seal: &Seal, record: Option<Record>) -> Note {
        let Seal { bytes, sum, produced, first, .. } = *seal;
        Note { overspill: FORMAT, key, bytes, sum, produced, first, upload: None, record }
    }

    /// Returns how much of the output was kept.
    pub(super) fn kept(&self) -> Kept {
        if self.bytes >= self.produced {
            Kept::Whole
        } else {
            Kept::Ends { first: self.first, last: self.bytes.saturating_sub(self.first) }
        }
    }

    pub(super) fn to_bytes(&self, seal: &Seal) -> Result<Vec<u8>, Error> {
        let mut bytes = serde_json::to_vec(self).map_err(|error| Error::Other(error.into()))?;
        bytes.push(b'\n');
        bytes.extend(seal.to_bytes());
        Ok(bytes)
    }

    /// Reads the line of JSON, if all of it is there.
    pub(super) fn from_bytes(name: &Name, bytes: &[u8]) -> Option<Result<Note, Error>> {
        let end = memchr::memchr(b'\n', bytes)?;
        let note = serde_json::from_slice::<Note>(&bytes[..end]);
        Some(match note {
            Ok(note) if note.overspill > FORMAT => Err(Error::Other(
                format!("{name} was saved by a later version of overspill").into(),
            )),
            Ok(note) => Ok(note),
            Err(error) => Err(Error::Other(format!("the record of {name}: {error}").into())),
        })
    }

    /// Reads what follows the line of JSON.
    pub(super) fn seal(bytes: &[u8]) -> Option<Seal> {
        let end = memchr::memchr(b'\n', bytes)?;
        Seal::from_bytes(&bytes[end + 1..])
    }
}
