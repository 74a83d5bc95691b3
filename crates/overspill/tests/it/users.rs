//! Tests that another user of the same machine can neither read outputs nor redirect them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use overspill::internal::store::{Access, Catalog, Expiry, NamePart, NameStyle, Record};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::{Disk, DiskOptions, Durability, OutputId, Store};
use overspill::{Call, Error, Retention};

const OTHER: u32 = 65_534;
const NAMES: NameStyle = NameStyle { parts: &[NamePart::Text("out")], ..NameStyle::OWN };

/// Returns a directory that every user can enter, or prints why the test is skipped.
fn stage() -> Option<tempfile::TempDir> {
    if !rustix::process::geteuid().is_root() {
        let _ = writeln!(std::io::stderr(), "skipped: only root can act as another user");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    set_mode(directory.path(), 0o755);
    Some(directory)
}

fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Runs a shell command as another user.
fn other(line: &str, path: &Path) -> Output {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir("/").env("P", path).uid(OTHER).gid(OTHER);
    command.output().unwrap()
}

fn store(path: &Path, access: Access) -> Disk {
    let durability = Durability::None;
    let options =
        DiskOptions { names: NAMES, access, durability, keep_free: 0, ..DiskOptions::default() };
    Disk::new(path, options)
}

fn save(store: &Disk, bytes: &[u8]) -> OutputId {
    let mut draft = store.create(&Call::new("tool")).unwrap();
    draft.append(bytes).unwrap();
    draft.publish().unwrap().id
}

#[test]
fn store_is_unreadable_for_another_user() {
    let Some(stage) = stage() else { return };
    let store = store(&stage.path().join("store"), Access::Private);
    let name = save(&store, b"secret");
    for line in ["ls $P", "ls $P/.overspill", "cat $P/out.txt", "cat $P/*", "touch $P/x", "cd $P"] {
        let output = other(line, store.path());
        assert!(!output.status.success() && output.stdout.is_empty(), "{line}: {output:?}");
    }
    assert_eq!(store.read(&name, 0..9).unwrap(), b"secret");
}

/// Runs as another user: tries to use the store, and to make stores in a read-only directory.
#[test]
fn part_as_another_user() {
    let Some(path) = std::env::var_os("OVERSPILL_TEST_OTHER") else { return };
    let theirs = Path::new(&path).join("theirs");
    for access in [Access::Private, Access::Shared] {
        let store = store(&Path::new(&path).join("store"), access);
        assert!(matches!(
            store.create(&Call::default()),
            Err(Error::Unsafe { .. } | Error::Io { .. })
        ));
        let out = OutputId::parse("out").unwrap();
        assert!(store.read(&out, 0..9).is_err() && store.list().is_err());
        assert!(store.delete(&out).is_err());
    }
    fs::create_dir(theirs.join("read-only")).unwrap();
    set_mode(theirs.join("read-only"), 0o500);
    for place in ["read-only", "read-only/below"] {
        let path = theirs.join(place);
        match store(&path, Access::Private).create(&Call::default()) {
            Err(Error::Io { path: named, source }) => {
                assert_eq!((named, source.kind()), (path, std::io::ErrorKind::PermissionDenied));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn store_is_unusable_for_another_user_of_the_library() {
    let Some(stage) = stage() else { return };
    let name = save(&store(&stage.path().join("store"), Access::Private), b"secret");
    assert_eq!(name.as_str(), "out");
    // The other user must be able to run the program, no matter where it was built.
    let program = stage.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    set_mode(&program, 0o755);
    fs::create_dir(stage.path().join("theirs")).unwrap();
    chown(stage.path().join("theirs"), Some(OTHER), Some(OTHER)).unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", "users::part_as_another_user", "--nocapture"]);
    command.env("OVERSPILL_TEST_OTHER", stage.path()).current_dir("/").uid(OTHER).gid(OTHER);
    // Another test that starts a process at this moment holds the copy open for writing.
    let done = loop {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            done => break done.unwrap(),
        }
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn outputs_in_a_shared_directory_are_private() {
    let Some(stage) = stage() else { return };
    let path = stage.path().join("store");
    fs::create_dir(&path).unwrap();
    set_mode(&path, 0o755);
    let store = store(&path, Access::Shared);
    store.describe(&save(&store, b"secret"), &Record::default()).unwrap();
    for line in ["cat $P/out.txt", "ls $P/.overspill", "cat $P/.overspill/records/out.record"] {
        let output = other(line, &path);
        assert!(!output.status.success() && output.stdout.is_empty(), "{line}: {output:?}");
    }
}

#[test]
fn planted_store_in_a_public_directory_is_not_used() {
    let Some(stage) = stage() else { return };
    let public = stage.path().join("public");
    fs::create_dir(&public).unwrap();
    set_mode(&public, 0o1777);
    let ours = stage.path().join("ours");
    fs::create_dir(&ours).unwrap();
    set_mode(&ours, 0o700);
    fs::write(stage.path().join("file"), "ours").unwrap();
    for line in [
        "mkdir -m 700 $P/public/store",
        "mkdir -m 777 $P/public/store",
        "ln -s $P/ours $P/public/store",
        "ln -s $P/nowhere $P/public/store",
        "ln -s $P/file $P/public/store",
        "mkfifo $P/public/store",
    ] {
        let planted = other(line, stage.path());
        assert!(planted.status.success(), "{planted:?}");
        for access in [Access::Private, Access::Shared] {
            let store = store(&public.join("store"), access);
            let refused = store.create(&Call::default());
            assert!(matches!(refused, Err(Error::Unsafe { .. })), "{line}: {refused:?}");
            assert!(store.list().is_err() && store.tidy().is_err(), "{line}");
        }
        other("rm -r $P/public/store", stage.path());
    }
    assert_eq!(fs::read_dir(&ours).unwrap().count(), 0);
    assert!(!stage.path().join("nowhere").exists());
    assert_eq!(fs::read(stage.path().join("file")).unwrap(), b"ours");
}

/// On other systems a draft needs the hidden directory, so that nothing is saved at all.
#[cfg(target_os = "linux")]
#[test]
fn files_planted_by_a_group_member_are_ignored_and_kept() {
    if cfg!(feature = "portable-unix") {
        let reason = "skipped: without files without a name, drafts need the hidden directory";
        // No macro is used, because the test harness captures its output.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{reason}\n").as_bytes());
        return;
    }
    let Some(stage) = stage() else { return };
    let path = stage.path().join("store");
    fs::create_dir(&path).unwrap();
    chown(&path, None, Some(OTHER)).unwrap();
    set_mode(&path, 0o770);
    let secret = stage.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    set_mode(&secret, 0o600);
    for line in [
        "ln -s $P/secret $P/store/out.txt",
        "echo theirs > $P/store/out-2.txt && touch -d '2001-01-01' $P/store/out-2.txt",
        "mkfifo $P/store/out-3.txt",
        "mkdir -m 777 $P/store/.overspill && ln -s $P/secret $P/store/.overspill/swept",
    ] {
        let planted = other(line, stage.path());
        assert!(planted.status.success(), "{planted:?}");
    }
    let store = store(&path, Access::Shared);
    let name = save(&store, b"ours");
    assert_eq!(name.as_str(), "out-4");
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 1);
    for planted in ["out", "out-2", "out-3"].map(|name| OutputId::parse(name).unwrap()) {
        assert!(matches!(store.read(&planted, 0..9), Err(Error::NotFound { .. })));
        assert!(matches!(store.delete(&planted), Err(Error::NotFound { .. })));
        assert!(matches!(store.touch(&planted), Err(Error::NotFound { .. })));
    }
    assert!(store.describe(&name, &Record::default()).is_err(), "the hidden directory is not ours");
    let now = jiff::Timestamp::now();
    let swept = sweep(&store, &Retention::default(), SweepBudget::Whole, now).unwrap();
    assert_eq!((swept.removed, swept.kept), (0, 1));
    assert!(sweep(&store, &Retention::default(), SweepBudget::LITTLE, now).is_err());
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    assert_eq!(fs::symlink_metadata(path.join("out-2.txt")).unwrap().uid(), OTHER);
    assert_eq!(fs::symlink_metadata(path.join(".overspill")).unwrap().mode() & 0o777, 0o777);
}
