//! How a directory is kept.

use std::path::{Path, PathBuf};

use crate::Clock;
use crate::store::NameStyle;

/// How a [`Disk`](super::Disk) keeps its outputs.
#[derive(Debug, Clone)]
pub struct DiskOptions {
    /// How outputs are named.
    pub names: NameStyle,
    /// Whether to keep records of calls, a checksum and a line index beside the outputs.
    ///
    /// What was cut by [`most_per_output`](DiskOptions::most_per_output) is noted in any case.
    pub records: bool,
    /// What a power loss may cost.
    pub durability: Durability,
    /// The most bytes of one output. Of a larger one the first and the last half of that are kept.
    pub most_per_output: u64,
    /// Bytes of the disk that are to stay free: an output that would take them is not saved.
    pub keep_free: u64,
    /// Tells the time.
    pub clock: Clock,
    /// Who else may see into the directory.
    pub access: Access,
    /// How paths are shown.
    pub paths: PathStyle,
    /// Whether a directory that is made tells Git to ignore it, as one in a project should.
    pub git_ignored: bool,
    /// The project that new outputs belong to. They go to a folder of the directory, see [`Disk::folder`](super::Disk::folder).
    /// Without a project they stay in the directory itself.
    ///
    /// A store finds the outputs in the folders of all projects. Only ids with a ULID are unique over many folders: a
    /// store with other names has no folders.
    pub project: Option<PathBuf>,
}

impl DiskOptions {
    /// The most bytes of one output by default.
    pub const MAX_OUTPUT: u64 = 256 << 20;
}

impl Default for DiskOptions {
    /// Our own names, records, full durability, 256 MiB an output, 1 GiB free, the system's clock.
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

/// What a power loss may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was published.
    Full,
    /// What the system has not written yet. With records, what is torn can be told.
    None,
}

/// Who else may see into the directory.
///
/// A directory of another user, and a link, is never used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nobody.
    Private,
    /// Whoever the user has let in, as in a project's directory; only one that anybody can write
    /// to is refused. The files in it are private all the same.
    Shared,
}

/// How the path of an output is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStyle {
    /// From the root of the file system.
    Whole,
    /// From this directory, with `/` on every system; what is not below it is shown whole.
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
