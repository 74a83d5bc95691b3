//! The copy of a client's file from before `wrap`, in the same directory.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::settings::checked_file::{CheckedFile, Refused};
use crate::settings::directory::FileMode;
use crate::ui;

/// The copy of a file from before `wrap`.
///
/// A repository may contain a link of this name, so the copy is never read or written through a
/// link.
pub(super) struct Backup {
    path: PathBuf,
    file: CheckedFile,
    mode: Option<FileMode>,
    pub(super) text: Option<String>,
}

impl Backup {
    /// Looks for the copy of `file`.
    pub(super) fn of(file: &Path, env: &Env) -> anyhow::Result<Backup> {
        let mut path = file.to_owned().into_os_string();
        path.push(".before-overspill");
        let path = PathBuf::from(path);
        let found = CheckedFile::named_unlinked(&path, env).and_then(|file| {
            let read = file.read()?;
            Ok((file, read))
        });
        let (file, read) = found.map_err(|why| refused(&path, &why))?;
        let mode = read.as_ref().map(|(_, mode)| *mode);
        let text = read.and_then(|(bytes, _)| String::from_utf8(bytes).ok());
        Ok(Backup { path, file, mode, text })
    }

    /// Saves `text` with the mode of its file, or with a stricter mode that the copy already has.
    ///
    /// While the file contains the proxy, the first copy stays: a later copy would contain the
    /// proxy.
    pub(super) fn keep(&self, text: &str, mode: FileMode, has_ours: bool) -> anyhow::Result<()> {
        let stricter = self.mode.map_or(mode, |own| own.stricter(mode));
        let text = match &self.text {
            Some(_) if has_ours && self.mode == Some(stricter) => return Ok(()),
            Some(first) if has_ours => first,
            _ => text,
        };
        self.file.write_as(text, stricter).map_err(|why| refused(&self.path, &why))
    }
}

fn refused(path: &Path, why: &Refused) -> anyhow::Error {
    let hint = match why {
        Refused::Link | Refused::NotRegular | Refused::TooLarge => {
            "\n\nhint: overspill saves its copy under this name; remove the other file"
        }
        _ => "",
    };
    anyhow::anyhow!("{}: {why}{hint}", ui::path(path))
}
