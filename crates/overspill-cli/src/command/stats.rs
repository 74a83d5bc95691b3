//! `overspill stats`

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use overspill::internal::retrieve::{self, Usage};

use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::{self, OpenStore};
use crate::ui;

/// Shows how many bytes and tokens were saved.
///
/// It counts shortened outputs, but not those that you removed. Notices count as shown. Pages of `read`, `grep` and
/// `diff` count as read later; `read --raw` does not. Outputs on a terminal are not counted, because no model read
/// them. One token is estimated as four bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  overspill stats\n  overspill stats --days 1 --json")]
pub(crate) struct StatsArgs {
    /// Count outputs of the last N days.
    #[arg(long, value_name = "N", default_value_t = 30)]
    days: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// English text and code have about so many.
const BYTES_PER_TOKEN: u64 = 4;
/// So many tools are named, those that produced the most.
const MOST_TOOLS: usize = 10;
/// Longer bars say no more.
const LONGEST_BAR: usize = 40;
/// Shorter ones say nothing.
const SHORTEST_BAR: usize = 8;

/// Sums over outputs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) outputs: u64,
    pub(super) produced: u64,
    pub(super) shown: u64,
    pub(super) retrieved: u64,
}

impl Sum {
    pub(super) fn add(&mut self, usage: &Usage) {
        self.outputs += 1;
        self.produced += usage.produced;
        self.shown += usage.shown;
        self.retrieved += usage.retrieved;
    }

    /// Bytes that no model has had to read. More may be read later than was produced.
    pub(super) fn saved(&self) -> i64 {
        self.produced as i64 - self.shown as i64 - self.retrieved as i64
    }

    fn json(&self) -> serde_json::Value {
        let tokens = |bytes: i64| bytes / BYTES_PER_TOKEN as i64;
        serde_json::json!({
            "outputs": self.outputs,
            "produced_bytes": self.produced,
            "shown_bytes": self.shown,
            "retrieved_bytes": self.retrieved,
            "saved_bytes": self.saved(),
            "estimated_tokens": {
                "produced": tokens(self.produced as i64),
                "shown": tokens(self.shown as i64),
                "retrieved": tokens(self.retrieved as i64),
                "saved": tokens(self.saved()),
            },
        })
    }
}

pub(crate) fn run(args: &StatsArgs, env: &Env) -> u8 {
    ui::ended(stats(args, env))
}

fn stats(args: &StatsArgs, env: &Env) -> anyhow::Result<()> {
    let OpenStore { store, redact, records, .. } =
        stores::open(&args.store.access(env)).map_err(anyhow::Error::msg)?;
    if !records {
        ui::warn_line("outputs of this profile have no records, so they are not counted");
    }
    let store = redact.shown_store(&store);
    let progress = ui::Progress::of("reading the store");
    let since =
        Timestamp::now().saturating_sub(SignedDuration::from_hours(24 * i64::from(args.days)));
    let since = since.unwrap_or(Timestamp::MIN);
    let (mut all, mut on_terminal) = (Sum::default(), Sum::default());
    let (mut tools, mut days) = (BTreeMap::<String, Sum>::new(), BTreeMap::<String, Sum>::new());
    for usage in &retrieve::usage(&*store, since)? {
        if usage.on_terminal {
            on_terminal.add(usage);
            continue;
        }
        all.add(usage);
        let tool = usage.tool.as_deref().unwrap_or("(no name)");
        tools.entry(tool.to_owned()).or_default().add(usage);
        days.entry(usage.saved.strftime("%Y-%m-%d").to_string()).or_default().add(usage);
    }
    drop(progress);
    let mut tools: Vec<(String, Sum)> = tools.into_iter().collect();
    tools.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.produced));
    let days: Vec<(String, Sum)> = days.into_iter().collect();
    ui::answer(&if args.json {
        json(args.days, (&all, &on_terminal), &tools, &days)
    } else {
        text(args.days, (&all, &on_terminal), &tools, &days, env.colors())
    })
}

fn json(
    days_asked: u32,
    (all, on_terminal): (&Sum, &Sum),
    tools: &[(String, Sum)],
    days: &[(String, Sum)],
) -> String {
    let rows = |key: &str, rows: &[(String, Sum)]| -> Vec<serde_json::Value> {
        let named = rows.iter().map(|(name, sum)| {
            let mut json = sum.json();
            json[key] = name.as_str().into();
            json
        });
        named.collect()
    };
    let mut json = all.json();
    json["days"] = days_asked.into();
    json["by_tool"] = rows("tool", tools).into();
    json["by_day"] = rows("day", days).into();
    json["on_terminal"] = serde_json::json!({
        "outputs": on_terminal.outputs, "produced_bytes": on_terminal.produced,
    });
    ui::json_line(json)
}

fn text(
    days_asked: u32,
    (all, on_terminal): (&Sum, &Sum),
    tools: &[(String, Sum)],
    days: &[(String, Sum)],
    colors: ui::Colors,
) -> String {
    let span = if days_asked == 1 { "day".into() } else { format!("{days_asked} days") };
    let apart = match on_terminal.outputs {
        0 => String::new(),
        count => format!(
            "not counted: {} on a terminal ({})\n",
            ui::count(count, "long output"),
            ui::size(on_terminal.produced)
        ),
    };
    if all.outputs == 0 {
        let none = format!("No long outputs in the last {span}. Short outputs are not counted.\n");
        return ui::wrapped(&format!("{none}{apart}"), 0);
    }
    let outputs = ui::count(all.outputs, "long output");
    let mut table = ui::Table::new(&["", ">BYTES", ">≈ TOKENS", ">SHARE"]).optional(&["SHARE"]);
    let part = |bytes: i64| format!("{:.1} %", 100.0 * bytes as f64 / all.produced.max(1) as f64);
    for (what, bytes) in [
        ("produced", all.produced as i64),
        ("shown", all.shown as i64),
        ("read later", all.retrieved as i64),
        ("saved", all.saved()),
    ] {
        let share = if what == "produced" { String::new() } else { part(bytes) };
        table.row(vec![what.into(), signed(bytes), tokens(bytes), share]);
        if what == "saved" {
            table.tone("BYTES", if bytes < 0 { ui::Tone::Failure } else { ui::Tone::Success });
        }
    }
    let named = &tools[..tools.len().min(MOST_TOOLS)];
    let more = tools.len() - named.len();
    let more = if more > 0 {
        format!("and {}\n", ui::count(more as u64, "more tool"))
    } else {
        String::new()
    };
    let first = format!("{outputs} in the last {span} (short ones are not counted)\n");
    format!(
        "{}{}\n{}\n{}{more}\n{}",
        ui::wrapped(&first, 0),
        ui::wrapped(&apart, 0),
        table.painted(ui::width(), colors),
        chart("TOOL", named, colors),
        chart("DAY (UTC)", days, colors),
    )
}

fn signed(bytes: i64) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    format!("{sign}{}", ui::size(bytes.unsigned_abs()))
}

/// Returns how many tokens so many bytes may be, with no more digits than are known.
pub(super) fn tokens(bytes: i64) -> String {
    let tokens = bytes as f64 / BYTES_PER_TOKEN as f64;
    match tokens.abs() {
        ..1_000.0 => format!("{tokens:.0}"),
        ..1_000_000.0 => format!("{:.0} k", tokens / 1e3),
        _ => format!("{:.1} M", tokens / 1e6),
    }
}

/// Rows, with a bar each where somebody looks at them and there is room: how much was produced, and
/// how much of that was shown.
fn chart(title: &'static str, rows: &[(String, Sum)], colors: ui::Colors) -> String {
    let plain = table(title, rows, 0);
    let widest = plain.text(ui::width()).lines().map(ui::columns).max().unwrap_or(0);
    let table = match ui::width().saturating_sub(widest + 2).min(LONGEST_BAR) {
        bar @ SHORTEST_BAR.. if ui::is_seen() => table(title, rows, bar),
        _ => plain,
    };
    table.painted(ui::width(), colors)
}

fn table(title: &'static str, rows: &[(String, Sum)], bar: usize) -> ui::Table {
    let most = rows.iter().map(|(_, sum)| sum.produced).max().unwrap_or(0).max(1);
    let titles = [title, ">OUTPUTS", ">PRODUCED", ">SHOWN", ">READ LATER", ">SAVED", ""];
    let mut table = ui::Table::new(&titles).optional(&["OUTPUTS", "READ LATER", "SHOWN"]);
    for (name, sum) in rows {
        let columns = |bytes: u64| (bytes as f64 / most as f64 * bar as f64).round() as usize;
        let full = columns(sum.shown + sum.retrieved).min(bar);
        let rest = columns(sum.produced).saturating_sub(full);
        table.row(vec![
            ui::short(name, 30),
            sum.outputs.to_string(),
            ui::size(sum.produced),
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
