//! Links and private files on Unix.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

/// Makes `link` lead to `target`. It replaces any existing file.
pub(super) fn link(target: &Path, link: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|there| there == target) {
        return Ok(());
    }
    let new = link.with_extension(format!("{}.new", std::process::id()));
    symlink(target, &new)?;
    fs::rename(&new, link).inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Creates a file if it does not exist, and makes it readable only for its owner.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))
}
