//! `overspill pin`

use std::ffi::OsString;

use crate::args::StoreArgs;
use crate::env::Env;
use crate::{find, ui};

/// Never delete these outputs automatically.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  overspill pin 01KA\n  overspill pin --off 01KA")]
pub(crate) struct PinArgs {
    /// The outputs: ids, beginnings or ends of them, paths, `last`, `last~2` or `failed`.
    #[arg(value_name = "ID", default_value = "last")]
    ids: Vec<OsString>,
    /// Let them go again.
    #[arg(long)]
    off: bool,
    /// A line of JSON for each.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &PinArgs, env: &Env) -> u8 {
    ui::ended(pin(args, &args.store.env(env)))
}

fn pin(args: &PinArgs, env: &Env) -> anyhow::Result<()> {
    for (store, name) in find::all(&args.ids, env)? {
        store.pin(&name, !args.off)?;
        ui::answer(&if args.json {
            ui::json_line(serde_json::json!({ "id": name, "pinned": !args.off }))
        } else {
            format!("{} {name}\n", if args.off { "no longer pinned:" } else { "pinned" })
        })?;
    }
    Ok(())
}
