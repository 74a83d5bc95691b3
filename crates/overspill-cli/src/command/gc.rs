//! `overspill gc`

use anyhow::Context;
use jiff::Timestamp;
use overspill::sweep::{Budget, Retention, Swept, sweep};

use crate::{home, ui};

/// Removes what was not used for seven days, and the oldest beyond 5 GiB.
#[derive(Debug, clap::Args)]
pub(crate) struct GcArgs {
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn gc(args: &GcArgs) -> anyhow::Result<()> {
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let swept = sweep(&disk, &Retention::default(), Budget::Whole, Timestamp::now())?;
    let Swept { removed, bytes, kept, failed, .. } = swept;
    let text = if args.json {
        let json = serde_json::json!({
            "removed": removed, "bytes": bytes, "kept": kept, "failed": failed,
        });
        format!("{json}\n")
    } else {
        let trouble =
            if failed > 0 { format!(", {failed} could not be removed") } else { String::new() };
        format!("{removed} removed ({}), {kept} kept{trouble}\n", ui::size(bytes))
    };
    ui::print(text.as_bytes()).context("standard output")
}
