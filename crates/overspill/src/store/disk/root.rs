//! The open directory of a store, and the hidden directory in it with everything but the outputs.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Access;
use super::dir::Dir;
use super::folder::Folder;
use super::locate::SeenFolders;
use crate::Error;

const HIDDEN: &str = ".overspill";

/// The open directory of a store.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) dir: Arc<Dir>,
    areas: Mutex<[Option<Arc<Dir>>; 5]>,
    /// Whether files without a name may work in this directory.
    pub(super) nameless: AtomicBool,
    /// The folder of a project that was opened last.
    pub(super) last_folder: Mutex<Option<Folder>>,
    pub(super) seen: Mutex<SeenFolders>,
}

/// A subdirectory of the hidden directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    /// The record files of outputs.
    Records,
    /// Empty files with the ids of pinned outputs.
    Pins,
    /// Empty files with the ids of outputs that were uploaded to a bucket.
    Sent,
    /// Outputs that are being written, if the file system has no files without a name.
    Drafts,
    /// The page cache: parts of outputs from a bucket.
    #[cfg(feature = "bucket")]
    Pages,
}

impl Area {
    fn name(self) -> &'static str {
        match self {
            Area::Records => "records",
            Area::Pins => "pins",
            Area::Sent => "sent",
            Area::Drafts => "drafts",
            #[cfg(feature = "bucket")]
            Area::Pages => "pages",
        }
    }
}

impl Root {
    /// Opens the directory, if it exists and may be used.
    pub(super) fn open(path: &Path, access: Access) -> Result<Option<Root>, Error> {
        let Some(dir) = Dir::open_root(path, access)? else { return Ok(None) };
        let nameless = AtomicBool::new(Dir::can_name_the_nameless());
        Ok(Some(Root {
            dir: Arc::new(dir),
            areas: Mutex::default(),
            nameless,
            last_folder: Mutex::default(),
            seen: Mutex::default(),
        }))
    }

    /// Opens a subdirectory of the hidden directory, if it exists.
    pub(super) fn area(&self, area: Area) -> io::Result<Option<Arc<Dir>>> {
        let mut areas = self.areas.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut areas[area as usize];
        if let Some(dir) = known.as_ref().filter(|dir| dir.is_alive()) {
            return Ok(Some(dir.clone()));
        }
        *known = None;
        let Some(hidden) = self.hidden()? else { return Ok(None) };
        *known = if_there(hidden.open_dir(area.name()))?.map(Arc::new);
        Ok(known.clone())
    }

    /// Opens a subdirectory of the hidden directory, and makes it if it is missing.
    pub(super) fn make_area(&self, area: Area) -> io::Result<Arc<Dir>> {
        if let Some(dir) = self.area(area)? {
            return Ok(dir);
        }
        self.make_hidden()?.make_dir(area.name())?;
        self.area(area)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens the hidden directory, if it exists.
    pub(super) fn hidden(&self) -> io::Result<Option<Dir>> {
        if_there(self.dir.open_dir(HIDDEN))
    }

    /// Opens the hidden directory, and makes it if it is missing.
    pub(super) fn make_hidden(&self) -> io::Result<Dir> {
        if let Some(hidden) = self.hidden()? {
            return Ok(hidden);
        }
        self.dir.make_dir(HIDDEN)?;
        self.dir.open_dir(HIDDEN)
    }

    /// Remembers that files without a name do not work in this directory.
    pub(super) fn give_up_nameless(&self) {
        self.nameless.store(false, Ordering::Relaxed);
    }
}

/// Turns "not found" into `None`.
pub(super) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            // A file with a name that is too long for the file system cannot exist.
            io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename => Ok(None),
            _ => Err(error),
        },
    }
}
