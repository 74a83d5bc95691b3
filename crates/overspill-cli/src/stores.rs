//! Opens the stores that the user's settings or `--profile` name.

use std::path::Path;
use std::sync::Arc;

use overspill::internal::profile::Directory;
use overspill::internal::store::NameStyle;
use overspill::store::{Disk, DiskOptions, Store};
use overspill::{Clock, Profile, Redact};

use crate::bucket;
use crate::env::Env;
use crate::settings::{ResolvedSettings, SettingSources};
use crate::ui;

/// A store of saved outputs.
pub(crate) type Outputs = Arc<dyn Store>;

/// The store of a command: the store of `profile`, else the store of the settings.
#[derive(Debug, Clone)]
pub(crate) struct StoreAccess<'a> {
    pub(crate) env: &'a Env,
    pub(crate) profile: Option<Profile>,
}

impl<'a> StoreAccess<'a> {
    /// Returns the access to the store of the settings.
    pub(crate) fn by_settings(env: &'a Env) -> StoreAccess<'a> {
        StoreAccess { env, profile: None }
    }
}

/// Returns the store with secrets masked as the settings say. The error is the reason why it cannot
/// be opened.
pub(crate) fn store(access: &StoreAccess<'_>) -> Result<Outputs, String> {
    store_and_redact(access).map(|(store, redact)| redact.shown_store(&store))
}

/// An open store, and the facts that its readers need.
pub(crate) struct OpenStore {
    pub(crate) store: Outputs,
    /// The rules for masking.
    pub(crate) redact: Redact,
    /// The style of the names of its outputs.
    pub(crate) names: NameStyle,
    /// Whether its outputs have records.
    pub(crate) records: bool,
}

/// Returns the store unmasked, and the rules for masking.
pub(crate) fn store_and_redact(access: &StoreAccess<'_>) -> Result<(Outputs, Redact), String> {
    open(access).map(|opened| (opened.store, opened.redact))
}

/// Opens a store.
pub(crate) fn open(access: &StoreAccess<'_>) -> Result<OpenStore, String> {
    let settings = SettingSources::of_user(access.env).resolved(access.profile.clone());
    let ResolvedSettings { profile, sources, .. } = settings;
    sources.say_warnings();
    let store = sources.store(&profile).map_err(with_hint)?;
    if !bucket::holds(&sources, &profile) {
        can_be(sources.disk(&profile).map_err(with_hint)?.path()).map_err(with_hint)?;
    }
    // With a bucket, only the masking of saved outputs differs.
    Ok(OpenStore {
        store,
        redact: sources.redact(false),
        names: profile.names,
        records: profile.records,
    })
}

/// Returns all profiles that have a directory on this machine, with the directories.
pub(crate) fn of_all_profiles(env: &Env) -> Vec<(Profile, Disk)> {
    let open = |profile: Profile| {
        let ResolvedSettings { profile, sources, .. } =
            SettingSources::of_user(env).resolved(Some(profile));
        let disk = sources.disk(&profile).ok()?;
        Some((profile, disk))
    };
    Profile::ALL.into_iter().filter_map(open).collect()
}

/// Returns the stores that may contain `path`, if a command in another directory saved it: some
/// profiles save below the project or the working directory.
pub(crate) fn of_other_directories(path: &Path) -> impl Iterator<Item = Disk> {
    let parent = path.parent().filter(|parent| parent.is_absolute());
    Profile::ALL.into_iter().filter_map(move |profile| match &profile.directory {
        Directory::Working(below) | Directory::Project(below) if parent?.ends_with(&**below) => {
            Some(Disk::new(parent?, profile.disk_options(None, Clock::default())))
        }
        _ => None,
    })
}

/// Returns the local part of the bucket's store, with secrets masked as the settings say.
pub(crate) fn local_part(env: &Env) -> Option<Outputs> {
    let sources = SettingSources::of_user(env);
    let spool: Outputs = Arc::new(bucket::spool(&sources)?);
    Some(sources.redact(false).shown_store(&spool))
}

/// Adds a hint to the error about an unusable store.
fn with_hint(error: String) -> String {
    format!("{error}\n\nhint: set OVERSPILL_DIR or HOME; `overspill doctor` checks the store")
}

/// Fails if a directory does not exist and cannot be made. Otherwise the first output makes a
/// missing directory.
fn can_be(directory: &Path) -> Result<(), String> {
    let first = directory.ancestors().find_map(|above| Some((above, above.metadata().ok()?)));
    match first {
        Some((above, found)) if above != directory && found.permissions().readonly() => {
            Err(format!(
                "{}: there is no such directory, and none can be made in {}",
                ui::path(directory),
                ui::path(above)
            ))
        }
        _ => Ok(()),
    }
}

/// The name of the directory for outputs that wait for an upload, in the store on this machine.
const SPOOLS: &str = "buckets";

/// Returns the store of outputs that wait for the bucket of this name.
pub(crate) fn spool(disk: &Disk, name: &str) -> Disk {
    // All projects share a bucket, so the store has no folders for projects.
    let options = DiskOptions { project: None, ..disk.options().clone() };
    Disk::new(disk.path().join(SPOOLS).join(name), options)
}

/// Returns the local stores for other buckets than the current one, with their names. Their outputs
/// wait, or have waited, for an upload.
pub(crate) fn other_spools(sources: &SettingSources) -> Vec<(String, Disk)> {
    let Ok(disk) = sources.disk(&Profile::OWN) else { return Vec::new() };
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

/// Returns the stores of earlier settings on this machine, which may still have outputs: the store
/// from before a bucket was set, and those for other buckets.
pub(crate) fn elsewhere(sources: &SettingSources) -> Vec<Disk> {
    let spools = other_spools(sources).into_iter().map(|(_, spool)| spool);
    let is_set = sources.bucket().is_none();
    let disk = sources.disk(&Profile::OWN).ok().filter(|_| !is_set);
    disk.into_iter().chain(spools).collect()
}
