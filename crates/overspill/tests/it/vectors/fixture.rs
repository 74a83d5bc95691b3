//! A profile with a store in a temporary directory, for the vectors.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overspill::internal::profile::Directory;
use overspill::internal::seeds::ServiceEvent;
use overspill::store::{Disk, Draft, Entry, OutputId, SpillRef, Store};
use overspill::{Call, Clock, Error, Overspill, Places, Profile, Retention};
use serde_json::Value;
use tempfile::TempDir;

use crate::vectors::Vector;
use crate::vectors::text;

/// A profile, its store, and the events that it reported.
pub(crate) struct Fixture {
    pub(crate) overspill: Overspill,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) events: Arc<Mutex<Vec<ServiceEvent>>>,
    /// The directory in which the profile keeps its files.
    pub(crate) root: PathBuf,
    _dir: TempDir,
}

/// Returns the profile's own store, with all directories of the user and the project below `dir`.
fn disk(profile: &Profile, dir: &Path, clock: Clock) -> (Disk, PathBuf) {
    let place = |name: &str| dir.join(name);
    let places = Places {
        state: place("state"),
        data: place("data"),
        home: place("home"),
        project: place("project"),
        working: place("working"),
    };
    // All users share `/tmp/klaude`, so a test uses another directory.
    let fixed = Profile { directory: Directory::Home("klaude".into()), ..profile.clone() };
    let profile = if let Directory::Fixed(_) = profile.directory { &fixed } else { profile };
    (
        Disk::new(profile.directory.within(&places), profile.disk_options(Some(&places), clock)),
        profile.directory.within(&places),
    )
}

impl Fixture {
    pub(crate) fn new(profile: Profile, fault: Option<&Value>) -> Fixture {
        Fixture::at(profile, fault, Clock::default())
    }

    pub(crate) fn at(profile: Profile, fault: Option<&Value>, clock: Clock) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let (disk, root) = disk(&profile, dir.path(), clock.clone());
        match fault.map(|fault| fault.as_str().unwrap()) {
            None | Some("strategy-fails") => {}
            Some("dir-is-file") => {
                std::fs::create_dir_all(root.parent().unwrap()).unwrap();
                std::fs::write(&root, "taken").unwrap();
            }
            Some(other) => panic!("unknown fault {other}"),
        }
        let store: Arc<dyn Store> = Arc::new(disk);
        let events: Arc<Mutex<Vec<ServiceEvent>>> = Arc::default();
        let heard = events.clone();
        let overspill = Overspill::builder()
            .profile(profile)
            .shared_store(store.clone())
            .clock(clock)
            .observer(move |event| heard.lock().unwrap().push(ServiceEvent::of(event)))
            .build();
        Fixture { overspill, store, events, root, _dir: dir }
    }

    /// Returns a fixture whose store claims that every output is at `path`.
    pub(crate) fn elsewhere(profile: Profile, path: &str, fault: Option<&Value>) -> Fixture {
        let mut fixture = Fixture::new(profile.clone(), fault);
        let store = Elsewhere { inner: fixture.store.clone(), path: path.to_owned() };
        let heard = fixture.events.clone();
        fixture.overspill = Overspill::new(profile, store)
            .to_builder()
            .observer(move |event| heard.lock().unwrap().push(ServiceEvent::of(event)))
            .build();
        fixture
    }

    /// Returns the name and content of the saved files. Hidden files are not outputs.
    pub(crate) fn saved(&self) -> Vec<(String, String)> {
        let Ok(entries) = std::fs::read_dir(&self.root) else { return Vec::new() };
        let visible = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            let content = || std::fs::read_to_string(entry.path()).unwrap();
            (!name.starts_with('.')).then(|| (name.clone(), content()))
        };
        entries.filter_map(|entry| visible(entry.unwrap())).collect()
    }

    /// Puts a file that was last used at `millis` among the outputs.
    pub(crate) fn plant(&self, name: &str, millis: i64) {
        std::fs::create_dir_all(&self.root).unwrap();
        let path = self.root.join(name);
        std::fs::write(&path, "planted").unwrap();
        let since = Duration::from_millis(millis.unsigned_abs());
        let epoch = std::time::UNIX_EPOCH;
        let used = if millis < 0 { epoch - since } else { epoch + since };
        std::fs::File::options().write(true).open(path).unwrap().set_modified(used).unwrap();
    }

    /// Compares the saved files with `expected`.
    #[track_caller]
    pub(crate) fn check_saved(&self, expected: &Value, input: &str) {
        let saved = self.saved();
        let Some(fields) = expected.as_object() else {
            let none: [(String, String); 0] = [];
            assert_eq!(saved, none, "nothing was to be written");
            return;
        };
        assert_eq!(saved.len(), 1, "one file was to be written");
        let (name, content) = &saved[0];
        for (key, value) in fields {
            match key.as_str() {
                "name_regex" => check_name(value, name),
                "content" if value == "input" => assert!(content == input, "the copy differs"),
                "content" => text::check(value, content, input, &[]),
                _ => panic!("unknown field {key} of saved"),
            }
        }
    }
}

#[track_caller]
fn check_name(regex: &Value, name: &str) {
    let regex = regex::Regex::new(regex.as_str().unwrap()).unwrap();
    assert!(regex.is_match(name), "{name} is not {regex}");
}

fn clock(vector: &Vector, key: &str) -> Clock {
    let millis = vector.field(key).as_i64().unwrap();
    Clock::fixed(
        jiff::Timestamp::from_millisecond(millis).unwrap().to_zoned(jiff::tz::TimeZone::UTC),
    )
}

/// Saves several outputs while the clock stands still.
pub(crate) fn names(profile: &str, vector: &Vector) {
    let profile = Profile::named(profile).unwrap();
    let fixture = Fixture::at(profile, None, clock(vector, "clock_ms"));
    let call = Call {
        tool: vector.text("tool"),
        id: vector.text("call_id"),
        session: vector.text("sessionId"),
        ..Call::default()
    };
    let outputs: Vec<String> = (0..vector.field("saves").as_u64().unwrap())
        .map(|n| format!("output {n}\n").repeat(60_000))
        .collect();
    for output in &outputs {
        fixture.overspill.process(output.as_bytes(), &call);
    }
    let expect = vector.expect();
    let mut saved = fixture.saved();
    assert_eq!(saved.len() as u64, expect.field("distinct").as_u64().unwrap());
    for (name, _) in &saved {
        check_name(expect.field("name_regex"), name);
    }
    let mut contents: Vec<String> = saved.drain(..).map(|(_, content)| content).collect();
    contents.sort();
    let mut outputs = outputs;
    outputs.sort();
    assert!(contents == outputs, "each output has a file of its own");
    expect.done();
}

/// Checks that expired files are removed and others stay.
pub(crate) fn sweep(profile: &str, vector: &Vector) {
    let profile = Profile::named(profile).unwrap();
    let days = vector.get("retention_days").map_or(7, |days| days.as_u64().unwrap() as u32);
    let profile = Profile { retention: Retention::days(days), ..profile };
    let fixture = Fixture::at(profile, None, clock(vector, "now"));
    for file in vector.field("files").as_array().unwrap() {
        fixture.plant(file[0].as_str().unwrap(), file[1].as_i64().unwrap());
    }
    let swept = fixture.overspill.sweep().unwrap();
    let expect = vector.expect();
    let planted = vector.field("files").as_array().unwrap().iter();
    let names = planted.map(|file| file[0].as_str().unwrap().to_owned());
    let remaining: BTreeSet<String> =
        names.filter(|name| fixture.root.join(name).exists()).collect();
    let expected = expect.field("remaining").as_array().unwrap().iter();
    let expected: BTreeSet<String> =
        expected.map(|name| name.as_str().unwrap().to_owned()).collect();
    assert_eq!(remaining, expected);
    assert_eq!(*expect.field("removed"), swept.removed);
    expect.done();
}

/// A user's store that saves the content and returns its own address.
#[derive(Debug)]
struct Elsewhere {
    inner: Arc<dyn Store>,
    path: String,
}

#[derive(Debug)]
struct ElsewhereDraft {
    inner: Box<dyn Draft>,
    path: String,
}

impl Draft for ElsewhereDraft {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.inner.append(bytes)
    }

    fn publish(self: Box<Self>) -> Result<SpillRef, Error> {
        let ElsewhereDraft { inner, path } = *self;
        inner.publish().map(|saved| SpillRef { path, ..saved })
    }
}

impl Store for Elsewhere {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        let inner = self.inner.create(call)?;
        Ok(Box::new(ElsewhereDraft { inner, path: self.path.clone() }))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.inner.read(name, range)
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        self.inner.entry(name)
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        self.inner.list()
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        self.inner.delete(name)
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        self.inner.touch(name)
    }
}
