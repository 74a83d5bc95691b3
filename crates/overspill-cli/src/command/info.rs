//! `overspill info`

use anyhow::Context;
use overspill::store::{State, Store};

use crate::{command, find, ui};

/// Says what is known of a saved output.
#[derive(Debug, clap::Args)]
pub(crate) struct InfoArgs {
    /// The output.
    pub(crate) id: String,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn info(args: &InfoArgs) -> anyhow::Result<()> {
    let (disk, name) = find::find(&args.id)?;
    let entry = disk.entry(&name)?;
    let record = disk.record(&name)?.unwrap_or_default();
    if args.json {
        let line = command::list::json(&disk, &entry, &record) + "\n";
        return ui::print(line.as_bytes()).context("standard output");
    }
    let state = match disk.check(&name)? {
        State::Whole => "whole, as it was saved",
        State::Partial => "only its first and last part could be kept",
        State::Damaged => "damaged: it is not what was saved",
        State::Unknown => "unknown",
    };
    let shown: u64 = record.shown.iter().map(|range| range.end - range.start).sum();
    let rows = [
        ("id", name.to_string()),
        ("path", disk.file(&name).display().to_string()),
        ("size", format!("{} ({} bytes)", ui::size(entry.bytes), entry.bytes)),
        ("lines", record.lines.to_string()),
        ("shown", format!("{shown} bytes")),
        ("state", state.to_owned()),
        ("saved", record.created.to_string()),
        ("last used", entry.used.to_string()),
        ("pinned", if entry.pinned { "yes" } else { "no" }.to_owned()),
        ("tool", record.call.tool.unwrap_or_default()),
        ("command", ui::short(&record.call.command.unwrap_or_default(), 200)),
        ("directory", record.call.directory.unwrap_or_default()),
        ("exit code", record.exit.map(|code| code.to_string()).unwrap_or_default()),
    ];
    let text: String = rows
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key:10} {value}\n"))
        .collect();
    ui::print(text.as_bytes()).context("standard output")
}
