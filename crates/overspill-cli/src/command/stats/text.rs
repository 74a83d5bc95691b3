//! Prints the tables and bars of `overspill stats`.

use super::Price;
use super::sums::{BYTES_PER_TOKEN, Sum, Totals};
use crate::ui;

/// The largest number of rows of a table. The rows with the most produced bytes come first.
const MOST_ROWS: usize = 10;
/// The number of columns of the longest bar.
const LONGEST_BAR: usize = 40;
/// The number of columns that are needed for bars.
const SHORTEST_BAR: usize = 8;

pub(super) fn text(
    days_asked: u32,
    totals: &Totals,
    price: Option<Price>,
    program: &str,
    colors: ui::Colors,
) -> String {
    let span = if days_asked == 1 { "day".into() } else { format!("{days_asked} days") };
    let apart = match totals.on_terminal.outputs {
        0 => String::new(),
        count => format!(
            "not counted: {} on a terminal ({})\n",
            ui::count(count, "long output"),
            ui::size(totals.on_terminal.produced)
        ),
    };
    if totals.all.outputs == 0 {
        let none = format!("No long outputs in the last {span}. Short outputs are not counted.\n");
        return ui::wrapped(&format!("{none}{apart}"), 0);
    }
    let outputs = ui::count(totals.all.outputs, "long output");
    let first = format!("{outputs} in the last {span} (short ones are not counted)\n");
    let mut text = ui::wrapped(&first, 0) + &ui::wrapped(&apart, 0) + "\n";
    text.push_str(&summary(totals, price, colors));
    text.push_str(&baseline_note(totals));
    text.push_str(&failures(totals, program, colors));
    let mut has_bars = false;
    for (title, rows, most) in [
        ("HOST", &totals.hosts, MOST_ROWS),
        ("COMMAND", &totals.commands, MOST_ROWS),
        ("TOOL", &totals.tools, MOST_ROWS),
        ("DAY (UTC)", &totals.days, usize::MAX),
    ] {
        let named = &rows[..rows.len().min(most)];
        let (chart, with_bars) = chart(title, named, colors);
        has_bars |= with_bars;
        text.push_str(&format!("\n{chart}"));
        if rows.len() > named.len() {
            text.push_str(&format!("and {} more\n", rows.len() - named.len()));
        }
    }
    if has_bars {
        let legend = "█ shown and read later   ░ saved\n";
        text.push_str(&format!("\n{}", colors.paint(ui::Tone::Faint, legend)));
    }
    text
}

/// Returns the table of all outputs together.
fn summary(totals: &Totals, price: Option<Price>, colors: ui::Colors) -> String {
    let mut table = ui::Table::new(&["", ">BYTES", ">≈ TOKENS", ">COST", ">SHARE"])
        .optional(&["SHARE", "≈ TOKENS"]);
    let Sum { produced, baseline, shown, retrieved, .. } = totals.all;
    let share = |bytes: i64| format!("{:.1} %", 100.0 * bytes as f64 / baseline.max(1) as f64);
    let cost = |bytes: i64| price.map(|price| format!("{:.2}", price.of(bytes)));
    let is_mixed =
        totals.against_whole.outputs > 0 && totals.against_whole.outputs < totals.all.outputs;
    let saved_by_host = totals.all.saved() - totals.against_whole.saved();
    for (what, bytes, is_row) in [
        ("produced", produced as i64, true),
        ("without overspill", baseline as i64, true),
        ("shown", shown as i64, true),
        ("read later", retrieved as i64, true),
        ("saved", totals.all.saved(), true),
        ("  host known", saved_by_host, is_mixed),
        ("  host not known", totals.against_whole.saved(), is_mixed),
    ] {
        if !is_row {
            continue;
        }
        let is_whole = ["produced", "without overspill"].contains(&what);
        let share = if is_whole { String::new() } else { share(bytes) };
        // No agent reads all produced bytes, so they have no cost.
        let cost = cost(bytes).filter(|_| what != "produced").unwrap_or_default();
        table.row(vec![what.into(), signed(bytes), tokens(bytes), cost, share]);
        if what == "saved" {
            table.tone("BYTES", if bytes < 0 { ui::Tone::Failure } else { ui::Tone::Success });
        }
    }
    table.painted(ui::width(), colors)
}

/// Returns a note about the baseline.
fn baseline_note(totals: &Totals) -> String {
    let unknown = totals.against_whole.outputs;
    let note = match (unknown, totals.all.outputs - unknown) {
        (0, _) => {
            "\"without overspill\" is the text that the host agents alone would have shown.\n"
                .into()
        }
        (_, 0) => {
            "The host agents are not known, so \"without overspill\" is the whole output.\n".into()
        }
        (unknown, _) => format!(
            "\"without overspill\" is the text that the host agents alone would have shown. The host of {} is \
             not known, so the whole output counts.\n",
            ui::count(unknown, "output")
        ),
    };
    ui::wrapped(&note, 0)
}

/// Lists outputs with unseen failures.
fn failures(totals: &Totals, program: &str, colors: ui::Colors) -> String {
    let lines = totals.all.unseen_failures;
    if lines == 0 {
        return String::new();
    }
    let outputs = ui::count(totals.outputs_with_failures, "output");
    let verb = if lines == 1 { "was" } else { "were" };
    let first = format!(
        "{} with a sign of failure in {outputs} {verb} cut and never read.\n",
        ui::count(lines, "line")
    );
    let mut text = format!("\n{}", colors.paint(ui::Tone::Failure, &ui::wrapped(&first, 0)));
    for (id, lines) in &totals.unseen {
        let count = ui::count(*lines, "line");
        text.push_str(&format!("  {count}: {program} explain {}\n", id.short_id()));
    }
    text
}

fn signed(bytes: i64) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    format!("{sign}{}", ui::size(bytes.unsigned_abs()))
}

/// Returns the estimated number of tokens of a number of bytes, rounded.
pub(in crate::command) fn tokens(bytes: i64) -> String {
    let tokens = bytes as f64 / BYTES_PER_TOKEN as f64;
    match tokens.abs() {
        ..1_000.0 => format!("{tokens:.0}"),
        ..1_000_000.0 => format!("{:.0} k", tokens / 1e3),
        _ => format!("{:.1} M", tokens / 1e6),
    }
}

/// Returns a table, and whether its rows have bars. They have bars on a terminal that is wide
/// enough.
fn chart(title: &'static str, rows: &[(String, Sum)], colors: ui::Colors) -> (String, bool) {
    let plain = table(title, rows, 0);
    let widest = plain.text(ui::width()).lines().map(ui::columns).max().unwrap_or(0);
    let (table, has_bars) = match ui::width().saturating_sub(widest + 2).min(LONGEST_BAR) {
        bar @ SHORTEST_BAR.. if ui::is_seen() => (table(title, rows, bar), true),
        _ => (plain, false),
    };
    (table.painted(ui::width(), colors), has_bars)
}

fn table(title: &'static str, rows: &[(String, Sum)], bar: usize) -> ui::Table {
    let most = rows.iter().map(|(_, sum)| sum.baseline.max(sum.shown + sum.retrieved)).max();
    let most = most.unwrap_or(0).max(1);
    let titles =
        [title, ">OUTPUTS", ">PRODUCED", ">WITHOUT", ">SHOWN", ">READ LATER", ">SAVED", ""];
    let optional = ["OUTPUTS", "READ LATER", "WITHOUT", "SHOWN"];
    let mut table = ui::Table::new(&titles).optional(&optional);
    for (name, sum) in rows {
        let columns = |bytes: u64| (bytes as f64 / most as f64 * bar as f64).round() as usize;
        let full = columns(sum.shown + sum.retrieved).min(bar);
        let rest = columns(sum.baseline).saturating_sub(full);
        table.row(vec![
            ui::short(name, 30),
            sum.outputs.to_string(),
            ui::size(sum.produced),
            ui::size(sum.baseline),
            ui::size(sum.shown),
            ui::size(sum.retrieved),
            signed(sum.saved()),
            "█".repeat(full) + &"░".repeat(rest),
        ]);
        if sum.saved() < 0 {
            table.tone("SAVED", ui::Tone::Failure);
        }
    }
    table
}
