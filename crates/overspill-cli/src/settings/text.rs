//! The text of a file of settings, as far as it can be trusted to be one.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use overspill::internal::settings::Warning;

use crate::env::Env;
use crate::open::{is_own, open_regular};
use crate::ui;

/// Nobody writes this much; whatever it is, it is not settings.
pub(crate) const MOST: u64 = 1 << 20;

/// Tells whether a directory above a file is closed to us. The reason why we cannot say whether the file is there.
pub(crate) fn closed_above(path: &Path) -> Option<ClosedDirectory> {
    let is_denied = |path: &Path| {
        fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    // The nearest directory that can be looked at is the one that cannot be searched.
    let closed = path.ancestors().skip(1).find(|directory| !is_denied(directory))?;
    is_denied(path).then(|| ClosedDirectory {
        is_ours: fs::symlink_metadata(closed).is_ok_and(|found| is_own(&found)),
    })
}

/// A directory that we may not search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosedDirectory {
    /// It belongs to us, so settings of ours may be in it.
    pub(crate) is_ours: bool,
}

/// Reads the user's file, which may be a link; nothing if there is none.
pub(crate) fn of_user(path: &Path) -> Result<Option<String>, Warning> {
    let text = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(error) => Err(ui::reason(&error)),
        // Nothing to read, for those who want none.
        Ok(_) if path == Path::new("/dev/null") => return Ok(None),
        Ok(metadata) if !metadata.is_file() => Err("it is not a file".into()),
        Ok(_) => read(path),
    };
    text.map(Some).map_err(|reason| unread(path, &reason))
}

/// The result of the search for a project file.
#[derive(Debug, Default)]
pub(crate) struct OfProject {
    /// The file and its text.
    pub(crate) found: Option<(PathBuf, String)>,
    /// Files that cannot be read.
    pub(crate) warnings: Vec<Warning>,
    /// Files that do not count because of their owner. Only `config` and `doctor` show them: the
    /// user did not make these files, and another user could print a line under every command.
    pub(crate) notes: Vec<Warning>,
}

/// Reads the nearest file of this name from the working directory upwards, as far as the project reaches.
///
/// Only a regular file counts, since a link in a checkout may lead anywhere. It must belong to the
/// user or to root: otherwise `/tmp/.overspill.toml` of one user would apply to all others.
pub(crate) fn of_project(name: &str, env: &Env) -> OfProject {
    let mut search = OfProject::default();
    for directory in env.project_directories() {
        let path = directory.join(name);
        if let Some(owner) = stranger_of(directory) {
            if fs::symlink_metadata(&path).is_ok() {
                search.notes.push(ignored(&path, owner, "the directory"));
            }
            // All above may be the stranger's choice, too.
            return search;
        }
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if let Some(owner) = stranger(&metadata) {
            search.notes.push(ignored(&path, owner, "this file"));
            continue;
        }
        match read_checked(&path, &metadata) {
            Ok(text) => {
                search.found = Some((path, text));
                return search;
            }
            Err(reason) => search.warnings.push(unread(&path, &reason)),
        }
    }
    search
}

/// Returns the directories in which a project file counts, the nearest first.
pub(crate) fn trusted_directories(env: &Env) -> impl Iterator<Item = &Path> {
    env.project_directories().take_while(|directory| stranger_of(directory).is_none())
}

/// Returns who owns a file or a directory, if that is neither the user nor root.
pub(crate) fn stranger_of(path: &Path) -> Option<u32> {
    stranger(&fs::symlink_metadata(path).ok()?)
}

#[cfg(unix)]
fn stranger(metadata: &Metadata) -> Option<u32> {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    (owner != 0 && owner != rustix::process::geteuid().as_raw()).then_some(owner)
}

/// Elsewhere files have no single owner that could be compared.
#[cfg(not(unix))]
fn stranger(_: &Metadata) -> Option<u32> {
    None
}

fn read_checked(path: &Path, metadata: &Metadata) -> Result<String, String> {
    let not_regular = "it is not a regular file";
    if !metadata.is_file() {
        return Err(not_regular.into());
    }
    let (file, opened) = open_regular(path).map_err(|error| ui::reason(&error))?;
    // Another file may have taken its place since.
    if stranger(&opened).is_some() {
        return Err(not_regular.into());
    }
    read_open(file)
}

/// Reads a file, if it can be one of settings; otherwise says why not.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    read_open(File::open(path).map_err(|error| ui::reason(&error))?)
}

/// Reads an open file, if it can be one of settings; otherwise says why not.
pub(crate) fn read_open(file: File) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| ui::reason(&error))?;
    if bytes.len() as u64 > MOST {
        return Err("it is larger than 1 MiB".into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line} is not UTF-8")
    })
}

fn unread(path: &Path, reason: &str) -> Warning {
    let place = Some(path.display().to_string());
    Warning { key: "not read".into(), place, message: reason.to_owned() }
}

fn ignored(path: &Path, owner: u32, what: &str) -> Warning {
    let place = Some(path.display().to_string());
    Warning { key: "ignored".into(), place, message: format!("user {owner} owns {what}") }
}
