//! Tests that every failure of a store leaves a preview within the limit, without the word "saved".

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::Mutex;

use overspill::internal::seeds::ServiceEvent;
use overspill::internal::store::{Catalog, Record};
use overspill::store::{Draft, Entry, Memory, OutputId, SpillRef, Store};
use overspill::{Call, CallEnd, CallOptions, Error, Outcome, Overspill, Profile};

/// The call of a store that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Create,
    FirstAppend,
    LaterAppend,
    Publish,
    Describe,
    List,
}

const CALLS: [Moment; 6] = [
    Moment::Create,
    Moment::FirstAppend,
    Moment::LaterAppend,
    Moment::Publish,
    Moment::Describe,
    Moment::List,
];

/// The errors of the system: no space, I/O error, no access, incomplete write.
const ERRORS: [io::ErrorKind; 4] = [
    io::ErrorKind::StorageFull,
    io::ErrorKind::Other,
    io::ErrorKind::PermissionDenied,
    io::ErrorKind::WriteZero,
];

#[derive(Debug)]
struct Faulty {
    inner: Memory,
    at: Moment,
    error: io::ErrorKind,
}

impl Faulty {
    fn strike(&self, at: Moment) -> Result<(), Error> {
        strike(self.at, self.error, at)
    }
}

fn strike(planned: Moment, error: io::ErrorKind, at: Moment) -> Result<(), Error> {
    if planned != at {
        return Ok(());
    }
    Err(Error::Io { path: "/store".into(), source: error.into() })
}

#[derive(Debug)]
struct FaultyDraft {
    inner: Box<dyn Draft>,
    at: Moment,
    error: io::ErrorKind,
    appended: bool,
}

impl Draft for FaultyDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let at = if self.appended { Moment::LaterAppend } else { Moment::FirstAppend };
        self.appended = true;
        strike(self.at, self.error, at)?;
        self.inner.append(bytes)
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        strike(self.at, self.error, Moment::Publish)?;
        self.inner.publish()
    }
}

impl Store for Faulty {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        self.strike(Moment::Create)?;
        let inner = self.inner.create(call)?;
        Ok(Box::new(FaultyDraft { inner, at: self.at, error: self.error, appended: false }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.inner.read(name, range)
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        self.inner.entry(name)
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        self.strike(Moment::List)?;
        self.inner.list()
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        self.inner.delete(name)
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        self.inner.touch(name)
    }

    fn catalog(&self) -> Option<&dyn Catalog> {
        Some(self)
    }
}

impl Catalog for Faulty {
    fn describe(&self, name: &OutputId, record: &Record) -> Result<(), Error> {
        self.strike(Moment::Describe)?;
        self.inner.describe(name, record)
    }

    fn record(&self, _: &OutputId) -> Result<Option<Record>, Error> {
        Ok(None)
    }
}

fn output() -> Vec<u8> {
    (0..60_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
}

#[test]
fn failing_store_call_leaves_a_preview_in_every_profile() {
    let output = output();
    for profile in Profile::ALL {
        for at in CALLS {
            for error in ERRORS {
                for chunk in [output.len(), 100_000] {
                    check(&profile, at, error, &output, chunk);
                }
            }
        }
    }
}

fn check(profile: &Profile, at: Moment, error: io::ErrorKind, output: &[u8], chunk: usize) {
    let what = format!("{} {at:?} {error:?} {chunk}", profile.name);
    let inner = Memory::default();
    let events: Arc<Mutex<Vec<ServiceEvent>>> = Arc::default();
    let heard = events.clone();
    let overspill = Overspill::new(profile.clone(), Faulty { inner: inner.clone(), at, error })
        .to_builder()
        .observer(move |event| heard.lock().unwrap().push(ServiceEvent::of(event)))
        .build();
    let outcome = if chunk == output.len() {
        overspill.process(output, &Call::new("tool"))
    } else {
        let mut spill = overspill.spill(Call::new("tool"), CallOptions::default());
        output.chunks(chunk).for_each(|chunk| spill.push(chunk));
        spill.finish(CallEnd::default())
    };
    assert_eq!(events.lock().unwrap().len(), 1, "{what}: one event");
    let Outcome::Spilled(spilled) = outcome else {
        // 60,000 lines are beyond every ceiling, so no profile returns the original.
        panic!("{what}: it passed uncut");
    };
    assert!(!spilled.preview.is_empty(), "{what}: no preview");
    assert!(spilled.text.len() < 52_000, "{what}: {} bytes", spilled.text.len());
    let stored = inner.list().unwrap();
    match &spilled.saved {
        Ok(saved) => {
            assert_eq!(inner.read(&saved.id, 0..u64::MAX).unwrap(), output, "{what}");
            assert!(spilled.text.contains(&saved.path), "{what}: {}", spilled.notice);
        }
        Err(_) => {
            assert_eq!(stored, [], "{what}: something was left behind");
            for claim in ["saved to", "All of it", "memory:", "完整内容见"] {
                assert!(!spilled.text.contains(claim), "{what} claims {claim}: {}", spilled.notice);
            }
        }
    }
}
