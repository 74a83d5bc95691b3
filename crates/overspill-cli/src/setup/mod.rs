//! `overspill init`, `uninstall` and `doctor`: set up host agents, undo that, and check it.
//!
//! `init` makes a plan from the table of hosts: which pieces go into which file. It finds our
//! pieces in each file, adds the missing ones, and writes a receipt with the texts before and after
//! and with our pieces. Then it writes the files. `uninstall` restores the text before, if the file
//! has not changed since, else it removes our pieces.

mod doctor;
mod findings;
mod init;
mod lines;
mod list;
mod overridden;
mod owned;
mod piece;
mod piece_json;
mod plan;
mod receipt;
mod slot;
#[cfg_attr(all(unix, not(feature = "portable-std")), path = "unix.rs")]
#[cfg_attr(not(all(unix, not(feature = "portable-std"))), path = "other.rs")]
mod system;
mod toml;
mod trial;
mod uninstall;
mod wrappers;

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::hosts::{HOSTS, Host, HostFile};
use crate::settings::keys::meant;
use crate::settings::text;
use crate::ui;

pub(crate) use doctor::doctor;
pub(crate) use init::init;
pub(crate) use uninstall::uninstall;

use plan::{SetupScope, path_of};

/// Returns the hosts with these names. The error for an unknown name lists all hosts, or the likely
/// one.
fn named(names: &[String], command: &str) -> anyhow::Result<Vec<&'static Host>> {
    let one = |name: &String| {
        Host::named(name).ok_or_else(|| {
            let known: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
            let hint = meant(name, known.iter().copied());
            let hint = hint.map_or_else(
                || format!("`overspill init` lists the agents; known are {}", known.join(", ")),
                |name| format!("did you mean `overspill {command} {name}`?"),
            );
            let name = ui::short(name, 40);
            ui::UsageError(format!("there is no agent {name:?}\n\nhint: {hint}")).into()
        })
    };
    names.iter().map(one).collect()
}

/// Returns the path of a host's program, or of the directory of its files.
fn found(host: &Host, env: &Env) -> Option<PathBuf> {
    host.programs.iter().find_map(|program| on_path(program, env)).or_else(|| {
        let place = HostFile { user: host.home, project: "" };
        path_of(place, SetupScope::User, env).filter(|directory| directory.is_dir())
    })
}

/// Whether a host is on this machine and set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostState {
    /// `init` has written its settings.
    SetUp,
    /// The host is installed; `init` has not run.
    Found,
}

/// Returns the hosts that are on this machine.
pub(crate) fn host_states(env: &Env) -> Vec<(&'static str, HostState)> {
    let state = |host: &Host| match receipt::Receipt::exists(host, env) {
        true => Some(HostState::SetUp),
        false => found(host, env).map(|_| HostState::Found),
    };
    HOSTS.iter().filter_map(|host| Some((host.name, state(host)?))).collect()
}

/// Finds a program in the PATH.
fn on_path(program: &str, env: &Env) -> Option<PathBuf> {
    env.on_path(program).filter(|path| path.is_absolute()).find(|path| path.is_file())
}

/// Reads a file of a host. Returns `None` if the file does not exist.
fn text_of(path: &Path, env: &Env) -> anyhow::Result<Option<String>> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => anyhow::bail!("{}: {}", env.shown(path), ui::reason(&error)),
        Ok(found) if !found.is_file() => anyhow::bail!("{}: it is not a file", env.shown(path)),
        Ok(_) => {}
    }
    let text =
        text::read(path).map_err(|why| ui::UsageError(format!("{}: {why}", env.shown(path))))?;
    Ok(Some(text))
}
