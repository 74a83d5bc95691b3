//! `overspill diff`

use std::ffi::OsString;

use anyhow::{anyhow, bail};
use overspill::core::Limits;
use overspill::internal::retrieve::{self, DiffError, Differences};
use overspill::retrieve::Answer;
use overspill::store::{OutputId, Store};

use super::request::command_line;
use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::Outputs;
use crate::{find, hosts, ui};

/// Shows how two saved outputs differ, line by line.
///
/// With one output it is compared with the previous run of the same command in the same directory.
/// An answer has at most 2000 lines and 50 KiB and ends with the command for the next page. Outputs of more
/// than 64 MiB are refused. Exits with 0 whether the outputs differ or not, with 1 if they cannot be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill diff 01KA            what is different since the last time
  overspill diff 01KA 01KB       from 01KA to 01KB")]
pub(crate) struct DiffArgs {
    /// The output, or with another one the older of the two: an id, a path, `last`, `last~2` or `failed`.
    #[arg(value_name = "ID", default_value = "last")]
    id: OsString,
    /// The output it is compared with.
    other: Option<OsString>,
    /// From this line of the differences on.
    #[arg(long, value_name = "LINE", default_value_t = 1)]
    from: u64,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The most bytes of the footer, without the name of the program.
const FOOTER_BYTES: u64 = 600;
/// How much of a command is shown in the heading.
const COMMAND: usize = 100;

pub(crate) fn run(args: &DiffArgs, env: &Env) -> u8 {
    ui::ended(diff(args, &args.store.env(env)))
}

fn diff(args: &DiffArgs, env: &Env) -> anyhow::Result<()> {
    let (store, old, new) = both(args, env)?;
    let program = env.program_name();
    let heading = format!("--- {}+++ {}", heading(&*store, &old), heading(&*store, &new));
    let beside = FOOTER_BYTES + (program.len() + heading.len()) as u64;
    let (share, lines_beside) = if args.json { (2, 0) } else { (1, 3) };
    let limits = hosts::page(env);
    let room = Limits {
        // In JSON a character may take twice the room.
        bytes: limits.bytes.map(|most| most.saturating_sub(beside) / share),
        lines: limits.lines.map(|most| most - lines_beside),
        ..limits
    };
    let progress = ui::Progress::of("comparing");
    let found = retrieve::diff(&*store, &old, &new, args.from, &room);
    drop(progress);
    let found = found.map_err(|error| explained(error, &old, &new, program))?;
    let answer = found.answer(&old, &new);
    let text = if args.json {
        json(&*store, &old, &found, &answer, program)
    } else {
        let heading = if args.from <= 1 && !found.same { &heading } else { "" };
        format!("{heading}{}", answer.to_text(|next| command_line(next, program)))
    };
    ui::answer(&text)?;
    let _ = store.retrieved(&new, text.len() as u64);
    Ok(())
}

/// Adds how to compare outputs that are too large for us.
fn explained(error: DiffError, old: &OutputId, new: &OutputId, program: &str) -> anyhow::Error {
    if !matches!(error, DiffError::TooLarge { .. } | DiffError::TooRepetitive { .. }) {
        return error.into();
    }
    let part = |name: &OutputId| format!("<({program} read {name} --lines 1:2000)");
    let command = format!("diff {} {}", part(old), part(new));
    anyhow!("{error}\n\nhint: `{command}` compares parts of them; `grep` searches both")
}

/// The outputs that are compared, the older one first.
fn both(args: &DiffArgs, env: &Env) -> anyhow::Result<(Outputs, OutputId, OutputId)> {
    let (store, name) = find::find(&args.id, env)?;
    if let Some(other) = &args.other {
        let (_, new) = find::find(other, env)?;
        if store.entry(&new).is_err() {
            bail!(
                "{name} and {new} are in different stores\n\nhint: `overspill read ID --raw > FILE` \
                 copies an output for another program"
            );
        }
        return Ok((store, name, new));
    }
    match retrieve::previous_run(&*store, &name)? {
        Some(previous) => Ok((store, previous, name)),
        None => bail!(
            "there is no earlier run to compare {name} with\n\nhint: `overspill diff ID OTHER` \
             compares any two outputs"
        ),
    }
}

fn heading(store: &dyn Store, name: &OutputId) -> String {
    let Some(record) = store.record(name).ok().flatten() else { return format!("{name}\n") };
    let exit = record.exit.map_or(String::new(), |code| format!("  exit {code}"));
    let command = record.call.command.or(record.call.tool).unwrap_or_default();
    let (time, command) = (ui::time(record.created), ui::short(&command, COMMAND));
    format!("{name}  {time}{exit}  {command}\n")
}

fn json(
    store: &dyn Store,
    old: &OutputId,
    found: &Differences,
    answer: &Answer,
    program: &str,
) -> String {
    let side = |name: &OutputId| {
        let record = store.record(name).ok().flatten().unwrap_or_default();
        let command = record.call.command.map(|command| ui::short(&command, COMMAND));
        serde_json::json!({
            "id": name, "created": record.created, "exit": record.exit, "command": command,
        })
    };
    let mut json = serde_json::json!({
        "old": side(old), "new": side(&answer.id), "same": found.same,
        "added": found.added, "removed": found.removed,
        "text": found.text, "what": answer.what, "next": answer.next.as_ref().map(|next| command_line(next, program)),
    });
    if found.not_compared != [None, None] {
        let side = |at: usize| found.not_compared[at].as_ref().map(|it| [it.first, it.last]);
        json["not_compared"] = serde_json::json!({ "old": side(0), "new": side(1) });
    }
    ui::json_line(json)
}
