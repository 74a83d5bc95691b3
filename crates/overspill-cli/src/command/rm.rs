//! `overspill rm`

use std::ffi::OsString;

use crate::env::Env;
use crate::{find, ui};

/// Removes saved outputs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill rm 01KA 01KB
  overspill list --tool cut --json | jq -r .id | xargs overspill rm")]
pub(crate) struct RmArgs {
    /// The outputs: ids, beginnings of them, or paths.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<OsString>,
    /// A line of JSON for each.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RmArgs, env: &Env) -> u8 {
    ui::ended(rm(args, env))
}

fn rm(args: &RmArgs, env: &Env) -> anyhow::Result<()> {
    let mut found = find::all(&args.ids, env)?;
    // Named twice, it is removed once.
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    found.dedup_by(|(_, a), (_, b)| a == b);
    for (store, name) in found {
        let bytes = store.entry(&name)?.bytes;
        store.delete(&name)?;
        ui::answer(&if args.json {
            ui::json_line(serde_json::json!({ "id": name, "removed": true, "bytes": bytes }))
        } else {
            format!("removed {name} ({})\n", ui::size(bytes))
        })?;
    }
    Ok(())
}
