//! `overspill gc`: removes expired outputs.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use overspill::internal::sweep::{SweepBudget, expired, sweep_watched};
use overspill::store::Store;
use overspill::{Profile, Retention, Swept};

use crate::args::profiles;
use crate::env::Env;
use crate::settings::{ResolvedSettings, SettingSources};
use crate::{bucket, ui};

/// Removes outputs that were not used for 7 days, and shrinks a store above 5 GiB.
///
/// If the store is larger than 5 GiB, `gc` removes the least recently used outputs first. The settings
/// `store.retention` and `store.quota` change these limits. Outputs that are pinned, or were used within the last hour,
/// stay. A bucket has no quota unless you set one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  overspill gc --dry-run\n  overspill gc --json")]
pub(crate) struct GcArgs {
    /// Print a lifecycle rule that lets the bucket remove old outputs, and remove nothing now.
    #[arg(long, conflicts_with = "dry_run")]
    lifecycle: bool,
    /// Show the number and size of expired outputs, and remove nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Clean the store of this profile [default: overspill].
    #[arg(long, value_name = "NAME", value_parser = profiles())]
    profile: Option<&'static str>,
}

/// The time for uploads before outputs are removed.
const PUSH: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &GcArgs, env: &Env) -> u8 {
    ui::ended(gc(args, env))
}

fn gc(args: &GcArgs, env: &Env) -> anyhow::Result<()> {
    let profile = args.profile.and_then(Profile::named).unwrap_or(Profile::OWN);
    let ResolvedSettings { profile, sources, .. } =
        SettingSources::of_user(env).resolved(Some(profile));
    sources.say_warnings();
    let store = sources.store(&profile).map_err(anyhow::Error::msg)?;
    if args.lifecycle {
        let age = sources.retention(&profile).unused_for.unwrap_or(SignedDuration::from_hours(24));
        let days = u32::try_from(age.as_hours().div_euclid(24).max(1)).unwrap_or(u32::MAX);
        return ui::answer(&bucket::set(env)?.lifecycle(days));
    }
    if bucket::holds(&sources, &profile) && !args.dry_run {
        // Waiting outputs are uploaded first, because `gc` has the time that a call does not have.
        let _ = bucket::set(env)?.push(PUSH);
    }
    let (retention, now) = (sources.retention(&profile), env.now());
    let progress = ui::Progress::of("removing");
    let sweep = |store: &dyn Store| match args.dry_run {
        true => would_be_swept(store, &retention, now),
        false => sweep_watched(store, &retention, SweepBudget::Whole, now, |done, all| {
            progress.at(done, all);
        }),
    };
    let mut all = Swept::default();
    if bucket::holds(&sources, &profile) {
        // Outputs from the time before the bucket was set are still on this disk.
        let disk = sources.disk(&profile).map_err(anyhow::Error::msg)?;
        match sweep(&disk) {
            Ok(swept) => add(&mut all, &swept),
            Err(error) => ui::warn_line(&error.to_string()),
        }
    }
    add(&mut all, &sweep(&*store)?);
    drop(progress);
    ui::warn_of_damage(&*store);
    let Swept { removed, bytes, kept, failed, .. } = all;
    if args.json {
        let json = serde_json::json!({
            "removed": removed, "bytes": bytes, "kept": kept, "failed": failed,
            "dry_run": args.dry_run,
        });
        return ui::answer(&ui::json_line(json));
    }
    let done = if args.dry_run { "would be removed" } else { "removed" };
    let trouble =
        if failed > 0 { format!(", {failed} could not be removed") } else { String::new() };
    let removed = ui::count(removed, "output");
    ui::answer(&format!("{removed} {done} ({}), {kept} kept{trouble}\n", ui::size(bytes)))
}

fn add(all: &mut Swept, swept: &Swept) {
    all.removed += swept.removed;
    all.bytes += swept.bytes;
    all.kept += swept.kept;
    all.failed += swept.failed;
}

fn would_be_swept(
    store: &dyn Store,
    retention: &Retention,
    now: Timestamp,
) -> Result<Swept, overspill::Error> {
    let now = store.time()?.unwrap_or(now);
    let entries = store.list()?;
    let going = expired(&entries, retention, now);
    let removed = going.len() as u64;
    let bytes = going.iter().map(|entry| entry.bytes).sum();
    Ok(Swept { removed, bytes, kept: entries.len() as u64 - removed, ..Swept::default() })
}
