//! `overspill pin`: protects saved outputs from automatic deletion.

use std::ffi::OsString;

use crate::args::StoreArgs;
use crate::env::Env;
use crate::{find, ui};

/// Protects saved outputs from automatic deletion.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  overspill pin\n  overspill pin q7atzy\n  overspill pin --off q7atzy"
)]
pub(crate) struct PinArgs {
    /// The outputs: ids, paths, `last`, `last~2` or `failed`.
    #[arg(value_name = "ID", default_value = "last")]
    ids: Vec<OsString>,
    /// Remove the protection, so that the outputs expire again.
    #[arg(long)]
    off: bool,
    /// Print a line of JSON for each output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &PinArgs, env: &Env) -> u8 {
    ui::ended(pin(args, env))
}

fn pin(args: &PinArgs, env: &Env) -> anyhow::Result<()> {
    for (store, name) in find::all(&args.ids, &args.store.access(env))? {
        let was_pinned = store.entry(&name)?.pinned;
        store.pin(&name, !args.off)?;
        ui::answer(&if args.json {
            ui::json_line(serde_json::json!({ "id": name, "pinned": !args.off }))
        } else {
            let done = match (args.off, was_pinned) {
                (true, true) => "no longer pinned:",
                (true, false) => "was not pinned:",
                (false, _) => "pinned",
            };
            format!("{done} {}\n", name.short_id())
        })?;
    }
    Ok(())
}
