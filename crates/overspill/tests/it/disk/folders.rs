//! Tests of the folders of projects in the store's directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::SignedDuration;
use overspill::internal::store::{Catalog, Expiry, Lookup, NameStyle, Record};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::{Entry, Store};
use overspill::{Error, Retention};

use super::*;

/// Opens the store of a directory for a project.
fn of_project(directory: &tempfile::TempDir, project: &str) -> Disk {
    disk(directory, DiskOptions { project: Some(project.into()), ..options() })
}

fn folder_of(store: &Disk, id: &OutputId) -> PathBuf {
    store.file(id).parent().unwrap().to_owned()
}

fn ids(store: &dyn Store) -> Vec<OutputId> {
    let mut ids: Vec<_> = store.list().unwrap().into_iter().map(|entry| entry.name).collect();
    ids.sort();
    ids
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".overspill")
        .collect();
    names.sort();
    names
}

#[test]
fn outputs_of_two_projects_are_in_two_private_folders() {
    let directory = tempfile::tempdir().unwrap();
    let shop = of_project(&directory, "/home/ada/shop");
    let blog = of_project(&directory, "/home/ada/my blog.é");
    let first = save(&shop, b"shop");
    let second = save(&blog, b"blog");
    let (one, other) = (folder_of(&shop, &first.id), folder_of(&blog, &second.id));
    assert_eq!((&one, &other), (&shop.folder(), &blog.folder()));
    assert_eq!(first.path, one.join(format!("{}.txt", first.id)).display().to_string());
    assert!(
        one != other && one.parent() == Some(shop.path()) && other.parent() == Some(shop.path())
    );
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name(&one).starts_with("shop-") && name(&one).len() == "shop-".len() + 8);
    assert!(name(&other).starts_with("my_blog__-"), "{}", other.display());
    for folder in [&one, &other] {
        assert_eq!(mode(folder), 0o700);
    }
    for (store, saved) in [(&shop, &first), (&blog, &second)] {
        assert_eq!(mode(store.file(&saved.id)), 0o600);
    }
    // Both stores find both outputs.
    for store in [&shop, &blog, &disk(&directory, options())] {
        assert_eq!(ids(store), {
            let mut ids = vec![first.id.clone(), second.id.clone()];
            ids.sort();
            ids
        });
        assert_eq!(
            (read(store, &first.id), read(store, &second.id)),
            (b"shop".to_vec(), b"blog".to_vec())
        );
        assert_eq!(store.place(&first.id), first.path);
    }
}

#[test]
fn projects_with_the_same_last_part_get_different_folders() {
    let directory = tempfile::tempdir().unwrap();
    let folders =
        ["/a/app", "/b/app", "/", "/a/---", "/x/this-is-a-very-long-name-of-a-project-folder"]
            .map(|project| of_project(&directory, project).folder());
    for (at, folder) in folders.iter().enumerate() {
        assert!(!folders[..at].contains(folder), "{}", folder.display());
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(name.len() <= 33 && name.is_ascii(), "{name}");
    }
    // The same project has the same folder in every process and version.
    assert!(folders[0].ends_with("app-934bf89d"), "{}", folders[0].display());
}

#[test]
fn output_is_found_by_its_short_id_in_any_folder() {
    let directory = tempfile::tempdir().unwrap();
    let saved: Vec<_> = ["/a/one", "/a/two", "/a/three"]
        .map(|project| save(&of_project(&directory, project), project.as_bytes()))
        .into();
    let flat = save(&disk(&directory, options()), b"flat");
    let store = of_project(&directory, "/a/four");
    let store: &dyn Store = &store;
    for saved in saved.iter().chain([&flat]) {
        assert_eq!(store.find(&saved.id.short_id()).unwrap(), saved.id);
        assert_eq!(store.find(&saved.path).unwrap(), saved.id);
    }
    assert!(matches!(store.find("01JZZZZZZZZZZZZZZZZZZZZZZZ"), Err(Error::NotFound { .. })));
}

#[test]
fn flat_output_of_an_earlier_version_is_read_listed_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let old = save(&disk(&directory, options()), b"old");
    let store = of_project(&directory, "/home/ada/shop");
    assert_eq!(store.file(&old.id).parent(), Some(store.path()));
    assert_eq!((ids(&store), read(&store, &old.id)), (vec![old.id.clone()], b"old".to_vec()));
    store.pin(&old.id, true).unwrap();
    assert!(store.entry(&old.id).unwrap().pinned);
    store.delete(&old.id).unwrap();
    assert!(ids(&store).is_empty() && names(store.path()).is_empty());
}

#[test]
fn records_pins_and_lines_work_in_a_folder() {
    let directory = tempfile::tempdir().unwrap();
    let shop = of_project(&directory, "/home/ada/shop");
    let saved = save(&shop, &b"line\n".repeat(40_000));
    let other = of_project(&directory, "/home/ada/blog");
    let record = Record { lines: 7, ..Record::default() };
    other.describe(&saved.id, &record).unwrap();
    assert_eq!(shop.record(&saved.id).unwrap().unwrap().lines, 7);
    other.pin(&saved.id, true).unwrap();
    assert!(shop.entry(&saved.id).unwrap().pinned);
    assert_eq!(other.line_start(&saved.id, 30_001).unwrap(), Some(150_000));
    assert_eq!(other.check(&saved.id).unwrap(), overspill::internal::store::Integrity::Whole);
    other.touch(&saved.id).unwrap();
    other.delete(&saved.id).unwrap();
    assert!(!below(shop.path()).iter().any(|path| path.contains(saved.id.as_str())));
}

#[test]
fn folder_that_becomes_empty_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let shop = of_project(&directory, "/home/ada/shop");
    let (first, second) = (save(&shop, b"1"), save(&shop, b"2"));
    shop.delete(&first.id).unwrap();
    assert!(shop.folder().is_dir());
    let entry = shop.entry(&second.id).unwrap();
    assert!(matches!(shop.expire(&[&entry])[..], [Ok(true)]));
    assert!(!shop.folder().exists());
    // The folder is made again, also by a store that had it open.
    assert_eq!(read(&shop, &save(&shop, b"3").id), b"3");
    // A folder with a foreign file stays.
    fs::write(shop.folder().join("note"), "").unwrap();
    let id = ids(&shop).remove(0);
    shop.delete(&id).unwrap();
    assert_eq!(names(&shop.folder()), ["note"]);
}

#[test]
fn sweep_applies_the_quota_over_all_folders() {
    let directory = tempfile::tempdir().unwrap();
    let mut saved = Vec::new();
    for (day, project) in ["/a/one", "/a/two", "/a/one", "/a/three"].into_iter().enumerate() {
        let clock = at(&format!("2026-01-0{}T00:00:00Z", day + 1));
        let project = Some(project.into());
        saved.push(save(
            &disk(&directory, DiskOptions { project, clock, ..options() }),
            &[b'x'; 100],
        ));
    }
    let store = of_project(&directory, "/a/two");
    let old = disk(&directory, DiskOptions { clock: at("2026-01-01T12:00:00Z"), ..options() });
    saved.insert(1, save(&old, &[b'x'; 100]));
    let retention =
        Retention { unused_for: None, quota: Some(250), spare_younger_than: SignedDuration::ZERO };
    let now = "2026-01-05T00:00:00Z".parse().unwrap();
    let swept = sweep(&store, &retention, SweepBudget::Whole, now).unwrap();
    assert_eq!((swept.removed, swept.bytes, swept.kept), (3, 300, 2));
    assert_eq!(ids(&store), {
        let mut ids = vec![saved[3].id.clone(), saved[4].id.clone()];
        ids.sort();
        ids
    });
    assert_eq!(names(store.path()).len(), 2, "the empty folder is gone: {:?}", names(store.path()));
    assert!(store.expired(&saved[2].id).unwrap().is_some());
}

#[test]
fn short_sweeps_reach_every_folder() {
    let directory = tempfile::tempdir().unwrap();
    let mut all = vec![save(&disk(&directory, options()), b"flat").id];
    for number in 0..5 {
        let store = of_project(&directory, &format!("/a/p{number}"));
        all.extend((0..3).map(|_| save(&store, b"x").id));
    }
    all.sort();
    // Without any time, each sweep lists one part and remembers the next.
    let mut seen: Vec<OutputId> = Vec::new();
    for _ in 0..7 {
        let store = of_project(&directory, "/a/p0");
        let some = store.due(Default::default(), Default::default()).unwrap();
        seen.extend(some.unwrap().into_iter().map(|entry| entry.name));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen, all);
    let store = of_project(&directory, "/a/p0");
    let long = std::time::Duration::from_secs(600);
    let mut seen = Vec::new();
    for _ in 0..2 {
        seen.extend(store.due(Default::default(), long).unwrap().unwrap());
    }
    let mut seen: Vec<OutputId> = seen.into_iter().map(|entry: Entry| entry.name).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, all);
}

#[test]
fn tidy_keeps_records_of_outputs_in_folders_and_removes_empty_folders() {
    let directory = tempfile::tempdir().unwrap();
    let shop = of_project(&directory, "/home/ada/shop");
    let saved = save(&shop, b"text");
    shop.pin(&saved.id, true).unwrap();
    let empty = of_project(&directory, "/home/ada/empty").folder();
    fs::create_dir(&empty).unwrap();
    set_mode(&empty, 0o700);
    let later = at("2126-01-01T00:00:00Z");
    for options in [options(), DiskOptions { project: Some("/x".into()), ..options() }] {
        disk(&directory, DiskOptions { clock: later.clone(), ..options }).tidy().unwrap();
        assert!(shop.entry(&saved.id).unwrap().pinned);
        assert!(shop.path().join(format!(".overspill/records/{}.record", saved.id)).exists());
    }
    assert!(!empty.exists());
}

/// Makes a directory that looks like a folder, with an output in it. Returns its path.
fn plant(store: &Disk, name: &str, mode: u32) -> (PathBuf, OutputId) {
    let path = store.path().join(name);
    fs::create_dir(&path).unwrap();
    let id = name_of(1);
    fs::write(path.join(format!("{id}.txt")), "planted").unwrap();
    set_mode(&path, mode);
    (path, id)
}

fn name_of(number: u32) -> OutputId {
    name(&format!("01J{number:0>23}"))
}

#[test]
fn planted_folders_are_neither_shown_nor_touched() {
    let directory = tempfile::tempdir().unwrap();
    let store = of_project(&directory, "/home/ada/shop");
    let saved = save(&store, b"ours");
    let check = |what: &str, path: &Path, id: &OutputId| {
        assert_eq!(ids(&store), std::slice::from_ref(&saved.id), "{what}");
        for answer in [
            store.read(id, 0..9).map(drop),
            store.entry(id).map(drop),
            store.touch(id),
            store.delete(id),
            store.pin(id, true),
            store.describe(id, &Record::default()),
        ] {
            assert!(matches!(answer, Err(Error::NotFound { .. })), "{what}: {answer:?}");
        }
        let entry = Entry { name: id.clone(), bytes: 7, used: Default::default(), pinned: false };
        assert!(matches!(store.expire(&[&entry])[..], [Ok(false)]), "{what}");
        store.tidy().unwrap();
        assert!(path.exists(), "{what}");
    };
    for (what, name, mode) in [
        ("open to others", "shop-0123abcd", 0o755),
        ("another shape", "shop", 0o700),
        ("no hash", "shop-0123abc", 0o700),
        ("capitals in the hash", "shop-0123ABCD", 0o700),
        ("hidden", ".shop-0123abcd", 0o700),
        ("too long", "this-is-longer-than-a-name-can-be-0123abcd", 0o700),
    ] {
        let (path, id) = plant(&store, name, mode);
        check(what, &path, &id);
        fs::remove_dir_all(&path).unwrap();
    }
    let outside = directory.path().join("outside");
    fs::create_dir(&outside).unwrap();
    set_mode(&outside, 0o700);
    fs::write(outside.join(format!("{}.txt", name_of(1))), "planted").unwrap();
    let link = store.path().join("shop-0123abcd");
    symlink(&outside, &link).unwrap();
    check("a link", &link, &name_of(1));
    assert_eq!(names(&outside).len(), 1);
    fs::remove_file(&link).unwrap();
    fs::write(&link, "a file").unwrap();
    check("a file", &link, &name_of(1));
    fs::remove_file(&link).unwrap();
    if is_root() {
        let (path, id) = plant(&store, "shop-0123abcd", 0o700);
        std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
        check("another owner", &path, &id);
    }
}

#[test]
fn output_is_not_saved_behind_a_link_or_in_an_open_folder() {
    for planted in ["link", "open"] {
        let directory = tempfile::tempdir().unwrap();
        let store = of_project(&directory, "/home/ada/shop");
        save(&disk(&directory, options()), b"makes the directory");
        let outside = directory.path().join("outside");
        fs::create_dir(&outside).unwrap();
        match planted {
            "link" => symlink(&outside, store.folder()).unwrap(),
            _ => {
                fs::create_dir(store.folder()).unwrap();
                set_mode(store.folder(), 0o755);
            }
        }
        let mut draft = store.create(&Call::new("tool")).unwrap();
        draft.append(b"secret").unwrap();
        assert!(draft.go_live().is_none());
        let error = draft.publish().unwrap_err().to_string();
        assert!(error.contains(store.folder().to_str().unwrap()), "{error}");
        assert!(names(&outside).is_empty());
        assert_eq!(ids(&store).len(), 1);
        assert_eq!(store.path().join(".overspill/records").read_dir().unwrap().count(), 1);
    }
}

#[test]
fn running_output_is_in_its_folder() {
    let directory = tempfile::tempdir().unwrap();
    let options = DiskOptions { most_per_output: 1000, ..options() };
    let store = disk(&directory, DiskOptions { project: Some("/home/ada/shop".into()), ..options });
    let other = of_project(&directory, "/home/ada/blog");
    let mut draft = store.create(&Call::new("tool")).unwrap();
    draft.append(b"one\n").unwrap();
    let live = draft.go_live().unwrap();
    assert!(Path::new(&live.path).starts_with(store.folder()), "{}", live.path);
    assert_eq!(read(&other, &live.id), b"one\n");
    assert!(other.record(&live.id).unwrap().unwrap().running);
    let entry = other.entry(&live.id).unwrap();
    assert!(matches!(other.expire(&[&entry])[..], [Ok(false)]));
    draft.append(&b"more\n".repeat(1000)).unwrap();
    let saved = draft.publish().unwrap();
    assert_eq!((&saved.id, &saved.path), (&live.id, &live.path));
    assert!(!other.record(&live.id).unwrap().unwrap().running);
    assert_eq!(ids(&other), [live.id]);
    // A dropped draft removes its folder.
    other.delete(&saved.id).unwrap();
    let mut draft = store.create(&Call::new("tool")).unwrap();
    draft.go_live().unwrap();
    drop(draft);
    assert!(names(store.path()).is_empty(), "{:?}", names(store.path()));
}

#[test]
fn store_with_other_names_has_no_folders() {
    let directory = tempfile::tempdir().unwrap();
    let project = Some("/home/ada/shop".into());
    let store = disk(&directory, DiskOptions { names: FORESEEN, project, ..options() });
    assert_eq!(store.folder(), store.path());
    let saved = save(&store, b"x");
    assert_eq!(names(store.path()), ["out.txt"]);
    assert_eq!(read(&store, &saved.id), b"x");
    assert!(NameStyle::OWN != FORESEEN);
}

/// A sweep may remove the empty folder between any two steps of a writer.
#[test]
fn save_works_while_others_remove_the_empty_folder() {
    let directory = tempfile::tempdir().unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let store = of_project(&directory, "/home/ada/shop");
            while !done.load(Ordering::Relaxed) {
                let _ = fs::remove_dir(store.folder());
                std::thread::yield_now();
            }
        });
        let store = of_project(&directory, "/home/ada/shop");
        let save_and_delete = || -> Result<(), Error> {
            let mut draft = store.create(&Call::new("tool"))?;
            draft.append(b"x")?;
            store.delete(&draft.publish()?.id)
        };
        let all = (0..300).try_for_each(|_| save_and_delete());
        // The other thread must end before an assertion fails.
        done.store(true, Ordering::Relaxed);
        all.unwrap();
    });
    let store = of_project(&directory, "/home/ada/shop");
    assert!(ids(&store).is_empty());
}
