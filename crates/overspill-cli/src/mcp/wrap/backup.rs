//! What is kept beside a client's file: how it was before us.

use std::io;
use std::path::{Path, PathBuf};

use crate::settings::write::write_like;

/// How a file was before us, and where that is kept.
pub(super) struct Backup {
    path: PathBuf,
    pub(super) text: Option<String>,
}

impl Backup {
    /// Looks for the one of `file`.
    pub(super) fn of(file: &Path) -> Backup {
        let mut path = file.to_owned().into_os_string();
        path.push(".before-overspill");
        let path = PathBuf::from(path);
        Backup { text: std::fs::read_to_string(&path).ok(), path }
    }

    /// Keeps `text`, as readable as `file` is. The first one stays while there is something of ours in
    /// the file: what came later would be kept with that in it.
    pub(super) fn keep(&self, text: &str, file: &Path, has_ours: bool) -> io::Result<()> {
        if has_ours && self.text.is_some() {
            return Ok(());
        }
        write_like(&self.path, file, text).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
        })
    }
}
