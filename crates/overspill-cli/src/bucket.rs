//! Opens the bucket of the settings, with the variables that the provider's own programs read.

mod variables;

use std::sync::Arc;
use std::time::Duration;

use overspill::store::Disk;
use overspill::store::bucket::{Address, Bucket, BucketOptions};
use overspill::{Limit, Profile};

use crate::env::Env;
use crate::settings::SettingSources;
use crate::settings::destination::provider_variable;
use crate::settings::keys::Key;
use crate::stores::{self, Outputs};

pub(crate) use overspill::internal::store::bucket::{Check, Finding, Pushed};

/// The default of `store.tenant`.
pub(crate) const TENANT: &str = "all";
/// The default of `store.upload_wait`.
pub(crate) const UPLOAD_WAIT: Duration = Duration::from_secs(5);
/// The default of `store.cache`, in bytes.
pub(crate) const CACHE: u64 = 1 << 30;
/// The wait for an upload if `store.upload_wait` is unlimited, so that no command waits forever.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Tells whether a text names a bucket.
pub(crate) fn is_address(text: &str) -> bool {
    Address::parse(text).is_some()
}

/// Tells whether outputs of a profile go to a bucket.
pub(crate) fn holds(sources: &SettingSources, profile: &Profile) -> bool {
    profile.bucket && sources.bucket().is_some()
}

/// Returns the store in the bucket, if a bucket is set.
pub(crate) fn of(sources: &SettingSources, profile: &Profile) -> Result<Option<Outputs>, String> {
    Ok(open(sources, profile)?.map(|bucket| Arc::new(bucket) as Outputs))
}

/// Returns the local directory of outputs for the bucket, if a bucket is set.
pub(crate) fn spool(sources: &SettingSources) -> Option<Disk> {
    parts(sources, &Profile::OWN).ok()?.map(|parts| parts.spool)
}

/// Returns the bucket of the settings, or an error if none is set.
pub(crate) fn set(env: &Env) -> anyhow::Result<Bucket> {
    Ok(set_parts(env)?.bucket())
}

/// Returns the bucket of the settings, with the outputs of another bucket as the outputs to send.
pub(crate) fn set_for(stranded: &Stranded, env: &Env) -> anyhow::Result<Bucket> {
    Ok(Parts { spool: stranded.spool.clone(), ..set_parts(env)? }.bucket())
}

fn set_parts(env: &Env) -> anyhow::Result<Parts> {
    let sources = SettingSources::of_user(env);
    sources.say_warnings();
    let parts = parts(&sources, &Profile::OWN).map_err(anyhow::Error::msg)?;
    parts.ok_or_else(|| {
        anyhow::anyhow!(
            "no bucket is set\n\nhint: `overspill config set store s3://team/outputs` sets one"
        )
    })
}

/// Outputs that wait for a bucket that is not set any more: a name was mistyped, or a server has
/// moved. Only the user knows where they may go now.
pub(crate) struct Stranded {
    /// The name of the directory in which the outputs wait.
    pub(crate) name: String,
    /// The number of outputs that were never sent.
    pub(crate) outputs: u64,
    spool: Disk,
}

/// Returns the outputs that wait for buckets that are not set any more. An unreadable directory
/// counts as empty.
pub(crate) fn stranded(env: &Env) -> Vec<Stranded> {
    let spools = stores::other_spools(&SettingSources::of_user(env)).into_iter();
    let waiting = spools.map(|(name, spool)| {
        let outputs = spool.unsent().map_or(0, |unsent| unsent.len() as u64);
        Stranded { name, outputs, spool }
    });
    waiting.filter(|one| one.outputs > 0).collect()
}

fn open(sources: &SettingSources, profile: &Profile) -> Result<Option<Bucket>, String> {
    Ok(parts(sources, profile)?.map(Parts::bucket))
}

/// The parts from which a bucket is built.
struct Parts {
    spool: Disk,
    address: Address,
    options: BucketOptions,
}

impl Parts {
    fn bucket(self) -> Bucket {
        Bucket::new(self.spool, self.address, self.options)
    }
}

fn parts(sources: &SettingSources, profile: &Profile) -> Result<Option<Parts>, String> {
    let address = match sources.bucket().and_then(Address::parse) {
        Some(address) if holds(sources, profile) => address,
        _ => return Ok(None),
    };
    let blocked = sources.upload_block();
    // Invalid values only name the directory in which outputs wait.
    let invalid = |setting: Key| {
        let mut faults = sources.destination_faults();
        faults.find(|fault| fault.key == setting).map(|fault| fault.written.as_str())
    };
    let set = |setting| invalid(setting).or_else(|| sources.text(setting));
    let tenant = match invalid(Key::StoreTenant) {
        Some(tenant) => directory_name(tenant),
        None => sources.text(Key::StoreTenant).unwrap_or(TENANT).to_owned(),
    };
    let upload_wait = match sources.duration(Key::StoreUploadWait) {
        Some(Some(wait)) => Duration::try_from(wait).unwrap_or(UPLOAD_WAIT),
        Some(None) => LONGEST_WAIT,
        None => UPLOAD_WAIT,
    };
    let cache = match sources.limit(Key::StoreCache) {
        Some(Limit::AtMost(bytes)) => bytes,
        Some(Limit::Unlimited) => u64::MAX,
        None => CACHE,
    };
    let mut variables = variables::of(address.provider, &sources.env);
    let mut setting_names = Vec::new();
    for setting in [Key::StoreRegion, Key::StoreEndpoint, Key::StoreAccount] {
        let variable = sources.bucket().and_then(|bucket| provider_variable(bucket, setting));
        // A variable overrides a file.
        let variable = variable.filter(|variable| sources.env.variable(variable).is_none());
        if let Some((variable, value)) = variable.zip(set(setting)) {
            variables.retain(|(name, _)| name != variable);
            variables.push((variable.into(), value.into()));
            setting_names.push((variable.into(), sources.set_as(setting)));
        }
    }
    let spool = stores::spool(&sources.disk(profile)?, &address.spool(&tenant, &variables));
    let options = BucketOptions {
        tenant,
        upload_wait,
        cache,
        variables,
        setting_names,
        blocked,
        writer: Some(writer(&sources.env)),
        ..BucketOptions::default()
    };
    Ok(Some(Parts { spool, address, options }))
}

/// Returns a name for this user on this machine, for the records of a bucket. The name is a hash,
/// because many people read the records.
fn writer(#[cfg_attr(unix, allow(unused_variables))] env: &Env) -> String {
    #[cfg(unix)]
    let (user, machine) = {
        let machine = rustix::system::uname();
        let machine = machine.nodename().to_string_lossy().into_owned();
        (rustix::process::getuid().as_raw().to_string(), machine)
    };
    #[cfg(not(unix))]
    let (user, machine) = {
        let named = |name| env.variable(name).unwrap_or_default().to_string_lossy().into_owned();
        (named("USERNAME"), named("COMPUTERNAME"))
    };
    // Containers may share this file, and cloned machines may share a name.
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(format!("{user}@{machine}/{id}").as_bytes()))
}

/// Returns an invalid tenant as a part of a directory's name.
fn directory_name(tenant: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '~' };
    tenant.chars().take(60).map(plain).collect()
}
