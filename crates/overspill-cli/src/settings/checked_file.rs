//! Files in projects that a stranger may have replaced by links.
//!
//! Git stores links, so a checkout can bring a link that leads to any file of the user. A
//! [`CheckedFile`] is resolved and checked once. Its directory then stays open, and no later read or
//! write follows a link.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::directory::{Directory, FileMode};
use crate::env::Env;
use crate::{hosts, ui};

/// Files that mark the root of a checkout.
const CHECKOUTS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];
/// The size of the largest settings file that is read, in bytes.
const MAX_SIZE: u64 = 16 << 20;

/// The reason why a file is neither read nor written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("a link in its path leads out of the project, to {}", ui::short(&.0.to_string_lossy(), 200))]
    LeadsOut(PathBuf),
    #[error("it is a link that leads out of the project, or nowhere")]
    LeadsNowhere,
    #[error("it is a link")]
    Link,
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it is larger than 16 MiB, so it is not read")]
    TooLarge,
    #[error("no such file or directory")]
    Missing,
    #[error("{}", ui::reason(.0))]
    Io(#[from] io::Error),
}

impl Refused {
    /// Returns the hint of an error about a file of a project.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Refused::Io(_) | Refused::Missing | Refused::TooLarge => "",
            Refused::NotRegular => "\n\nhint: put a regular file there",
            Refused::LeadsOut(_) | Refused::LeadsNowhere | Refused::Link => {
                "\n\nhint: put a regular file in the place of the link"
            }
        }
    }
}

/// A place for a regular file, in a directory that stays open.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    directory: Directory,
    /// Directories between `directory` and the file that do not exist yet.
    missing: Vec<OsString>,
    name: OsString,
}

impl CheckedFile {
    /// Resolves an absolute path that the user named. Links that a project may have brought along are
    /// followed as long as they stay inside the project.
    pub(crate) fn named(path: &Path, env: &Env) -> Result<CheckedFile, Refused> {
        match roots_of(path, env) {
            Some(roots) => CheckedFile::inside(path, &roots),
            None => CheckedFile::without_links(path),
        }
    }

    /// Like [`CheckedFile::named`], but only directories of the path may be links.
    pub(crate) fn named_unlinked(path: &Path, env: &Env) -> Result<CheckedFile, Refused> {
        match path.parent().and_then(|parent| roots_of(parent, env)) {
            Some(roots) => CheckedFile::unlinked(path, &roots),
            None => CheckedFile::unlinked(path, &[]),
        }
    }

    /// Opens the directory of an absolute path in which nothing may be a link.
    fn without_links(path: &Path) -> Result<CheckedFile, Refused> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Refused::NotRegular);
        };
        let directory = Directory::open(parent)?;
        Ok(CheckedFile { directory, missing: Vec::new(), name: name.to_owned() })
    }

    /// Removes the file.
    pub(crate) fn remove(&self) -> Result<(), Refused> {
        // Only a regular file may be removed.
        if self.open()?.is_none() {
            return Err(Refused::Missing);
        }
        Ok(self.directory.remove_file(&self.name)?)
    }

    /// Resolves an absolute path. Links are followed as long as they stay inside each of `roots`.
    pub(crate) fn inside(path: &Path, roots: &[PathBuf]) -> Result<CheckedFile, Refused> {
        if !path.is_symlink() {
            return CheckedFile::unlinked(path, roots);
        }
        let real = canonical(path, roots)?;
        CheckedFile::unlinked(&real, roots)
    }

    /// Like [`CheckedFile::inside`], but only directories of the path may be links.
    pub(crate) fn unlinked(path: &Path, roots: &[PathBuf]) -> Result<CheckedFile, Refused> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Refused::NotRegular);
        };
        let there = parent.ancestors().find(|part| part.symlink_metadata().is_ok());
        let there = there.ok_or(Refused::Missing)?;
        let real = canonical(there, roots)?;
        for root in roots {
            if !real.starts_with(root.canonicalize()?) {
                return Err(Refused::LeadsOut(real.join(name)));
            }
        }
        let mut missing = Vec::new();
        for part in parent.strip_prefix(there).into_iter().flat_map(Path::components) {
            match part {
                Component::Normal(name) => missing.push(name.to_owned()),
                _ => return Err(Refused::Missing),
            }
        }
        Ok(CheckedFile { directory: Directory::open(&real)?, missing, name: name.to_owned() })
    }

    /// Opens the file to read it. Returns `None` if the file does not exist.
    pub(crate) fn open(&self) -> Result<Option<(File, FileMode)>, Refused> {
        if self.missing.is_empty() { self.directory.open_file(&self.name) } else { Ok(None) }
    }

    /// Reads the file. Returns `None` if the file does not exist.
    pub(crate) fn read(&self) -> Result<Option<(Vec<u8>, FileMode)>, Refused> {
        let Some((file, mode)) = self.open()? else { return Ok(None) };
        if file.metadata()?.len() > MAX_SIZE {
            return Err(Refused::TooLarge);
        }
        let mut bytes = Vec::new();
        // The file may grow meanwhile.
        file.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_SIZE {
            return Err(Refused::TooLarge);
        }
        Ok(Some((bytes, mode)))
    }

    /// Replaces the file in one step and keeps its mode.
    pub(crate) fn write(&self, text: &str) -> Result<(), Refused> {
        let mode = self.open()?.map(|(_, mode)| mode);
        self.put(text, mode)
    }

    /// Replaces the file in one step. The new file has `mode`.
    pub(crate) fn write_as(&self, text: &str, mode: FileMode) -> Result<(), Refused> {
        self.put(text, Some(mode))
    }

    fn put(&self, text: &str, mode: Option<FileMode>) -> Result<(), Refused> {
        let mut made = None;
        for name in &self.missing {
            made = Some(made.as_ref().unwrap_or(&self.directory).make(name)?);
        }
        made.as_ref().unwrap_or(&self.directory).replace_file(&self.name, text, mode)
    }
}

fn canonical(path: &Path, roots: &[PathBuf]) -> Result<PathBuf, Refused> {
    path.canonicalize().map_err(|error| match roots.is_empty() {
        true => error.into(),
        false => Refused::LeadsNowhere,
    })
}

/// Returns `path` as an absolute path without `..`.
///
/// A `..` after a link leads to the directory above the link's target, so such a link is checked like
/// the other links of a path.
pub(crate) fn absolute(path: &Path, env: &Env) -> Result<PathBuf, Refused> {
    let mut resolved = PathBuf::new();
    for part in env.absolute(path)?.components() {
        if part != Component::ParentDir {
            resolved.push(part);
            continue;
        }
        if resolved.is_symlink() {
            resolved = checked_target(&resolved, env)?;
        } else if !resolved.is_dir() {
            return Err(Refused::Missing);
        }
        resolved.pop();
    }
    Ok(resolved)
}

/// Returns the real path of a directory behind a link, unless the link leads out of its project.
fn checked_target(link: &Path, env: &Env) -> Result<PathBuf, Refused> {
    let roots = roots_of(link, env).unwrap_or_default();
    let real = canonical(link, &roots)?;
    for root in roots {
        if !real.starts_with(root.canonicalize()?) {
            return Err(Refused::LeadsOut(real));
        }
    }
    Ok(real)
}

/// Returns the directories that the links in the absolute `path` must not leave, or `None` if the
/// path has no links.
///
/// The place of a link decides: it must stay inside every checkout around it. Without a checkout it
/// must stay inside the working directory, or else the directory that it stands in. A link in the
/// place of the user's own settings may lead anywhere: dotfile managers make such links.
fn roots_of(path: &Path, env: &Env) -> Option<Vec<PathBuf>> {
    let home = env.home();
    let homes = [home.clone(), home.and_then(|home| home.canonicalize().ok())];
    let homes: Vec<PathBuf> = homes.into_iter().flatten().collect();
    let links: Vec<&Path> = path.ancestors().filter(|part| part.is_symlink()).collect();
    let roots = links.iter().flat_map(|link| roots_of_link(link, &homes, env)).collect();
    (!links.is_empty()).then_some(roots)
}

fn roots_of_link(link: &Path, homes: &[PathBuf], env: &Env) -> Vec<PathBuf> {
    let can_be_project = |directory: &&Path| {
        directory.parent().is_some() && !homes.iter().any(|home| home == directory)
    };
    let around = link.ancestors().skip(1).take_while(can_be_project);
    let is_project = |directory: &&Path| {
        CHECKOUTS.iter().any(|name| directory.join(name).symlink_metadata().is_ok())
    };
    let projects = around.filter(is_project);
    let projects: Vec<PathBuf> = projects.map(Path::to_owned).collect();
    if !projects.is_empty() || is_own_setting(link, homes, env) {
        return projects;
    }
    let working = env.directory().ok();
    let working = working.filter(|working| link.starts_with(working) && can_be_project(working));
    let own = || link.parent().map(Path::to_owned);
    working.map(Path::to_owned).or_else(own).into_iter().collect()
}

/// Tells whether a link is one of the user's own settings: it stands directly in the home directory or
/// the directory of settings, or it is a host's settings file or a directory above one.
///
/// Checkouts can stand anywhere below hidden directories, so those alone prove nothing.
fn is_own_setting(link: &Path, homes: &[PathBuf], env: &Env) -> bool {
    let config = env.config_home();
    let above = link.parent();
    above.is_some_and(|above| homes.iter().any(|home| home == above) || above == config)
        || homes.iter().any(|home| {
            let mut files = hosts::user_files(home, &config);
            files.any(|file| file.starts_with(link))
        })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn checked_file_whose_directory_is_swapped_stays_in_the_checked_one() {
        let dir = tempfile::tempdir().unwrap();
        let (project, outside) = (dir.path().join("project"), dir.path().join("outside"));
        for directory in [&project.join("sub"), &outside] {
            fs::create_dir_all(directory).unwrap();
        }
        let file = CheckedFile::inside(&project.join("sub/x"), std::slice::from_ref(&project));
        let file = file.unwrap();
        fs::rename(project.join("sub"), project.join("old")).unwrap();
        symlink(&outside, project.join("sub")).unwrap();
        file.write("text").unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(project.join("old/x")).unwrap(), "text");
    }

    #[test]
    fn checked_file_that_becomes_a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let file = CheckedFile::inside(&root.join("x"), std::slice::from_ref(&root)).unwrap();
        symlink("y", root.join("x")).unwrap();
        assert!(matches!(file.write("text"), Err(Refused::Link)));
        assert!(matches!(file.open(), Err(Refused::Link)));
        assert!(!root.join("y").exists());
    }

    #[test]
    fn checked_file_in_missing_directories_makes_them_inside() {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        for directory in [&root, &outside] {
            fs::create_dir_all(directory).unwrap();
        }
        let at = |path: &str| CheckedFile::inside(&root.join(path), std::slice::from_ref(&root));
        let file = at("a/b/c").unwrap();
        assert!(file.open().unwrap().is_none());
        file.write("text").unwrap();
        assert_eq!(fs::read_to_string(root.join("a/b/c")).unwrap(), "text");
        symlink(&outside, root.join("out")).unwrap();
        assert!(matches!(at("out/a/b"), Err(Refused::LeadsOut(_))));
        assert!(matches!(at("new/../../x"), Err(Refused::Missing)));
    }

    #[test]
    fn directory_behind_a_link_is_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/sub")).unwrap();
        symlink("real", root.join("link")).unwrap();
        assert!(Directory::open(&root.join("real/sub")).is_ok());
        assert!(Directory::open(&root.join("link/sub")).is_err());
    }
}
