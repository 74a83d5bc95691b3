//! Tests of the detection of damaged outputs and seals.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

use overspill::internal::store::{Integrity, Lookup};

use super::*;

#[test]
fn torn_output_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let bytes = b"some line\n".repeat(20_000);
    let tear: [(_, fn(&fs::File)); 4] = [
        ("shorter", |file| file.set_len(1_000).unwrap()),
        ("empty", |file| file.set_len(0).unwrap()),
        ("longer", |file| file.set_len(300_000).unwrap()),
        ("zeroed", |file| file.write_all_at(&[0; 4096], 8192).unwrap()),
    ];
    for (how, tear) in tear {
        let saved = save(&store, &bytes);
        assert_eq!(store.check(&saved.id).unwrap(), Integrity::Whole);
        tear(&OpenOptions::new().write(true).open(&saved.path).unwrap());
        assert_eq!(store.check(&saved.id).unwrap(), Integrity::Damaged, "{how}");
    }
}

#[test]
fn torn_seal_is_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, &b"some line\n".repeat(20_000));
    let path = store.path().join(format!(".overspill/records/{}.record", saved.id));
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[20] ^= 1;
    for torn in [&whole[..0], &whole[..7], &whole[..48], &whole[..whole.len() - 8], &flipped] {
        fs::write(&path, torn).unwrap();
        assert_eq!(store.check(&saved.id).unwrap(), Integrity::Unknown);
        assert_eq!(store.line_start(&saved.id, 2).unwrap(), None);
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(store.check(&saved.id).unwrap(), Integrity::Whole);
    assert_eq!(store.line_start(&saved.id, 2).unwrap(), Some(10));
}
