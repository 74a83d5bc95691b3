//! The folders of projects in the store's directory. A host's permission for one folder gives
//! access to the outputs of one project only.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::Durability;
use super::dir::Dir;
use super::root::Root;
use crate::store::name::{component, is_component};

/// The largest number of characters of a project's name in the name of its folder. Notices contain
/// the path of an output, so it has to be short.
const LONGEST_NAME: usize = 24;
/// The number of characters of the hash in the name of a folder.
const HASH: usize = 8;

/// Returns the name of a project's folder: the last part of the project's path, and a hash of the
/// whole path.
pub(super) fn folder_name(project: &Path) -> String {
    let last = project.file_name().map(|name| name.to_string_lossy());
    let mut name = component(last.as_deref());
    name.truncate(LONGEST_NAME);
    let hash = xxh3_64(project.as_os_str().as_encoded_bytes()) as u32;
    format!("{name}-{hash:0HASH$x}")
}

/// Tells whether [`folder_name`] can return this name.
pub(super) fn is_folder_name(text: &str) -> bool {
    let is_hash = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.rsplit_once('-').is_some_and(|(name, hash)| {
        let is_name = name.len() <= LONGEST_NAME && is_component(name);
        is_name && hash.len() == HASH && hash.bytes().all(is_hash)
    })
}

/// A directory that contains outputs: the store's own, or the folder of a project in it.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    /// The name of the folder, or `None` for the store's own directory.
    pub(super) name: Option<Arc<str>>,
    pub(super) dir: Arc<Dir>,
}

impl Root {
    /// Returns the store's own directory.
    pub(super) fn top(&self) -> Folder {
        Folder { name: None, dir: self.dir.clone() }
    }

    /// Opens the folder of a project. Returns `None` if it is missing or not private to the user.
    ///
    /// Only the folder that was opened last stays open: a process may have few file descriptors.
    pub(super) fn folder(&self, name: &Arc<str>) -> io::Result<Option<Folder>> {
        let mut last = self.last_folder.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |folder: &&Folder| {
            folder.name.as_ref() == Some(name) && folder.dir.is_in(&self.dir, name)
        };
        if let Some(folder) = last.as_ref().filter(is_it) {
            return Ok(Some(folder.clone()));
        }
        *last = None;
        let dir = self.dir.open_dir_if_ours(name)?;
        *last = dir.map(|dir| Folder { name: Some(name.clone()), dir: Arc::new(dir) });
        Ok(last.clone())
    }

    /// Opens the folder of a project, and makes it if it is missing.
    pub(super) fn make_folder(
        &self,
        name: &Arc<str>,
        durability: Durability,
    ) -> io::Result<Folder> {
        if let Some(folder) = self.folder(name)? {
            return Ok(folder);
        }
        self.dir.make_dir(name)?;
        if durability == Durability::Full {
            self.dir.sync()?;
        }
        match self.folder(name)? {
            Some(folder) => Ok(folder),
            // Opening the directory again returns the reason why the folder cannot be used.
            None => self.dir.open_dir(name).and(Err(io::ErrorKind::NotFound.into())),
        }
    }

    /// Returns the names of all directories that look like folders, sorted.
    pub(super) fn folder_names(&self) -> io::Result<Vec<Arc<str>>> {
        let mut names = Vec::new();
        self.dir.walk(0, |name| {
            names.extend(is_folder_name(name).then(|| name.into()));
            ControlFlow::Continue(())
        })?;
        names.sort_unstable();
        Ok(names)
    }

    /// Removes the folder of a project if it is empty. The system refuses to remove a directory
    /// that is not empty, so this needs no check.
    pub(super) fn remove_if_empty(&self, folder: &Folder) {
        if let Some(name) = &folder.name {
            let _ = self.dir.remove_dir(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_name_of_every_project_is_recognised() {
        for project in ["/", "/a", "/a b/ü.x", "/-", "/..", "", "relative", "/a/.hidden"] {
            let name = folder_name(Path::new(project));
            assert!(is_folder_name(&name), "{project}: {name}");
        }
        for other in ["", "-", "-0123abcd", "a-0123abc", "a-0123abcg", "a-0123ABCD", ".a-0123abcd"]
        {
            assert!(!is_folder_name(other), "{other}");
        }
    }
}
