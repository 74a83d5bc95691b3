//! Every store, and what is special about the one on disk.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::sync::Arc;

use overspill::Clock;
use overspill::internal::store::{Missing, NamePart, NameStyle, partial_conformance};
use overspill::store::{Disk, DiskOptions, Durability, Memory, conformance};

const PLAIN: NameStyle = NameStyle {
    parts: &[NamePart::Tool(Missing::Unknown), NamePart::Text("-"), NamePart::CallId],
    ..NameStyle::OWN
};

#[test]
fn memory_is_a_store() {
    conformance(|| Arc::new(Memory::default()));
    conformance(|| Arc::new(Memory::new(PLAIN, Clock::default())));
}

#[test]
fn disk_notes_what_it_kept_of_a_large_output() {
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
fn disk_with_project_folders_is_a_store() {
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
fn disk_is_a_store_however_it_is_kept() {
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
