//! Tests with objects that version 0.1 left in a bucket. The program of commit 069ff12 wrote them.

use std::fs;
use std::path::Path;

use super::*;
use crate::store::{Integrity, Lookup};
use crate::sweep::{Retention, SweepBudget, sweep};

const FAILED: &str = "01M7P7ZYCZX8W7E8PK1NXFH310";
const WHOLE: &str = "01M7P7ZYFRKE9J0QXBFXHTJDYA";

/// Puts every file below a directory into the bucket, and returns their keys.
fn put_all(fleet: &Fleet, root: &Path, below: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for path in fs::read_dir(root.join(below)).unwrap().map(|entry| entry.unwrap().path()) {
        let key = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        match path.is_dir() {
            true => keys.extend(put_all(fleet, root, &key)),
            false => {
                fleet.put(&key, fs::read(&path).unwrap());
                keys.push(key);
            }
        }
    }
    keys
}

#[test]
fn objects_of_0_1_are_listed_checked_and_kept() {
    let fleet = Fleet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/0.1/bucket");
    let keys = put_all(&fleet, &root, "outputs");
    assert_eq!(keys.len(), 4);
    let before: Vec<Vec<u8>> = keys.iter().map(|key| fleet.get(key)).collect();
    let machine = fleet.machine();
    let listed: Vec<String> =
        machine.list().unwrap().iter().map(|it| it.name.to_string()).collect();
    for id in [FAILED, WHOLE] {
        assert!(listed.iter().any(|name| name == id), "{listed:?}");
        let name = OutputId::parse(id).unwrap();
        assert_eq!(machine.check(&name).unwrap(), Integrity::Whole);
    }
    let record = machine.record(&OutputId::parse(FAILED).unwrap()).unwrap().unwrap();
    assert_eq!((record.exit, record.lines), (Some(3), 41));
    let after: Vec<Vec<u8>> = keys.iter().map(|key| fleet.get(key)).collect();
    assert!(before == after);
}

#[test]
fn expired_objects_of_a_later_version_stay_through_gc() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/0.1/bucket");
    let layout = Layout::new("outputs", "all");
    let record = layout.note(&OutputId::parse(WHOLE).unwrap()).to_string();
    // A later version may also write other fields.
    for other_fields in [false, true] {
        let fleet = Fleet::new();
        let keys = put_all(&fleet, &root, "outputs");
        let text = String::from_utf8_lossy(&fleet.get(&record)).into_owned();
        let text = match other_fields {
            true => "{\"overspill\":9,\"at\":\"elsewhere\"}\n".into(),
            false => text.replacen("\"overspill\":1", "\"overspill\":9", 1),
        };
        assert!(text.contains("\"overspill\":9"));
        fleet.put(&record, text.clone());
        // The record of an output that a later version saves under another key.
        let elsewhere = record.replace(WHOLE, "01M7P7ZYFRKE9J0QXBFXHTJDYB");
        fleet.put(&elsewhere, text);
        let machine = fleet.machine_days_later(400);
        let retention = Retention::default();
        sweep(&machine, &retention, SweepBudget::Whole, jiff::Timestamp::now()).unwrap();
        for key in keys.iter().filter(|key| key.contains(WHOLE)).chain([&elsewhere]) {
            assert!(fleet.has(key), "{key} is gone");
        }
        for key in keys.iter().filter(|key| key.contains(FAILED)) {
            assert!(!fleet.has(key), "{key} has expired");
        }
    }
}
