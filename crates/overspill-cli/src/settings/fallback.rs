//! The directory for outputs if the user's own directory cannot be used: no home, a read-only home,
//! or a home of another user.
//!
//! The store itself checks that the directory is not a link, belongs to the user and is closed to
//! others.

#[cfg_attr(all(unix, not(feature = "portable-std")), path = "fallback_unix.rs")]
#[cfg_attr(not(all(unix, not(feature = "portable-std"))), path = "fallback_other.rs")]
mod system;

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::ui;

/// A directory for outputs in place of the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fallback {
    pub(crate) directory: PathBuf,
    /// The reason why the user's own directory cannot be used.
    pub(crate) reason: String,
}

impl Fallback {
    /// Returns a directory below the temporary directory, if `own` cannot be used.
    pub(super) fn of(own: &Path, env: &Env) -> Option<Fallback> {
        let reason = match own.is_absolute() {
            true => system::objection(own).map(|why| format!("{}: {why}", ui::path(own)))?,
            false => "there is no home directory".to_owned(),
        };
        let temporary = env.temporary_directory();
        let directory = temporary.join(format!("overspill-{}", system::user()));
        temporary.is_absolute().then_some(Fallback { directory, reason })
    }
}
