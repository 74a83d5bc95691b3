//! A store in a directory, with one file for each output.

mod catalog;
#[cfg_attr(all(unix, not(feature = "portable-std")), path = "dir_unix.rs")]
#[cfg_attr(not(all(unix, not(feature = "portable-std"))), path = "dir_other.rs")]
mod dir;
#[cfg(all(unix, not(feature = "portable-std")))]
#[cfg_attr(
    all(target_os = "linux", target_pointer_width = "64", not(feature = "portable-unix")),
    path = "dir_extra_linux.rs"
)]
#[cfg_attr(
    not(all(target_os = "linux", target_pointer_width = "64", not(feature = "portable-unix"))),
    path = "dir_extra_unix.rs"
)]
mod dir_extra;
mod draft;
mod expired;
mod expiry;
mod folder;
mod gather;
mod locate;
mod lookup;
mod notes;
mod options;
#[cfg(feature = "bucket")]
mod pages;
mod pins;
mod root;
#[cfg(feature = "bucket")]
mod sent;
mod sum;
mod temp;

#[cfg(test)]
#[cfg(all(unix, not(feature = "portable-std")))]
mod live_tests;

use std::fs::File;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use self::dir::Dir;
use self::draft::{DiskDraft, failed, system_time};
use self::folder::{Folder, is_folder_name};
use self::locate::{Located, SeenFolders};
use self::pins::Pins;
use self::root::{Area, Root, if_there};
use super::{Catalog, Draft, Entry, Expiry, Lookup, OutputId, Store};
use crate::{Call, Error};

#[cfg(feature = "bucket")]
pub(in crate::store) use pages::Page;

pub use options::{Access, DiskOptions, Durability, PathStyle};

/// A store that saves each output as a file, private to the user.
///
/// The file contains the bytes of the output unchanged, so that any tool can search them. The file
/// gets its name when it is complete, and never changes after that. An output that can be read
/// while it is written has its name from the start, and its record says that it is running.
/// Records and pins are in a hidden directory beside the outputs, and losing them does no harm.
/// With [`DiskOptions::project`] new outputs go to a folder of that project. The store finds and
/// lists the outputs in the folders of all projects. The store follows no link below the
/// directory, and neither shows nor changes files that it did not make.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    options: DiskOptions,
    root: Mutex<Option<Arc<Root>>>,
}

/// The size and the time of a file that belongs to the store.
#[derive(Debug, Clone, Copy)]
struct Found {
    bytes: u64,
    used: Timestamp,
}

impl Disk {
    /// Returns a store in the directory `path`. The first output makes the directory.
    pub fn new(path: impl Into<PathBuf>, options: DiskOptions) -> Disk {
        let path = path.into();
        // This also removes a slash at the end, which would make the system follow a link.
        let path = std::path::absolute(&path).unwrap_or(path).components().collect();
        Disk(Arc::new(Inner { path, options, root: Mutex::default() }))
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the options of the store.
    pub fn options(&self) -> &DiskOptions {
        &self.0.options
    }

    fn file_name(&self, name: &OutputId) -> String {
        self.options().names.file_of(name)
    }

    /// Opens the directory, if it exists.
    fn root(&self) -> Result<Option<Arc<Root>>, Error> {
        let mut known = self.0.root.lock().unwrap_or_else(PoisonError::into_inner);
        let access = self.options().access;
        if let Some(root) = known.as_ref().filter(|root| root.dir.is_at(self.path(), access)) {
            return Ok(Some(root.clone()));
        }
        *known = None;
        *known = Root::open(self.path(), access)?.map(Arc::new);
        Ok(known.clone())
    }

    /// Returns the directory that was opened last, without checking the path again.
    fn last_root(&self) -> Result<Option<Arc<Root>>, Error> {
        let known = self.0.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if known.is_some() { Ok(known) } else { self.root() }
    }

    /// Opens the directory, and makes it if it is missing.
    fn make_root(&self) -> Result<Arc<Root>, Error> {
        self.check_links()?;
        if let Some(root) = self.root()? {
            return Ok(root);
        }
        Dir::make_all(self.path(), self.options().durability)
            .map_err(|error| failed(self.path(), error))?;
        let gone = || failed(self.path(), io::ErrorKind::NotFound.into());
        let root = self.root()?.ok_or_else(gone)?;
        if self.options().git_ignored {
            // Saving the output matters more than this file, so errors are ignored.
            let _ = root.dir.make_file(".gitignore").and_then(|mut file| file.write_all(b"*\n"));
        }
        Ok(root)
    }

    /// Checks that no link lies between the base directory of shown paths and the store.
    ///
    /// Such a base is the directory of a project, and a project can come from anywhere.
    fn check_links(&self) -> Result<(), Error> {
        let PathStyle::From(base) = &self.options().paths else { return Ok(()) };
        for step in self.path().ancestors().take_while(|step| step != base) {
            let is_link = step.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
            if is_link && step.starts_with(base) {
                let reason = "a link on the way to the store".to_owned();
                return Err(Error::Unsafe { path: step.to_owned(), reason });
            }
        }
        Ok(())
    }

    /// Reads a range of an open output.
    fn read_range(
        &self,
        name: &OutputId,
        file: &File,
        found: Found,
        range: Range<u64>,
    ) -> Result<Vec<u8>, Error> {
        let end = range.end.min(found.bytes);
        let start = range.start.min(end);
        let mut bytes = vec![0; (end - start) as usize];
        let len = dir::read_at(file, &mut bytes, start)
            .map_err(|error| failed(&self.file(name), error))?;
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Removes an output, its record and its marks.
    fn remove(&self, root: &Root, folder: &Folder, name: &OutputId) -> Result<(), Error> {
        if_there(folder.dir.remove(&self.file_name(name)))
            .map_err(|error| failed(&self.file_in(folder, name), error))?
            .ok_or_else(|| Error::NotFound { name: name.clone() })?;
        root.remove_if_empty(folder);
        if matches!(root.hidden(), Ok(None)) {
            return Ok(());
        }
        notes::remove(root, name);
        for area in [Area::Pins, Area::Sent] {
            if let Ok(Some(marks)) = root.area(area) {
                let _ = marks.remove(name.as_str());
            }
        }
        Ok(())
    }
}

impl Store for Disk {
    fn create(&self, call: &Call) -> Result<Box<dyn Draft>, Error> {
        Ok(Box::new(DiskDraft::new(self, call)?))
    }

    fn read(&self, name: &OutputId, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let (located, file) = self.open(name)?;
        self.read_range(name, &file, located.found, range)
    }

    fn entry(&self, name: &OutputId) -> Result<Entry, Error> {
        let Located { root, found, .. } = self.find(name)?;
        let pinned = pins::is_pinned(&root, name);
        Ok(Entry { name: name.clone(), bytes: found.bytes, used: found.used, pinned })
    }

    fn list(&self) -> Result<Vec<Entry>, Error> {
        let Some(root) = self.root()? else { return Ok(Vec::new()) };
        self.all_entries(&root).map_err(|error| failed(self.path(), error))
    }

    fn delete(&self, name: &OutputId) -> Result<(), Error> {
        let Located { root, folder, .. } = self.find(name)?;
        self.remove(&root, &folder, name)
    }

    fn touch(&self, name: &OutputId) -> Result<(), Error> {
        let (_, file) = self.open(name)?;
        let now = self.options().clock.now().timestamp();
        file.set_modified(system_time(now)).map_err(|error| failed(&self.file(name), error))
    }

    fn open_file(&self, name: &OutputId) -> Result<Option<File>, Error> {
        self.open(name).map(|(_, file)| Some(file))
    }

    fn catalog(&self) -> Option<&dyn Catalog> {
        Some(self)
    }

    fn expiry(&self) -> Option<&dyn Expiry> {
        Some(self)
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }
}

impl Disk {
    /// Lists the outputs in the directory and in the folders of projects.
    fn all_entries(&self, root: &Root) -> io::Result<Vec<Entry>> {
        let (mut names, mut folders) = (Vec::new(), Vec::new());
        root.dir.walk(0, |file| {
            match self.options().names.name_of(file) {
                Some(name) => names.push(name),
                None if is_folder_name(file) => folders.push(Arc::from(file)),
                None => {}
            }
            ControlFlow::Continue(())
        })?;
        let pins = Pins::read(root);
        // Keep the order of the directory: removing files in another order, such as that of their
        // inodes, makes the file system write the blocks of the directory over and over.
        let mut entries = self.entries(&root.top(), &pins, names);
        let mut seen = SeenFolders::new();
        for folder in folders.iter().filter(|_| self.has_folders()) {
            let Some(folder) = root.folder(folder)? else { continue };
            let mut names = Vec::new();
            folder.dir.walk(0, |file| {
                names.extend(self.options().names.name_of(file));
                ControlFlow::Continue(())
            })?;
            if let Some(place) = &folder.name {
                seen.extend(names.iter().map(|name| (name.clone(), place.clone())));
            }
            entries.extend(self.entries(&folder, &pins, names));
        }
        *root.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        Ok(entries)
    }

    /// Returns the entries of these outputs, without the files that cannot be read.
    fn entries(&self, folder: &Folder, pins: &Pins, names: Vec<OutputId>) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            let Ok(found) = folder.dir.find(&self.file_name(&name)) else { continue };
            let pinned = pins.contains(&name);
            entries.push(Entry { name, bytes: found.bytes, used: found.used, pinned });
        }
        entries
    }
}
