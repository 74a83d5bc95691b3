//! Writes a file of settings so that there is always a whole one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Puts `text` into the file at `path`: either all of it gets there, or nothing changes.
///
/// A link is followed, so that a file kept elsewhere stays there; the mode stays as it is.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = followed(path);
    // A device or a pipe would be gone if a file took its place.
    if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    let new = directory.join(name);
    let written = write_new(&new, &path, text).and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_new(new: &Path, like: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(new)?;
    if let Ok(metadata) = fs::metadata(like) {
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Returns the file that a link leads to, whether it is there or not.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as the system itself would follow.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    path
}
