//! Which hosts are on this machine.

use std::path::PathBuf;

use super::plan::{SetupScope, path_of};
use crate::env::Env;
use crate::hosts::{Host, HostFile};

/// Returns where a host is: its program, or the directory that it keeps its files in.
pub(super) fn found(host: &Host, env: &Env) -> Option<PathBuf> {
    host.programs.iter().find_map(|program| on_path(program, env)).or_else(|| {
        let place = HostFile { user: host.home, project: "" };
        let directory = path_of(place, SetupScope::User, env)?;
        directory.is_dir().then_some(directory)
    })
}

/// Finds a program as a shell does.
pub(super) fn on_path(program: &str, env: &Env) -> Option<PathBuf> {
    env.on_path(program).filter(|path| path.is_absolute()).find(|path| path.is_file())
}
