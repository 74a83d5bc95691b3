//! `overspill grep`

use anyhow::Context;
use overspill::core::{Limits, Policy};
use overspill::retrieve::{self, GrepError, Query};
use overspill::store::{Disk, Name};

use crate::{find, home, ui};

/// Searches in saved outputs, with ripgrep's engine and habits.
///
/// Exits with 1 if nothing matches.
#[derive(Debug, clap::Args)]
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

/// What a heading may take, or a line that says how many more there are.
const HEADING_BYTES: u64 = 80;
/// How many lines there may be beside the matches: a heading, and the command for the next page.
const FRAME_LINES: u64 = 2;

/// Words that we do not understand, a pattern among them.
const USAGE: u8 = 2;

pub(crate) fn grep(args: &GrepArgs) -> u8 {
    match try_grep(args) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            ui::complain(&error);
            let pattern = matches!(error.downcast_ref(), Some(GrepError::Pattern(_)));
            if pattern { USAGE } else { 1 }
        }
    }
}

/// Tells whether anything matched.
fn try_grep(args: &GrepArgs) -> anyhow::Result<bool> {
    let outputs = outputs(args)?;
    let several = outputs.len() > 1;
    let query = args.query();
    if args.count {
        return count(&outputs, &query);
    }
    let longest =
        outputs.iter().map(|(_, name)| footer(args, name, u64::MAX, u64::MAX, usize::MAX).len());
    let frame = longest.max().unwrap_or(0) as u64 + HEADING_BYTES;
    let mut room = Limits {
        bytes: Policy::LIMITS.bytes.map(|most| most.saturating_sub(frame)),
        lines: Policy::LIMITS.lines.map(|most| most - FRAME_LINES),
        ..Policy::LIMITS
    };
    let (mut text, mut any) = (String::new(), false);
    for (index, (disk, name)) in outputs.iter().enumerate() {
        let found = retrieve::grep(disk, name, &query, &room)?;
        if found.matches == 0 {
            continue;
        }
        any = true;
        if several {
            text.push_str(&format!("{name}\n"));
        }
        text.push_str(&found.text);
        if let Some(line) = found.next_line {
            let rest = outputs.len() - index - 1;
            text.push_str(&footer(args, name, line, found.shown, rest));
            break;
        }
        room = less(&room, &found.text, several);
    }
    ui::print(text.as_bytes()).context("standard output")?;
    Ok(any)
}

/// Shows how many lines match in each output.
fn count(outputs: &[(Disk, Name)], query: &Query) -> anyhow::Result<bool> {
    let most = Policy::LIMITS.lines.map_or(usize::MAX, |most| most as usize - 1);
    let (mut text, mut any) = (String::new(), false);
    for (disk, name) in outputs.iter().take(most) {
        let count = retrieve::count(disk, name, query)?;
        any |= count > 0;
        let name = if outputs.len() > 1 { format!("{name}:") } else { String::new() };
        let line = format!("{name}{count}\n");
        if (text.len() + line.len()) as u64 + HEADING_BYTES
            > Policy::LIMITS.bytes.unwrap_or(u64::MAX)
        {
            break;
        }
        text.push_str(&line);
    }
    let left = outputs.len() - text.lines().count();
    if left > 0 {
        text.push_str(&format!("[overspill: {left} more outputs not counted]\n"));
    }
    ui::print(text.as_bytes()).context("standard output")?;
    Ok(any)
}

/// The outputs that are meant, the last used first if none is named.
fn outputs(args: &GrepArgs) -> anyhow::Result<Vec<(Disk, Name)>> {
    if !args.ids.is_empty() {
        return find::all(&args.ids);
    }
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let entries = find::newest_first(&disk)?;
    Ok(entries.into_iter().map(|entry| (disk.clone(), entry.name)).collect())
}

fn less(room: &Limits, text: &str, heading: bool) -> Limits {
    let heading = u64::from(heading);
    let (bytes, lines) =
        (text.len() as u64 + HEADING_BYTES * heading, text.lines().count() as u64 + heading);
    Limits {
        bytes: room.bytes.map(|most| most.saturating_sub(bytes)),
        lines: room.lines.map(|most| most.saturating_sub(lines)),
        ..*room
    }
}

/// Says that there is more from `line` on, after so many matches `shown`, and the command for it.
fn footer(args: &GrepArgs, name: &Name, line: u64, shown: u64, outputs_left: usize) -> String {
    let mut flags = String::new();
    for (flag, given) in [
        ("-i", args.ignore_case),
        ("-F", args.fixed_strings),
        ("-w", args.word_regexp),
        ("-v", args.invert_match),
    ] {
        if given {
            flags.push_str(&format!(" {flag}"));
        }
    }
    let query = args.query();
    for (flag, lines) in [("-B", query.before), ("-A", query.after)] {
        if lines > 0 {
            flags.push_str(&format!(" {flag} {lines}"));
        }
    }
    if let Some(most) = query.most {
        flags.push_str(&format!(" -m {}", most.saturating_sub(shown).max(1)));
    }
    let rest = match outputs_left {
        0 => String::new(),
        n => format!("; {n} more outputs not searched"),
    };
    let (program, pattern) = (home::program(), home::quoted(&args.pattern));
    let token = name.token();
    format!(
        "[overspill {token}: more from line {line}{rest}; next: {program} grep{flags} {pattern} {name} --from {line}]\n"
    )
}
