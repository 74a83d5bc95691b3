//! `overspill list`: lists saved outputs, filtered and sorted.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, bail};
use jiff::{SignedDuration, Timestamp};
use overspill::internal::store::{RecentOrder, RecentOutputs, RecentQuery, Record};
use overspill::store::{Entry, Kept, Store};
use overspill::{Error, Limit};

use crate::args::{StoreArgs, duration};
use crate::env::Env;
use crate::settings::units::parse_limit;
use crate::{stores, ui};

/// Lists saved outputs, the newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill list
  overspill list --here --command 'cargo test'
  overspill list --failed --since 1d
  overspill list --sort size --limit 5
  overspill list --larger 1MB --json | jq -r .id

USED: time since the output was saved or last read. STATE: `running` while the command runs. `cut short`: overspill was \
killed before the command ended. `interrupted`: the command was stopped. `partial`: only the first and the last part are \
saved. `pinned`: see `overspill pin`.")]
pub(crate) struct ListArgs {
    /// Only outputs of this day in UTC, such as `2026-01-13`.
    #[arg(long, value_name = "DAY", value_parser = day)]
    day: Option<String>,
    /// Only outputs of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only outputs of this tool.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only outputs of calls by this host agent, such as `claude-code`.
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Only outputs of commands that contain this text.
    #[arg(long, value_name = "TEXT")]
    command: Option<String>,
    /// Only outputs of commands that ran in this directory.
    #[arg(long)]
    here: bool,
    /// Only outputs of commands that ran in the directory DIR.
    #[arg(long, value_name = "DIR", conflicts_with = "here")]
    directory: Option<PathBuf>,
    /// Only outputs of commands that failed: by exit code, by signal, or in a stage of a pipe.
    #[arg(long)]
    failed: bool,
    /// Only outputs of the last minutes, hours or days, such as `2h` or `1d`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    since: Option<Duration>,
    /// Only outputs larger than this size, such as `1MB`.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    larger: Option<u64>,
    /// The order: newest (`saved`), most recently used (`used`) or largest (`size`) first.
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sort::Saved)]
    sort: Sort,
    /// List at most N outputs.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Print a line of JSON for each output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sort {
    Saved,
    Used,
    Size,
}

pub(crate) fn run(args: &ListArgs, env: &Env) -> u8 {
    ui::ended(list(args, env))
}

fn list(args: &ListArgs, env: &Env) -> anyhow::Result<()> {
    let mut store = stores::store(&args.store.access(env)).map_err(anyhow::Error::msg)?;
    let wanted = wanted(args, env)?;
    let progress = ui::Progress::of("reading the store");
    let mut bucket_error = None;
    let newest = match store.newest(&wanted) {
        // If the bucket does not answer, the list has the outputs of this machine.
        Err(error @ Error::Bucket { .. }) => {
            store = stores::local_part(env).ok_or_else(|| anyhow!("{error}"))?;
            bucket_error = Some(error);
            store.newest(&wanted)?
        }
        newest => newest?,
    };
    drop(progress);
    print(args, &*store, &newest, bucket_error.is_some(), env)?;
    ui::warn_of_damage(&*store);
    match bucket_error {
        None => Ok(()),
        Some(error) => bail!(
            "{error}\n\nhint: the list has only outputs on this machine; `overspill config check` tests the bucket"
        ),
    }
}

fn print(
    args: &ListArgs,
    store: &dyn Store,
    newest: &RecentOutputs,
    is_local_only: bool,
    env: &Env,
) -> anyhow::Result<()> {
    let rows = newest.entries.iter();
    if args.json {
        let lines: String =
            rows.map(|(entry, record)| ui::json_line(json(store, entry, record))).collect();
        return ui::answer(&lines);
    }
    let now = env.now();
    let titles = ["ID", ">SIZE", ">LINES", ">USED", ">EXIT", "STATE", "TOOL", "COMMAND"];
    let mut table = ui::Table::new(&titles).optional(&["LINES", "TOOL", "STATE", "USED"]);
    for (entry, record) in rows {
        table.row(row(entry, record, now));
        paint_row(&mut table, "ID", record);
    }
    let mut text = table.painted(ui::width(), env.colors());
    if text.is_empty() && args.limit > 0 && !is_local_only {
        let all = RecentQuery { most: 1, ..RecentQuery::default() };
        let is_any = !store.newest(&all)?.entries.is_empty();
        text = if is_any {
            "No saved output matches. `overspill list` lists the newest outputs.\n"
        } else {
            "No saved outputs yet. overspill saves an output when it is too long to show. \
             Try: overspill seq 100000\n"
        }
        .into();
    }
    let all = args.limit + newest.more;
    match (newest.more, newest.unseen) {
        (0, false) => {}
        (0, true) => text.push_str("earlier days may have more outputs; `--limit N` shows more\n"),
        (more, false) => text.push_str(&format!("and {more} more; `--limit {all}` shows them\n")),
        (more, true) => {
            text.push_str(&format!(
                "and {more} more; earlier days may have others; `--limit {all}` shows more\n"
            ));
        }
    }
    ui::answer(&text)
}

/// Paints the last row of a table: the id, and the exit code and the command of a run that failed.
pub(super) fn paint_row(table: &mut ui::Table, id: &str, record: &Record) {
    table.tone(id, ui::Tone::Id);
    if record.has_failed() {
        table.tone("EXIT", ui::Tone::Failure);
        table.tone("COMMAND", ui::Tone::Failure);
    }
}

fn size(typed: &str) -> Result<u64, &'static str> {
    match parse_limit(typed) {
        Some(Limit::AtMost(bytes)) => Ok(bytes),
        _ => Err("expected a size such as `50KiB` or `1MB`"),
    }
}

fn day(typed: &str) -> Result<String, String> {
    let day: Result<jiff::civil::Date, _> = typed.parse();
    day.map(|day| day.to_string()).map_err(|_| "expected a day, such as `2026-01-13`".into())
}

/// Returns the query for the options.
fn wanted(args: &ListArgs, env: &Env) -> anyhow::Result<RecentQuery> {
    let directory = match (&args.directory, args.here) {
        (Some(directory), _) => Some(env.absolute(directory)?.to_string_lossy().into_owned()),
        (None, true) => Some(env.directory()?.to_string_lossy().into_owned()),
        (None, false) => None,
    };
    Ok(RecentQuery {
        day: args.day.clone(),
        session: args.session.clone(),
        tool: args.tool.clone(),
        host: args.host.clone(),
        command: args.command.clone(),
        directory,
        failed: args.failed,
        since: args.since.map(|ago| since(ago, env.now())),
        larger: args.larger,
        most: args.limit,
        order: match args.sort {
            Sort::Saved => RecentOrder::Saved,
            Sort::Used => RecentOrder::Used,
            Sort::Size => RecentOrder::Size,
        },
    })
}

/// Returns the time that lies `ago` before `now`.
fn since(ago: Duration, now: Timestamp) -> Timestamp {
    SignedDuration::try_from(ago)
        .ok()
        .and_then(|ago| now.checked_sub(ago).ok())
        .unwrap_or(Timestamp::MIN)
}

fn row(entry: &Entry, record: &Record, now: Timestamp) -> Vec<String> {
    let flags = [
        ("running", record.running),
        ("cut short", record.cut_short),
        ("pinned", entry.pinned),
        ("partial", matches!(record.kept, Some(Kept::Ends { .. }))),
        ("interrupted", record.interrupted),
    ];
    let flags: Vec<&str> = flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0).collect();
    vec![
        entry.name.short_id(),
        ui::size(entry.bytes),
        if record.lines > 0 { record.lines.to_string() } else { String::new() },
        ui::age(entry.used, now),
        exit_cell(record),
        flags.join(", "),
        ui::short(record.call.tool.as_deref().unwrap_or(""), 20),
        ui::short(record.call.command.as_deref().unwrap_or(""), 1_000),
    ]
}

/// Returns the exit code, and in parentheses the codes of a pipeline that hides a failure.
fn exit_cell(record: &Record) -> String {
    let code = exit(record).map(|code| code.to_string()).unwrap_or_default();
    match record.pipelines.first() {
        None => code,
        Some(pipeline) => {
            let codes: Vec<String> =
                pipeline.stages.iter().map(|stage| stage.exit.to_string()).collect();
            format!("{code} ({})", codes.join("|"))
        }
    }
}

/// Returns the exit code as a shell reports it: 128+n for a signal.
pub(super) fn exit(record: &Record) -> Option<i32> {
    record.exit.or(record.signal.map(|signal| 128 + signal))
}

pub(crate) fn json(store: &dyn Store, entry: &Entry, record: &Record) -> serde_json::Value {
    let mut json = serde_json::json!({
        "id": entry.name.as_str(),
        "path": store.place(&entry.name),
        "exit": exit(record),
        "command": record.call.command,
        "created": record.created.to_string(),
        "bytes": entry.bytes,
        "used": entry.used.to_string(),
        "pinned": entry.pinned,
        "record": record,
    });
    json["record"]["exit"] = exit(record).into();
    // The same shapes as in `cut --json`.
    let lines = record.preview.as_ref().map_or(&[][..], |preview| &preview.lines);
    let pieces = record.shown.iter().enumerate().map(|(at, bytes)| {
        serde_json::json!({ "bytes": [bytes.start, bytes.end], "lines": lines.get(at) })
    });
    json["record"]["pieces"] = pieces.collect();
    json["record"]["shown"] = serde_json::json!({
        "bytes": record.shown_bytes(),
        "lines": (lines.len() == record.shown.len()).then(|| shown_lines(lines)),
    });
    if !record.read_later.is_empty() {
        let parts = record.read_later.iter().map(|bytes| [bytes.start, bytes.end]);
        json["record"]["read_later"] = parts.map(serde_json::Value::from).collect();
    }
    if let Some(preview) = json["record"]["preview"].as_object_mut() {
        preview.shift_remove("lines");
        preview.shift_remove("sent_text");
    }
    json
}

/// Returns the number of lines in the pieces. A line that two pieces show counts once.
fn shown_lines(pieces: &[(u64, u64)]) -> u64 {
    let mut last_line = 0;
    let count = pieces.iter().map(|&(first, last)| {
        let new = (last + 1).saturating_sub(first.max(last_line + 1));
        last_line = last_line.max(last);
        new
    });
    count.sum()
}
