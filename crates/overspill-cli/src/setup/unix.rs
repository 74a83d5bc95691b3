//! Links and private files.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

/// Makes `link` lead to `target`, whatever it was.
pub(super) fn link(target: &Path, link: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|there| there == target) {
        return Ok(());
    }
    let new = link.with_extension(format!("{}.new", std::process::id()));
    symlink(target, &new)?;
    fs::rename(&new, link).inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Makes a file that only its owner can read, if it is not there, and lets nobody else read it.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))
}
