//! Finds the file of an output: in the store's directory, or in the folder of a project.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use super::dir::{self, Dir};
use super::draft::failed;
use super::folder::{Folder, folder_name};
use super::root::{Root, if_there};
use super::temp::Temp;
use super::{Disk, Found, notes};
use crate::Error;
use crate::store::OutputId;
use crate::store::seal::saved_by_later_version;

/// The number of attempts to put a file into the project's folder. A sweep can remove the folder
/// while it is empty.
const FOLDER_ATTEMPTS: u32 = 100;

/// The file of an output, with the directory that contains it.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) root: Arc<Root>,
    pub(super) folder: Folder,
    pub(super) found: Found,
}

/// The folder in which each output was seen last. The folder may be gone, so this is only the first
/// place to look.
pub(super) type SeenFolders = HashMap<OutputId, Arc<str>>;

impl Disk {
    /// Returns the directory for new outputs: the folder of
    /// [`DiskOptions::project`](super::DiskOptions::project), if that is set. The first output
    /// makes the directory.
    pub fn folder(&self) -> PathBuf {
        match self.folder_name() {
            Some(name) => self.path().join(&*name),
            None => self.path().to_owned(),
        }
    }

    /// Returns the path of an output, whether the file exists or not.
    pub fn file(&self, name: &OutputId) -> PathBuf {
        let file = self.file_name(name);
        let located = self.last_root().ok().flatten().and_then(|root| {
            let (folder, _) = self.locate(&root, name, |dir| dir.find(&file)).ok()??;
            Some(self.file_in(&folder, name))
        });
        located.unwrap_or_else(|| self.folder().join(file))
    }

    pub(super) fn file_in(&self, folder: &Folder, name: &OutputId) -> PathBuf {
        let mut path = self.path().to_owned();
        path.extend(folder.name.as_deref());
        path.push(self.file_name(name));
        path
    }

    /// Returns the path of an output as notices show it.
    pub(super) fn shown_path(&self, folder: &Folder, name: &OutputId) -> String {
        self.options().paths.show(&self.file_in(folder, name))
    }

    /// Tells whether outputs can be in folders: only if ids are unique over all folders.
    pub(super) fn has_folders(&self) -> bool {
        self.options().names.has_ulid()
    }

    /// Returns the name of the folder for new outputs.
    pub(super) fn folder_name(&self) -> Option<Arc<str>> {
        let project = self.options().project.as_ref().filter(|_| self.has_folders())?;
        Some(folder_name(project).into())
    }

    /// Opens the directory for new outputs, and makes it if it is missing.
    pub(super) fn make_folder(&self, root: &Root) -> io::Result<Folder> {
        match self.folder_name() {
            Some(name) => root.make_folder(&name, self.options().durability),
            None => Ok(root.top()),
        }
    }

    /// Gives a file its name in the directory for new outputs, and returns that directory.
    ///
    /// A sweep can remove the empty folder of the project after it was opened. Then the folder is
    /// made again. If the folder disappears every time, the file goes into the directory of the
    /// store, which is never removed.
    pub(super) fn publish(&self, root: &Root, temp: &mut Temp, file: &str) -> io::Result<Folder> {
        let mut attempts = if self.folder_name().is_some() { FOLDER_ATTEMPTS } else { 1 };
        loop {
            let published = self.make_folder(root).and_then(|folder| {
                temp.publish(&folder.dir, file)?;
                Ok(folder)
            });
            attempts -= 1;
            match published {
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempts > 0 => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let top = root.top();
                    temp.publish(&top.dir, file)?;
                    return Ok(top);
                }
                published => return published,
            }
        }
    }

    /// Looks for an output in these places: the folder where it was last, the store's directory,
    /// the folder of this project, and all other folders.
    pub(super) fn locate<T>(
        &self,
        root: &Root,
        name: &OutputId,
        look: impl Fn(&Dir) -> io::Result<T>,
    ) -> io::Result<Option<(Folder, T)>> {
        let look_into = |folder: &Arc<str>| {
            let Some(folder) = root.folder(folder)? else { return Ok(None) };
            Ok::<_, io::Error>(if_there(look(&folder.dir))?.map(|found| (folder, found)))
        };
        let seen = root.seen.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(found) = seen.as_ref().map(look_into).transpose()?.flatten() {
            return Ok(Some(found));
        }
        if let Some(found) = if_there(look(&root.dir))? {
            return Ok(Some((root.top(), found)));
        }
        if !self.has_folders() {
            return Ok(None);
        }
        let project = self.folder_name().filter(|project| seen.as_ref() != Some(project));
        if let Some(found) = project.as_ref().map(look_into).transpose()?.flatten() {
            return Ok(Some(found));
        }
        for folder in root.folder_names()?.iter().filter(|folder| project.as_ref() != Some(folder))
        {
            if let Some(found) = look_into(folder)? {
                let mut seen = root.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.insert(name.clone(), folder.clone());
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Opens the store's directory. Fails if the store cannot have made this name.
    fn root_of(&self, name: &OutputId) -> Result<Arc<Root>, Error> {
        let root = self.root()?;
        let is_ours = self.options().names.name_of(&self.file_name(name)).as_ref() == Some(name);
        root.filter(|_| is_ours).ok_or_else(|| Error::NotFound { name: name.clone() })
    }

    /// Opens the directory and looks for an output.
    pub(super) fn find(&self, name: &OutputId) -> Result<Located, Error> {
        let root = self.root_of(name)?;
        let file = self.file_name(name);
        let located = self.locate(&root, name, |dir| dir.find(&file));
        let located = located.map_err(|error| failed(&self.folder().join(&file), error))?;
        let (folder, found) = located.ok_or_else(|| Error::NotFound { name: name.clone() })?;
        Ok(Located { root, folder, found })
    }

    /// Opens the file of an output.
    pub(super) fn open(&self, name: &OutputId) -> Result<(Located, File), Error> {
        let root = self.root_of(name)?;
        let on_disk = self.file_name(name);
        let opened = self.locate(&root, name, |dir| dir.open_file(&on_disk));
        let opened = opened.map_err(|error| failed(&self.folder().join(&on_disk), error))?;
        let (folder, (file, found)) =
            opened.ok_or_else(|| Error::NotFound { name: name.clone() })?;
        if notes::is_later(&root, name) {
            return Err(saved_by_later_version(name));
        }
        Ok((Located { root, folder, found }, file))
    }

    /// Tells whether a process is writing this output: that process locks the file while it lives.
    pub(super) fn is_written(&self, folder: &Folder, name: &OutputId) -> bool {
        let opened = folder.dir.open_file(&self.file_name(name));
        opened.is_ok_and(|(file, _)| dir::is_locked(&file))
    }
}
