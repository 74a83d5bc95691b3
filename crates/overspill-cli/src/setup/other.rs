//! Links and private files on systems without symbolic links and file modes.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Puts a copy of `target` at `link`.
pub(super) fn link(target: &Path, link: &Path) -> io::Result<()> {
    fs::copy(target, link.with_extension("exe")).map(drop)
}

/// Creates a file, if it does not exist.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path).map(drop)
}
