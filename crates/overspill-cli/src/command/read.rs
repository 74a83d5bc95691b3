//! `overspill read`

use std::ffi::OsString;

use overspill::core::Limits;
use overspill::retrieve::{self, FromValue, JsonError, JsonPath, Page, Part};
use overspill::store::{Kept, OutputId, Store};

use crate::{find, home, hosts, program, ui};

/// Shows a part of a saved output, and how to get the next one.
///
/// An output is named by its id, the beginning or the end of it, or the path that was shown. An answer has at
/// most 2000 lines and 50 KiB, its last line included, which says what this was and has the command
/// for the next page. Exits with 1 if there is no such output, or nothing that the path leads to.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill read 01KA --lines 181:380
  overspill read 01KA --tail 50
  overspill read 01KA --json '$.items[*].name'
  overspill read 01KA --json /items/0/name
  overspill read 01KA --raw > all.txt

A path is a JSONPath without filters ($.a.b[0], ['x y'], [*], ..name, [-1], [1:5]) or, if it begins
with a slash, a JSON Pointer. It is applied to each text of an output that has many, such as one a line.")]
pub(crate) struct ReadArgs {
    /// The output.
    id: OsString,
    /// These lines, both included, counted from 1.
    #[arg(long, value_name = "A:B", value_parser = range, conflicts_with_all = ["bytes", "tail"])]
    lines: Option<(u64, u64)>,
    /// These bytes, from A up to B, counted from 0.
    #[arg(long, value_name = "A:B", value_parser = range, conflicts_with = "tail")]
    bytes: Option<(u64, u64)>,
    /// The last N lines.
    #[arg(long, value_name = "N")]
    tail: Option<u64>,
    /// The values that this path leads to, as they are written.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["lines", "bytes", "tail"])]
    json: Option<String>,
    /// From this value on, counted from 1; after a colon, from this byte of it on.
    #[arg(long, value_name = "N", requires = "json", value_parser = from)]
    from: Option<FromValue>,
    /// Everything, byte for byte and without a limit.
    #[arg(long, conflicts_with_all = ["lines", "bytes", "tail", "json"])]
    raw: bool,
}

impl ReadArgs {
    /// Which part is meant; the first page if none is named.
    fn part(&self) -> Part {
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

fn from(typed: &str) -> Result<FromValue, String> {
    let (value, byte) = typed.split_once(':').unwrap_or((typed, "0"));
    match (value.parse(), byte.parse()) {
        (Ok(value), Ok(byte)) => Ok(FromValue { value, byte }),
        _ => Err("expected a number, such as `51`, or two, such as `51:2000`".into()),
    }
}

/// What the last line may take, beside the name of the program and the path.
const FOOTER_BYTES: u64 = 300;

pub(crate) fn read(args: &ReadArgs) -> u8 {
    ui::ended(try_read(args))
}

fn try_read(args: &ReadArgs) -> anyhow::Result<()> {
    // What makes no sense is said before anything is looked for.
    let path = args.json.as_deref().map(|typed| {
        JsonPath::parse(typed)
            .map_err(|bad| ui::UsageError(format!("{}: {bad}", ui::short(typed, 200))))
    });
    let path = path.transpose()?;
    if args.raw {
        let (store, name) = find::find_raw(&args.id)?;
        return raw(&*store, &name);
    }
    let (store, name) = find::find(&args.id)?;
    let text = match &path {
        Some(path) => values(&*store, &name, path, args.from.unwrap_or(FromValue::START))?,
        None => part(&*store, &name, &args.part())?,
    };
    ui::answer(&text)?;
    // Of what was printed, not of what was asked for; if it cannot be noted, it was read all the same.
    let _ = store.retrieved(&name, text.len() as u64);
    Ok(())
}

/// Returns what is left for a page beside its last line.
fn room(footer_bytes: u64) -> Limits {
    let limits = hosts::page();
    Limits {
        bytes: limits.bytes.map(|most| most.saturating_sub(footer_bytes)),
        lines: limits.lines.map(|most| most - 1),
        ..limits
    }
}

fn part(store: &dyn Store, name: &OutputId, part: &Part) -> anyhow::Result<String> {
    let room = room(FOOTER_BYTES + program::word().len() as u64);
    let page = retrieve::read(store, name, part, &room)?;
    let mut text = page.text.clone();
    end_line(&mut text);
    text.push_str(&footer(store, name, &page));
    Ok(text)
}

/// Ends the last line of a text, if there is one.
pub(crate) fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Says what this was, and the command for the next page.
fn footer(store: &dyn Store, name: &OutputId, page: &Page) -> String {
    let what = what_is_shown(store, name, page);
    let next = match &page.next {
        None => String::new(),
        Some(Part::Lines(from, to)) => next(name, &format!("--lines {from}:{to}")),
        Some(Part::Bytes(range)) => next(name, &format!("--bytes {}:{}", range.start, range.end)),
        Some(Part::Tail(count)) => next(name, &format!("--tail {count}")),
    };
    format!("[overspill {}: {what}{next}]\n", name.token())
}

/// Says which part of an output a page is.
pub(crate) fn what_is_shown(store: &dyn Store, name: &OutputId, page: &Page) -> String {
    let record = store.record(name).ok().flatten();
    let all = match record {
        _ if page.total_lines.is_some() => format!(" of {}", page.total_lines.unwrap_or_default()),
        // Saved by an earlier version, which did not note where the hole is.
        Some(record) if matches!(record.kept, Some(Kept::Ends { .. })) => {
            " of the saved copy, which lacks the middle and numbers its own lines".into()
        }
        Some(record) if record.lines > 0 => format!(" of {}", record.lines),
        // Whoever saved it died before it could be said.
        _ => String::new(),
    };
    match page.lines {
        Some((first, last)) if first > last => match all.strip_prefix(" of ") {
            Some("1") => "there is 1 line".into(),
            Some(all) if all.ends_with(|last: char| last.is_ascii_digit()) => {
                format!("there are {all} lines")
            }
            _ => "there are not so many lines".into(),
        },
        Some((first, last)) => format!("lines {first}–{last}{all}"),
        None if page.bytes.is_empty() && page.total == 1 => "there is 1 byte".into(),
        None if page.bytes.is_empty() => format!("there are {} bytes", page.total),
        None => format!("bytes {}–{} of {}", page.bytes.start, page.bytes.end, page.total),
    }
}

fn next(name: &OutputId, words: &str) -> String {
    format!("; next: {} read {name} {words}", program::word())
}

fn values(
    store: &dyn Store,
    name: &OutputId,
    path: &JsonPath,
    from: FromValue,
) -> anyhow::Result<String> {
    let typed = home::quoted(&path.to_string());
    let room = room(FOOTER_BYTES + (program::word().len() + typed.len()) as u64);
    let progress = ui::Progress::of("reading it all");
    let values = retrieve::values(store, name, path, from, &room);
    drop(progress);
    let missing = retrieve::missing_lines(store, name)?;
    let values = values.map_err(|error| match error {
        error @ JsonError::NotWhole(_) => anyhow::anyhow!(
            "{name}: {error}\n\nhint: `{} grep PATTERN {name}` searches the parts that were kept",
            program::word()
        ),
        error => anyhow::Error::from(error).context(format!("{name}")),
    })?;
    if values.shown == 0 {
        let but = missing.map(|missing| format!("; {missing}")).unwrap_or_default();
        anyhow::bail!("nothing in {name} is at {}{but}", ui::short(&path.to_string(), 200));
    }
    let (first, last) = (from.value.max(1), from.value.max(1) + values.shown - 1);
    let what = match (first == last, values.next) {
        (true, None) if first == 1 => "the only value".into(),
        (true, _) => format!("value {first}"),
        (false, _) => format!("values {first}–{last}"),
    };
    let bad = match (values.bad, missing) {
        (_, Some(missing)) => format!("; {missing}"),
        (Some(bad), None) => format!("; left out what is {bad}"),
        (None, None) => String::new(),
    };
    let next = values.next.map_or(String::new(), |FromValue { value, byte }| {
        let byte = if byte > 0 { format!(":{byte}") } else { String::new() };
        next(name, &format!("--json {typed} --from {value}{byte}"))
    });
    let mut text = values.text;
    end_line(&mut text);
    text.push_str(&format!("[overspill {}: {what}{bad}{next}]\n", name.token()));
    Ok(text)
}

/// Copies everything.
fn raw(store: &dyn Store, name: &OutputId) -> anyhow::Result<()> {
    const CHUNK: u64 = 256 * 1024;
    let total = store.entry(name)?.bytes;
    let _ = store.touch(name);
    if let Some(missing) = retrieve::missing_lines(store, name)? {
        ui::say(&format!("{}: {missing} (`store.max_output`)", name.token()));
    }
    // On a terminal the text itself shows that it goes on.
    let progress = (!ui::is_seen()).then(|| ui::Progress::of("copying"));
    let mut at = 0;
    while at < total {
        let chunk = store.read(name, at..at + CHUNK)?;
        if chunk.is_empty() {
            break;
        }
        ui::answer_bytes(&chunk)?;
        at += chunk.len() as u64;
        if let Some(progress) = &progress {
            progress.at(at, total);
        }
    }
    Ok(())
}
