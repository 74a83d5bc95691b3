//! Writes a settings file in one step, so that a reader sees either the old or the new text.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `text` to the file at `path`, completely or not at all.
///
/// If the path is a link, this changes the linked file. The file keeps its mode.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = followed(path);
    // A new file would destroy a device or a pipe.
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

/// Returns the path that a link leads to, even if no file is there.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // The system itself follows the same number of links.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("/")).join(target);
    }
    path
}
