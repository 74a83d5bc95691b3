//! Tests with a full disk, and with a disk that has no room for another file.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use overspill::store::{Disk, DiskOptions, Store};
use overspill::{Call, CallEnd, CallOptions, Outcome, Overspill, Profile};

/// A small file system in memory, which is unmounted when it is dropped.
struct Small {
    dir: tempfile::TempDir,
}

impl Small {
    /// Mounts a file system. Returns `None` if that is not allowed.
    fn mount(options: &str) -> Option<Small> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap().to_owned();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs", &path])
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            let _ = writeln!(
                std::io::stderr(),
                "skipped: only root can mount a small file system to fill it up"
            );
            return None;
        }
        Some(Small { dir })
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.dir.path()).output();
    }
}

/// Checks that `output` gets a preview but no copy, at once and as a stream.
fn check(root: &Path, output: &[u8]) {
    for profile in Profile::ALL {
        let options = DiskOptions { names: profile.names, keep_free: 0, ..DiskOptions::default() };
        let disk = Disk::new(root, options);
        let overspill = Overspill::new(profile.clone(), disk.clone());
        let mut spill = overspill.spill(Call::new("tool"), CallOptions::default());
        output.chunks(64 * 1024).for_each(|chunk| spill.push(chunk));
        for outcome in
            [overspill.process(output, &Call::new("tool")), spill.finish(CallEnd::default())]
        {
            let Outcome::Spilled(spilled) = outcome else { panic!("{}: it passed", profile.name) };
            assert!(spilled.saved.is_err(), "{}", profile.name);
            assert!(!spilled.preview.is_empty() && spilled.text.len() < 52_000, "{}", profile.name);
        }
        assert_eq!(disk.list().unwrap_or_default(), [], "{}", profile.name);
    }
}

fn output() -> Vec<u8> {
    "a line of some length\n".repeat(200_000).into_bytes()
}

#[test]
fn full_disk_costs_only_the_copy() {
    let Some(small) = Small::mount("size=1m") else { return };
    check(&small.store(), &output());
    // The failed save has left its space to others.
    std::fs::write(small.dir.path().join("other"), vec![0; 500_000]).unwrap();
}

#[test]
fn disk_without_inodes_costs_only_the_copy() {
    let Some(small) = Small::mount("size=64m,nr_inodes=2") else { return };
    check(&small.store(), &output());
}

#[test]
fn read_only_disk_costs_only_the_copy() {
    let Some(small) = Small::mount("size=64m,ro") else { return };
    check(&small.store(), &output());
}
