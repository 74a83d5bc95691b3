//! Replaces `bucket.rs` in a program that was built without the feature `bucket`. Its functions
//! report an error.

use std::sync::Once;
use std::time::Duration;

use overspill::Profile;
use overspill::store::Disk;

use crate::env::Env;
use crate::settings::SettingSources;
use crate::stores::Outputs;
use crate::ui;

pub(crate) const TENANT: &str = "all";
pub(crate) const UPLOAD_WAIT: Duration = Duration::from_secs(5);
pub(crate) const CACHE: u64 = 1 << 30;

const NO: &str = "this program was built without its feature `bucket`";

pub(crate) fn is_address(text: &str) -> bool {
    let rest = ["s3://", "az://", "gs://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    rest.is_some_and(|rest| !rest.is_empty())
}

/// Returns `false`: no output goes to a bucket. [`of`] reports this if a bucket is set.
pub(crate) fn holds(_: &SettingSources, _: &Profile) -> bool {
    false
}

pub(crate) fn of(sources: &SettingSources, _: &Profile) -> Result<Option<Outputs>, String> {
    static SAID: Once = Once::new();
    if let Some(bucket) = sources.bucket() {
        SAID.call_once(|| {
            ui::warn_line(&format!("{bucket} is not used, outputs are saved here: {NO}"))
        });
    }
    Ok(None)
}

pub(crate) fn spool(_: &SettingSources) -> Option<Disk> {
    None
}

pub(crate) fn set(_: &Env) -> anyhow::Result<Bucket> {
    anyhow::bail!("{NO}")
}

pub(crate) fn set_for(_: &Stranded, env: &Env) -> anyhow::Result<Bucket> {
    set(env)
}

pub(crate) fn stranded(_: &Env) -> Vec<Stranded> {
    Vec::new()
}

/// Outputs that wait for a bucket that is not set any more.
pub(crate) struct Stranded {
    pub(crate) name: String,
    pub(crate) outputs: u64,
}

/// No value of this type exists.
pub(crate) enum Bucket {}

/// The result of a push.
pub(crate) struct Pushed {
    pub(crate) sent: u64,
    pub(crate) bytes: u64,
    pub(crate) left: u64,
    pub(crate) reason: Option<String>,
}

/// One right on the bucket that was tried.
pub(crate) struct Check {
    pub(crate) what: &'static str,
    pub(crate) needed_for: &'static str,
    pub(crate) finding: Finding,
}

/// The result of trying a right.
#[allow(dead_code, reason = "there is no bucket to try anything on")]
pub(crate) enum Finding {
    Works,
    Fails(String),
    NotTried,
}

impl Bucket {
    pub(crate) fn push(&self, _: Duration) -> Result<Pushed, overspill::Error> {
        match *self {}
    }

    pub(crate) fn check_rights(&self) -> Vec<Check> {
        match *self {}
    }

    pub(crate) fn lifecycle(&self, _: u32) -> String {
        match *self {}
    }

    pub(crate) fn address(&self) -> &str {
        match *self {}
    }
}
