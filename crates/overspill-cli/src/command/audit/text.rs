//! Prints the report of `overspill audit` as tables.

use super::replay::OutputPlace;
use super::tally::{Example, HostSum, SIZES, Tally};
use super::ways::{ROOMS, WAYS};
use crate::command::stats::tokens;
use crate::env::Env;
use crate::ui;

/// The largest number of tools in the table.
const MOST_TOOLS: usize = 8;
/// The largest number of lost words that the report names for each output.
const MOST_WORDS: usize = 4;

pub(super) fn text(tally: &Tally, env: &Env) -> String {
    let all = tally.all();
    let mut text = String::new();
    let first = format!(
        "{} in {} ({})\n",
        ui::count(all.outputs, "tool output"),
        ui::count(all.sessions, "session"),
        ui::size(tally.bytes_read)
    );
    text.push_str(&ui::wrapped(&first, 0));
    text.push_str(&format!("\n{}", hosts(tally, env)));
    text.push_str(&format!("\n{}", sizes(tally, env)));
    text.push_str(&format!("\n{}", tools(tally, env)));
    text.push_str(&format!("\n{}", kept(tally, env)));
    text.push_str(&losses(tally, env));
    text.push_str(&examples(
        tally.repeated,
        &tally.repeated_examples,
        "ran again after the host had cut the output",
        env,
    ));
    text.push_str(&examples(
        tally.hidden_failures,
        &tally.hidden_examples,
        "printed a failure, and a pipe hid the exit code",
        env,
    ));
    text.push_str(&not_read(tally, env));
    text
}

fn hosts(tally: &Tally, env: &Env) -> String {
    let titles =
        ["HOST", ">SESSIONS", ">OUTPUTS", ">SIZE", ">CUT", ">TOKENS NOW", ">WITH OVERSPILL"];
    let mut table = ui::Table::new(&titles).optional(&["SESSIONS", "SIZE", "CUT"]);
    let mut row = |name: &str, sum: &HostSum| {
        table.row(vec![
            name.to_owned(),
            sum.sessions.to_string(),
            sum.outputs.to_string(),
            ui::size(sum.bytes),
            sum.cut.to_string(),
            tokens(sum.bytes_without_overspill as i64),
            tokens(sum.bytes_with_overspill() as i64),
        ]);
    };
    tally.hosts.iter().for_each(|(name, sum)| row(name, sum));
    if tally.hosts.len() > 1 {
        row("all", &tally.all());
    }
    let mut text = table.painted(ui::width(), env.colors());
    let HostSum { not_recorded: lost, replayed, not_replayed, .. } = tally.all();
    if not_replayed.outputs > 0 {
        let note = format!(
            "WITH OVERSPILL is estimated: overspill replayed {} of {} over its limit. --all replays every output.\n",
            replayed.outputs,
            ui::count(replayed.outputs + not_replayed.outputs, "output")
        );
        text.push_str(&ui::wrapped(&note, 0));
    }
    if lost > 0 {
        let note = format!(
            "{} that the host cut: no file has the rest, so overspill did not replay it.\n",
            ui::count(lost, "output")
        );
        text.push_str(&ui::wrapped(&note, 0));
    }
    text
}

fn sizes(tally: &Tally, env: &Env) -> String {
    let all: u64 = tally.sizes.iter().map(|volume| volume.bytes).sum();
    let count: u64 = tally.sizes.iter().map(|volume| volume.outputs).sum();
    let share = |part: u64, all: u64| format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64);
    let titles = ["SIZE", ">OUTPUTS", ">OF OUTPUTS", ">BYTES", ">OF TEXT"];
    let mut table = ui::Table::new(&titles).optional(&["BYTES", "OUTPUTS"]);
    for ((_, name), volume) in SIZES.iter().zip(&tally.sizes) {
        table.row(vec![
            (*name).to_owned(),
            volume.outputs.to_string(),
            share(volume.outputs, count),
            ui::size(volume.bytes),
            share(volume.bytes, all),
        ]);
    }
    table.painted(ui::width(), env.colors())
}

fn tools(tally: &Tally, env: &Env) -> String {
    let mut tools: Vec<_> = tally.tools.iter().collect();
    tools.sort_by_key(|(_, volume)| std::cmp::Reverse(volume.bytes));
    let mut table = ui::Table::new(&["TOOL", ">OUTPUTS", ">BYTES"]);
    for (name, volume) in tools.iter().take(MOST_TOOLS) {
        table.row(vec![ui::short(name, 40), volume.outputs.to_string(), ui::size(volume.bytes)]);
    }
    let mut text = table.painted(ui::width(), env.colors());
    if tools.len() > MOST_TOOLS {
        text.push_str(&format!("and {} more\n", tools.len() - MOST_TOOLS));
    }
    text
}

/// Returns the table of the share of used words that each way keeps.
fn kept(tally: &Tally, env: &Env) -> String {
    if tally.used_outputs == 0 {
        let none = "The agent used no distinctive word of an output over 2,000 characters in its next three steps, \
                    so this report cannot compare ways of cutting.\n";
        return ui::wrapped(none, 0);
    }
    let first = format!(
        "The agent used {} of {} in its next three steps. {}Share of {} words that each way of cutting keeps:\n",
        ui::count(tally.used_words, "word"),
        ui::count(tally.used_outputs, "long output"),
        sample(tally),
        if tally.compared_outputs < tally.used_outputs { "their" } else { "these" },
    );
    let mut table =
        ui::Table::new(&["ROOM", ">OUTPUTS", ">HOST", ">HEAD", ">TAIL", ">ENDS", ">OVERSPILL"]);
    for (room, recalls) in ROOMS.into_iter().zip(&tally.recalls) {
        let outputs = recalls[WAYS.len() - 1].outputs;
        let mut cells = vec![room.name(), outputs.to_string()];
        cells.extend(recalls.iter().map(|recall| {
            recall.mean().map_or_else(|| "-".to_owned(), |mean| format!("{:.1} %", 100.0 * mean))
        }));
        table.row(cells);
    }
    ui::wrapped(&first, 0) + &table.painted(ui::width(), env.colors())
}

/// Returns a sentence about the sample of outputs that overspill replayed, if it did not replay all.
pub(super) fn sample(tally: &Tally) -> String {
    match tally.compared_outputs {
        all if all == tally.used_outputs => String::new(),
        part => format!(
            "overspill replayed a sample of {}; --all replays every output. ",
            ui::count(part, "output")
        ),
    }
}

/// Lists the outputs in which overspill loses the most used words.
fn losses(tally: &Tally, env: &Env) -> String {
    let losses = tally.named_losses();
    let Some(first) = losses.first() else {
        return match tally.used_outputs {
            0 => String::new(),
            _ => "overspill keeps every word that the agent used.\n".into(),
        };
    };
    let mut text =
        format!("\nOutputs in which overspill loses the most ({}):\n", first.room.name());
    for loss in losses {
        let words: Vec<String> =
            loss.lost.iter().take(MOST_WORDS).map(|word| ui::short(word, 40)).collect();
        text.push_str(&format!(
            "  {}\n    {} of {} lost: {}\n    {}\n",
            place(&loss.example, env),
            loss.lost.len(),
            ui::count(loss.used as u64, "used word"),
            ui::escaped(&words.join(", "), 200),
            ui::escaped(&loss.example.place.view_command(loss.room, env), usize::MAX),
        ));
    }
    text
}

fn examples(count: u64, examples: &[Example], what: &str, env: &Env) -> String {
    if count == 0 {
        return String::new();
    }
    let mut text = format!("\n{} {what}:\n", ui::count(count, "command"));
    for example in examples {
        text.push_str(&format!("  {}\n", place(example, env)));
    }
    if count > examples.len() as u64 {
        text.push_str(&format!("  and {} more\n", count - examples.len() as u64));
    }
    text
}

/// Returns the place, the size and the command of an output.
fn place(example: &Example, env: &Env) -> String {
    let what = example.command.as_deref().unwrap_or(&example.tool);
    let size =
        if example.bytes > 0 { format!(", {}", ui::size(example.bytes)) } else { String::new() };
    let what = ui::escaped(&ui::short(what, 80), 100);
    let OutputPlace { file, line, .. } = &example.place;
    format!("{}:{line}{size}: {what}", env.shown(file))
}

fn not_read(tally: &Tally, env: &Env) -> String {
    let mut text = String::new();
    if tally.bad_lines > 0 {
        let lines = ui::count(tally.bad_lines, "line");
        text.push_str(&format!(
            "\n{lines} of the transcripts could not be read and do not count.\n"
        ));
    }
    if tally.not_read_files > 0 {
        text.push_str(&format!("\nnot read: {}\n", ui::count(tally.not_read_files, "path")));
        for not_read in &tally.not_read {
            let reason = ui::escaped(&not_read.reason, 200);
            text.push_str(&format!("  {}: {reason}\n", env.shown(&not_read.place)));
        }
        let more = tally.not_read_files - tally.not_read.len() as u64;
        if more > 0 {
            text.push_str(&format!("  and {more} more\n"));
        }
    }
    text
}
