//! Tests of the files that the store makes, reads and removes.

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use overspill::internal::store::{Catalog, Expiry, Lookup, NameStyle, Record};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::{DiskOptions, Entry, Store};
use overspill::{Error, Retention};

use super::*;

#[test]
fn planted_links_and_pipes_are_neither_followed_nor_touched() {
    let directory = tempfile::tempdir().unwrap();
    let secret = directory.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let store = disk(&directory, DiskOptions { names: FORESEEN, ..options() });
    let first = save(&store, b"ours");
    let path = |name: &str| store.path().join(name);
    symlink(&secret, path("out-2.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(path("out-3.txt")).status().unwrap().success());
    fs::create_dir(path("out-4.txt")).unwrap();
    symlink(directory.path().join("nowhere"), path("out-5.txt")).unwrap();

    let saved = save(&store, b"new");
    assert_eq!(saved.id.as_str(), "out-6", "a taken name is passed over, whatever took it");
    for planted in ["out-2", "out-3", "out-4", "out-5"].map(name) {
        let answers = [
            store.read(&planted, 0..9).map(drop),
            store.entry(&planted).map(drop),
            store.touch(&planted),
            store.delete(&planted),
            store.pin(&planted, true),
            store.describe(&planted, &Record::default()),
            store.line_start(&planted, 2).map(drop),
            store.check(&planted).map(drop),
        ];
        for answer in answers {
            assert!(matches!(answer, Err(Error::NotFound { .. })), "{planted}: {answer:?}");
        }
    }
    let listed: HashSet<_> = store.list().unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(listed, HashSet::from([first.id, saved.id]));
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    assert!(!directory.path().join("nowhere").exists());
    assert!(fs::symlink_metadata(path("out-2.txt")).unwrap().is_symlink());
}

/// On other systems a draft needs the hidden directory, so that nothing is saved at all.
#[cfg(target_os = "linux")]
#[test]
fn planted_hidden_directory_is_not_followed() {
    if cfg!(feature = "portable-unix") {
        let reason = "skipped: without files without a name, drafts need the hidden directory";
        // No macro is used, because the test harness captures its output.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{reason}\n").as_bytes());
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let elsewhere = directory.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let store = disk(&directory, options());
    fs::create_dir(store.path()).unwrap();
    set_mode(store.path(), 0o700);
    symlink(&elsewhere, store.path().join(".overspill")).unwrap();
    let saved = save(&store, b"x");
    assert_eq!(read(&store, &saved.id), b"x", "the output itself needs nothing hidden");
    assert!(store.describe(&saved.id, &Record::default()).is_err());
    assert!(store.pin(&saved.id, true).is_err());
    assert_eq!(store.record(&saved.id).unwrap(), None);
    assert!(store.entry(&saved.id).unwrap().pinned, "who cannot tell keeps it");
    assert_eq!(below(&elsewhere), [""; 0]);
}

#[test]
fn file_modes_do_not_depend_on_the_umask() {
    // The umask belongs to the whole process, so another process does the work.
    const INSIDE: &str = "OVERSPILL_TEST_UMASK";
    if let Some(path) = std::env::var_os(INSIDE) {
        for mask in [0o000, 0o022, 0o077, 0o277, 0o777] {
            rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
            let path = Path::new(&path).join(format!("{mask:03o}/store"));
            let store = Disk::new(&path, options());
            let saved = save(&store, b"x");
            store.describe(&saved.id, &Record::default()).unwrap();
            store.pin(&saved.id, true).unwrap();
            assert_eq!(read(&store, &saved.id), b"x");
            for part in below(path.parent().unwrap()) {
                let part = path.parent().unwrap().join(part);
                let expected = if part.is_dir() { 0o700 } else { 0o600 };
                assert_eq!(mode(&part), expected, "{} under {mask:03o}", part.display());
            }
        }
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "disk::files::file_modes_do_not_depend_on_the_umask", "--nocapture"])
        .env(INSIDE, directory.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn failed_write_names_the_path_and_leaves_nothing() {
    const INSIDE: &str = "OVERSPILL_TEST_FILE_LIMIT";
    if let Some(path) = std::env::var_os(INSIDE) {
        let store = Disk::new(&path, options());
        let mut draft = store.create(&overspill::Call::new("tool")).unwrap();
        match draft.append(&[b'x'; 100_000]) {
            Err(Error::Io { path: named, source }) => {
                assert_eq!((named, source.kind()), (path.into(), std::io::ErrorKind::FileTooLarge));
            }
            other => panic!("{other:?}"),
        }
        assert!(draft.append(b"more").is_err() || draft.publish().is_err());
        assert_eq!(store.list().unwrap(), []);
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    // Limit files to 8 blocks, and ignore the signal of a failed write.
    let done = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("disk::files::failed_write_names_the_path_and_leaves_nothing")
        .env(INSIDE, directory.path().join("store"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(files_below(&directory.path().join("store")), [""; 0]);
}

#[test]
fn dropped_draft_leaves_nothing_and_published_draft_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { records: false, ..options() });
    let mut draft = store.create(&overspill::Call::new("tool")).unwrap();
    draft.append(&[b'x'; 100_000]).unwrap();
    drop(draft);
    assert_eq!(files_below(store.path()), [""; 0]);
    let saved = save(&store, b"x");
    assert_eq!(files_below(store.path()), [format!("{}.txt", saved.id)]);
}

#[test]
fn deleted_output_leaves_no_record_or_pin() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, &b"line\n".repeat(50_000));
    store.describe(&saved.id, &Record::default()).unwrap();
    store.pin(&saved.id, true).unwrap();
    store.delete(&saved.id).unwrap();
    let files = below(store.path());
    assert!(!files.iter().any(|file| file.contains(saved.id.as_str())), "{files:?}");
}

#[test]
fn broken_record_is_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, b"x");
    let record = Record { exit: Some(1), ..Record::default() };
    store.describe(&saved.id, &record).unwrap();
    assert_eq!(store.record(&saved.id).unwrap(), Some(record));
    let path = store.path().join(format!(".overspill/records/{}.record", saved.id));
    for broken in ["", "{", "[]", "null", "{\"bytes\": -1}", "\0"] {
        fs::write(&path, broken.to_owned() + "\n").unwrap();
        let read = store.record(&saved.id).unwrap();
        assert!(read.is_none(), "{broken:?}: {read:?}");
    }
}

#[test]
fn torn_record_line_leaves_the_record_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, &b"line\n".repeat(50_000));
    let record = Record { exit: Some(1), ..Record::default() };
    store.describe(&saved.id, &record).unwrap();
    let path = store.path().join(format!(".overspill/records/{}.record", saved.id));
    let mut notes = fs::read(&path).unwrap();
    notes.extend(b"{\"exit\":2}");
    fs::write(&path, &notes).unwrap();
    assert_eq!(store.record(&saved.id).unwrap(), Some(record.clone()));
    let next = Record { exit: Some(3), ..record };
    store.describe(&saved.id, &next).unwrap();
    assert_eq!(store.record(&saved.id).unwrap(), Some(next));
    assert_eq!(store.check(&saved.id).unwrap(), overspill::internal::store::Integrity::Whole);
    assert_eq!(store.line_start(&saved.id, 2).unwrap(), Some(5));
}

#[test]
fn list_of_ten_thousand_entries_skips_foreign_files() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    save(&store, b"first");
    let old = std::time::SystemTime::now() - Duration::from_secs(30 * 24 * 3600);
    for number in 0..10_000 {
        let ours = store.path().join(format!("01ARZ3NDEKTSV4RRFFQ69{number:05}.txt"));
        File::create(ours).unwrap().set_modified(old).unwrap();
        if number % 10 == 0 {
            let foreign = store.path().join(format!("notes {number}.txt"));
            File::create(foreign).unwrap().set_modified(old).unwrap();
        }
    }
    let started = Instant::now();
    let listed = store.list().unwrap();
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(listed.len(), 10_001);
    assert!(listed.iter().all(|entry| !entry.name.as_str().contains("notes")));

    let swept =
        sweep(&store, &Retention::default(), SweepBudget::Whole, jiff::Timestamp::now()).unwrap();
    assert_eq!((swept.removed, swept.kept, swept.failed), (10_000, 1, 0));
    let left = fs::read_dir(store.path()).unwrap().count();
    assert_eq!(left, 1_000 + 1 + 1, "foreign files, ours, and the hidden directory");
}

#[test]
fn tidy_removes_files_of_interrupted_writers_after_a_day() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, &b"line\n".repeat(50_000));
    store.describe(&saved.id, &Record::default()).unwrap();
    let hidden = store.path().join(".overspill");
    let gone = NameStyle::OWN.name_of("01ARZ3NDEKTSV4RRFFQ6900000.txt").unwrap();
    let put = |file: String, hours: u64| {
        let at = std::time::SystemTime::now() - Duration::from_secs(hours * 3600);
        fs::create_dir_all(hidden.join("drafts")).unwrap();
        set_mode(hidden.join("drafts"), 0o700);
        File::create(hidden.join(&file)).unwrap().set_modified(at).unwrap();
        hidden.join(file)
    };
    let stale = [put("drafts/stale".into(), 25), put(format!("records/{gone}.record"), 25)];
    let fresh = [
        put("drafts/fresh".into(), 23),
        put("records/01ARZ3NDEKTSV4RRFFQ6900001.record".into(), 23),
        put("records/of-another-store.record".into(), 25),
    ];
    let notes = hidden.join(format!("records/{}.record", saved.id));
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(25 * 3600);
    File::open(notes).unwrap().set_modified(long_ago).unwrap();
    store.tidy().unwrap();
    assert!(stale.iter().all(|path| !path.exists()));
    assert!(fresh.iter().all(|path| path.exists()));
    assert_eq!(store.line_start(&saved.id, 2).unwrap(), Some(5));
}

#[test]
fn files_with_foreign_names_are_not_outputs() {
    for profile in overspill::Profile::ALL {
        let dir = tempfile::tempdir().unwrap();
        set_mode(dir.path(), 0o700);
        let store = Disk::new(dir.path(), DiskOptions { names: profile.names, ..options() });
        let saved = save(&store, b"ours");
        assert_eq!(read(&store, &saved.id), b"ours", "{}", profile.name);
        let foreign = name("notes");
        let path = store.file(&foreign);
        fs::write(&path, b"not ours").unwrap();
        let place = profile.name;
        assert!(store.read(&foreign, 0..9).is_err(), "{place} reads {}", path.display());
        assert!(store.open_file(&foreign).is_err(), "{place}");
        assert!(store.entry(&foreign).is_err(), "{place}");
        assert!(store.touch(&foreign).is_err(), "{place}");
        assert!(store.delete(&foreign).is_err(), "{place}");
        let expiry = store.expiry().unwrap();
        assert!(expiry.pin(&foreign, true).is_err(), "{place}");
        let metadata = fs::metadata(&path).unwrap();
        let used = jiff::Timestamp::try_from(metadata.modified().unwrap()).unwrap();
        let entry = Entry { name: foreign.clone(), bytes: 8, used, pinned: false };
        assert!(!matches!(expiry.expire(&[&entry])[0], Ok(true)), "{place}");
        assert_eq!(fs::read(&path).unwrap(), b"not ours", "{place}");
        assert_eq!(store.list().unwrap().len(), 1, "{place}");
    }
}
