//! Conformance tests of every store, and tests of paths into a store.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::path::Path;
use std::sync::Arc;

use overspill::internal::store::{Missing, NamePart, NameStyle, partial_conformance};
use overspill::store::{Disk, DiskOptions, Durability, Memory, conformance};
use overspill::{Call, Clock, Error, Overspill, Part, Places, Profile};

const PLAIN: NameStyle = NameStyle {
    parts: &[NamePart::Tool(Missing::Unknown), NamePart::Text("-"), NamePart::CallId],
    ..NameStyle::OWN
};

#[test]
fn memory_store_conforms() {
    conformance(|| Arc::new(Memory::default()));
    conformance(|| Arc::new(Memory::new(PLAIN, Clock::default())));
}

#[test]
fn disk_records_the_kept_ranges_of_a_large_output() {
    for records in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let next = std::sync::atomic::AtomicU32::new(0);
        partial_conformance(|| {
            let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let (most_per_output, keep_free) = (64 << 10, 0);
            let options =
                DiskOptions { records, most_per_output, keep_free, ..DiskOptions::default() };
            Arc::new(Disk::new(directory.path().join(number.to_string()), options))
        });
    }
}

#[test]
fn disk_with_project_folders_conforms() {
    for records in [true, false] {
        for durability in [Durability::None, Durability::Full] {
            let directory = tempfile::tempdir().unwrap();
            let next = std::sync::atomic::AtomicU32::new(0);
            let make = || {
                let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let project = Some("/work/shop".into());
                let most_per_output = 64 << 10;
                let options = DiskOptions {
                    records,
                    durability,
                    keep_free: 0,
                    project,
                    ..DiskOptions::default()
                };
                let path = directory.path().join(number.to_string());
                (path, DiskOptions { most_per_output, ..options.clone() }, options)
            };
            conformance(|| {
                let (path, _, options) = make();
                Arc::new(Disk::new(path, options))
            });
            partial_conformance(|| {
                let (path, options, _) = make();
                Arc::new(Disk::new(path, options))
            });
        }
    }
}

#[test]
fn disk_conforms_with_all_options() {
    for records in [true, false] {
        for durability in [Durability::None, Durability::Full] {
            for names in [NameStyle::OWN, PLAIN] {
                let directory = tempfile::tempdir().unwrap();
                let next = std::sync::atomic::AtomicU32::new(0);
                conformance(|| {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let path = directory.path().join(format!("made/by/us/{number}"));
                    let options = DiskOptions {
                        names,
                        records,
                        durability,
                        keep_free: 0,
                        ..DiskOptions::default()
                    };
                    Arc::new(Disk::new(path, options))
                });
            }
        }
    }
}

/// Every record of every system contains a path, so the path must lead back to the output.
#[test]
fn path_of_a_record_reads_the_output_back_in_every_profile() {
    let dir = tempfile::tempdir().unwrap();
    let output: String = (0..9000).map(|n| format!("line {n:05}\n")).collect();
    for profile in Profile::ALL {
        let project = dir.path().join(profile.name);
        let kept = project.join("kept");
        let places = Places {
            state: project.clone(),
            data: project.clone(),
            home: project.clone(),
            project: project.clone(),
            working: project.clone(),
        };
        // All users share the fixed directory of klaude, so this test uses another one.
        let builder = Overspill::builder().profile(profile.clone());
        let overspill = match profile.name {
            "klaude" => builder.directory(kept).build(),
            _ => builder.places(places).build(),
        };
        let outcome = overspill.process(&output, &Call::new("Bash"));
        let saved = outcome.saved().unwrap();
        let last = |text: &str| overspill.read(text, Part::Tail(1)).map(|page| page.text);
        for text in [saved.path.as_str(), saved.id.as_str()] {
            assert_eq!(last(text).unwrap(), "line 08999\n", "{} {text}", profile.name);
        }
        let file = Path::new(&saved.path).file_name().unwrap().to_str().unwrap();
        assert!(last(file).is_ok(), "{file}");
        // The same name in another directory is another file, whether it exists or not.
        let other = dir.path().join("other");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join(file), "not ours").unwrap();
        for outside in [other.join(file), Path::new("/etc").join(file), "/etc/passwd".into()] {
            let error = last(outside.to_str().unwrap()).unwrap_err();
            assert!(matches!(error, Error::OutsideStore { .. }), "{error}");
            assert!(error.to_string().contains(outside.to_str().unwrap()), "{error}");
        }
        let lost = Path::new(&saved.path).with_file_name("01M7GH5D7NFTZKZ0ESDTQ7ATZY.txt");
        assert!(matches!(last(lost.to_str().unwrap()), Err(Error::NotFound { .. })));
    }
}

#[cfg(unix)]
#[test]
fn path_through_a_link_to_the_store_reads_the_output() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    let overspill = Overspill::builder().directory(&real).max_lines(3).build();
    let outcome = overspill.process("1\n2\n3\n4\n", &Call::new("x"));
    let file = Path::new(&outcome.saved().unwrap().path).file_name().unwrap().to_owned();
    std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
    let typed = dir.path().join("link").join(&file);
    assert_eq!(overspill.read(typed.to_str().unwrap(), Part::Tail(1)).unwrap().text, "4\n");
    let typed = real.join("../real/.").join(&file);
    assert_eq!(overspill.read(typed.to_str().unwrap(), Part::Tail(1)).unwrap().text, "4\n");
}
