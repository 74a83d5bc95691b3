//! `overspill grep`

mod hints;
mod unsearched;

use std::ffi::{OsStr, OsString};

use overspill::core::Limits;
use overspill::retrieve::{self, GrepMatches, Query};
use overspill::store::OutputId;

use crate::home::Outputs;
use crate::{find, home, hosts, program, ui};

pub(crate) use hints::hint;
use unsearched::Unsearched;

/// Searches in saved outputs, with ripgrep's engine and habits.
///
/// An answer has at most 2000 lines and 50 KiB and ends with the command for the next page. Exit codes are
/// ripgrep's: 0 for a match, 1 for no match, 2 for an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill grep -i -C 2 'error|failed' 01KA
  overspill grep -F -c 'warning:'
  overspill grep -o 'id=[0-9]+' 01KA
  overspill grep -e -Wall -e error: 01KA 01KB")]
pub(crate) struct GrepArgs {
    /// What is searched for: a regular expression.
    #[arg(required_unless_present = "regexp")]
    pattern: Option<OsString>,
    /// The outputs; all of them, the last saved first, if none is named.
    #[arg(value_name = "ID")]
    ids: Vec<OsString>,
    /// The pattern, also if it begins with a dash; of several, any may match.
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<OsString>,
    /// Whatever the case.
    #[arg(short, long)]
    ignore_case: bool,
    /// The pattern is plain text.
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Only whole words.
    #[arg(short, long)]
    word_regexp: bool,
    /// Lines that do not match.
    #[arg(short = 'v', long)]
    invert_match: bool,
    /// Only what matches, each match by itself.
    #[arg(short, long, conflicts_with_all = ["count", "invert_match", "after_context", "before_context", "context"])]
    only_matching: bool,
    /// Only which outputs have a line that matches.
    #[arg(short = 'l', long, conflicts_with_all = ["count", "json", "only_matching"])]
    files_with_matches: bool,
    /// Only how many lines match.
    #[arg(short, long, conflicts_with = "json")]
    count: bool,
    /// Line numbers are always shown; this is here for habit.
    #[arg(short = 'n', long)]
    line_number: bool,
    /// Patterns are always extended regular expressions; this is here for habit.
    #[arg(short = 'E', long)]
    extended_regexp: bool,
    /// No more than N matches of each output.
    #[arg(short, long, value_name = "N")]
    max_count: Option<u64>,
    /// So many of the first output were shown already, for the next page.
    #[arg(long, value_name = "N", hide = true, default_value_t = 0)]
    shown: u64,
    /// N lines after each match.
    #[arg(short = 'A', long, value_name = "N")]
    after_context: Option<usize>,
    /// N lines before each match.
    #[arg(short = 'B', long, value_name = "N")]
    before_context: Option<usize>,
    /// N lines around each match.
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    context: usize,
    /// From this line of the first output on, or from this line of this one.
    #[arg(long, value_name = "[ID:]LINE", value_parser = from, default_value = "1")]
    from: From,
    /// A line of JSON for each line that is shown.
    #[arg(long)]
    json: bool,
}

/// Where to begin.
#[derive(Debug, Clone)]
struct From {
    /// The output, as it was typed.
    id: Option<String>,
    line: u64,
}

fn from(typed: &str) -> Result<From, String> {
    let (id, line) = match typed.rsplit_once(':') {
        Some((id, line)) => (Some(id.to_owned()), line),
        None => (None, typed),
    };
    match line.parse() {
        Ok(line) if id.as_ref().is_none_or(|id| !id.is_empty()) => Ok(From { id, line }),
        _ => Err("expected a line, or an id and a line".into()),
    }
}

impl From {
    /// Returns the output to begin with, if one is named. It may be gone by now.
    fn name(&self) -> anyhow::Result<Option<OutputId>> {
        let Some(id) = &self.id else { return Ok(None) };
        let ours = OutputId::parse(&id.to_ascii_uppercase()).filter(|name| name.time().is_some());
        ours.map_or_else(|| find::find(OsStr::new(id)).map(|(_, name)| name), Ok).map(Some)
    }
}

/// What a heading may take, or a line that says how many more there are.
const HEADING_BYTES: u64 = 80;
/// How many lines there may be beside the matches: a heading, what was not searched, and the command
/// for the next page.
const FRAME_LINES: u64 = 3;
/// In JSON an answer has no more lines than this, so that what stands around each has room.
const JSON_LINES: u64 = 200;
const JSON_LINE_BYTES: u64 = 100;
/// The names of those not searched yet may take so much of the last line.
const NAMES_BYTES: usize = 8_192;

pub(crate) fn grep(args: &GrepArgs) -> u8 {
    ui::searched(try_grep(args))
}

/// Tells whether anything matched.
fn try_grep(args: &GrepArgs) -> anyhow::Result<bool> {
    let (query, ids) = understood(args)?;
    let asked = GrepRequest { args, query, all: ids.is_empty(), from: args.from.name()? };
    let outputs = outputs(asked.from.as_ref(), &ids)?;
    let progress = ui::Progress::of("searching");
    let (text, any) = match asked.is_of_outputs() {
        true => count(&asked, &outputs, &progress)?,
        false => lines(&asked, &outputs, &progress)?,
    };
    drop(progress);
    ui::answer(&text)?;
    Ok(any)
}

/// Returns what is searched for, and where.
fn understood(args: &GrepArgs) -> anyhow::Result<(Query, Vec<OsString>)> {
    let mut ids = args.ids.clone();
    let patterns = match args.regexp.is_empty() {
        true => args.pattern.clone().into_iter().collect(),
        false => {
            ids.splice(0..0, args.pattern.clone());
            args.regexp.clone()
        }
    };
    let text = |pattern: OsString| pattern.into_string();
    let patterns: Result<Vec<String>, _> = patterns.into_iter().map(text).collect();
    let patterns = patterns
        .map_err(|_| ui::UsageError("the pattern is not UTF-8, and so matches nothing".into()))?;
    // An empty one matches everything, whatever the others do.
    let pattern = match patterns.iter().any(String::is_empty) {
        true => String::new(),
        false => patterns.join("\n"),
    };
    let query = Query {
        pattern,
        ignore_case: args.ignore_case,
        fixed: args.fixed_strings,
        word: args.word_regexp,
        invert: args.invert_match,
        only: args.only_matching,
        before: args.before_context.unwrap_or(args.context),
        after: args.after_context.unwrap_or(args.context),
        most: args.max_count,
        from_line: args.from.line,
    };
    if (args.count || args.files_with_matches) && query.from_line > 1 {
        let why = "--from: with -c and -l all lines of an output are searched";
        return Err(ui::UsageError(why.into()).into());
    }
    query.check().map_err(|bad| ui::UsageError(explained(&query, &bad.to_string())))?;
    Ok((query, ids))
}

/// Says what is wrong with a pattern, where, and what to do.
fn explained(query: &Query, error: &str) -> String {
    let (place, what) = error.rsplit_once("\nerror: ").unwrap_or(("", error));
    // The pattern, and under it a caret: worth showing unless it is very long.
    let place = place.split_once('\n').map_or("", |(_, place)| place);
    let place = match place.chars().count() {
        1..400 => format!("\n\n{place}"),
        _ => String::new(),
    };
    let hint = if query.fixed { "" } else { "\n\nhint: -F searches for it as plain text" };
    format!("the pattern is not a regular expression: {}{place}{hint}", ui::short(what, 200))
}

/// The outputs that are meant, from where to begin on.
fn outputs(from: Option<&OutputId>, ids: &[OsString]) -> anyhow::Result<Vec<(Outputs, OutputId)>> {
    if !ids.is_empty() {
        let all = find::all(ids)?;
        return match (from, all.first()) {
            (Some(from), Some((_, first))) if from != first => Err(ui::UsageError(format!(
                "--from: {from} is not the first of the outputs that are to be searched"
            ))
            .into()),
            _ => Ok(all),
        };
    }
    let store = home::store().map_err(anyhow::Error::msg)?;
    let names = find::newest_first(&*store)?.into_iter().map(|entry| entry.name);
    // The one to begin with may be gone by now; then it is the one after it.
    let names = names.skip_while(|name| from.is_some_and(|from| name > from));
    Ok(names.map(|name| (store.clone(), name)).collect())
}

/// What was asked for.
struct GrepRequest<'a> {
    args: &'a GrepArgs,
    query: Query,
    /// All outputs were meant.
    all: bool,
    /// The output to begin with.
    from: Option<OutputId>,
}

/// Shows the lines that match.
fn lines(
    asked: &GrepRequest<'_>,
    outputs: &[(Outputs, OutputId)],
    progress: &ui::Progress,
) -> anyhow::Result<(String, bool)> {
    let several = outputs.len() > 1 || asked.all && asked.from.is_some();
    let is_json = asked.args.json;
    let most = asked.next(outputs, u64::MAX, u64::MAX).len() as u64 + 2 * HEADING_BYTES;
    let most = most + unsearched::BYTES;
    let page = hosts::page();
    let mut room = Limits {
        bytes: page.bytes.map(|bytes| bytes.saturating_sub(most)),
        lines: page.lines.map(|lines| lines - FRAME_LINES),
        ..page
    };
    if is_json {
        // Around each line stands more, and a character may take twice the room.
        let lines = JSON_LINES.min(page.bytes.unwrap_or(u64::MAX) / (2 * JSON_LINE_BYTES));
        let beside = lines * JSON_LINE_BYTES;
        room.bytes = room.bytes.map(|bytes| bytes.saturating_sub(beside + most) / 2);
        room.lines = Some(lines);
    }
    let (mut text, mut any) = (String::new(), false);
    let mut missing = Unsearched::default();
    for (index, (store, name)) in outputs.iter().enumerate() {
        progress.at(index as u64, outputs.len() as u64);
        let (from_line, shown) = match is_first(asked, index, name) {
            true => (asked.query.from_line, asked.args.shown),
            false => (1, 0),
        };
        let most = asked.query.most.map(|most| most.saturating_sub(shown));
        let query = Query { from_line, most, ..asked.query.clone() };
        let found = retrieve::grep(&**store, name, &query, &room)?;
        missing.add(name, found.not_searched.clone());
        if found.lines.is_empty() && found.next_line.is_none() {
            continue;
        }
        any = true;
        let before = text.len();
        if !found.lines.is_empty() {
            let plain = || if several { format!("{name}\n{}", found.text()) } else { found.text() };
            text.push_str(&if is_json { json(name, &found) } else { plain() });
        }
        if let Some(line) = found.next_line {
            text.push_str(&footer(asked, &outputs[index..], line, shown + found.shown));
        }
        let _ = store.retrieved(name, (text.len() - before) as u64);
        if found.next_line.is_some() {
            break;
        }
        room = less(&room, &found.text(), several);
    }
    text.push_str(&missing.told(is_json));
    Ok((text, any))
}

/// Tells whether this is the output that the line to begin with is meant of.
fn is_first(asked: &GrepRequest<'_>, index: usize, name: &OutputId) -> bool {
    index == 0 && asked.from.as_ref().is_none_or(|from| from == name)
}

/// Shows how many lines match in each output, or in which any does.
fn count(
    asked: &GrepRequest<'_>,
    outputs: &[(Outputs, OutputId)],
    progress: &ui::Progress,
) -> anyhow::Result<(String, bool)> {
    let several = outputs.len() > 1 || asked.all && asked.from.is_some();
    let beside = asked.next(outputs, u64::MAX, u64::MAX).len() as u64 + HEADING_BYTES;
    let page = hosts::page();
    let most_bytes = page.bytes.unwrap_or(u64::MAX).saturating_sub(beside);
    let most_lines = page.lines.unwrap_or(u64::MAX) as usize - 1;
    let mut query = asked.query.clone();
    if asked.args.files_with_matches {
        query.most = Some(1);
    }
    let (mut text, mut any, mut shown) = (String::new(), false, 0);
    let mut missing = Unsearched::default();
    for (index, (store, name)) in outputs.iter().enumerate() {
        progress.at(index as u64, outputs.len() as u64);
        if shown == most_lines || text.len() as u64 + HEADING_BYTES > most_bytes {
            text.push_str(&footer(asked, &outputs[index..], 1, 0));
            break;
        }
        let count = retrieve::count(&**store, name, &query)?;
        missing.add(name, retrieve::missing_lines(&**store, name)?);
        any |= count > 0;
        shown += usize::from(count > 0 || !asked.args.files_with_matches);
        text.push_str(&match (asked.args.files_with_matches, several) {
            (true, _) if count > 0 => format!("{name}\n"),
            (true, _) => String::new(),
            (false, true) => format!("{name}:{count}\n"),
            (false, false) => format!("{count}\n"),
        });
    }
    // A program reads the numbers and names: stderr has to do.
    missing.told(false);
    Ok((text, any))
}

fn json(name: &OutputId, found: &GrepMatches) -> String {
    let lines = found.lines.iter().map(|line| {
        let (number, matches, text) = (line.number, line.matches, &line.text);
        let mut json = serde_json::json!({
            "id": name, "line": number, "match": matches, "text": text,
        });
        if let Some(bytes) = &line.again {
            json["again"] = format!("{}:{}", bytes.start, bytes.end).into();
        }
        format!("{json}\n")
    });
    lines.collect()
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

impl GrepRequest<'_> {
    /// Tells whether it is asked for outputs, and not for lines of them.
    fn is_of_outputs(&self) -> bool {
        self.args.count || self.args.files_with_matches
    }

    /// Returns the command that goes on from `line` of the first of these, after so many matches of
    /// it were `shown`.
    fn next(&self, outputs: &[(Outputs, OutputId)], line: u64, shown: u64) -> String {
        let args = self.args;
        let mut words = vec![program::word(), "grep".into()];
        for (flag, given) in [
            ("-i", args.ignore_case),
            ("-F", args.fixed_strings),
            ("-w", args.word_regexp),
            ("-v", args.invert_match),
            ("-c", args.count),
            ("-l", args.files_with_matches),
            ("-o", args.only_matching),
            ("--json", args.json),
        ] {
            words.extend(given.then(|| flag.into()));
        }
        for (flag, lines) in [("-B", self.query.before), ("-A", self.query.after)] {
            words.extend((lines > 0).then(|| format!("{flag} {lines}")));
        }
        // Of the first output some are shown; of others as many may be as of it.
        if let Some(most) = self.query.most {
            let alone = outputs.len() == 1 && !self.all;
            let (left, shown) = if alone { (most.saturating_sub(shown), 0) } else { (most, shown) };
            words.push(format!("-m {left}"));
            words.extend((shown > 0).then(|| format!("--shown {shown}")));
        }
        let patterns = self.query.patterns();
        let dash = if patterns.len() > 1 || patterns[0].starts_with('-') { "-e " } else { "" };
        let quoted = patterns.iter().map(|one| format!("{dash}{}", home::quoted(one)));
        words.extend(quoted);
        let first = outputs.first().map(|(_, name)| name.as_str()).unwrap_or_default();
        if self.all {
            words.push(format!("--from {first}:{line}"));
        } else {
            let names = outputs.iter().map(|(_, name)| name.to_string());
            let names: Vec<String> = names.collect();
            let all = names.join(" ");
            words.push(if all.len() <= NAMES_BYTES { all } else { first.to_owned() });
            words.extend((line > 1).then(|| format!("--from {line}")));
        }
        words.join(" ")
    }
}

/// Says that there is more from `line` on, after so many matches `shown`, and the command for it.
fn footer(asked: &GrepRequest<'_>, left: &[(Outputs, OutputId)], line: u64, shown: u64) -> String {
    let next = asked.next(left, line, shown);
    if asked.args.json {
        return format!("{}\n", serde_json::json!({ "next": next }));
    }
    let Some((_, name)) = left.first() else { return String::new() };
    let what = match (asked.is_of_outputs(), left.len() - 1) {
        (true, others) => format!("{} more outputs not searched", others + 1),
        (false, 0) => format!("more from line {line}"),
        (false, others) => format!("more from line {line}; {others} more outputs not searched"),
    };
    format!("[overspill {}: {what}; next: {next}]\n", name.token())
}
