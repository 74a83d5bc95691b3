//! `overspill` without arguments: prints the last outputs, the totals of a day, the agents, and
//! commands to try next.

use jiff::{SignedDuration, Timestamp};
use overspill::internal::retrieve;
use overspill::internal::store::{RecentOrder, RecentQuery, Record};
use overspill::store::{Entry, Store};

use super::stats::{Sum, tokens};
use crate::env::Env;
use crate::setup::{self, HostState};
use crate::{stores, ui};

/// The largest number of outputs that the overview shows.
const MOST_OUTPUTS: usize = 3;
/// The largest number of hosts that the overview names as found and not set up.
const MOST_FOUND: usize = 3;

/// The width of a label such as `agents`, in columns.
const LABEL: usize = 8;
/// Commands to try next, each with an explanation.
const NEXT: [(&str, &str); 4] = [
    ("overspill CMD …", "run a command, and shorten its output"),
    ("overspill list", "saved outputs"),
    ("overspill read", "read the last one; `overspill grep PATTERN` searches all of them"),
    ("overspill init", "set up your agents; `overspill help` lists all commands"),
];
/// The width of the commands in [`NEXT`], in columns.
const NEXT_WIDTH: usize = 26;
/// The indent of the explanations on a narrow terminal, in columns.
const NARROW_INDENT: usize = 4;
/// A terminal with fewer columns is narrow.
const NARROW: usize = 60;

pub(crate) fn run(env: &Env) -> u8 {
    ui::ended(ui::answer(&text(env)))
}

fn text(env: &Env) -> String {
    let mut text = match stores::store(&stores::StoreAccess::by_settings(env)) {
        Ok(store) => outputs(&*store, env.now(), env.colors())
            .unwrap_or_else(|error| problem(&error.to_string())),
        Err(error) => problem(&error),
    };
    text.push_str(&hosts(&setup::host_states(env)));
    text.push('\n');
    for (command, why) in NEXT {
        text.push_str(&match ui::width() {
            ..NARROW => {
                let why = format!("{:NARROW_INDENT$}{why}\n", "");
                format!("{command}\n{}", ui::wrapped(&why, NARROW_INDENT))
            }
            _ => ui::wrapped(&format!("{command:NEXT_WIDTH$}{why}\n"), NEXT_WIDTH),
        });
    }
    text
}

fn problem(error: &str) -> String {
    let error = error.lines().next().unwrap_or_default();
    format!("store   {}\n", ui::short(error, ui::width().saturating_sub(8)))
}

/// Returns the last outputs and the totals of the last day.
fn outputs(
    store: &dyn Store,
    now: Timestamp,
    colors: ui::Colors,
) -> Result<String, overspill::Error> {
    let query =
        RecentQuery { most: MOST_OUTPUTS, order: RecentOrder::Saved, ..RecentQuery::default() };
    let newest = store.newest(&query)?;
    if newest.entries.is_empty() {
        let text = "No saved outputs yet. overspill saves an output when it is too long to show. \
                    Try: overspill seq 100000\n";
        return Ok(ui::wrapped(text, 0));
    }
    let mut table = ui::Table::new(&["LAST", ">AGE", ">EXIT", ">SIZE", ">SHOWN", "COMMAND"])
        .optional(&["SHOWN", "AGE"]);
    for (entry, record) in &newest.entries {
        table.row(row(entry, record, now));
        super::list::paint_row(&mut table, "LAST", record);
    }
    Ok(table.painted(ui::width(), colors) + &today(store, now)?)
}

fn row(entry: &Entry, record: &Record, now: Timestamp) -> Vec<String> {
    let saved = entry.name.time().unwrap_or(entry.used);
    vec![
        entry.name.short_id(),
        ui::age(saved, now),
        super::list::exit(record).map(|code| code.to_string()).unwrap_or_default(),
        ui::size(entry.bytes),
        record.sent.map(ui::size).unwrap_or_default(),
        record.call.command.clone().or(record.call.tool.clone()).unwrap_or_default(),
    ]
}

fn today(store: &dyn Store, now: Timestamp) -> Result<String, overspill::Error> {
    let since = now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
    let usage = retrieve::usage(store, since)?;
    let mut sum = Sum::default();
    usage.iter().filter(|one| !one.on_terminal).for_each(|one| sum.add(one));
    if sum.outputs == 0 {
        return Ok(String::new());
    }
    let (from, to) = (ui::size(sum.produced), ui::size(sum.shown + sum.retrieved));
    let (count, saved) = (ui::count(sum.outputs, "output"), tokens(sum.saved()));
    let line = format!("24 h    {count} shortened, {from} → {to}, about {saved} tokens saved\n");
    Ok(format!("\n{}", ui::wrapped(&line, LABEL)))
}

fn hosts(states: &[(&str, HostState)]) -> String {
    let of = |wanted: HostState| -> Vec<&str> {
        states.iter().filter(|(_, state)| *state == wanted).map(|(name, _)| *name).collect()
    };
    let (ready, found) = (of(HostState::SetUp), of(HostState::Found));
    let mut text = String::new();
    if !ready.is_empty() {
        text.push_str(&format!("agents  set up: {}\n", ready.join(", ")));
    }
    if let Some(first) = found.first() {
        let named = found[..found.len().min(MOST_FOUND)].join(", ");
        let more = match found.len().saturating_sub(MOST_FOUND) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let label = if ready.is_empty() { "agents" } else { "" };
        text.push_str(&format!(
            "{label:7} found, not set up: {named}{more}; overspill init {first}\n"
        ));
    }
    ui::wrapped(&text, LABEL)
}
