//! `overspill grep`: searches saved outputs, and prints the matches page by page.

mod hints;
mod page;
mod unsearched;

use std::ffi::{OsStr, OsString};

use anyhow::anyhow;
use overspill::core::Limits;
use overspill::internal::retrieve::{self, GrepMatches};
use overspill::retrieve::{Answer, Query};
use overspill::store::OutputId;

use crate::args::StoreArgs;
use crate::env::Env;
use crate::stores::{self, Outputs, StoreAccess};
use crate::{find, hosts, ui};

pub(crate) use hints::hint;
use page::{GrepRequest, HEADING_BYTES};
use unsearched::Unsearched;

/// Searches saved outputs with the engine of ripgrep.
///
/// A page has at most 2000 lines and 50 KiB. Its last line has the command for the next page. Exit codes are those of
/// ripgrep: 0 for a match, 1 for no match, 2 for an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill grep -i error                             all saved outputs
  overspill grep -C 2 'error|failed' last             the last output of this directory
  overspill grep -F -c 'warning:'
  overspill grep -o 'id=[0-9]+' q7atzy
  overspill grep -e -Wall -e error: q7atzy m3k0pa")]
pub(crate) struct GrepArgs {
    /// A regular expression.
    #[arg(required_unless_present = "regexp")]
    pattern: Option<OsString>,
    /// The outputs to search [default: all, the newest first].
    #[arg(value_name = "ID")]
    ids: Vec<OsString>,
    /// A pattern, also one that begins with a dash. Repeat -e to search for any of several
    /// patterns.
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<OsString>,
    /// Ignore case.
    #[arg(short, long)]
    ignore_case: bool,
    /// Search for plain text, not for a regular expression.
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Match whole words only.
    #[arg(short, long)]
    word_regexp: bool,
    /// Show lines that do not match.
    #[arg(short = 'v', long)]
    invert_match: bool,
    /// Show only the matching parts, each on its own line.
    #[arg(short, long, conflicts_with_all = ["count", "invert_match", "after_context", "before_context", "context"])]
    only_matching: bool,
    /// Show only the ids of outputs with a match.
    #[arg(short = 'l', long, conflicts_with_all = ["count", "json", "only_matching"])]
    files_with_matches: bool,
    /// Show only the number of matching lines.
    #[arg(short, long, conflicts_with = "json")]
    count: bool,
    /// Has no effect: line numbers are always shown.
    #[arg(short = 'n', long)]
    line_number: bool,
    /// Has no effect: patterns are always extended regular expressions.
    #[arg(short = 'E', long)]
    extended_regexp: bool,
    /// Has no effect: binary output is always searched as text.
    #[arg(short = 'a', long)]
    text: bool,
    /// Show at most N matches of each output [default: all].
    #[arg(short, long, value_name = "N")]
    max_count: Option<u64>,
    /// The number of matches of the first output that earlier pages have shown.
    #[arg(long, value_name = "N", hide = true, default_value_t = 0)]
    shown: u64,
    /// Search no further output after this time. The page of `view` asks for its matches in parts.
    #[arg(long, value_name = "TIME", value_parser = crate::args::duration, hide = true)]
    within: Option<std::time::Duration>,
    /// Show N lines after each match [default: 0].
    #[arg(short = 'A', long, value_name = "N")]
    after_context: Option<usize>,
    /// Show N lines before each match [default: 0].
    #[arg(short = 'B', long, value_name = "N")]
    before_context: Option<usize>,
    /// Show N lines around each match.
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    context: usize,
    /// Begin with this line of the first output. `ID:LINE` begins with line LINE of the output with this id.
    #[arg(long, value_name = "[ID:]LINE", value_parser = parse_from, default_value = "1")]
    from: FromPosition,
    /// Print a line of JSON for each shown line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// The value of `--from`: the output and the line to begin with.
#[derive(Debug, Clone)]
struct FromPosition {
    /// The output, as it was typed.
    id: Option<String>,
    line: u64,
}

fn parse_from(typed: &str) -> Result<FromPosition, String> {
    let (id, line) = match typed.rsplit_once(':') {
        Some((id, line)) => (Some(id.to_owned()), line),
        None => (None, typed),
    };
    match line.parse() {
        Ok(line) if id.as_ref().is_none_or(|id| !id.is_empty()) => Ok(FromPosition { id, line }),
        _ => Err("expected a line, such as `20`, or an id and a line".into()),
    }
}

impl FromPosition {
    /// Returns the output to begin with, if one is named. The output may have expired.
    fn name(&self, access: &StoreAccess<'_>) -> anyhow::Result<Option<OutputId>> {
        let Some(id) = &self.id else { return Ok(None) };
        let full = OutputId::parse(&id.to_ascii_uppercase()).filter(|name| name.time().is_some());
        full.map_or_else(|| find::find(OsStr::new(id), access).map(|(_, name)| name), Ok).map(Some)
    }
}

pub(crate) fn run(args: &GrepArgs, env: &Env) -> u8 {
    ui::searched(grep(args, env))
}

/// Searches, prints the matches, and tells whether a line matches.
fn grep(args: &GrepArgs, env: &Env) -> anyhow::Result<bool> {
    let (query, ids) = parse_query(args)?;
    let access = args.store.access(env);
    let asked =
        GrepRequest { args, env, query, all: ids.is_empty(), from: args.from.name(&access)? };
    let outputs = outputs(asked.from.as_ref(), &ids, &access)
        .map_err(|error| swap_error(args, error, &access))?;
    let progress = ui::Progress::of("searching");
    let (text, any) = match asked.lists_outputs() {
        true => count(&asked, &outputs, &progress)?,
        false => lines(&asked, &outputs, &progress)?,
    };
    drop(progress);
    ui::answer(&text)?;
    Ok(any)
}

/// Returns the query and the ids to search. With `-e`, the first argument is an id.
fn parse_query(args: &GrepArgs) -> anyhow::Result<(Query, Vec<OsString>)> {
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
    // An empty pattern matches every line, so the others do not matter.
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
    query.check().map_err(|bad| ui::UsageError(pattern_error(&query, &bad.to_string())))?;
    Ok((query, ids))
}

/// Returns the text of an error in a pattern, with its place and a hint.
fn pattern_error(query: &Query, error: &str) -> String {
    let (place, what) = error.rsplit_once("\nerror: ").unwrap_or(("", error));
    // The pattern and a caret under it are shown unless the pattern is very long.
    let place = place.split_once('\n').map_or("", |(_, place)| place);
    let place = match place.chars().count() {
        1..400 => format!("\n\n{place}"),
        _ => String::new(),
    };
    let hint = if query.fixed {
        ""
    } else {
        &*format!(
            "\n\nhint: -F searches for plain text: `overspill grep -F {}`",
            ui::shell_word(&ui::short(&query.pattern, 60))
        )
    };
    format!("the pattern is not a regular expression: {}{place}{hint}", ui::short(what, 200))
}

/// Returns the outputs to search, beginning with the output that `--from` names.
fn outputs(
    from: Option<&OutputId>,
    ids: &[OsString],
    access: &StoreAccess<'_>,
) -> anyhow::Result<Vec<(Outputs, OutputId)>> {
    if !ids.is_empty() {
        let all = find::all(ids, access)?;
        return match (from, all.first()) {
            (Some(from), Some((_, first))) if from != first => Err(ui::UsageError(format!(
                "--from: {} is not the first of the outputs to search ({})",
                from.short_id(),
                first.short_id()
            ))
            .into()),
            _ => Ok(all),
        };
    }
    let store = stores::store(access).map_err(anyhow::Error::msg)?;
    let names = find::newest_first(&*store)?.into_iter().map(|entry| entry.name);
    // If the output that `--from` names has expired, the search begins with the next output.
    let names = names.skip_while(|name| from.is_some_and(|from| name > from));
    Ok(names.map(|name| (store.clone(), name)).collect())
}

/// Explains an error if pattern and id were typed in the other order.
fn swap_error(args: &GrepArgs, error: anyhow::Error, access: &StoreAccess<'_>) -> anyhow::Error {
    let (Some(id), [pattern], true) = (&args.pattern, &args.ids[..], args.regexp.is_empty()) else {
        return error;
    };
    if find::find(id, access).is_err() {
        return error;
    }
    let shown = |word: &OsString| ui::short(&word.to_string_lossy(), 100);
    let (pattern, id) = (shown(pattern), shown(id));
    let quoted = ui::shell_word(&pattern);
    anyhow!(
        "there is no output {pattern}: the pattern comes before the id\n\nhint: did you mean `overspill grep {quoted} {id}`?"
    )
}

/// Shows the lines that match.
fn lines(
    asked: &GrepRequest<'_>,
    outputs: &[(Outputs, OutputId)],
    progress: &ui::Progress,
) -> anyhow::Result<(String, bool)> {
    let several = outputs.len() > 1 || asked.all && asked.from.is_some();
    let is_json = asked.args.json;
    let mut room = asked.room(outputs);
    let (mut text, mut any) = (String::new(), false);
    let mut unsearched = Unsearched::default();
    let began = std::time::Instant::now();
    for (index, (store, name)) in outputs.iter().enumerate() {
        progress.at(index as u64, outputs.len() as u64);
        if index > 0 && asked.args.within.is_some_and(|most| began.elapsed() >= most) {
            text.push_str(&asked.end(&outputs[index..]));
            break;
        }
        let (from_line, shown) = match is_first(asked, index, name) {
            true => (asked.query.from_line, asked.args.shown),
            false => (1, 0),
        };
        let most = asked.query.most.map(|most| most.saturating_sub(shown));
        let query = Query { from_line, most, ..asked.query.clone() };
        let mut found = retrieve::grep(&**store, name, &query, &room)?;
        unsearched.add(name, found.not_searched.clone());
        if several || is_json {
            // One line at the end reports the unsearched lines of all outputs.
            found.not_searched = None;
        }
        let matches = !found.lines.is_empty() || found.next_line.is_some();
        any |= matches;
        if !matches && found.not_searched.is_none() {
            continue;
        }
        let left = &outputs[index..];
        let answer = with_outputs_left(found.answer(name, &query), left);
        let before = text.len();
        if is_json {
            text.push_str(&json(name, &found));
            text.push_str(&asked.json_footer(&answer, left));
        } else {
            let colors = asked.env.colors();
            if several && !found.lines.is_empty() {
                text.push_str(&colors.paint(ui::Tone::Id, &format!("{}\n", name.short_id())));
            }
            text.push_str(&painted(&found, &query, colors)?);
            let footer = answer.footer(|next| asked.command(next, left));
            text.push_str(&colors.paint(ui::Tone::Faint, &footer));
        }
        if !asked.env.has_person() {
            let _ = store.retrieved(name, (text.len() - before) as u64, &answer.parts);
        }
        if answer.next.is_some() {
            break;
        }
        room = room_left(&room, &answer.text, several);
    }
    unsearched.say();
    if several || is_json {
        text.push_str(&unsearched.line(is_json));
    }
    Ok((text, any))
}

/// Returns the matching lines, with line numbers and matches in colours.
fn painted(found: &GrepMatches, query: &Query, colors: ui::Colors) -> anyhow::Result<String> {
    if !colors.is_on() {
        return Ok(found.text());
    }
    let highlighter = query.highlighter()?;
    Ok(found.text_with(|line| {
        let number = colors.paint(ui::Tone::LineNumber, &line.number.to_string());
        let note = colors.paint(ui::Tone::Faint, &line.note());
        let text = line.safe_text();
        let ranges = if line.matches { highlighter.ranges(&text) } else { Vec::new() };
        let (mut painted, mut at) = (String::new(), 0);
        for range in ranges {
            painted.push_str(&text[at..range.start]);
            painted.push_str(&colors.paint(ui::Tone::Match, &text[range.clone()]));
            at = range.end;
        }
        painted.push_str(&text[at..]);
        format!("{number}{}{painted}{note}\n", line.sign())
    }))
}

/// Adds the number of outputs that were not searched yet to an answer with a next page.
fn with_outputs_left(mut answer: Answer, left: &[(Outputs, OutputId)]) -> Answer {
    if answer.next.is_some() && left.len() > 1 {
        let others = retrieve::outputs_not_searched(left.len() as u64 - 1);
        answer.what = format!("{}; {others}", answer.what);
    }
    answer
}

/// Tells whether `--from` gives the first line to search in this output.
fn is_first(asked: &GrepRequest<'_>, index: usize, name: &OutputId) -> bool {
    index == 0 && asked.from.as_ref().is_none_or(|from| from == name)
}

/// Shows how many lines match in each output, or which outputs have a line that matches.
fn count(
    asked: &GrepRequest<'_>,
    outputs: &[(Outputs, OutputId)],
    progress: &ui::Progress,
) -> anyhow::Result<(String, bool)> {
    let several = outputs.len() > 1 || asked.all && asked.from.is_some();
    let beside = asked.longest_command(outputs) + HEADING_BYTES;
    let page = hosts::page(asked.env);
    let most_bytes = page.bytes.unwrap_or(u64::MAX).saturating_sub(beside);
    let most_lines = page.lines.unwrap_or(u64::MAX) as usize - 1;
    let mut query = asked.query.clone();
    if asked.args.files_with_matches {
        query.most = Some(1);
    }
    let (mut text, mut any, mut shown) = (String::new(), false, 0);
    let colors = asked.env.colors();
    let mut unsearched = Unsearched::default();
    for (index, (store, name)) in outputs.iter().enumerate() {
        progress.at(index as u64, outputs.len() as u64);
        if shown == most_lines || text.len() as u64 + HEADING_BYTES > most_bytes {
            text.push_str(&asked.end(&outputs[index..]));
            break;
        }
        let count = retrieve::count(&**store, name, &query)?;
        unsearched.add(name, retrieve::missing_lines(&**store, name)?);
        any |= count > 0;
        shown += usize::from(count > 0 || !asked.args.files_with_matches);
        text.push_str(&match (asked.args.files_with_matches, several) {
            (true, _) if count > 0 => format!("{}\n", colors.paint(ui::Tone::Id, &name.short_id())),
            (true, _) => String::new(),
            (false, true) => format!("{}:{count}\n", colors.paint(ui::Tone::Id, &name.short_id())),
            (false, false) => format!("{count}\n"),
        });
    }
    // Programs read stdout here, so stderr reports the lines that were not searched.
    unsearched.say();
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
        ui::json_line(json)
    });
    lines.collect()
}

fn room_left(room: &Limits, text: &str, heading: bool) -> Limits {
    let heading = u64::from(heading);
    let (bytes, lines) =
        (text.len() as u64 + HEADING_BYTES * heading, text.lines().count() as u64 + heading);
    Limits {
        bytes: room.bytes.map(|most| most.saturating_sub(bytes)),
        lines: room.lines.map(|most| most.saturating_sub(lines)),
        ..*room
    }
}
