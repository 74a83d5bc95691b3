//! The fallback directory on systems where overspill cannot check a directory before it writes to
//! it.

use std::path::Path;

/// Returns a fixed name: on these systems each user has a private temporary directory.
pub(super) fn user() -> String {
    "outputs".into()
}

pub(super) fn objection(_: &Path) -> Option<String> {
    None
}
