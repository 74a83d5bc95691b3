//! `overspill diff`: compares two saved outputs, and prints the differences page by page.

use std::ffi::OsString;

use anyhow::{anyhow, bail};
use overspill::core::Limits;
use overspill::internal::retrieve::{self, DiffError, Differences, TestChanges};
use overspill::retrieve::Answer;
use overspill::store::{OutputId, Store};

use super::request::command_line;
use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::Outputs;
use crate::{find, hosts, ui};

/// Shows how two saved outputs differ.
///
/// Without an id, `diff` compares the last run with the run before it: same command, same
/// directory. For test reports it shows which tests are fixed, newly failing or still failing. A
/// page has at most 2000 lines and 50 KiB. Its last line has the command for the next page. An
/// output can have at most 64 MiB. Exit code 0: the outputs were compared. Exit code 1: they cannot
/// be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill diff                 the last run and the run before it
  overspill diff q7atzy          q7atzy and the run before it
  overspill diff q7atzy m3k0pa   from q7atzy to m3k0pa
  overspill diff --lines         the lines that differ, also for test reports")]
pub(crate) struct DiffArgs {
    /// The output: an id, a path, `last`, `last~2` or `failed`. With OTHER, the older of the two.
    #[arg(value_name = "ID", default_value = "last")]
    id: OsString,
    /// The newer output [default: compare ID with the run before it].
    other: Option<OsString>,
    /// Begin with this line of the differences.
    #[arg(long, value_name = "LINE", default_value_t = 1)]
    from: u64,
    /// Show the lines that differ, also for test reports [default: for test reports, show the
    /// tests].
    #[arg(long)]
    lines: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pager: ui::PagerArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// The largest number of tests of each kind that the text names.
const MOST_TESTS: usize = 50;
/// The largest number of columns that the name of a test can have.
const TEST_NAME: usize = 200;

/// The most bytes of the footer, without the name of the program.
const FOOTER_BYTES: u64 = 600;
/// The limits of the text that a pager gets.
const WITH_PAGER: Limits = Limits::NONE.bytes(64 << 20).lines(1_000_000);
/// The largest number of columns that a command can have in the heading.
const COMMAND: usize = 100;

pub(crate) fn run(args: &DiffArgs, env: &Env) -> u8 {
    ui::ended(diff(args, env))
}

fn diff(args: &DiffArgs, env: &Env) -> anyhow::Result<()> {
    let (store, old, new) = both(args, env)?;
    let program = env.program_name();
    let heading = format!("--- {}+++ {}", heading(&*store, &old), heading(&*store, &new));
    let beside = FOOTER_BYTES + (program.len() + heading.len()) as u64;
    let (share, lines_beside) = if args.json { (2, 0) } else { (1, 3) };
    let pager = args.pager.pager(env).filter(|_| !args.json);
    // A person scrolls in a pager, so the pager gets all pages.
    let limits = if pager.is_some() { WITH_PAGER } else { hosts::page(env) };
    let room = Limits {
        // In JSON a character may take two bytes more.
        bytes: limits.bytes.map(|most| most.saturating_sub(beside) / share),
        lines: limits.lines.map(|most| most - lines_beside),
        ..limits
    };
    let progress = ui::Progress::of("comparing");
    let found = retrieve::diff(&*store, &old, &new, args.from, &room);
    drop(progress);
    let found = found.map_err(|error| explained(error, &old, &new, program))?;
    let tests = match args.from <= 1 {
        true => retrieve::test_changes(&*store, &old, &new)?,
        false => None,
    };
    let answer = found.answer(&old, &new);
    let text = if args.json {
        json(&*store, &old, &found, &answer, tests.as_ref(), program)
    } else {
        let heading = if args.from <= 1 && !found.same { &heading } else { "" };
        let report = tests.as_ref().map(tests_text).unwrap_or_default();
        let lines = match tests.is_some() && !args.lines {
            true => format!(
                "[`{program} diff --lines {} {}` shows the lines]\n",
                old.short_id(),
                new.short_id()
            ),
            false => answer.to_text(|next| command_line(next, program)),
        };
        let text = format!("{heading}{report}{lines}");
        env.colors().paint_lines(&text, tone)
    };
    ui::show_text(&text, pager)?;
    if !env.has_person() {
        let _ = store.retrieved(&new, text.len() as u64, &answer.parts);
    }
    Ok(())
}

/// Returns the colour of a line of the differences.
fn tone(line: &str) -> Option<ui::Tone> {
    match line.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Some(ui::Tone::Heading),
        [b'+', ..] => Some(ui::Tone::Added),
        [b'-', ..] => Some(ui::Tone::Removed),
        [b'@', b'@', ..] => Some(ui::Tone::Id),
        _ => None,
    }
}

/// Returns the numbers and names of tests whose failures changed.
fn tests_text(tests: &TestChanges) -> String {
    let TestChanges { fixed, new, still, not_run } = tests;
    let mut text =
        format!("fixed {}, new {}, still failing {}", fixed.len(), new.len(), still.len());
    if !not_run.is_empty() {
        text.push_str(&format!(", failed before and not run {}", not_run.len()));
    }
    text.push('\n');
    for (kind, names) in [("new", new), ("still", still), ("fixed", fixed), ("not run", not_run)] {
        for name in names.iter().take(MOST_TESTS) {
            text.push_str(&format!("  {kind:7}  {}\n", ui::short(name, TEST_NAME)));
        }
        if names.len() > MOST_TESTS {
            text.push_str(&format!("  {kind:7}  and {} more\n", names.len() - MOST_TESTS));
        }
    }
    text
}

/// Adds a hint to the error for outputs that are too large: how to compare parts of them.
fn explained(error: DiffError, old: &OutputId, new: &OutputId, program: &str) -> anyhow::Error {
    if !matches!(error, DiffError::TooLarge { .. } | DiffError::TooRepetitive { .. }) {
        return error.into();
    }
    let part = |name: &OutputId| format!("<({program} read {} --lines 1:2000)", name.short_id());
    let command = format!("diff {} {}", part(old), part(new));
    anyhow!("{error}\n\nhint: `{command}` compares parts of them; `grep` searches both")
}

/// Returns the store and the two outputs to compare, the older one first.
fn both(args: &DiffArgs, env: &Env) -> anyhow::Result<(Outputs, OutputId, OutputId)> {
    let access = args.store.access(env);
    let (store, name) = find::find(&args.id, &access)?;
    if let Some(other) = &args.other {
        let (_, new) = find::find(other, &access)?;
        if store.entry(&new).is_err() {
            bail!(
                "{} and {} are in different stores\n\nhint: `overspill read {} --raw > FILE` \
                 copies an output for another program",
                name.short_id(),
                new.short_id(),
                name.short_id()
            );
        }
        return Ok((store, name, new));
    }
    match retrieve::previous_run(&*store, &name)? {
        Some(previous) => Ok((store, previous, name)),
        None => bail!(
            "there is no earlier run of the same command to compare {} with\n\nhint: `overspill diff \
             last~1 last` compares the last two outputs; `overspill list` shows all ids",
            name.short_id()
        ),
    }
}

fn heading(store: &dyn Store, name: &OutputId) -> String {
    let Some(record) = store.record(name).ok().flatten() else { return name.short_id() + "\n" };
    let exit = record.exit.map_or(String::new(), |code| format!("  exit {code}"));
    let command = record.call.command.or(record.call.tool).unwrap_or_default();
    let (time, command) = (ui::time(record.created), ui::short(&command, COMMAND));
    format!("{}  {time}{exit}  {command}\n", name.short_id())
}

fn json(
    store: &dyn Store,
    old: &OutputId,
    found: &Differences,
    answer: &Answer,
    tests: Option<&TestChanges>,
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
        "tests": tests.map(|tests| serde_json::json!({
            "fixed": tests.fixed, "new": tests.new, "still": tests.still, "not_run": tests.not_run,
        })),
    });
    if found.not_compared != [None, None] {
        let side = |at: usize| found.not_compared[at].as_ref().map(|it| [it.first, it.last]);
        json["not_compared"] = serde_json::json!({ "old": side(0), "new": side(1) });
    }
    ui::json_line(json)
}
