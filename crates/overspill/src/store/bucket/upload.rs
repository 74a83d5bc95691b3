//! Uploads outputs of the spool to the bucket.
//!
//! An upload overwrites nothing: a small output is put only if its key is free. A large output
//! first reserves its id with a record that is put in the same way.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use object_store::multipart::PartId;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, GetOptions, PutMode, PutMultipartOptions, PutOptions, PutPayload,
};

use super::Bucket;
use super::address::Provider;
use super::bucket_record::{BucketRecord, LINE};
use super::failure::Failure;
use super::layout::Mark;
use super::remote::{Objects, Waiting};
use crate::store::seal::{Seal, Sealer};
use crate::store::{Catalog, OutputId, Record, Store};
use crate::{Call, Error};

/// The size in bytes above which an output is sent in parts, and the least size of a part.
const PART: u64 = 12 << 20;
/// The largest number of parts of an upload. Servers accept this number.
const MOST_PARTS: u64 = 9_000;
/// The number of parts that are sent at the same time.
const PARTS_AT_ONCE: usize = 2;
/// The metadata key of the checksum, for an object without its record. Azure accepts this name too.
const SUM: &str = "overspillsum";

/// The result of [`Bucket::push`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pushed {
    /// The number of outputs that were sent.
    pub sent: u64,
    /// The sum of their sizes in bytes.
    pub bytes: u64,
    /// The number of outputs that are still on this machine only.
    pub left: u64,
    /// The reason of the last failed upload.
    pub reason: Option<String>,
}

/// The part of an output and its record that is in the bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sent {
    /// The output and its record are in the bucket.
    All,
    /// The output is in the bucket, but its record is not, for this reason.
    Output(Failure),
}

/// An output that is about to be sent. Its file is locked.
struct Load {
    name: OutputId,
    file: File,
    seal: Seal,
    record: Record,
    key: Path,
}

impl Bucket {
    /// Sends outputs that are not in the bucket yet, for at most this time.
    ///
    /// Stops after several failures in a row, or when the server is silent.
    pub fn push(&self, time: Duration) -> Result<Pushed, Error> {
        self.push_until(Instant::now() + time, 3)
    }

    pub(super) fn push_until(
        &self,
        deadline: Instant,
        most_failures: u32,
    ) -> Result<Pushed, Error> {
        let unsent = self.0.spool.unsent()?;
        let mut pushed = Pushed { left: unsent.len() as u64, ..Pushed::default() };
        let mut failures = 0;
        for entry in unsent {
            if Instant::now() >= deadline || failures >= most_failures {
                break;
            }
            match self.send(&entry.name, deadline) {
                // Another process is sending it.
                Ok(None) => {}
                Ok(Some(Sent::All)) => {
                    pushed.sent += 1;
                    pushed.bytes += entry.bytes;
                    pushed.left -= 1;
                    failures = 0;
                }
                Ok(Some(Sent::Output(failure))) | Err(failure) => {
                    pushed.reason = Some(failure.to_string());
                    let is_silent = matches!(failure, Failure::Late(_));
                    failures = if is_silent { most_failures } else { failures + 1 };
                }
            }
        }
        Ok(pushed)
    }

    /// Sends an output of the spool and its record. Returns `None` if another process is sending
    /// it.
    pub(super) fn send(&self, name: &OutputId, deadline: Instant) -> Result<Option<Sent>, Failure> {
        let Some(load) = self.load(name)? else { return Ok(None) };
        let is_small = load.seal.bytes <= PART;
        // The record of a small output is sent at the same time. That of a large one was sent
        // before.
        let beside = if is_small { Some(self.start_note(&load)?) } else { None };
        self.send_output(&load, deadline)?;
        let noted = match beside {
            Some(note) => note.within(left(deadline)),
            None => self.start_note(&load).and_then(|note| note.within(left(deadline))),
        };
        let noted = noted.and_then(|()| self.send_pin(name, deadline));
        if let Err(failure) = noted {
            return Ok(Some(Sent::Output(failure)));
        }
        self.0.spool.set_sent(name).map_err(Failure::from)?;
        Ok(Some(Sent::All))
    }

    /// Sends the record of an output that was already sent, and tells whether that worked.
    pub(super) fn send_described(&self, name: &OutputId, deadline: Instant) -> bool {
        let sent = self.load(name).and_then(|load| match load {
            Some(load) => self.start_note(&load)?.within(left(deadline)),
            None => Err(Failure::Other("it is being sent".into())),
        });
        if sent.is_err() {
            // The output counts as unsent now, so it is sent again later.
            let _ = self.0.spool.clear_sent(name);
        }
        sent.is_ok()
    }

    /// Sends a pin that was set before the output was sent.
    fn send_pin(&self, name: &OutputId, deadline: Instant) -> Result<(), Failure> {
        let is_pinned = self.0.spool.entry(name).is_ok_and(|entry| entry.pinned);
        if !is_pinned {
            return Ok(());
        }
        let path = self.0.layout.mark(Mark::Pin, name);
        self.0.remote.run(left(deadline), |objects| async move {
            objects.put(&path, PutPayload::new(), PutMode::Overwrite).await
        })
    }

    /// Opens and locks an output of the spool, so that no other process sends it. Returns `None` if
    /// another process has the lock.
    fn load(&self, name: &OutputId) -> Result<Option<Load>, Failure> {
        let spool = &self.0.spool;
        let not_found = || Failure::Other(format!("{name} is not on this machine"));
        let file = spool.open_file(name).map_err(Failure::from)?.ok_or_else(not_found)?;
        if file.try_lock().is_err() {
            return Ok(None);
        }
        let record = spool.record(name).map_err(Failure::from)?.unwrap_or_default();
        let seal = match spool.seal(name) {
            Some(seal) => seal,
            None => sealed(&file).map_err(Failure::from)?,
        };
        // A later record may name another session. The key is made from the first record.
        let first = spool.first_record(name).unwrap_or_default();
        let key = self.0.layout.output(name, &first.call);
        Ok(Some(Load { name: name.clone(), file, seal, record, key }))
    }

    fn send_output(&self, load: &Load, deadline: Instant) -> Result<(), Failure> {
        if load.seal.bytes > PART {
            return self.send_in_parts(load, deadline);
        }
        let mut bytes = Vec::with_capacity(load.seal.bytes as usize);
        (&load.file).take(PART + 1).read_to_end(&mut bytes).map_err(Failure::from)?;
        if bytes.len() as u64 != load.seal.bytes {
            return Err(damaged(&load.name));
        }
        let options = PutOptions {
            mode: PutMode::Create,
            attributes: attributes(&load.seal),
            ..PutOptions::default()
        };
        let (key, wait) = (load.key.clone(), left(deadline));
        let put = self.0.remote.run(wait, |objects| async move {
            let payload = PutPayload::from(bytes);
            objects.0.put_opts(&key, payload, options).await.map(drop).map_err(Failure::from)
        });
        match put {
            Err(Failure::Exists) => self.confirm(load, deadline),
            put => put,
        }
    }

    /// Checks that the object in the bucket is this output.
    fn confirm(&self, load: &Load, deadline: Instant) -> Result<(), Failure> {
        let (key, bytes, sum) = (load.key.clone(), load.seal.bytes, sum_of(&load.seal));
        let is_noted = self.notes_sum(bytes);
        self.0.remote.run(left(deadline), |objects| async move {
            let options = GetOptions { head: true, ..GetOptions::default() };
            let found = match objects.0.get_opts(&key, options).await.map_err(Failure::from) {
                Err(Failure::NotFound) => {
                    return Err(Failure::Other("it did not arrive".into()));
                }
                found => found?,
            };
            let noted = found.attributes.get(&Attribute::Metadata(SUM.into()));
            let is_same = noted.map_or(!is_noted, |noted| **noted == *sum);
            if found.meta.size == bytes && is_same {
                Ok(())
            } else {
                Err(Failure::Other("another object has that name".into()))
            }
        })
    }

    /// Tells whether the metadata of an object of this size contains its checksum. Azure accepts
    /// metadata for an upload in parts only at its end, and `complete_multipart` takes none.
    fn notes_sum(&self, bytes: u64) -> bool {
        self.address().provider != Provider::Azure || bytes <= PART
    }

    fn send_in_parts(&self, load: &Load, deadline: Instant) -> Result<(), Failure> {
        let key = load.key.clone();
        let attributes = match self.notes_sum(load.seal.bytes) {
            true => attributes(&load.seal),
            false => Attributes::new(),
        };
        let begun = |objects: Objects| async move {
            let options = PutMultipartOptions { attributes, ..PutMultipartOptions::default() };
            objects.0.create_multipart_opts(&key, options).await.map_err(Failure::from)
        };
        let upload = self.0.remote.run(left(deadline), begun)?;
        let done = self.claim(load, &upload, deadline).and_then(|taken| {
            if taken { self.send_parts(load, &upload, deadline) } else { Ok(false) }
        });
        if !matches!(done, Ok(true)) {
            self.abort(&load.key, &upload, left(deadline));
        }
        match done {
            Ok(_) => self.confirm(load, deadline),
            Err(failure) => Err(failure),
        }
    }

    /// Reserves the id for this upload. Returns `false` if the output is already in the bucket.
    fn claim(&self, load: &Load, upload: &str, deadline: Instant) -> Result<bool, Failure> {
        let note = self.record_of(load).with_upload(upload);
        let bytes = note.to_bytes(&load.seal).map_err(Failure::from)?;
        let path = self.0.layout.note(&load.name);
        let put = |bytes: Vec<u8>, mode: PutMode| {
            let path = path.clone();
            self.0.remote.run(left(deadline), |objects| async move {
                objects.put(&path, bytes.into(), mode).await
            })
        };
        match put(bytes.clone(), PutMode::Create) {
            Err(Failure::Exists) => {}
            put => return put.map(|()| true),
        }
        // Only this machine has the id, so the upload is an earlier attempt of this machine. Its
        // parts are useless.
        let there = {
            let path = path.clone();
            let wait = left(deadline);
            self.0
                .remote
                .run(wait, |objects| async move { objects.get(&path, Some(0..LINE)).await })?
        };
        let there = match BucketRecord::from_bytes(&self.0.layout, &load.name, &there.bytes) {
            Some(Ok(note)) if (note.bytes, note.sum) == (load.seal.bytes, load.seal.sum) => note,
            _ => return Err(Failure::Other("another object has that name".into())),
        };
        match self.confirm(load, deadline) {
            Ok(()) => return Ok(false),
            Err(failure @ (Failure::Late(_) | Failure::Refused(_))) => return Err(failure),
            Err(_) => {}
        }
        if let Some(earlier) = &there.upload {
            self.abort(&load.key, earlier, left(deadline));
        }
        put(bytes, PutMode::Overwrite).map(|()| true)
    }

    /// Aborts an upload. If the time is over, `tidy` aborts it later: the record names the upload.
    pub(super) fn abort(&self, key: &Path, upload: &str, wait: Duration) {
        let (key, upload) = (key.clone(), upload.to_owned());
        let _ = self.0.remote.run(wait, |objects| async move {
            objects.0.abort_multipart(&key, &upload).await.map_err(Failure::from)
        });
    }

    fn send_parts(&self, load: &Load, upload: &str, deadline: Instant) -> Result<bool, Failure> {
        let size = PART.max(load.seal.bytes.div_ceil(MOST_PARTS));
        let (mut under_way, mut parts) = (VecDeque::<Waiting<PartId>>::new(), Vec::new());
        let mut sent = 0;
        for number in 0.. {
            // Wait before reading the next part, so that memory has only parts that are being sent.
            if under_way.len() == PARTS_AT_ONCE
                && let Some(first) = under_way.pop_front()
            {
                parts.push(first.within(left(deadline))?);
            }
            // A damaged file can be longer than its seal says; the comparison below reports that.
            let mut bytes =
                Vec::with_capacity(size.min(load.seal.bytes.saturating_sub(sent)) as usize);
            (&load.file).take(size).read_to_end(&mut bytes).map_err(Failure::from)?;
            if bytes.is_empty() {
                break;
            }
            sent += bytes.len() as u64;
            let (key, upload) = (load.key.clone(), upload.to_owned());
            under_way.push_back(self.0.remote.start(|objects| async move {
                let payload = PutPayload::from(bytes);
                objects.0.put_part(&key, &upload, number, payload).await.map_err(Failure::from)
            })?);
        }
        for part in under_way {
            parts.push(part.within(left(deadline))?);
        }
        if sent != load.seal.bytes {
            return Err(damaged(&load.name));
        }
        let (key, upload) = (load.key.clone(), upload.to_owned());
        self.0.remote.run(left(deadline), |objects| async move {
            let done = objects.0.complete_multipart(&key, &upload, parts).await;
            done.map(|_| true).map_err(Failure::from)
        })
    }

    fn start_note(&self, load: &Load) -> Result<Waiting<()>, Failure> {
        let bytes = self.record_of(load).to_bytes(&load.seal).map_err(Failure::from)?;
        let path = self.0.layout.note(&load.name);
        self.0.remote.start(|objects| async move {
            objects.put(&path, bytes.into(), PutMode::Overwrite).await
        })
    }

    /// Writes a first record into the spool before anything is sent, because the key is made from
    /// it.
    pub(super) fn prepare(&self, name: &OutputId, call: &Call) -> Result<(), Error> {
        let created = self.0.clock.now().timestamp();
        let record = Record { call: call.clone(), created, ..Record::default() };
        self.0.spool.describe(name, &record)
    }

    fn record_of(&self, load: &Load) -> BucketRecord {
        let (key, record) = (load.key.to_string(), load.record.clone());
        BucketRecord::new(key, &load.seal, Some(record), self.0.writer.clone())
    }
}

/// Returns the time until the deadline.
fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn attributes(seal: &Seal) -> Attributes {
    let mut attributes = Attributes::new();
    attributes.insert(Attribute::ContentType, "text/plain".into());
    attributes.insert(Attribute::Metadata(SUM.into()), sum_of(seal).into());
    attributes
}

fn sum_of(seal: &Seal) -> String {
    format!("{:08x}/{}/{}", seal.sum, seal.produced, seal.first)
}

/// Computes the seal of an output that has none.
fn sealed(mut file: &File) -> io::Result<Seal> {
    let (mut sealer, mut buffer) = (Sealer::new(), vec![0; 256 << 10]);
    let mut bytes = 0;
    loop {
        let len = file.read(&mut buffer)?;
        if len == 0 {
            break;
        }
        sealer.push(&buffer[..len]);
        bytes += len as u64;
    }
    io::Seek::seek(&mut file, io::SeekFrom::Start(0))?;
    Ok(sealer.finish(bytes, bytes))
}

fn damaged(name: &OutputId) -> Failure {
    Failure::Other(format!("{name} has changed since it was saved"))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Other(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Other(error.to_string())
    }
}
