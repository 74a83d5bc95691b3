//! `overspill list`

use jiff::Timestamp;
use overspill::store::{Disk, Entry, Kept, Record, Store};

use crate::{find, home, ui};

/// Lists the saved outputs, the last used first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill list
  overspill list --here --command 'cargo test'
  overspill list --json --limit 1000 | jq -r 'select(.record.exit != 0).id'")]
pub(crate) struct ListArgs {
    /// Only those of this tool.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only those of commands with this text in them.
    #[arg(long, value_name = "TEXT")]
    command: Option<String>,
    /// Only those of commands that ran in this directory.
    #[arg(long)]
    here: bool,
    /// No more than so many.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// A line of JSON for each.
    #[arg(long)]
    json: bool,
}

pub(crate) fn list(args: &ListArgs) -> anyhow::Result<()> {
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let progress = ui::Progress::of("reading the store");
    let mut entries = find::newest_first(&disk)?;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
    let is_any = !entries.is_empty();
    let rows = wanted(args, &disk, entries)?;
    drop(progress);
    let more = rows.len().saturating_sub(args.limit);
    // Read anew: what is known of all of them would be too much to hold.
    let rows = rows.iter().take(args.limit).map(|entry| (entry, record(&disk, entry)));
    if args.json {
        let lines: String =
            rows.map(|(entry, record)| format!("{}\n", json(&disk, entry, &record))).collect();
        return ui::answer(&lines);
    }
    let now = Timestamp::now();
    let mut table =
        ui::Table::new(&["ID", ">SIZE", ">LINES", ">AGE", ">EXIT", "STATE", "TOOL", "COMMAND"]);
    rows.for_each(|(entry, record)| table.row(row(entry, &record, now)));
    let mut text = table.text(ui::width());
    if text.is_empty() {
        text = if is_any { "nothing of that kind is saved\n" } else { "nothing is saved\n" }.into();
    }
    if more > 0 {
        let all = args.limit + more;
        text.push_str(&format!("and {more} more; `--limit {all}` shows them\n"));
    }
    ui::answer(&text)
}

/// Leaves out what was not asked for.
fn wanted(args: &ListArgs, disk: &Disk, mut entries: Vec<Entry>) -> anyhow::Result<Vec<Entry>> {
    let here = match args.here {
        true => Some(std::env::current_dir()?.to_string_lossy().into_owned()),
        false => None,
    };
    if args.tool.is_none() && args.command.is_none() && here.is_none() {
        return Ok(entries);
    }
    entries.retain(|entry| {
        let call = record(disk, entry).call;
        let has = |part: &str| call.command.as_ref().is_some_and(|all| all.contains(part));
        args.tool.as_ref().is_none_or(|tool| call.tool.as_ref() == Some(tool))
            && args.command.as_ref().is_none_or(|part| has(part))
            && here.as_ref().is_none_or(|here| call.directory.as_ref() == Some(here))
    });
    Ok(entries)
}

fn record(disk: &Disk, entry: &Entry) -> Record {
    disk.record(&entry.name).ok().flatten().unwrap_or_default()
}

fn row(entry: &Entry, record: &Record, now: Timestamp) -> Vec<String> {
    let flags = [
        ("pinned", entry.pinned),
        ("partial", matches!(record.kept, Some(Kept::Ends { .. }))),
        ("interrupted", record.interrupted),
    ];
    let flags: Vec<&str> = flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0).collect();
    vec![
        entry.name.to_string(),
        ui::size(entry.bytes),
        if record.lines > 0 { record.lines.to_string() } else { String::new() },
        ui::age(entry.used, now),
        exit(record),
        flags.join(", "),
        ui::short(record.call.tool.as_deref().unwrap_or(""), 20),
        record.call.command.clone().unwrap_or_default(),
    ]
}

/// Returns the exit code as a shell says it.
fn exit(record: &Record) -> String {
    let code = record.exit.or(record.signal.map(|signal| 128 + signal));
    code.map(|code| code.to_string()).unwrap_or_default()
}

pub(crate) fn json(disk: &Disk, entry: &Entry, record: &Record) -> serde_json::Value {
    serde_json::json!({
        "id": entry.name.as_str(),
        "path": disk.file(&entry.name).to_string_lossy(),
        "bytes": entry.bytes,
        "used": entry.used.to_string(),
        "pinned": entry.pinned,
        "record": record,
    })
}
