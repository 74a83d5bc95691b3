//! `overspill stats`: adds up how many bytes and tokens the agents did not have to read.

mod json;
mod program_word;
mod sums;
mod text;

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use overspill::internal::retrieve;
use overspill::store::Store;

pub(super) use sums::{BYTES_PER_TOKEN, Sum, Totals};
pub(super) use text::tokens;

use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::{self, OpenStore};
use crate::ui;

/// Shows how many bytes and tokens were saved.
///
/// Saved bytes are the bytes that the host agent would have shown without overspill, minus the bytes
/// that were shown and the bytes that were read later. If the host is not known, `stats` assumes
/// that the host would have shown the whole output. Notices count as shown. Pages of `read`, `grep` and
/// `diff` count as read later; `read --raw` does not. `stats` leaves out outputs that you removed
/// and outputs on a terminal. `stats` estimates one token as four bytes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  overspill stats\n  overspill stats --days 1 --json\n  overspill stats --price 3\n  overspill stats --csv > stats.csv"
)]
pub(crate) struct StatsArgs {
    /// Count outputs of the last N days.
    #[arg(long, value_name = "N", default_value_t = 30)]
    days: u32,
    /// Show costs at this price for a million tokens, such as `3`, in any currency.
    #[arg(long, value_name = "PRICE")]
    price: Option<Price>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print comma-separated values, one row for each host, command, tool and day.
    #[arg(long, conflicts_with_all = ["json", "price"])]
    csv: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The price of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Price(f64);

impl Price {
    /// Returns the price of a number of bytes.
    pub(super) fn of(self, bytes: i64) -> f64 {
        bytes as f64 / BYTES_PER_TOKEN as f64 / 1e6 * self.0
    }
}

impl FromStr for Price {
    type Err = &'static str;

    fn from_str(typed: &str) -> Result<Price, &'static str> {
        let price = typed.trim_start_matches(['$', '€', '£']).parse().ok();
        let price = price.filter(|price: &f64| price.is_finite() && *price >= 0.0);
        price.map(Price).ok_or("a price must be a number such as 3 or 0.25")
    }
}

pub(crate) fn run(args: &StatsArgs, env: &Env) -> u8 {
    ui::ended(stats(args, env))
}

fn stats(args: &StatsArgs, env: &Env) -> anyhow::Result<()> {
    let OpenStore { store, redact, records, .. } =
        stores::open(&args.store.access(env)).map_err(anyhow::Error::msg)?;
    if !records {
        ui::warn_line("outputs of this profile have no records, so `stats` does not count them");
    }
    let store = redact.shown_store(&store);
    let progress = ui::Progress::of("reading the store");
    let totals = totals(&*store, args.days, env.now())?;
    drop(progress);
    ui::answer(&match (args.json, args.csv) {
        (true, _) => json::json_line(args.days, &totals, args.price),
        (_, true) => json::csv(&totals),
        _ => text::text(args.days, &totals, args.price, env.program_name(), env.colors()),
    })
}

/// Adds up the outputs of the last `days` days.
pub(super) fn totals(
    store: &dyn Store,
    days: u32,
    now: Timestamp,
) -> Result<Totals, overspill::Error> {
    let since = now.saturating_sub(SignedDuration::from_hours(24 * i64::from(days)));
    let usage = retrieve::usage(store, since.unwrap_or(Timestamp::MIN))?;
    Ok(Totals::of(&usage))
}
