//! An output while it is written to the spool, and its upload to the bucket.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::Bucket;
use super::failure::Failure;
use super::upload::Sent;
use crate::store::{Availability, Draft, Excerpt, Lookup, OutputId, SpillRef};
use crate::{Call, Error};

/// An output that is being written to the spool.
#[derive(Debug)]
pub(super) struct BucketDraft {
    pub(super) bucket: Bucket,
    pub(super) call: Call,
    pub(super) spooled: Box<dyn Draft>,
    /// The time limit of the upload.
    pub(super) wait: Duration,
}

/// The time limit of an upload after the caller was asked to stop. With a longer limit, the caller
/// would be killed.
const LAST_WAIT: Duration = Duration::from_secs(1);

impl Draft for BucketDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.spooled.append(bytes)
    }

    fn hole(&mut self) -> Result<Option<Range<u64>>, Error> {
        self.spooled.hole()
    }

    fn keep(&mut self, excerpts: Vec<Excerpt>) -> Result<(), Error> {
        self.spooled.keep(excerpts)
    }

    fn skip_network(&mut self) {
        self.wait = self.wait.min(LAST_WAIT);
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let BucketDraft { bucket, call, spooled, wait } = *self;
        let saved = spooled.publish()?;
        let deadline = Instant::now() + wait;
        // From here on the output is saved on this machine, even if the upload fails.
        let sent = match bucket.prepare(&saved.id, &call) {
            Ok(()) => bucket.send(&saved.id, deadline).map_err(|failure| match failure {
                // The limit applies to all requests together.
                Failure::Late(_) => Failure::Late(wait).to_string(),
                failure => failure.to_string(),
            }),
            Err(error) => Err(error.to_string()),
        };
        let within = match sent {
            Ok(Some(Sent::All | Sent::Output(_))) => {
                bucket.await_description(&saved.id, deadline);
                Availability::Shared
            }
            Ok(None) => Availability::UploadPending("it is being sent".into()),
            Err(reason) => Availability::UploadPending(reason),
        };
        let path = match within {
            Availability::Shared => bucket.place(&saved.id),
            _ => saved.path,
        };
        Ok(SpillRef { path, within, ..saved })
    }
}

impl Bucket {
    /// Remembers until when the record of an output can be sent within the same call.
    fn await_description(&self, name: &OutputId, deadline: Instant) {
        let mut deadlines = self.deadlines();
        // A caller may never describe its outputs.
        deadlines.retain(|_, deadline| *deadline > Instant::now());
        deadlines.insert(name.clone(), deadline);
    }
}
