//! The fuzz target for settings files.

use std::path::Path;

use super::file::{FileOwner, SettingsFile};

/// Reads a file of the user and of a project.
pub(crate) fn file(text: &str) {
    for owner in [FileOwner::User, FileOwner::Project] {
        let _ = SettingsFile::parse(text, Path::new("/config.toml"), owner);
    }
}
