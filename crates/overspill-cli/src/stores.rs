//! Opens the stores that the user's settings name.

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

/// The store that a command looks into: that of the profile, else the one that the settings name.
#[derive(Debug, Clone)]
pub(crate) struct StoreAccess<'a> {
    pub(crate) env: &'a Env,
    pub(crate) profile: Option<Profile>,
}

impl<'a> StoreAccess<'a> {
    /// Leaves the store to the settings.
    pub(crate) fn by_settings(env: &'a Env) -> StoreAccess<'a> {
        StoreAccess { env, profile: None }
    }
}

/// Returns the store as a model may see it, or why there is none.
pub(crate) fn store(access: &StoreAccess<'_>) -> Result<Outputs, String> {
    store_and_redact(access).map(|(store, redact)| redact.shown_store(&store))
}

/// A store, and what its readers need to know.
pub(crate) struct OpenStore {
    pub(crate) store: Outputs,
    /// The redaction for what is shown of it.
    pub(crate) redact: Redact,
    /// The names of its outputs.
    pub(crate) names: NameStyle,
    /// Its outputs have records.
    pub(crate) records: bool,
}

/// Returns the store as it is, and the redaction for what is shown of it.
pub(crate) fn store_and_redact(access: &StoreAccess<'_>) -> Result<(Outputs, Redact), String> {
    open(access).map(|opened| (opened.store, opened.redact))
}

/// Opens a store.
pub(crate) fn open(access: &StoreAccess<'_>) -> Result<OpenStore, String> {
    let settings = SettingSources::of_user(access.env).in_force(access.profile.clone());
    let ResolvedSettings { profile, sources, .. } = settings;
    sources.say_warnings();
    let store = sources.store(&profile).map_err(with_hint)?;
    if !bucket::holds(&sources, &profile) {
        can_be(sources.disk(&profile).map_err(with_hint)?.path()).map_err(with_hint)?;
    }
    // A bucket changes only the redaction of what is saved.
    Ok(OpenStore {
        store,
        redact: sources.redact(false),
        names: profile.names,
        records: profile.records,
    })
}

/// Returns the directories of all profiles that have one on this machine, with the profiles.
pub(crate) fn of_all_profiles(env: &Env) -> Vec<(Profile, Disk)> {
    let open = |profile: Profile| {
        let ResolvedSettings { profile, sources, .. } =
            SettingSources::of_user(env).in_force(Some(profile));
        let disk = sources.disk(&profile).ok()?;
        Some((profile, disk))
    };
    Profile::ALL.into_iter().filter_map(open).collect()
}

/// Returns the stores that have `path` in them if it comes from a command in another directory: some profiles save
/// below the project or the working directory.
pub(crate) fn of_other_directories(path: &Path) -> impl Iterator<Item = Disk> {
    let parent = path.parent().filter(|parent| parent.is_absolute());
    Profile::ALL.into_iter().filter_map(move |profile| match &profile.directory {
        Directory::Working(below) | Directory::Project(below) if parent?.ends_with(&**below) => {
            Some(Disk::new(parent?, profile.disk_options(None, Clock::default())))
        }
        _ => None,
    })
}

/// Returns the part of the bucket that is on this machine, as a model may see it.
pub(crate) fn local_part(env: &Env) -> Option<Outputs> {
    let sources = SettingSources::of_user(env);
    let spool: Outputs = Arc::new(bucket::spool(&sources)?);
    Some(sources.redact(false).shown_store(&spool))
}

/// Adds what to do about a store that cannot be used.
fn with_hint(error: String) -> String {
    format!("{error}\n\nhint: set OVERSPILL_DIR or HOME; `overspill doctor` checks the store")
}

/// Refuses a directory that does not exist and cannot be made. The first output makes a missing one.
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

/// The directory of outputs that wait for buckets, within the store on this machine.
const SPOOLS: &str = "buckets";

/// Returns the store of outputs that wait for the bucket of this name.
pub(crate) fn spool(disk: &Disk, name: &str) -> Disk {
    // All projects share a bucket, so no rule of a host is about one of them.
    let options = DiskOptions { project: None, ..disk.options().clone() };
    Disk::new(disk.path().join(SPOOLS).join(name), options)
}

/// Returns the stores of outputs that wait, or have waited, for other buckets than the one that is set;
/// with their names.
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

/// Returns the stores on this machine that are not set and may still have outputs: those from before a
/// bucket was set, and those for other buckets.
pub(crate) fn elsewhere(sources: &SettingSources) -> Vec<Disk> {
    let spools = other_spools(sources).into_iter().map(|(_, spool)| spool);
    let is_set = sources.bucket().is_none();
    let disk = sources.disk(&Profile::OWN).ok().filter(|_| !is_set);
    disk.into_iter().chain(spools).collect()
}
