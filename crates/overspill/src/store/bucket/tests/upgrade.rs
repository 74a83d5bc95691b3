//! Objects that version 0.1 left in a bucket. The program of commit 069ff12 wrote them.

use std::fs;
use std::path::Path;

use super::*;
use crate::store::{Integrity, Lookup};

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
