//! Tests of the store on disk.

mod cap;
mod damage;
mod expired;
mod files;
mod folders;
mod lines;
mod root;

use std::fs;
use std::path::Path;

use overspill::internal::store::{NamePart, NameStyle};
use overspill::store::{Disk, DiskOptions, Durability, OutputId, SpillRef, Store};
use overspill::{Call, Clock};

/// A style of names that a test can predict: `out`, `out-2`, `out-3`.
pub(crate) const FORESEEN: NameStyle =
    NameStyle { parts: &[NamePart::Text("out")], ..NameStyle::OWN };

pub(crate) fn options() -> DiskOptions {
    DiskOptions { durability: Durability::None, keep_free: 0, ..DiskOptions::default() }
}

pub(crate) fn save(store: &dyn Store, bytes: &[u8]) -> SpillRef {
    let mut draft = store.create(&Call::new("tool")).unwrap();
    draft.append(bytes).unwrap();
    draft.publish().unwrap()
}

pub(crate) fn read(store: &dyn Store, name: &OutputId) -> Vec<u8> {
    store.read(name, 0..u64::MAX).unwrap()
}

pub(crate) fn name(text: &str) -> OutputId {
    OutputId::parse(text).unwrap()
}

pub(crate) fn at(time: &str) -> Clock {
    let time: jiff::Timestamp = time.parse().unwrap();
    Clock::fixed(time.to_zoned(jiff::tz::TimeZone::UTC))
}

pub(crate) fn mode(path: impl AsRef<Path>) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

pub(crate) fn set_mode(path: impl AsRef<Path>, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns everything below a directory, sorted.
pub(crate) fn below(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            found.push(path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned());
            if entry.file_type().unwrap().is_dir() {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns all files below a directory, sorted.
pub(crate) fn files_below(directory: &Path) -> Vec<String> {
    below(directory).into_iter().filter(|path| directory.join(path).is_file()).collect()
}

pub(crate) fn disk(directory: &tempfile::TempDir, options: DiskOptions) -> Disk {
    Disk::new(directory.path().join("store"), options)
}
