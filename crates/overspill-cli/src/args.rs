//! What was typed, and what it means.

use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use overspill::core::{Keep, Limits, Policy, Reach};
use overspill::store::Nowhere;
use overspill::{Overspill, Profile};

use crate::command::{
    cut::CutArgs, gc::GcArgs, grep::GrepArgs, info::InfoArgs, list::ListArgs, pin::PinArgs,
    read::ReadArgs, rm::RmArgs, run::RunArgs,
};
use crate::home;

/// Keeps the output of a command within what a model can read, and loses none of it.
#[derive(Debug, Parser)]
#[command(name = "overspill", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Cut(CutArgs),
    Read(ReadArgs),
    Grep(GrepArgs),
    List(ListArgs),
    Info(InfoArgs),
    Rm(RmArgs),
    Pin(PinArgs),
    Gc(GcArgs),
}

/// How much is shown, and what.
#[derive(Debug, ClapArgs)]
pub(crate) struct LimitArgs {
    /// Which part of a long output is shown.
    #[arg(long, value_enum, default_value_t = KeepArg::Ends)]
    keep: KeepArg,
    /// Show at most this many lines, or `none` for any number.
    #[arg(long, value_name = "N", default_value = "2000", value_parser = limit, allow_hyphen_values = true)]
    max_lines: Limit,
    /// Show at most this many bytes, such as `50KiB`, or `none` for any number.
    #[arg(long, value_name = "N", default_value = "50KiB", value_parser = limit, allow_hyphen_values = true)]
    max_bytes: Limit,
    /// Show at most this many characters.
    #[arg(long, value_name = "N", default_value = "none", value_parser = limit, allow_hyphen_values = true)]
    max_chars: Limit,
    /// Show at most this many tokens, by estimate.
    #[arg(long, value_name = "N", default_value = "none", value_parser = limit, allow_hyphen_values = true)]
    max_tokens: Limit,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeepArg {
    /// The start.
    Head,
    /// The end.
    Tail,
    /// Both ends.
    Ends,
}

/// A limit as typed; `None` lifts it. (Clap gives a bare `Option` a meaning of its own.)
#[derive(Debug, Clone, Copy)]
struct Limit(Option<u64>);

fn limit(typed: &str) -> Result<Limit, String> {
    if typed == "none" {
        return Ok(Limit(None));
    }
    let digits = typed.find(|char: char| !char.is_ascii_digit()).unwrap_or(typed.len());
    let (number, unit) = typed.split_at(digits);
    let scale: u64 = match unit {
        "" | "B" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return Err("expected a number, a size such as `50KiB`, or `none`".into()),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| String::from("expected a number, a size such as `50KiB`, or `none`"))?;
    number.checked_mul(scale).map(Some).map(Limit).ok_or_else(|| "too large a number".into())
}

impl LimitArgs {
    /// Turns what was typed, and where we are, into an engine.
    pub(crate) fn overspill(&self) -> Overspill {
        let keep = match self.keep {
            KeepArg::Head => Keep::Head,
            KeepArg::Tail => Keep::Tail,
            KeepArg::Ends => Keep::ENDS,
        };
        let limits = Limits {
            bytes: self.max_bytes.0,
            lines: self.max_lines.0,
            chars: self.max_chars.0,
            tokens: self.max_tokens.0,
        };
        let profile = Profile { policy: Policy::new(limits, keep), ..Profile::OWN };
        // Without a place for it the output is not saved; that is no reason not to run.
        let overspill = match home::disk() {
            Ok(disk) => Overspill::new(profile, disk),
            Err(reason) => Overspill::new(profile, Nowhere::because(reason)),
        };
        // Whoever reads this has run us, and so can run us again.
        let program = Some(home::program());
        overspill.with_reach(Reach { program, files: true, ..Reach::default() })
    }
}

/// Returns the exit code for words we do not understand: 125 for `run`, as its own codes are the
/// command's, and 2 otherwise.
pub(crate) fn misuse() -> u8 {
    let is_run = std::env::args_os().nth(1).is_some_and(|word| word == "run");
    if is_run { 125 } else { 2 }
}

/// Reads a time such as `90s`, `10m` or `1.5h`; without a unit these are seconds.
pub(crate) fn duration(typed: &str) -> Result<Duration, String> {
    let wrong = || String::from("expected a time such as `90s`, `10m` or `2h`");
    let end = typed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(typed.len());
    let (number, unit) = typed.split_at(end);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * scale;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}
