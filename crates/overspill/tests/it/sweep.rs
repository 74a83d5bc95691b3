//! Tests of the outputs that a sweep removes and keeps.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use overspill::internal::store::{Expiry, NameStyle};
use overspill::internal::sweep::{SweepBudget, expired, sweep};
use overspill::store::{Disk, DiskOptions, Durability, Entry, Memory, OutputId, Store};
use overspill::{Call, Clock, Retention, Swept};
use proptest::prelude::*;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// A time on 2026-01-13, in seconds since 1970.
const NOW: i64 = 1_768_318_245;

fn entry(name: &str, bytes: u64, used: i64) -> Entry {
    let used = Timestamp::from_second(used).unwrap();
    Entry { name: OutputId::parse(name).unwrap(), bytes, used, pinned: false }
}

fn names(entries: &[Entry], retention: &Retention, now: i64) -> Vec<String> {
    let expired = expired(entries, retention, Timestamp::from_second(now).unwrap());
    expired.iter().map(|entry| entry.name.to_string()).collect()
}

fn week() -> Retention {
    Retention { quota: None, ..Retention::default() }
}

#[test]
fn outputs_older_than_the_retention_expire() {
    let entries = [
        entry("older", 1, NOW - 7 * DAY - 1),
        entry("exactly", 1, NOW - 7 * DAY),
        entry("younger", 1, NOW - 7 * DAY + 1),
        entry("future", 1, NOW + 1),
        Entry { pinned: true, ..entry("pinned", 1, NOW - 70 * DAY) },
    ];
    assert_eq!(names(&entries, &week(), NOW), ["older"]);
    let nothing = Retention { unused_for: None, ..week() };
    assert_eq!(names(&entries, &nothing, NOW), [""; 0]);
}

#[test]
fn quota_removes_oldest_outputs_first_and_keeps_young_ones() {
    let entries = [
        entry("b", 40, NOW - 3 * DAY),
        entry("young", 40, NOW - HOUR + 1),
        entry("a", 40, NOW - 4 * DAY),
        entry("an_hour", 40, NOW - HOUR),
        Entry { pinned: true, ..entry("pinned", 40, NOW - 5 * DAY) },
        entry("future", 40, NOW + DAY),
    ];
    let quota = |quota| Retention { quota: Some(quota), ..Retention::default() };
    assert_eq!(names(&entries, &quota(240), NOW), [""; 0]);
    assert_eq!(names(&entries, &quota(239), NOW), ["a"]);
    assert_eq!(names(&entries, &quota(160), NOW), ["a", "b"]);
    assert_eq!(names(&entries, &quota(0), NOW), ["a", "b", "an_hour"]);
    let none_spared = Retention { spare_younger_than: SignedDuration::ZERO, ..quota(0) };
    assert_eq!(names(&entries, &none_spared, NOW), ["a", "b", "an_hour", "young"]);
}

#[test]
fn expired_output_does_not_count_towards_the_quota() {
    let entries = [entry("old", 100, NOW - 8 * DAY), entry("new", 100, NOW - DAY)];
    let quota = Retention { quota: Some(100), ..Retention::default() };
    assert_eq!(names(&entries, &quota, NOW), ["old"]);
}

#[test]
fn wrong_clock_keeps_outputs_of_unknown_age() {
    let entries = [entry("old", 1, NOW - 8 * DAY), entry("new", 1, NOW)];
    let strict = Retention { quota: Some(0), ..Retention::default() };
    assert_eq!(names(&entries, &strict, -1), [""; 0], "before 1970");
    assert_eq!(names(&entries, &strict, NOW - 365 * DAY), [""; 0], "a year back");
    assert_eq!(names(&entries, &week(), NOW + 3650 * DAY), ["old", "new"], "ten years on");
    let pinned = entries.map(|entry| Entry { pinned: true, ..entry });
    assert_eq!(names(&pinned, &strict, NOW + 3650 * DAY), [""; 0], "ten years on, pinned");
    let ends = [Timestamp::MIN, Timestamp::MAX].map(|used| Entry { used, ..pinned[0].clone() });
    for now in [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
        assert_eq!(expired(&ends, &strict, now).len(), 0, "the ends of time");
    }
}

/// A clock that a test can set.
#[derive(Clone)]
struct Hands(Arc<Mutex<i64>>);

impl Hands {
    fn at(seconds: i64) -> Hands {
        Hands(Arc::new(Mutex::new(seconds)))
    }

    fn set(&self, seconds: i64) {
        *self.0.lock().unwrap() = seconds;
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(*self.0.lock().unwrap()).unwrap()
    }

    fn clock(&self) -> Clock {
        let hands = self.clone();
        Clock::from_fn(move || hands.now().to_zoned(TimeZone::UTC))
    }
}

fn disk(directory: &tempfile::TempDir, hands: &Hands) -> Disk {
    let options = DiskOptions {
        durability: Durability::None,
        keep_free: 0,
        clock: hands.clock(),
        ..DiskOptions::default()
    };
    Disk::new(directory.path().join("store"), options)
}

fn save(store: &dyn Store, bytes: usize) -> OutputId {
    let mut draft = store.create(&Call::new("tool")).unwrap();
    draft.append(&vec![b'x'; bytes]).unwrap();
    draft.publish().unwrap().id
}

#[test]
fn short_sweep_runs_at_most_once_an_hour() {
    let directory = tempfile::tempdir().unwrap();
    let hands = Hands::at(NOW);
    let [store, other] = [disk(&directory, &hands), disk(&directory, &hands)];
    (0..100).for_each(|_| drop(save(&store, 10)));
    let generous = SweepBudget::Little { removals: 64, time: Duration::from_secs(10) };
    let swept = |store: &Disk, at: i64| {
        hands.set(at);
        let swept = sweep(store, &week(), generous, hands.now()).unwrap();
        (swept.removed, swept.left)
    };
    let later = NOW + 8 * DAY;
    assert_eq!(swept(&store, later), (64, 36));
    assert_eq!(swept(&other, later + HOUR - 1), (0, 0), "another one has just done it");
    assert_eq!(swept(&other, later + HOUR), (36, 0));
    (0..10).for_each(|_| drop(save(&store, 10)));
    assert_eq!(swept(&store, NOW - 365 * DAY), (0, 0), "a year back nothing is old");
    assert_eq!(swept(&store, later + 9 * DAY), (10, 0), "and the stamp of then stops nobody");
}

#[test]
fn short_sweeps_see_every_output() {
    let directory = tempfile::tempdir().unwrap();
    let hands = Hands::at(NOW);
    let store = disk(&directory, &hands);
    (0..1_000).for_each(|_| drop(save(&store, 1)));
    let mut seen: Vec<OutputId> = Vec::new();
    let mut looks = 0;
    while seen.len() < 1_000 {
        hands.set(NOW + looks * HOUR);
        let entries = store.due(Duration::from_secs(3600), Duration::ZERO).unwrap().unwrap();
        assert!(!entries.is_empty() && entries.len() < 500, "a part of them each time");
        seen.extend(entries.into_iter().map(|entry| entry.name));
        looks += 1;
    }
    let mut all: Vec<OutputId> =
        store.list().unwrap().into_iter().map(|entry| entry.name).collect();
    all.sort();
    seen.sort();
    assert_eq!(seen, all, "each of them once");
}

#[test]
fn output_used_since_it_was_listed_stays() {
    let directory = tempfile::tempdir().unwrap();
    let hands = Hands::at(NOW);
    let store = disk(&directory, &hands);
    let name = save(&store, 10);
    let seen = store.entry(&name).unwrap();
    hands.set(NOW + 8 * DAY);
    store.touch(&name).unwrap();
    assert!(!store.expire(&[&seen]).remove(0).unwrap());
    assert_eq!(store.list().unwrap().len(), 1);
}

#[test]
fn sweep_continues_after_an_output_that_cannot_be_removed() {
    /// A store that refuses to remove outputs whose names begin in the first half of the alphabet.
    #[derive(Debug)]
    struct Stubborn(Memory, Mutex<u32>);
    impl Store for Stubborn {
        fn create(
            &self,
            call: &Call,
        ) -> Result<Box<dyn overspill::store::Draft>, overspill::Error> {
            self.0.create(call)
        }
        fn read(
            &self,
            name: &OutputId,
            range: std::ops::Range<u64>,
        ) -> Result<Vec<u8>, overspill::Error> {
            self.0.read(name, range)
        }
        fn entry(&self, name: &OutputId) -> Result<Entry, overspill::Error> {
            self.0.entry(name)
        }
        fn list(&self) -> Result<Vec<Entry>, overspill::Error> {
            self.0.list()
        }
        fn delete(&self, name: &OutputId) -> Result<(), overspill::Error> {
            let mut asked = self.1.lock().unwrap();
            *asked += 1;
            if *asked % 2 == 1 {
                return Err(overspill::Error::Other("no".into()));
            }
            self.0.delete(name)
        }
        fn touch(&self, name: &OutputId) -> Result<(), overspill::Error> {
            self.0.touch(name)
        }
    }
    let hands = Hands::at(NOW);
    let store = Stubborn(Memory::new(NameStyle::OWN, hands.clock()), Mutex::default());
    (0..10).for_each(|_| drop(save(&store, 10)));
    hands.set(NOW + 8 * DAY);
    let swept = sweep(&store, &week(), SweepBudget::Whole, hands.now()).unwrap();
    assert_eq!(swept, Swept { removed: 5, bytes: 50, kept: 5, failed: 5, left: 0 });
}

#[derive(Debug, Clone)]
enum Step {
    Save(usize),
    Touch(prop::sample::Index),
    Pin(prop::sample::Index, bool),
    Delete(prop::sample::Index),
    Wait(i64),
    SetClock(i64),
    Sweep(Retention, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    let duration = prop_oneof![Just(0), 0..2 * HOUR, 0..10 * DAY];
    let retention = (prop::option::of(0..8 * DAY), prop::option::of(0_u64..5_000), 0..2 * HOUR)
        .prop_map(|(unused_for, quota, spare)| Retention {
            unused_for: unused_for.map(SignedDuration::from_secs),
            quota,
            spare_younger_than: SignedDuration::from_secs(spare),
        });
    prop_oneof![
        4 => (0_usize..1_000).prop_map(Step::Save),
        2 => index().prop_map(Step::Touch),
        1 => (index(), any::<bool>()).prop_map(|(index, pinned)| Step::Pin(index, pinned)),
        1 => index().prop_map(Step::Delete),
        4 => duration.prop_map(Step::Wait),
        1 => prop_oneof![Just(-DAY), Just(NOW - 365 * DAY), Just(NOW), Just(NOW + 3650 * DAY)]
            .prop_map(Step::SetClock),
        3 => (retention, any::<bool>()).prop_map(|(retention, whole)| Step::Sweep(retention, whole)),
    ]
}

/// Runs a schedule and checks each sweep against the known state of every output.
fn run(store: &dyn Store, hands: &Hands, steps: &[Step]) {
    let mut now = NOW;
    let mut known: Vec<Entry> = Vec::new();
    for step in steps {
        let pick = |index: &prop::sample::Index, known: &[Entry]| {
            (!known.is_empty()).then(|| index.index(known.len()))
        };
        match step {
            Step::Save(bytes) => {
                let name = save(store, *bytes);
                known.push(Entry { name, bytes: *bytes as u64, used: hands.now(), pinned: false });
            }
            Step::Touch(index) => {
                let Some(at) = pick(index, &known) else { continue };
                store.touch(&known[at].name).unwrap();
                known[at].used = hands.now();
            }
            Step::Pin(index, pinned) => {
                let Some(at) = pick(index, &known) else { continue };
                store.pin(&known[at].name, *pinned).unwrap();
                known[at].pinned = *pinned;
            }
            Step::Delete(index) => {
                let Some(at) = pick(index, &known) else { continue };
                store.delete(&known.swap_remove(at).name).unwrap();
            }
            Step::Wait(seconds) => now += seconds,
            Step::SetClock(at) => now = *at,
            Step::Sweep(retention, whole) => {
                let budget = if *whole { SweepBudget::Whole } else { SweepBudget::LITTLE };
                let swept = sweep(store, retention, budget, hands.now()).unwrap();
                let left = store.list().unwrap();
                let gone: Vec<Entry> =
                    known.iter().filter(|entry| !left.contains(entry)).cloned().collect();
                assert_eq!(gone.len() as u64, swept.removed);
                for entry in &gone {
                    let age = hands.now().duration_since(entry.used);
                    assert!(!entry.pinned, "pinned: {entry:?}");
                    assert!(age >= retention.spare_younger_than && !age.is_negative(), "{entry:?}");
                    assert!(hands.now() >= Timestamp::UNIX_EPOCH);
                    assert!(
                        retention.unused_for.is_some_and(|longest| age > longest)
                            || retention.quota.is_some(),
                        "nothing asked for it: {entry:?}"
                    );
                }
                known.retain(|entry| left.contains(entry));
                assert_eq!(known.len(), left.len());
                let again = expired(&left, retention, hands.now());
                assert!(!*whole || again.is_empty(), "a whole sweep leaves nothing to sweep");
            }
        }
        hands.set(now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sweeps_keep_young_pinned_and_used_outputs_in_any_schedule(
        steps in prop::collection::vec(step(), 1..60)
    ) {
        let hands = Hands::at(NOW);
        run(&Memory::new(NameStyle::OWN, hands.clock()), &hands, &steps);
    }

    #[test]
    fn sweeps_keep_foreign_files_in_any_schedule(steps in prop::collection::vec(step(), 1..30)) {
        let directory = tempfile::tempdir().unwrap();
        let hands = Hands::at(NOW);
        let store = disk(&directory, &hands);
        save(&store, 1);
        let foreign = ["notes.txt", "01ARZ3NDEKTSV4RRFFQ69G5FAV.md", "01ARZ3NDEKTSV4RRFFQ69G5FAVX.txt"]
            .map(|file| store.path().join(file));
        for path in &foreign {
            let file = std::fs::File::create(path).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
        }
        store.delete(&store.list().unwrap()[0].name).unwrap();
        run(&store, &hands, &steps);
        prop_assert!(foreign.iter().all(|path| path.exists()));
    }

    #[test]
    fn sweep_decision_agrees_with_its_definition(
        ages in prop::collection::vec((-DAY..10 * DAY, 0_u64..100, any::<bool>()), 0..40),
        quota in prop::option::of(0_u64..2_000),
    ) {
        let entries: Vec<Entry> = ages
            .iter()
            .enumerate()
            .map(|(number, (age, bytes, pinned))| Entry {
                pinned: *pinned,
                ..entry(&format!("{number:03}"), *bytes, NOW - age)
            })
            .collect();
        let retention = Retention { quota, ..Retention::default() };
        let now = Timestamp::from_second(NOW).unwrap();
        let gone = expired(&entries, &retention, now);
        let stays = |entry: &&Entry| !gone.contains(entry);
        let bytes: u64 = entries.iter().filter(stays).map(|entry| entry.bytes).sum();
        let movable = |entry: &&Entry| !entry.pinned && entry.used <= now - SignedDuration::from_hours(1);
        let youngest_gone = gone.iter().map(|entry| entry.used).max();
        for entry in entries.iter().filter(stays).filter(movable) {
            prop_assert!(entry.used >= now - SignedDuration::from_hours(7 * 24));
            prop_assert!(quota.is_none_or(|quota| bytes <= quota), "{:?} could go", entry);
            prop_assert!(youngest_gone.is_none_or(|youngest| youngest <= entry.used));
        }
        prop_assert!(gone.iter().all(movable));
    }
}
