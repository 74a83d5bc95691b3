//! The options of a store in a directory.

use std::path::{Path, PathBuf};

use crate::Clock;
use crate::store::NameStyle;

/// The options of a [`Disk`](super::Disk).
#[derive(Debug, Clone)]
pub struct DiskOptions {
    /// The style of the names of outputs.
    pub names: NameStyle,
    /// Whether to save records of calls, a checksum and a line index beside the outputs.
    ///
    /// The ranges that [`most_per_output`](DiskOptions::most_per_output) has cut are recorded in
    /// any case.
    pub records: bool,
    /// The protection against power loss.
    pub durability: Durability,
    /// The largest number of bytes that are saved of one output. Larger outputs keep the first and
    /// the last half of this limit.
    pub most_per_output: u64,
    /// The number of bytes of the disk that stay free. An output that would need them is not saved.
    pub keep_free: u64,
    /// The clock that dates the outputs.
    pub clock: Clock,
    /// The rights that other users may have in the directory.
    pub access: Access,
    /// The way in which notices show paths.
    pub paths: PathStyle,
    /// Whether a new directory gets a `.gitignore`, as a directory in a project should.
    pub git_ignored: bool,
    /// The project of new outputs. They go to a folder of the directory, see
    /// [`Disk::folder`](super::Disk::folder). Without a project they go to the directory itself.
    ///
    /// A store finds the outputs in the folders of all projects. Only ids with a ULID are unique
    /// over many folders, so a store with other names has no folders.
    pub project: Option<PathBuf>,
}

impl DiskOptions {
    /// The largest number of bytes that are saved of one output by default.
    pub const MAX_OUTPUT: u64 = 256 << 20;
}

impl Default for DiskOptions {
    /// Returns the defaults: ULID names, records, full durability, 256 MiB an output, 1 GiB of free
    /// disk space, the system's clock.
    fn default() -> DiskOptions {
        DiskOptions {
            names: NameStyle::OWN,
            records: true,
            durability: Durability::Full,
            most_per_output: DiskOptions::MAX_OUTPUT,
            keep_free: 1 << 30,
            clock: Clock::default(),
            access: Access::Private,
            paths: PathStyle::Whole,
            git_ignored: false,
            project: None,
        }
    }
}

/// The protection against power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// No published output is lost.
    Full,
    /// Data that the system has not written yet can be lost. With records, a checksum tells a
    /// damaged output.
    None,
}

/// The rights that other users may have in the directory.
///
/// A directory of another user, and a link, is never used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// No other user may read or write the directory.
    Private,
    /// Other users may have rights, as in the directory of a project. The store refuses only a
    /// directory that all users can write to. The files in it are still private.
    Shared,
}

/// The way in which notices show the path of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStyle {
    /// The whole path, from the root of the file system.
    Whole,
    /// The path from this directory, with `/` on every system. A path outside is shown whole.
    From(PathBuf),
}

impl PathStyle {
    pub(super) fn show(&self, path: &Path) -> String {
        let below = match self {
            PathStyle::Whole => None,
            PathStyle::From(directory) => path.strip_prefix(directory).ok(),
        };
        let Some(below) = below else { return path.to_string_lossy().into_owned() };
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}
