//! `overspill audit`: replays recorded sessions of agents, and compares the previews of overspill
//! with other ways of shortening.

mod compare;
mod event;
mod formats;
mod html;
mod json;
mod lines;
mod mask;
mod pipes;
mod places;
mod read;
mod replay;
mod sample;
mod session;
mod tally;
mod text;
mod ways;
mod words;

use std::path::PathBuf;

use crate::env::Env;
use crate::settings::SettingSources;
use crate::ui;

pub(super) use self::mask::{rules_for_file, shown_word};
pub(super) use self::replay::{OutputPlace, ReplayedOutput, replay};
use self::sample::Sample;
use self::tally::Tally;

/// Measures overspill on the sessions that your agents have recorded.
///
/// `audit` reads the transcripts of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and pi, and exported sessions
/// of opencode. `audit` shortens the recorded tool outputs in several ways. Agents often repeat words of an output in their
/// next steps. For each way, `audit` counts how many of these words the shortened output still has. Nothing is saved, and
/// nothing leaves this machine. docs/audit.md explains each number.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  overspill audit\n  overspill audit ~/.claude/projects\n  overspill audit session.jsonl --html report.html"
)]
pub(crate) struct AuditArgs {
    /// Transcripts, or directories of transcripts [default: the directories in which agents save transcripts].
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Replay every output. By default, overspill replays a sample if the transcripts have more than 100 MB.
    #[arg(long)]
    all: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write a report to FILE, one page for a browser. It quotes commands and previews.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    html: Option<PathBuf>,
}

pub(crate) fn run(args: &AuditArgs, env: &Env) -> u8 {
    ui::ended(audit(args, env))
}

fn audit(args: &AuditArgs, env: &Env) -> anyhow::Result<()> {
    let is_default = args.paths.is_empty();
    let places = if is_default { places::usual_places(env) } else { args.paths.clone() };
    let mut tally = Tally::default();
    // Hosts have other JSON files beside their transcripts.
    let endings: &[&str] = if is_default { &["jsonl"] } else { &["jsonl", "json"] };
    let files = places::files(&places, endings, &mut tally);
    let database_hints = if is_default { places::databases(env) } else { Vec::new() };
    let progress = ui::Progress::of("reading transcripts");
    let bytes = files.iter().map(|file| file.bytes).sum();
    let sample = if args.all { Sample::ALL } else { Sample::of(bytes) };
    tally.merge(read::read_all(&files, sample, &progress));
    drop(progress);
    if tally.all().sessions == 0 {
        anyhow::bail!(nothing_found(&tally, is_default, &database_hints, env));
    }
    let redact = SettingSources::of_user(env).redact(false);
    let rules = match args.html {
        Some(_) => Some(mask::rules_for_file(&redact)?),
        None => redact.shown().cloned(),
    };
    if let Some(rules) = &rules {
        mask::mask(&mut tally, rules);
    }
    if let Some(file) = &args.html {
        let page = html::page(&tally, rules.as_deref(), env);
        std::fs::write(file, page).map_err(|error| {
            anyhow::anyhow!("cannot write {}: {}", ui::path(file), ui::reason(&error))
        })?;
    }
    if args.json {
        return ui::answer(&json::json_line(&tally, env));
    }
    let mut text = text::text(&tally, env);
    for hint in &database_hints {
        text.push_str(&ui::wrapped(&format!("\n{hint}\n"), 0));
    }
    if let Some(file) = &args.html {
        text.push_str(&format!("\nThe report is in {}\n", ui::path(file)));
    }
    ui::answer(&text)
}

/// Returns the error that no session was found, with the reasons.
fn nothing_found(tally: &Tally, is_default: bool, database_hints: &[String], env: &Env) -> String {
    let mut text = String::from("no transcript of a session was found");
    for not_read in &tally.not_read {
        text.push_str(&format!("\n  {}: {}", env.shown(&not_read.place), not_read.reason));
    }
    let more = tally.not_read_files - tally.not_read.len() as u64;
    if more > 0 {
        text.push_str(&format!("\n  and {}", ui::count(more, "more file")));
    }
    database_hints.iter().for_each(|hint| text.push_str(&format!("\n  {hint}")));
    if is_default {
        text.push_str("\n\nhint: `overspill audit PATH` reads transcripts in another place");
    }
    text
}
