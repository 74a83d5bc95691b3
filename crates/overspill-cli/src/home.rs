//! Where things are kept: the one place that looks at the environment for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overspill::profile::{self, Places};
use overspill::redact::Redact;
use overspill::store::{Disk, Store};

use crate::bucket;
use crate::settings::{SettingSources, variables};

/// Returns the user's shell.
pub(crate) fn shell() -> OsString {
    let shell = std::env::var_os("SHELL").filter(|shell| Path::new(shell).is_absolute());
    shell.unwrap_or_else(|| "/bin/sh".into())
}

/// Returns `text` as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Where outputs are.
pub(crate) type Outputs = Arc<dyn Store>;

/// Returns the store as a model may see it, or why there is none.
pub(crate) fn store() -> Result<Outputs, String> {
    store_and_redact().map(|(store, redact)| redact.shown_store(&store))
}

/// Returns the store as it is, and what is masked where it is shown.
pub(crate) fn store_and_redact() -> Result<(Outputs, Redact), String> {
    let sources = SettingSources::of_user();
    sources.say_warnings();
    let store = sources.store(&overspill::Profile::OWN, &places())?;
    if sources.bucket().is_none() {
        can_be(sources.disk(&overspill::Profile::OWN, &places())?.path())?;
    }
    // Whether it is a bucket decides only what is masked when it is saved.
    Ok((store, sources.redact(false)))
}

/// Returns what is on this machine of the bucket that is set, as a model may see it.
pub(crate) fn here() -> Option<Outputs> {
    let sources = SettingSources::of_user();
    let spool: Outputs = Arc::new(bucket::spool(&sources)?);
    Some(sources.redact(false).shown_store(&spool))
}

/// Says so if there is no such directory and never will be. One that is missing is made for the first
/// output; until then there is nothing in it.
fn can_be(directory: &Path) -> Result<(), String> {
    let first = directory.ancestors().find_map(|above| Some((above, above.metadata().ok()?)));
    match first {
        Some((above, found)) if above != directory && found.permissions().readonly() => {
            Err(format!(
                "{}: there is no such directory, and none can be made in {}",
                directory.display(),
                above.display()
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the session that outputs belong to, if whoever runs us says so.
pub(crate) fn session() -> Option<String> {
    variable(variables::SESSION).map(|session| session.to_string_lossy().into_owned())
}

/// The directory of what waits for buckets, within the store on this machine.
const SPOOLS: &str = "buckets";

/// Returns what waits for a bucket, by its name.
pub(crate) fn spool(disk: &Disk, name: &str) -> Disk {
    Disk::new(disk.path().join(SPOOLS).join(name), disk.options().clone())
}

/// Returns what waits for other buckets than the one that is set, or has waited, with its names.
pub(crate) fn other_spools(sources: &SettingSources) -> Vec<(String, Disk)> {
    let Ok(disk) = sources.disk(&overspill::Profile::OWN, &places()) else { return Vec::new() };
    let folders = std::fs::read_dir(disk.path().join(SPOOLS)).into_iter().flatten().flatten();
    let folders = folders.filter(|folder| folder.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|folder| folder.file_name().into_string().ok());
    let mut spools: Vec<(String, Disk)> =
        names.map(|name| (name.clone(), spool(&disk, &name))).collect();
    let set = bucket::spool(sources);
    spools.retain(|(_, spool)| set.as_ref().is_none_or(|set| set.path() != spool.path()));
    spools.sort_by(|(a, _), (b, _)| a.cmp(b));
    spools
}

/// Returns everything on this machine that is not set and may have outputs all the same: what was
/// saved before a bucket was set, and what was for other buckets.
pub(crate) fn elsewhere(sources: &SettingSources) -> Vec<Disk> {
    let spools = other_spools(sources).into_iter().map(|(_, spool)| spool);
    let is_set = sources.bucket().is_none();
    let disk = sources.disk(&overspill::Profile::OWN, &places()).ok().filter(|_| !is_set);
    disk.into_iter().chain(spools).collect()
}

/// Returns a variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the home directory.
pub(crate) fn home() -> Option<PathBuf> {
    Places::home(variable)
}

/// Returns the directories of the user and the project. Those that cannot be known are empty.
pub(crate) fn places() -> Places {
    Places::from_env(variable, std::env::current_dir().unwrap_or_default())
}

/// Returns the user's file of settings.
pub(crate) fn user_file() -> Option<PathBuf> {
    if let Some(named) = variable(variables::CONFIG) {
        return std::path::absolute(named).ok();
    }
    let file = Places::below(config_home(), "overspill/config.toml");
    Some(file).filter(|file| file.is_absolute())
}

/// Returns the directory of our settings.
pub(crate) fn config_directory() -> PathBuf {
    Places::below(config_home(), "overspill")
}

/// Returns the directory that all keep their settings in.
pub(crate) fn config_home() -> PathBuf {
    Places::base(variable, "XDG_CONFIG_HOME", ".config")
}

/// Returns the directories that a project may have its settings in.
pub(crate) fn project_directories(working: &Path) -> impl Iterator<Item = &Path> {
    profile::project_directories(working, home())
}

/// Returns the project's root.
pub(crate) fn project_root(working: &Path) -> PathBuf {
    profile::project_root(working, home())
}
