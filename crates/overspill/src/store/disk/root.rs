//! The store's directory, and the hidden one in it where everything but the outputs is.

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

/// The store's directory, held open.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) dir: Arc<Dir>,
    areas: Mutex<[Option<Arc<Dir>>; 5]>,
    /// Files without a name may work here.
    pub(super) nameless: AtomicBool,
    /// The folder of a project that was opened last.
    pub(super) last_folder: Mutex<Option<Folder>>,
    pub(super) seen: Mutex<SeenFolders>,
}

/// A part of the hidden directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    /// What is known of outputs beyond their bytes.
    Records,
    /// Empty files with the names of outputs that are to stay.
    Pins,
    /// Empty files with the names of outputs that others have a copy of.
    Sent,
    /// Outputs that are being written, where they need a name for that.
    Drafts,
    /// Parts of outputs that stand elsewhere.
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
    /// Opens the directory, if it is there and may be used.
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

    /// Opens a part of the hidden directory, if it is there.
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

    /// Opens a part of the hidden directory, and makes it if it is not there.
    pub(super) fn make_area(&self, area: Area) -> io::Result<Arc<Dir>> {
        if let Some(dir) = self.area(area)? {
            return Ok(dir);
        }
        self.make_hidden()?.make_dir(area.name())?;
        self.area(area)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens the hidden directory, if it is there.
    pub(super) fn hidden(&self) -> io::Result<Option<Dir>> {
        if_there(self.dir.open_dir(HIDDEN))
    }

    /// Opens the hidden directory, and makes it if it is not there.
    pub(super) fn make_hidden(&self) -> io::Result<Dir> {
        if let Some(hidden) = self.hidden()? {
            return Ok(hidden);
        }
        self.dir.make_dir(HIDDEN)?;
        self.dir.open_dir(HIDDEN)
    }

    /// Remembers that files without a name do not work here.
    pub(super) fn give_up_nameless(&self) {
        self.nameless.store(false, Ordering::Relaxed);
    }
}

/// Turns "not found" into `None`.
pub(super) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            // A name that is too long for the file system is nobody's.
            io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename => Ok(None),
            _ => Err(error),
        },
    }
}
