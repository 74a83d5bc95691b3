//! `overspill info`: prints the record of a saved output, and verifies its checksum.

use std::ffi::OsString;

use overspill::internal::store::{Integrity, PipelineStatus, Record, StageStatus};
use overspill::store::Kept;

use crate::args::StoreArgs;
use crate::env::Env;
use crate::{command, find, ui};

/// Shows details of a saved output and verifies its checksum.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  overspill info\n  overspill info q7atzy")]
pub(crate) struct InfoArgs {
    /// The output: an id such as `q7atzy`, a path, `last`, `last~2` or `failed` (see `help ids`).
    #[arg(value_name = "ID", default_value = "last")]
    id: OsString,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The largest number of characters of a value. Longer values are shortened.
const LONGEST_VALUE: usize = 1_000;

pub(crate) fn run(args: &InfoArgs, env: &Env) -> u8 {
    ui::ended(info(args, env))
}

fn info(args: &InfoArgs, env: &Env) -> anyhow::Result<()> {
    let (store, name) = find::find(&args.id, &args.store.access(env))?;
    let entry = store.entry(&name)?;
    let record = store.record(&name)?.unwrap_or_default();
    let progress = ui::Progress::of("reading it all");
    let state = store.check(&name)?;
    drop(progress);
    ui::warn_of_damage(&*store);
    if args.json {
        let mut json = command::list::json(&*store, &entry, &record);
        json["state"] = match () {
            () if record.running => "running",
            () if record.cut_short => "cut short",
            () => word(state),
        }
        .into();
        return ui::answer(&ui::json_line(json));
    }
    let is_bad = state == Integrity::Damaged || record.cut_short;
    let state = match state {
        _ if record.running => "the command still runs: this is its output so far",
        _ if record.cut_short => "cut short: the process that saved it was killed",
        Integrity::Whole => "whole, as it was saved",
        Integrity::Partial => "partial: only the first and the last part were saved",
        Integrity::Damaged => "damaged: its checksum does not match",
        Integrity::Unknown => "unknown: no checksum was recorded",
    };
    let bytes = |bytes: u64| format!("{} ({bytes} bytes)", ui::size(bytes));
    let is_time_known = record.bytes > 0 || record.running || record.cut_short;
    let produced = match record.kept {
        Some(Kept::Ends { first, between, last }) => {
            let shown = match between {
                0 => String::new(),
                between => format!(", {between} of lines between that the preview shows,"),
            };
            let all = bytes(record.bytes);
            format!("{all}, of which the first {first}{shown} and the last {last} were kept")
        }
        Some(Kept::Whole) | None => String::new(),
    };
    let call = record.call.clone();
    let rows = [
        ("id", name.short_id()),
        ("path", store.place(&name)),
        ("size", bytes(entry.bytes)),
        ("produced", produced),
        ("lines", if record.lines > 0 { record.lines.to_string() } else { String::new() }),
        (
            "shown",
            match (record.on_terminal, record.bytes) {
                (true, _) => "all of it, on a terminal".to_owned(),
                (false, 0) => String::new(),
                (false, _) => bytes(record.shown_bytes()),
            },
        ),
        ("read later", if record.retrieved > 0 { bytes(record.retrieved) } else { String::new() }),
        ("state", state.to_owned()),
        ("saved", if is_time_known { ui::time(record.created) } else { String::new() }),
        ("last used", ui::time(entry.used)),
        ("pinned", if entry.pinned { "yes" } else { "no" }.to_owned()),
        ("tool", call.tool.unwrap_or_default()),
        ("session", call.session.unwrap_or_default()),
        ("call", call.id.unwrap_or_default()),
        ("command", call.command.unwrap_or_default()),
        ("directory", call.directory.unwrap_or_default()),
        ("exit code", record.exit.map(|code| code.to_string()).unwrap_or_default()),
        ("failed in a pipe", failed_pipelines(&record)),
        ("signal", record.signal.map(|signal| signal.to_string()).unwrap_or_default()),
        ("interrupted", if record.interrupted { "the work may be incomplete" } else { "" }.into()),
    ];
    let colors = env.colors();
    let line = |(key, value): &(&str, String)| {
        let tone = match *key {
            "id" => Some(ui::Tone::Id),
            "state" if is_bad => Some(ui::Tone::Failure),
            "exit code" | "signal" | "failed in a pipe" if record.has_failed() => {
                Some(ui::Tone::Failure)
            }
            _ => None,
        };
        let value = ui::escaped(value, LONGEST_VALUE);
        let value = tone.map_or_else(|| value.clone(), |tone| colors.paint(tone, &value));
        format!("{} {value}\n", colors.paint(ui::Tone::Faint, &format!("{key:10}")))
    };
    let text: String = rows.iter().filter(|(_, value)| !value.is_empty()).map(line).collect();
    ui::answer(&text)
}

/// Returns each pipeline in which a stage failed, with the exit codes of its stages.
fn failed_pipelines(record: &Record) -> String {
    let stage = |stage: &StageStatus| {
        let command = stage.command.as_deref().unwrap_or("(not known)");
        format!("{command} [{}]", stage.exit)
    };
    let pipeline = |pipeline: &PipelineStatus| {
        pipeline.stages.iter().map(stage).collect::<Vec<_>>().join(" | ")
    };
    record.pipelines.iter().map(pipeline).collect::<Vec<_>>().join("; ")
}

fn word(state: Integrity) -> &'static str {
    match state {
        Integrity::Whole => "whole",
        Integrity::Partial => "partial",
        Integrity::Damaged => "damaged",
        Integrity::Unknown => "unknown",
    }
}
