//! `overspill rm`: removes saved outputs.

use std::ffi::OsString;

use anyhow::bail;
use overspill::store::{OutputId, Store};

use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::{self, Outputs};
use crate::{find, ui};

/// Removes saved outputs.
///
/// A pinned output, or an output whose command still runs, needs --force.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill rm q7atzy m3k0pa
  overspill rm --all
  overspill list --tool cut --json | jq -r .id | xargs overspill rm")]
pub(crate) struct RmArgs {
    /// The outputs: ids, paths, `last`, `last~2` or `failed` [default: last].
    #[arg(conflicts_with = "all", value_name = "ID")]
    ids: Vec<OsString>,
    /// Remove all outputs that are not pinned and whose command has ended.
    #[arg(long)]
    all: bool,
    /// Also remove pinned outputs and outputs of running commands.
    #[arg(short, long)]
    force: bool,
    /// Print a line of JSON for each output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &RmArgs, env: &Env) -> u8 {
    ui::ended(rm(args, env))
}

fn rm(args: &RmArgs, env: &Env) -> anyhow::Result<()> {
    for (store, name, bytes) in chosen(args, env)? {
        store.delete(&name)?;
        ui::answer(&if args.json {
            ui::json_line(serde_json::json!({ "id": name, "removed": true, "bytes": bytes }))
        } else {
            format!("removed {} ({})\n", name.short_id(), ui::size(bytes))
        })?;
    }
    Ok(())
}

/// Returns the outputs to remove and their sizes. An error leaves all outputs in the store.
fn chosen(args: &RmArgs, env: &Env) -> anyhow::Result<Vec<(Outputs, OutputId, u64)>> {
    if args.all {
        let store = stores::store(&args.store.access(env)).map_err(anyhow::Error::msg)?;
        let mut chosen = Vec::new();
        for entry in find::newest_first(&*store)? {
            if !args.force && entry.pinned {
                continue;
            }
            if !args.force && is_running(&*store, &entry.name)? {
                let id = entry.name.short_id();
                ui::say(&format!(
                    "kept {id}: its command still runs\nhint: `overspill rm --force {id}` removes it"
                ));
                continue;
            }
            chosen.push((store.clone(), entry.name, entry.bytes));
        }
        return Ok(chosen);
    }
    let last = [OsString::from("last")];
    let ids = if args.ids.is_empty() { &last } else { &args.ids[..] };
    let mut found = find::all(ids, &args.store.access(env))?;
    // An output that is named twice is removed once.
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    found.dedup_by(|(_, a), (_, b)| a == b);
    let mut chosen = Vec::new();
    for (store, name) in found {
        let entry = store.entry(&name)?;
        let id = name.short_id();
        if entry.pinned && !args.force {
            bail!("{id} is pinned\n\nhint: `overspill rm --force {id}` removes it");
        }
        if !args.force && is_running(&*store, &name)? {
            bail!(
                "{id}: its command still runs\n\nhint: `overspill rm --force {id}` removes it, and the rest of \
                 the output is lost"
            );
        }
        chosen.push((store, name, entry.bytes));
    }
    Ok(chosen)
}

/// Tells whether the command of an output still runs.
fn is_running(store: &dyn Store, name: &OutputId) -> anyhow::Result<bool> {
    Ok(store.record(name)?.is_some_and(|record| record.running))
}
