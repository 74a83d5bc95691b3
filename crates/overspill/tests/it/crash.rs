//! Tests of killed writers, and of many processes at the same time.
//!
//! The other processes are this program again: each runs one of the `part_…` tests, which do
//! nothing unless a variable names the store.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use overspill::internal::store::{Catalog, Expiry, Integrity, Lookup, NamePart, NameStyle};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::{Disk, DiskOptions, Durability, Kept, OutputId, Store};
use overspill::{Call, Retention};

const WHERE: &str = "OVERSPILL_TEST_STORE";
const CAP: u64 = 100_000;

/// Starts this program again, to run one of the `part_…` tests on `store`.
fn start(part: &str, store: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("crash::{part}"), "--nocapture", "--test-threads=1"])
        .env(WHERE, store)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the directory of the store, if this process is to run a part.
fn told() -> Option<PathBuf> {
    std::env::var_os(WHERE).map(PathBuf::from)
}

/// Prints that an output was saved, on its own line and with one write.
fn say(name: &OutputId, kept: Kept) {
    println!("\nsaved {name} {}", matches!(kept, Kept::Whole));
}

/// Waits until the process has printed the first id, and returns the text so far.
fn first_words(child: &mut Child) -> String {
    let mut words = Vec::new();
    let mut byte = [0];
    while !words.ends_with(b"saved ") && child.stdout.as_mut().unwrap().read(&mut byte).unwrap() > 0
    {
        words.extend(byte);
    }
    String::from_utf8(words).unwrap()
}

/// Returns the ids that the process prints until its end, and those in the text before.
fn said(child: &mut Child, mut text: String) -> Vec<OutputId> {
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    // The text after the last line feed may be half a line.
    let (lines, _) = text.rsplit_once('\n').unwrap_or_default();
    let names = lines.lines().filter_map(|line| line.strip_prefix("saved ")?.split_once(' '));
    names.map(|(name, _)| OutputId::parse(name).unwrap()).collect()
}

fn options() -> DiskOptions {
    DiskOptions {
        durability: Durability::None,
        keep_free: 0,
        most_per_output: CAP,
        ..DiskOptions::default()
    }
}

/// Returns an output whose first line has its seed and length. All other lines follow from them.
fn output(seed: u32, len: usize) -> Vec<u8> {
    let mut bytes = format!("{seed} {len}\n").into_bytes();
    let mut line = seed;
    while bytes.len() < len {
        line = line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.extend(format!("{line:x}\n").bytes());
    }
    bytes
}

/// Checks that the content of an output agrees with its first line.
fn verify(store: &Disk, name: &OutputId) -> (u32, usize) {
    let stored = store.read(name, 0..u64::MAX).unwrap();
    let text = String::from_utf8_lossy(&stored);
    let (head, _) = text.split_once('\n').unwrap_or_else(|| panic!("{name} is torn: {text:?}"));
    let (seed, len) = head.split_once(' ').unwrap();
    let (seed, len) = (seed.parse().unwrap(), len.parse().unwrap());
    let whole = output(seed, len);
    let half = (CAP / 2) as usize;
    let (expected, state) = if whole.len() as u64 <= CAP {
        (whole, Integrity::Whole)
    } else {
        // If the first part ends within a line, the store adds a line feed.
        let feed: &[u8] = if whole[half - 1] == b'\n' { b"" } else { b"\n" };
        ([&whole[..half], feed, &whole[whole.len() - half..]].concat(), Integrity::Partial)
    };
    assert!(stored == expected, "{name} is not what was written");
    assert_eq!(store.check(name).unwrap(), state, "{name}");
    (seed, len)
}

fn save(store: &Disk, seed: u32, len: usize) -> OutputId {
    let bytes = output(seed, len);
    let mut draft = store.create(&Call::new("tool")).unwrap();
    bytes.chunks(10_000).for_each(|chunk| draft.append(chunk).unwrap());
    let saved = draft.publish().unwrap();
    say(&saved.id, saved.kept);
    saved.id
}

fn listed(store: &Disk) -> Vec<OutputId> {
    store.list().unwrap().into_iter().map(|entry| entry.name).collect()
}

fn distinct(names: &[OutputId]) -> usize {
    names.iter().collect::<HashSet<_>>().len()
}

#[test]
fn part_write_until_killed() {
    let Some(path) = told() else { return };
    let store = Disk::new(path, options());
    for number in 0.. {
        // Every fourth output is over the cap.
        let len = if number % 4 == 0 { 150_000 } else { number as usize * 977 % 90_000 };
        save(&store, std::process::id() ^ number, len);
    }
}

#[test]
fn killed_writer_leaves_whole_entries_or_none() {
    if told().is_some() {
        return;
    }
    let mut random = 2_463_534_242_u32;
    let (mut entries, mut acknowledged) = (0, 0);
    for _ in 0..20 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let store = Disk::new(&path, options());
        let mut known = Vec::new();
        for number in 0..10 {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            let mut child = start("part_write_until_killed", &path);
            // Half of the writers are killed while they write, even on a slow machine.
            let words = if number % 2 == 0 { first_words(&mut child) } else { String::new() };
            thread::sleep(Duration::from_micros(u64::from(random) % 12_000));
            child.kill().unwrap();
            child.wait().unwrap();
            known.extend(said(&mut child, words));
        }
        let listed = listed(&store);
        for name in &listed {
            verify(&store, name);
        }
        let there: HashSet<&OutputId> = listed.iter().collect();
        assert!(
            known.iter().all(|name| there.contains(name)),
            "what was said to be saved is there"
        );
        let visible = std::fs::read_dir(&path).map_or(0, |entries| {
            entries.filter(|entry| entry.as_ref().unwrap().file_type().unwrap().is_file()).count()
        });
        assert_eq!(visible, listed.len(), "nothing else is to be seen");
        entries += listed.len();
        acknowledged += known.len();
    }
    println!("200 kills: {entries} entries, {acknowledged} of them were said to be saved");
    assert!(acknowledged >= 50, "the writers came to write: {acknowledged}");
}

const THREADS: u32 = 8;
const EACH: u32 = 20;

#[test]
fn part_do_everything_at_once() {
    let Some(path) = told() else { return };
    let store = Disk::new(path, options());
    let retention = Retention {
        unused_for: Some(SignedDuration::from_hours(24)),
        quota: Some(1_000),
        ..Retention::default()
    };
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                for number in 0..EACH {
                    let seed = std::process::id() * 1_000 + thread * EACH + number;
                    let name = save(store, seed, (number as usize * 7_001) % 120_000);
                    assert_eq!(verify(store, &name).0, seed);
                    match number % 5 {
                        0 => {
                            let listed = listed(store);
                            assert_eq!(distinct(&listed), listed.len(), "listed twice");
                            assert!(listed.contains(&name));
                        }
                        1 => {
                            sweep(store, &retention, SweepBudget::Whole, Timestamp::now()).unwrap();
                        }
                        2 => drop(
                            sweep(store, &retention, SweepBudget::LITTLE, Timestamp::now())
                                .unwrap(),
                        ),
                        3 => store.touch(&name).unwrap(),
                        _ => store.pin(&name, true).unwrap(),
                    }
                }
            });
        }
    });
}

#[test]
fn parallel_processes_and_threads_lose_and_mix_nothing() {
    if told().is_some() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = Disk::new(&path, options());
    let old: Vec<OutputId> = (0..300).map(|number| save(&store, number, 100)).collect();
    for name in &old {
        let file = std::fs::File::open(store.file(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3 * 86_400)).unwrap();
    }
    let mut children: Vec<Child> =
        (0..8).map(|_| start("part_do_everything_at_once", &path)).collect();
    let mut saved = Vec::new();
    for child in &mut children {
        saved.extend(said(child, String::new()));
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(saved.len() as u32, 8 * THREADS * EACH);
    let listed = listed(&store);
    assert_eq!(distinct(&listed), listed.len());
    assert_eq!(listed.iter().collect::<HashSet<_>>(), saved.iter().collect(), "no more, no less");
    let seeds: HashSet<u32> = listed.iter().map(|name| verify(&store, name).0).collect();
    assert_eq!(seeds.len(), saved.len(), "each of them once");
    assert!(old.iter().all(|name| store.expired(name).unwrap().is_some()));
}

/// A style of names without a random part, so that all writers want the same name.
const SAME: NameStyle = NameStyle { parts: &[NamePart::Text("same")], ..NameStyle::OWN };
const ROUNDS: u32 = 60;

#[test]
fn part_want_the_same_name() {
    let Some(path) = told() else { return };
    let store = Disk::new(path, DiskOptions { names: SAME, ..options() });
    for round in 0..ROUNDS {
        let seed = std::process::id() * 1_000 + round;
        assert_eq!(verify(&store, &save(&store, seed, 500)).0, seed);
    }
}

#[test]
fn parallel_processes_get_different_names() {
    if told().is_some() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut children: Vec<Child> =
        (0..2).map(|_| start("part_want_the_same_name", &path)).collect();
    let mut saved = Vec::new();
    for child in &mut children {
        saved.extend(said(child, String::new()));
        assert!(child.wait().unwrap().success());
    }
    let store = Disk::new(&path, DiskOptions { names: SAME, ..options() });
    let seeds: HashMap<u32, &OutputId> =
        saved.iter().map(|name| (verify(&store, name).0, name)).collect();
    assert_eq!((seeds.len() as u32, distinct(&saved)), (2 * ROUNDS, saved.len()));
    let numbers: HashSet<String> = listed(&store).iter().map(OutputId::to_string).collect();
    let expected = (1..=2 * ROUNDS)
        .map(|number| if number == 1 { "same".into() } else { format!("same-{number}") });
    assert_eq!(numbers, expected.collect(), "no number is left out");
}
