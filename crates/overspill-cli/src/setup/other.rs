//! Where links and modes are not to be had.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Puts a copy of `target` at `link`.
pub(super) fn link(target: &Path, link: &Path) -> io::Result<()> {
    fs::copy(target, link.with_extension("exe")).map(drop)
}

/// Makes a file, if it is not there.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path).map(drop)
}
