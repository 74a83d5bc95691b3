//! What was typed, and what it means.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use overspill::core::{Keep, Limits, Policy, Reach};
use overspill::retrieve::{Part, Query};
use overspill::store::Nowhere;
use overspill::{Overspill, Profile};

use crate::home;

/// Keeps the output of a command within what a model can read, and loses none of it.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
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

/// Runs a command and bounds what it prints.
///
/// The exit code is the command's. Output that fits passes through byte for byte; of a longer one
/// a preview is shown, and all of it is saved.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  overspill run -- cargo test")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The command and its arguments.
    #[arg(required = true, last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// Bounds a file, or what comes in by a pipe.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  overspill cut --keep tail --max-lines 100 < build.log")]
pub(crate) struct CutArgs {
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The file; standard input if there is none.
    pub(crate) file: Option<PathBuf>,
}

/// Shows a part of a saved output, and how to get the next one.
///
/// An output is named by its id, the beginning of it, or the path that was shown.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  overspill read 01KA --lines 181:380\n  overspill read 01KA --tail 50"
)]
pub(crate) struct ReadArgs {
    /// The output.
    pub(crate) id: String,
    /// These lines, both included, counted from 1.
    #[arg(long, value_name = "A:B", value_parser = range, conflicts_with_all = ["bytes", "tail"])]
    lines: Option<(u64, u64)>,
    /// These bytes, from A up to B, counted from 0.
    #[arg(long, value_name = "A:B", value_parser = range, conflicts_with = "tail")]
    bytes: Option<(u64, u64)>,
    /// The last N lines.
    #[arg(long, value_name = "N")]
    tail: Option<u64>,
    /// Everything, byte for byte and without a limit.
    #[arg(long, conflicts_with_all = ["lines", "bytes", "tail"])]
    pub(crate) raw: bool,
}

impl ReadArgs {
    /// Which part is meant; the first page if none is named.
    pub(crate) fn part(&self) -> Part {
        match (self.lines, self.bytes, self.tail) {
            (Some((from, to)), _, _) => Part::Lines(from, to),
            (_, Some((from, to)), _) => Part::Bytes(from..to.max(from)),
            (_, _, Some(count)) => Part::Tail(count),
            (None, None, None) => Part::Lines(1, u64::MAX),
        }
    }
}

fn range(typed: &str) -> Result<(u64, u64), String> {
    let parts = typed.split_once(':').and_then(|(from, to)| {
        let to = if to.is_empty() { u64::MAX } else { to.parse().ok()? };
        Some((from.parse().ok()?, to))
    });
    match parts {
        Some((from, to)) if from <= to => Ok((from, to)),
        _ => Err("expected two numbers, such as `181:380`, the smaller one first".into()),
    }
}

/// Searches in saved outputs, with ripgrep's engine and habits.
///
/// Exits with 1 if nothing matches.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  overspill grep -i -C 2 'error|failed' 01KA\n  overspill grep -F -c 'warning:'"
)]
pub(crate) struct GrepArgs {
    /// What is searched for: a regular expression.
    pub(crate) pattern: String,
    /// The outputs; all of them if none is named.
    pub(crate) ids: Vec<String>,
    /// Whatever the case.
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// The pattern is plain text.
    #[arg(short = 'F', long)]
    pub(crate) fixed_strings: bool,
    /// Only whole words.
    #[arg(short, long)]
    pub(crate) word_regexp: bool,
    /// Lines that do not match.
    #[arg(short = 'v', long)]
    pub(crate) invert_match: bool,
    /// Only how many lines match.
    #[arg(short, long)]
    pub(crate) count: bool,
    /// Line numbers are always shown; this is here for habit.
    #[arg(short = 'n', long)]
    line_number: bool,
    /// No more than N matches of each output.
    #[arg(short, long, value_name = "N")]
    pub(crate) max_count: Option<u64>,
    /// N lines after each match.
    #[arg(short = 'A', long, value_name = "N")]
    after_context: Option<usize>,
    /// N lines before each match.
    #[arg(short = 'B', long, value_name = "N")]
    before_context: Option<usize>,
    /// N lines around each match.
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    context: usize,
    /// From this line on.
    #[arg(long, value_name = "LINE", default_value_t = 1)]
    pub(crate) from: u64,
}

impl GrepArgs {
    /// What is asked of each output.
    pub(crate) fn query(&self) -> Query {
        Query {
            pattern: self.pattern.clone(),
            ignore_case: self.ignore_case,
            fixed: self.fixed_strings,
            word: self.word_regexp,
            invert: self.invert_match,
            before: self.before_context.unwrap_or(self.context),
            after: self.after_context.unwrap_or(self.context),
            most: self.max_count,
            from_line: self.from,
        }
    }
}

/// Lists the saved outputs, the last used first.
#[derive(Debug, ClapArgs)]
pub(crate) struct ListArgs {
    /// A line of JSON for each.
    #[arg(long)]
    pub(crate) json: bool,
    /// No more than so many.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

/// Says what is known of a saved output.
#[derive(Debug, ClapArgs)]
pub(crate) struct InfoArgs {
    /// The output.
    pub(crate) id: String,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Removes saved outputs.
#[derive(Debug, ClapArgs)]
pub(crate) struct RmArgs {
    /// The outputs.
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}

/// Keeps saved outputs from being removed by time.
#[derive(Debug, ClapArgs)]
pub(crate) struct PinArgs {
    /// The outputs.
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    /// Let them go again.
    #[arg(long)]
    pub(crate) off: bool,
}

/// Removes what was not used for seven days, and the oldest beyond 5 GiB.
#[derive(Debug, ClapArgs)]
pub(crate) struct GcArgs {
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
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
pub(crate) fn misuse() -> ExitCode {
    let is_run = std::env::args_os().nth(1).is_some_and(|word| word == "run");
    ExitCode::from(if is_run { 125 } else { 2 })
}
