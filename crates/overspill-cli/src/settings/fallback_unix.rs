//! Checks on Unix whether outputs can be saved in a directory, and names the user.

use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::ui;

/// Returns the id of the user, for the name of a directory in a place that all users share.
pub(super) fn user() -> String {
    geteuid().as_raw().to_string()
}

/// Returns the reason why outputs cannot be saved in a directory, which may not exist yet. Returns
/// `None` if they can.
pub(super) fn objection(directory: &Path) -> Option<String> {
    for path in directory.ancestors() {
        let stat = match statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => continue,
            Err(errno) => return Some(ui::reason(&errno.into())),
        };
        if path == directory {
            // The store refuses links and files, and reports the reason.
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                return None;
            }
            if stat.st_uid != geteuid().as_raw() {
                return Some(format!("it belongs to another user ({})", stat.st_uid));
            }
        }
        let access = accessat(CWD, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS);
        return match access {
            Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::NOTDIR)) => {
                Some(ui::reason(&errno.into()))
            }
            Ok(()) | Err(_) => None,
        };
    }
    None
}
