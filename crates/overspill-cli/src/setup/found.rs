//! Which hosts are on this machine.

use std::path::PathBuf;

use super::plan::{SetupScope, path_of};
use crate::home;
use crate::hosts::{Host, HostFile};

/// Returns where a host is: its program, or the directory that it keeps its files in.
pub(super) fn found(host: &Host) -> Option<PathBuf> {
    host.programs.iter().find_map(|program| on_path(program)).or_else(|| {
        let directory = path_of(HostFile { user: host.home, project: "" }, SetupScope::User)?;
        directory.is_dir().then_some(directory)
    })
}

/// Finds a program as a shell does.
pub(super) fn on_path(program: &str) -> Option<PathBuf> {
    let path = home::variable("PATH")?;
    let all = std::env::split_paths(&path).map(|directory| directory.join(program));
    all.filter(|path| path.is_absolute()).find(|path| path.is_file())
}
