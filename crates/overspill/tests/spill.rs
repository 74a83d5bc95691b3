//! What becomes of an output and of its copy.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::io::Write;
use std::path::Path;

use overspill::core::{Policy, Reach};
use overspill::store::Disk;
use overspill::{Outcome, Overspill, Spilled};

fn overspill(root: &Path) -> Overspill {
    let reach = Reach { files: true, ..Reach::default() };
    Overspill { policy: Policy::default(), store: Disk::at(root), reach }
}

fn long() -> Vec<u8> {
    (0..20_000).flat_map(|n| format!("line {n}\0\x1b[31m\r\n").into_bytes()).collect()
}

#[track_caller]
fn spilled(outcome: Outcome) -> Spilled {
    match outcome {
        Outcome::Spilled(spilled) => *spilled,
        Outcome::Whole(_) => panic!("it is too large"),
    }
}

#[test]
fn what_fits_comes_back_as_it_is_and_touches_no_disk() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    match overspill(&root).process(b"small\0\x1b[31m\xff") {
        Outcome::Whole(bytes) => assert_eq!(bytes, b"small\0\x1b[31m\xff"),
        Outcome::Spilled(spilled) => panic!("{}", spilled.text),
    }
    assert!(!root.exists());
}

#[test]
fn what_is_too_large_is_saved_byte_for_byte_and_alone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("deep/store");
    let spilled = spilled(overspill(&root).process(&long()));
    let saved = spilled.saved.unwrap();
    assert_eq!(fs::read(&saved.path).unwrap(), long());
    assert!(spilled.text.len() <= 51_200);
    assert!(spilled.text.contains(saved.path.to_str().unwrap()), "{}", spilled.text);
    assert_eq!(fs::read_dir(root.join("drafts")).unwrap().count(), 0);
}

#[test]
fn chunks_make_no_difference_to_the_copy() {
    let dir = tempfile::tempdir().unwrap();
    let overspill = overspill(dir.path().join("store").as_path());
    let mut spill = overspill.spill();
    for chunk in long().chunks(777) {
        spill.write_all(chunk).unwrap();
    }
    let spilled = spilled(spill.finish());
    assert_eq!(fs::read(spilled.saved.unwrap().path).unwrap(), long());
}

#[test]
fn a_spill_that_is_given_up_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    let overspill = overspill(&root);
    let mut spill = overspill.spill();
    spill.push(&long());
    drop(spill);
    assert_eq!(fs::read_dir(root.join("drafts")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
}

#[test]
fn a_store_that_is_a_file_costs_the_copy_but_not_the_preview() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    fs::write(&root, "taken").unwrap();
    let spilled = spilled(overspill(&root).process(&long()));
    assert!(spilled.saved.is_err());
    assert!(spilled.text.len() <= 51_200);
    assert!(spilled.text.contains("could not be saved"), "{}", &spilled.text[..300]);
    assert!(!spilled.text.contains("All of it"), "{}", &spilled.text[..300]);
    assert_eq!(fs::read(&root).unwrap(), b"taken");
}

#[cfg(unix)]
#[test]
fn the_copy_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    let saved = spilled(overspill(&root).process(&long())).saved.unwrap();
    assert_eq!((mode(&root), mode(&saved.path)), (0o700, 0o600));
}

#[cfg(unix)]
#[test]
fn a_store_that_is_open_to_others_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
    let spilled = spilled(overspill(&root).process(&long()));
    assert!(spilled.saved.is_err());
    assert!(spilled.text.contains("open to others (mode 755)"), "{}", &spilled.text[..300]);
}
