//! Reads the text of settings files, and decides which files overspill trusts.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use overspill::internal::settings::Warning;

use crate::env::Env;
use crate::open::{is_own, open_regular};
use crate::ui;

/// The size of the largest settings file that is read, in bytes.
pub(crate) const MOST: u64 = 1 << 20;

/// Returns the directory above a file that this user cannot enter. It hides whether the file
/// exists.
pub(crate) fn closed_above(path: &Path) -> Option<ClosedDirectory> {
    let is_denied = |path: &Path| {
        fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    // The nearest directory whose metadata can be read is the directory that cannot be entered.
    let closed = path.ancestors().skip(1).find(|directory| !is_denied(directory))?;
    is_denied(path).then(|| ClosedDirectory {
        is_ours: fs::symlink_metadata(closed).is_ok_and(|found| is_own(&found)),
    })
}

/// A directory that this user cannot enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosedDirectory {
    /// Whether the directory belongs to this user, so that it may contain the user's settings.
    pub(crate) is_ours: bool,
}

/// Reads the user's file, which may be a link. Returns `None` if the file does not exist.
pub(crate) fn of_user(path: &Path) -> Result<Option<String>, Warning> {
    let text = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(error) => Err(ui::reason(&error)),
        // `/dev/null` means no settings file.
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
    /// Notes about files that overspill ignores because of their owner. Only `config` and `doctor`
    /// show them: the user did not make these files, and another user could otherwise add a line to
    /// the output of every command.
    pub(crate) notes: Vec<Warning>,
}

/// Reads the nearest file of this name, in the working directory and the directories above it
/// within the project.
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
            // The stranger may also have chosen the directories above.
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

/// Returns the owner of a file or a directory, if that is neither the user nor root.
pub(crate) fn stranger_of(path: &Path) -> Option<u32> {
    stranger(&fs::symlink_metadata(path).ok()?)
}

#[cfg(unix)]
fn stranger(metadata: &Metadata) -> Option<u32> {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    (owner != 0 && owner != rustix::process::geteuid().as_raw()).then_some(owner)
}

/// Returns `None`: on other systems files have no single owner to compare.
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
    // Another file may have replaced it meanwhile.
    if stranger(&opened).is_some() {
        return Err(not_regular.into());
    }
    read_open(file)
}

/// Reads a settings file. The error is the reason why the file cannot be one.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    read_open(File::open(path).map_err(|error| ui::reason(&error))?)
}

/// Reads an open settings file. The error is the reason why the file cannot be one.
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
