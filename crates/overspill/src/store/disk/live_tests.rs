//! Tests of outputs that are read while they are written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Disk, DiskOptions, Durability};
use crate::Call;
use crate::store::{Catalog, Draft, Expiry, Kept, Lookup, Store};

fn store(directory: &tempfile::TempDir, most: u64, is_nameless: bool) -> Disk {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    let options = DiskOptions {
        durability: Durability::None,
        keep_free: 0,
        most_per_output: most,
        ..DiskOptions::default()
    };
    let disk = Disk::new(directory.path().join(name), options);
    if !is_nameless {
        disk.make_root().unwrap().give_up_nameless();
    }
    disk
}

fn live(disk: &Disk) -> (Box<dyn Draft>, crate::store::OutputId) {
    let mut draft = disk.create(&Call::new("tool")).unwrap();
    draft.append(b"one\n").unwrap();
    let id = draft.go_live().unwrap().id;
    (draft, id)
}

#[test]
fn live_output_is_readable_and_its_record_is_running() {
    let directory = tempfile::tempdir().unwrap();
    for is_nameless in [true, false] {
        let disk = store(&directory, u64::MAX, is_nameless);
        let (mut draft, id) = live(&disk);
        assert_eq!(draft.go_live().unwrap().id, id);
        draft.append(b"two\n").unwrap();
        assert_eq!(disk.read(&id, 0..100).unwrap(), b"one\ntwo\n");
        // The lock belongs to the open file, so this process sees it as another process would.
        assert!(disk.record(&id).unwrap().unwrap().running);
        let entry = disk.entry(&id).unwrap();
        assert!(matches!(disk.expire(&[&entry])[..], [Ok(false)]));
        let saved = draft.publish().unwrap();
        assert_eq!((saved.id, saved.kept), (id.clone(), Kept::Whole));
        let record = disk.record(&id).unwrap().unwrap();
        assert_eq!((record.running, record.cut_short), (false, false));
        assert_eq!(disk.check(&id).unwrap(), crate::store::Integrity::Whole);
        assert_eq!(disk.list().unwrap().len(), 1);
    }
}

#[test]
fn dropped_live_output_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let disk = store(&directory, u64::MAX, true);
    let (draft, id) = live(&disk);
    drop(draft);
    assert!(disk.list().unwrap().is_empty() && disk.entry(&id).is_err());
    let records = disk.path().join(".overspill/records");
    assert_eq!(records.read_dir().unwrap().count(), 0);
}

#[test]
fn live_output_over_the_cap_is_published_like_any_other() {
    let directory = tempfile::tempdir().unwrap();
    let text: String = (0..500).map(|n| format!("line {n}\n")).collect();
    for chunk in [7, 64, 1000, 9000] {
        let plain = store(&directory, 1000, true);
        let mut draft = plain.create(&Call::new("tool")).unwrap();
        text.as_bytes().chunks(chunk).for_each(|chunk| draft.append(chunk).unwrap());
        let expected = draft.publish().unwrap();
        let disk = store(&directory, 1000, true);
        let mut draft = disk.create(&Call::new("tool")).unwrap();
        let id = draft.go_live().unwrap().id;
        text.as_bytes().chunks(chunk).for_each(|chunk| draft.append(chunk).unwrap());
        assert_eq!(disk.read(&id, 0..5000).unwrap(), &text.as_bytes()[..500]);
        let saved = draft.publish().unwrap();
        assert_eq!((saved.kept, &saved.id), (expected.kept, &id));
        let all = |disk: &Disk, id| disk.read(id, 0..5000).unwrap();
        assert_eq!(all(&disk, &id), all(&plain, &expected.id));
        assert_eq!(disk.kept_ranges(&id).unwrap(), plain.kept_ranges(&expected.id).unwrap());
        assert_eq!(disk.check(&id).unwrap(), crate::store::Integrity::Partial);
        assert_eq!(disk.list().unwrap().len(), 1);
    }
}

#[test]
fn removed_live_output_is_an_error_when_published() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Arc::new(store(&directory, u64::MAX, true));
    let (draft, id) = live(&disk);
    disk.delete(&id).unwrap();
    let error = draft.publish().unwrap_err().to_string();
    assert!(error.contains("it was removed while it was written"), "{error}");
    assert!(disk.list().unwrap().is_empty());
}
