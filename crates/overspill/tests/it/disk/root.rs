//! Tests of the directories that a store uses or refuses.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{chown, symlink};
use std::process::Command;

use overspill::internal::store::{Access, Expiry, PathStyle};
use overspill::store::{Disk, DiskOptions, Store};
use overspill::{Call, Error};

use super::*;

/// Checks that nothing is saved in or read from a directory that may not be used.
fn refuses(path: &Path, access: Access, reason: &str) {
    let before = fs::symlink_metadata(path).unwrap().permissions();
    let store = Disk::new(path, DiskOptions { access, ..options() });
    let answers = [
        store.create(&Call::new("tool")).map(drop),
        store.list().map(drop),
        store.read(&name("x"), 0..1).map(drop),
        store.delete(&name("x")),
    ];
    for answer in answers {
        match answer {
            Err(Error::Unsafe { path: named, reason: said }) => {
                assert_eq!(named, path);
                assert!(said.contains(reason), "{said}");
            }
            other => panic!("{}: {other:?}", path.display()),
        }
    }
    assert_eq!(fs::symlink_metadata(path).unwrap().permissions(), before);
}

#[test]
fn missing_directory_is_made_private_with_its_parents() {
    let directory = tempfile::tempdir().unwrap();
    let store = Disk::new(directory.path().join("a/b/c/"), options());
    assert_eq!(store.list().unwrap(), []);
    assert!(!directory.path().join("a").exists(), "looking makes nothing");
    let saved = save(&store, b"x");
    for part in ["a", "a/b", "a/b/c", "a/b/c/.overspill", "a/b/c/.overspill/records"] {
        assert_eq!(mode(directory.path().join(part)), 0o700, "{part}");
    }
    assert_eq!(mode(&saved.path), 0o600);
}

#[test]
fn path_that_is_not_a_directory_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("file"), "mine").unwrap();
    refuses(&path("file"), Access::Shared, "not a directory");
    assert_eq!(fs::read(path("file")).unwrap(), b"mine");

    fs::create_dir(path("real")).unwrap();
    set_mode(path("real"), 0o700);
    symlink(path("real"), path("link")).unwrap();
    refuses(&path("link"), Access::Shared, "link");
    assert!(matches!(
        Disk::new(path("link/"), options()).create(&Call::default()),
        Err(Error::Unsafe { .. })
    ));
    symlink(path("nowhere"), path("dangling")).unwrap();
    refuses(&path("dangling"), Access::Shared, "link");
    assert!(!path("nowhere").exists());

    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    refuses(&path("pipe"), Access::Private, "not a directory");
    assert_eq!(below(&path("real")), [""; 0]);

    let below_file = Disk::new(path("file/store"), options());
    assert!(matches!(
        below_file.create(&Call::default()),
        Err(Error::Io { .. } | Error::Unsafe { .. })
    ));
}

#[test]
fn open_directory_is_refused_unless_access_is_shared() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    fs::create_dir(&path).unwrap();
    for open in [0o755, 0o750, 0o770, 0o701, 0o720, 0o777] {
        set_mode(&path, open);
        refuses(&path, Access::Private, &format!("{open:04o}"));
    }
    refuses(&path, Access::Shared, "all users can write");

    set_mode(&path, 0o775);
    let store = Disk::new(&path, DiskOptions { access: Access::Shared, ..options() });
    let saved = save(&store, b"x");
    assert_eq!((mode(&path), mode(&saved.path)), (0o775, 0o600), "only what is ours is private");
    assert_eq!(mode(path.join(".overspill")), 0o700);
}

#[test]
fn directory_of_another_user_is_refused() {
    if !is_root() {
        let _ =
            writeln!(std::io::stderr(), "skipped: only root can give a directory to another user");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    fs::create_dir(&path).unwrap();
    set_mode(&path, 0o700);
    chown(&path, Some(65534), Some(65534)).unwrap();
    refuses(&path, Access::Private, "another user (65534)");
    refuses(&path, Access::Shared, "another user (65534)");
}

#[test]
fn directory_that_becomes_open_to_others_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let saved = save(&store, b"x");
    set_mode(store.path(), 0o777);
    refuses(store.path(), Access::Private, "0777");
    assert!(matches!(store.read(&saved.id, 0..1), Err(Error::Unsafe { .. })));
    set_mode(store.path(), 0o700);
    assert_eq!(read(&store, &saved.id), b"x");
}

#[test]
fn removed_directory_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let first = save(&store, b"x");
    store.pin(&first.id, true).unwrap();
    fs::remove_dir_all(store.path()).unwrap();
    assert_eq!(store.list().unwrap(), []);
    assert!(matches!(store.entry(&first.id), Err(Error::NotFound { .. })));
    let second = save(&store, b"y");
    fs::remove_dir_all(store.path().join(".overspill")).unwrap();
    store.pin(&second.id, true).unwrap();
    assert_eq!(store.list().unwrap().len(), 1);
    assert!(Path::new(&second.path).exists());
}

#[test]
fn directory_in_a_project_can_ignore_itself_in_git() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, DiskOptions { git_ignored: true, ..options() });
    save(&store, b"x");
    let ignore = store.path().join(".gitignore");
    assert_eq!(fs::read(&ignore).unwrap(), b"*\n");
    assert_eq!(store.list().unwrap().len(), 1);
    fs::write(&ignore, "mine").unwrap();
    save(&Disk::new(store.path(), DiskOptions { git_ignored: true, ..options() }), b"x");
    assert_eq!(fs::read(&ignore).unwrap(), b"mine", "what is there stays");
}

#[test]
fn paths_are_shown_whole_or_from_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let shown = |paths| {
        let options = DiskOptions { names: FORESEEN, paths, ..options() };
        let saved = save(&Disk::new(directory.path().join("a/b"), options), b"x");
        fs::remove_dir_all(directory.path().join("a")).unwrap();
        saved.path
    };
    let whole = directory.path().join("a/b/out.txt").to_str().unwrap().to_owned();
    assert_eq!(shown(PathStyle::Whole), whole);
    assert_eq!(shown(PathStyle::From(directory.path().into())), "a/b/out.txt");
    assert_eq!(shown(PathStyle::From("/elsewhere".into())), whole);
}
