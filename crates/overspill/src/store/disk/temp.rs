//! Temporary files that readers do not see yet.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::dir::Dir;
use super::root::{Area, Root};

/// A file that is removed when it is dropped, unless it got its final name.
#[derive(Debug)]
pub(super) struct Temp {
    pub(super) file: File,
    /// The directory and the temporary name of the file, if it needs one.
    stand: Option<(Arc<Dir>, String)>,
}

impl Temp {
    /// Makes a file, if possible without a name, so that not even a kill leaves it behind.
    pub(super) fn new(root: &Root) -> io::Result<Temp> {
        if root.nameless.load(Ordering::Relaxed) {
            if let Some(file) = root.dir.make_nameless()? {
                return Ok(Temp { file, stand: None });
            }
            root.give_up_nameless();
        }
        Temp::named(root)
    }

    /// Makes a file with a random name in the directory of drafts.
    pub(super) fn named(root: &Root) -> io::Result<Temp> {
        let drafts = root.make_area(Area::Drafts)?;
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(io::Error::other)?;
        let name = format!("{:032x}", u128::from_ne_bytes(bits));
        let file = drafts.make_file(&name)?;
        Ok(Temp { file, stand: Some((drafts, name)) })
    }

    /// Gives the file a free name. If that fails, it is still a temporary file.
    pub(super) fn publish(&mut self, dir: &Dir, name: &str) -> io::Result<()> {
        match &self.stand {
            None => dir.link_nameless(&self.file, name)?,
            Some((drafts, stand)) => drafts.move_to(stand, dir, name)?,
        }
        self.stand = None;
        Ok(())
    }

    /// Gives the file a name, and replaces the file that had the name before.
    pub(super) fn replace(&mut self, dir: &Dir, name: &str) -> io::Result<()> {
        if let Some((drafts, stand)) = &self.stand {
            drafts.replace(stand, dir, name)?;
            self.stand = None;
        }
        Ok(())
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if let Some((drafts, stand)) = &self.stand {
            // The sweep removes the file later if this fails.
            let _ = drafts.remove(stand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Disk, DiskOptions, Durability};
    use super::*;
    use crate::Call;
    use crate::store::{Store, conformance};

    /// Returns a store that behaves as on a file system without files without a name.
    fn store(directory: &tempfile::TempDir, name: String) -> Disk {
        let durability = Durability::None;
        let options = DiskOptions { durability, keep_free: 0, ..DiskOptions::default() };
        let disk = Disk::new(directory.path().join(name), options);
        disk.make_root().unwrap().give_up_nameless();
        disk
    }

    #[test]
    fn store_with_named_temporary_files_conforms() {
        let directory = tempfile::tempdir().unwrap();
        let next = std::sync::atomic::AtomicU32::new(0);
        conformance(|| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            Arc::new(store(&directory, number.to_string()))
        });
    }

    #[test]
    fn named_temporary_files_leave_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let disk = store(&directory, "store".into());
        let drafts = || disk.path().join(".overspill/drafts").read_dir().unwrap().count();
        let mut draft = disk.create(&Call::new("tool")).unwrap();
        draft.append(b"half").unwrap();
        assert_eq!(drafts(), 1);
        drop(draft);
        assert_eq!(drafts(), 0);
        disk.create(&Call::new("tool")).unwrap().publish().unwrap();
        assert_eq!((drafts(), disk.list().unwrap().len()), (0, 1));
    }
}
