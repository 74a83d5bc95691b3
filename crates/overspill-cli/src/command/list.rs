//! `overspill list`

use anyhow::Context;
use jiff::Timestamp;
use overspill::store::{Disk, Entry, Record, Store};

use crate::{find, home, ui};

/// Lists the saved outputs, the last used first.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// A line of JSON for each.
    #[arg(long)]
    pub(crate) json: bool,
    /// No more than so many.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

pub(crate) fn list(args: &ListArgs) -> anyhow::Result<()> {
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let mut entries = find::newest_first(&disk)?;
    let all = entries.len();
    entries.truncate(args.limit);
    let now = Timestamp::now();
    let mut text = String::new();
    for entry in &entries {
        let record = disk.record(&entry.name).ok().flatten().unwrap_or_default();
        text.push_str(&if args.json {
            json(&disk, entry, &record)
        } else {
            row(entry, &record, now)
        });
        text.push('\n');
    }
    if !args.json && all == 0 {
        text.push_str("nothing is saved\n");
    } else if !args.json && all > entries.len() {
        text.push_str(&format!("and {} more; --limit shows them\n", all - entries.len()));
    }
    ui::print(text.as_bytes()).context("standard output")
}

fn row(entry: &Entry, record: &Record, now: Timestamp) -> String {
    let what = record.call.command.as_deref().or(record.call.tool.as_deref()).unwrap_or("");
    let exit = record.exit.map_or("-".into(), |code| code.to_string());
    format!(
        "{}  {:>10}  {:>13}  {:>4} {} {}",
        entry.name,
        ui::size(entry.bytes),
        ui::ago(entry.used, now),
        exit,
        if entry.pinned { "pinned" } else { "      " },
        ui::short(what, 40),
    )
    .trim_end()
    .to_owned()
}

pub(crate) fn json(disk: &Disk, entry: &Entry, record: &Record) -> String {
    serde_json::json!({
        "id": entry.name.as_str(),
        "path": disk.file(&entry.name).to_string_lossy(),
        "bytes": entry.bytes,
        "used": entry.used.to_string(),
        "pinned": entry.pinned,
        "record": record,
    })
    .to_string()
}
