//! `overspill rm`

use std::ffi::OsString;

use anyhow::bail;
use overspill::store::OutputId;

use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::{self, Outputs};
use crate::{find, ui};

/// Removes saved outputs.
///
/// A pinned output is removed only with --force.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill rm q7atzy m3k0pa
  overspill rm --all
  overspill list --tool cut --json | jq -r .id | xargs overspill rm")]
pub(crate) struct RmArgs {
    /// The outputs: ids, beginnings or ends of them, paths, `last`, `last~2` or `failed`. Without one, the last output.
    #[arg(conflicts_with = "all", value_name = "ID")]
    ids: Vec<OsString>,
    /// Remove all outputs that are not pinned.
    #[arg(long)]
    all: bool,
    /// Remove pinned outputs, too.
    #[arg(short, long)]
    force: bool,
    /// A line of JSON for each.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &RmArgs, env: &Env) -> u8 {
    ui::ended(rm(args, &args.store.env(env)))
}

fn rm(args: &RmArgs, env: &Env) -> anyhow::Result<()> {
    for (store, name, bytes) in chosen(args, env)? {
        store.delete(&name)?;
        ui::answer(&if args.json {
            ui::json_line(serde_json::json!({ "id": name, "removed": true, "bytes": bytes }))
        } else {
            format!("removed {name} ({})\n", ui::size(bytes))
        })?;
    }
    Ok(())
}

/// Returns the outputs to remove and their sizes. Fails before anything is removed.
fn chosen(args: &RmArgs, env: &Env) -> anyhow::Result<Vec<(Outputs, OutputId, u64)>> {
    if args.all {
        let store = stores::store(env).map_err(anyhow::Error::msg)?;
        let entries = find::newest_first(&*store)?.into_iter();
        let entries = entries.filter(|entry| args.force || !entry.pinned);
        return Ok(entries.map(|entry| (store.clone(), entry.name, entry.bytes)).collect());
    }
    let last = [OsString::from("last")];
    let ids = if args.ids.is_empty() { &last } else { &args.ids[..] };
    let mut found = find::all(ids, env)?;
    // Named twice, it is removed once.
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    found.dedup_by(|(_, a), (_, b)| a == b);
    let mut chosen = Vec::new();
    for (store, name) in found {
        let entry = store.entry(&name)?;
        if entry.pinned && !args.force {
            bail!("{name} is pinned\n\nhint: `overspill rm --force {name}` removes it");
        }
        chosen.push((store, name, entry.bytes));
    }
    Ok(chosen)
}
