//! `overspill read`: prints a saved output, or a part of it, page by page.

use std::ffi::OsString;
use std::io::Write;
use std::ops::Range;

use overspill::core::Limits;
use overspill::internal::notice::mark_line;
use overspill::internal::retrieve::{self, FromValue, JsonError, JsonPath};
use overspill::retrieve::Answer;
use overspill::store::{OutputId, Store};
use overspill::{Page, Part};

use super::request::{command_line, hex_command_line};
use super::{follow, hex};
use crate::args::StoreArgs;
use crate::env::Env;
use crate::{find, hosts, ui};

/// Shows a saved output, page by page.
///
/// A page has at most 2000 lines and 50 KiB. The last line of a page names the shown part, and has the command for the
/// next page. On a terminal your pager shows the whole output. Exit code 1: no such output, or the JSON path matches nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill read                                  the last output of this directory
  overspill read q7atzy --lines 181-380
  overspill read q7atzy --tail 50
  overspill read last --tail 20 --follow          while the command runs
  overspill read q7atzy --json '$.items[*].name'
  overspill read q7atzy --json '$.items[?@.error]'
  overspill read q7atzy --json /items/0/name
  overspill read q7atzy --hex 0:256
  overspill read q7atzy --raw > all.txt

PATH is a JSONPath (RFC 9535) such as $.a.b[0], $['x y'], $.a[*], $..name, $.a[-1], $.a[1:5] or $.a[?@.error]. \
A PATH that begins with a slash is a JSON Pointer. In JSON Lines the path is applied to every line. A filter has \
== != < <= > >= && || ! and the functions length, count, match, search and value. A filter cannot use `$`, and \
cannot test values over 16 MiB.")]
pub(crate) struct ReadArgs {
    /// The output: an id such as `q7atzy`, a path, `last`, `last~2` or `failed` (see `help ids`).
    #[arg(value_name = "ID", default_value = "last")]
    id: OsString,
    /// Show these lines, both included, counted from 1. `A:B`, `A..B` and `A,B` mean the same. `A+N`: N lines from A.
    /// `A:`: from A to the end. `:B`: the lines up to B. `-N`: the last N lines.
    #[arg(long, value_name = "A-B", value_parser = lines, allow_hyphen_values = true, conflicts_with_all = ["bytes", "tail"])]
    lines: Option<Part>,
    /// Show these bytes, counted from 0. B is not included.
    #[arg(long, value_name = "A-B", value_parser = bytes, conflicts_with = "tail")]
    bytes: Option<Part>,
    /// Show these bytes as hexadecimal numbers and characters, as `hexdump -C` does.
    #[arg(long, value_name = "A-B", value_parser = bytes, conflicts_with_all = ["lines", "bytes", "tail", "json", "raw", "follow"])]
    hex: Option<Part>,
    /// Show the last N lines.
    #[arg(long, value_name = "N")]
    tail: Option<u64>,
    /// Print the output so far and new output until the command ends; with `--tail N`, begin with the last N lines.
    #[arg(long, conflicts_with_all = ["lines", "bytes", "json", "raw"])]
    follow: bool,
    /// Print the JSON values at PATH, such as `$.items[0]`.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["lines", "bytes", "tail"])]
    json: Option<String>,
    /// Begin with this value of --json, counted from 1. `N:BYTE` begins within the value [default:
    /// 1].
    #[arg(long, value_name = "N", requires = "json", value_parser = from)]
    from: Option<FromValue>,
    /// Print the whole output, exactly as it was saved.
    #[arg(long, conflicts_with_all = ["lines", "bytes", "tail", "json"])]
    raw: bool,
    #[command(flatten)]
    pager: ui::PagerArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl ReadArgs {
    /// Tells whether no option chooses a part or another form of the output.
    fn is_plain(&self) -> bool {
        self.lines.is_none() && self.bytes.is_none() && self.tail.is_none() && self.json.is_none()
    }

    /// Returns the part to read; without options, the first page.
    fn part(&self) -> Part {
        match (&self.lines, &self.bytes, self.tail) {
            (Some(part), _, _) | (_, Some(part), _) => part.clone(),
            (_, _, Some(count)) => Part::Tail(count),
            (None, None, None) => Part::Lines(1, u64::MAX),
        }
    }
}

fn lines(typed: &str) -> Result<Part, String> {
    Part::of_lines(typed).ok_or_else(|| BAD_RANGE.into())
}

fn bytes(typed: &str) -> Result<Part, String> {
    Part::of_bytes(typed).ok_or_else(|| BAD_RANGE.into())
}

const BAD_RANGE: &str = "expected two numbers, such as `181-380`, the smaller one first";

fn from(typed: &str) -> Result<FromValue, String> {
    let (value, byte) = typed.split_once(':').unwrap_or((typed, "0"));
    match (value.parse(), byte.parse()) {
        (Ok(value), Ok(byte)) => Ok(FromValue { value, byte }),
        _ => Err("expected a number, such as `51`, or two, such as `51:2000`".into()),
    }
}

/// The largest number of bytes of the footer, without the name of the program and the path.
const FOOTER_BYTES: u64 = 300;

pub(crate) fn run(args: &ReadArgs, env: &Env) -> u8 {
    ui::ended(read(args, env))
}

fn read(args: &ReadArgs, env: &Env) -> anyhow::Result<()> {
    // An invalid path is an error even if the output does not exist.
    let path = args.json.as_deref().map(|typed| {
        JsonPath::parse(typed)
            .map_err(|bad| ui::UsageError(format!("--json: {bad}: {}", ui::short(typed, 200))))
    });
    let path = path.transpose()?;
    let access = args.store.access(env);
    if args.follow {
        return follow::follow(&args.id, args.tail, &access);
    }
    if args.raw {
        let (store, name) = find::find_raw(&args.id, &access)?;
        return raw(&*store, &name);
    }
    let (store, name) = find::find(&args.id, &access)?;
    let program = env.program_name();
    if let Some(Part::Bytes(range)) = &args.hex {
        return show_hex(&*store, &name, range, args, env);
    }
    if args.is_plain()
        && let Some(label) = retrieve::binary_label(&*store, &name)?
    {
        let line = binary_line(&*store, &name, &label, program)?;
        ui::answer(&ui::wrapped(&line, 2))?;
        return note(&*store, &name, (&line, &[]), env);
    }
    let answer = match &path {
        Some(path) => values(&*store, &name, path, args.from.unwrap_or(FromValue::START), env)?,
        None => {
            let room = room(FOOTER_BYTES + program.len() as u64, env);
            retrieve::read(&*store, &name, &args.part(), &room)?.answer(&*store, &name)
        }
    };
    let text = answer.to_text(|next| command_line(next, program));
    let Some(pager) = args.pager.pager(env) else {
        ui::answer(&text)?;
        return note(&*store, &name, (&text, &answer.parts), env);
    };
    if path.is_some() || ui::fits_screen(&text) {
        return ui::show_text(&text, Some(pager));
    }
    // A person scrolls in a pager, so the pager gets all pages.
    match pager.show(|out| all_pages(&*store, &name, args.part(), program, out))? {
        true => Ok(()),
        false => ui::answer(&text),
    }
}

/// Returns the line about a binary output: its type, its size, and the commands that show it.
fn binary_line(
    store: &dyn Store,
    name: &OutputId,
    label: &str,
    program: &str,
) -> anyhow::Result<String> {
    let (size, id) = (ui::size(store.entry(name)?.bytes), name.short_id());
    let what = format!(
        "{label}, {size}, not shown; {program} read {id} --hex 0:256; {program} grep -a RE {id}; \
         {program} read {id} --raw > FILE"
    );
    Ok(mark_line(Some(name), &what))
}

/// Prints bytes as hexadecimal numbers, and the command for the next bytes.
fn show_hex(
    store: &dyn Store,
    name: &OutputId,
    range: &Range<u64>,
    args: &ReadArgs,
    env: &Env,
) -> anyhow::Result<()> {
    let pager = args.pager.pager(env);
    let most = if pager.is_some() { 64 << 20 } else { room(FOOTER_BYTES, env).bytes.unwrap_or(0) };
    let page = hex::read(store, name, range, most)?;
    let answer = page.answer(store, name);
    let text = answer.to_text(|next| hex_command_line(next, env.program_name()));
    ui::show_text(&text, pager)?;
    let _ = store.touch(name);
    note(store, name, (&text, &answer.parts), env)
}

/// Counts a page as read later, unless a person reads it.
fn note(
    store: &dyn Store,
    name: &OutputId,
    (text, parts): (&str, &[Range<u64>]),
    env: &Env,
) -> anyhow::Result<()> {
    if !env.has_person() {
        // The page is printed even if the store cannot record this.
        let _ = store.retrieved(name, text.len() as u64, parts);
    }
    Ok(())
}

/// Prints a part of the output, page after page, and the line about it.
fn all_pages(
    store: &dyn Store,
    name: &OutputId,
    asked: Part,
    program: &str,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    const PAGE: Limits = Limits::NONE.bytes(4 << 20);
    let mut part = asked.clone();
    let mut first = None;
    loop {
        let page = retrieve::read(store, name, &part, &PAGE)?;
        out.write_all(page.text.as_bytes())?;
        let lines = page.lines;
        let begin = *first.get_or_insert(lines.map(|(first, _)| first));
        part = match (&asked, page.next.clone()) {
            (Part::Lines(_, to), Some(Part::Lines(from, _))) if from <= *to => {
                Part::Lines(from, *to)
            }
            // A line that is longer than a page continues by bytes.
            (Part::Lines(_, u64::MAX), Some(Part::Bytes(range))) => {
                Part::Bytes(range.start..u64::MAX)
            }
            (Part::Bytes(range), Some(Part::Bytes(next))) if next.start < range.end => {
                Part::Bytes(next.start..range.end)
            }
            _ => {
                let feed =
                    if page.text.is_empty() || page.text.ends_with('\n') { "" } else { "\n" };
                let lines = begin.zip(lines).map(|(first, (_, last))| (first, last));
                let page = Page { lines, ..page };
                let footer = page.answer(store, name).footer(|next| command_line(next, program));
                return Ok(out.write_all(format!("{feed}{footer}").as_bytes())?);
            }
        };
    }
}

/// Returns the limits of a page without its footer.
fn room(footer_bytes: u64, env: &Env) -> Limits {
    let limits = hosts::page(env);
    Limits {
        bytes: limits.bytes.map(|most| most.saturating_sub(footer_bytes)),
        lines: limits.lines.map(|most| most - 1),
        ..limits
    }
}

fn values(
    store: &dyn Store,
    name: &OutputId,
    path: &JsonPath,
    from: FromValue,
    env: &Env,
) -> anyhow::Result<Answer> {
    let program = env.program_name();
    let path_bytes = ui::shell_word(&path.to_string()).len();
    let room = room(FOOTER_BYTES + (program.len() + path_bytes) as u64, env);
    let progress = ui::Progress::of("reading it all");
    let values = retrieve::values(store, name, path, from, &room);
    drop(progress);
    let values = values.map_err(|error| match error {
        error @ JsonError::NotWhole { .. } => anyhow::anyhow!(
            "{error}\n\nhint: `{program} grep PATTERN {}` searches the saved parts",
            name.short_id()
        ),
        JsonError::Store(error @ overspill::Error::Other(_)) => anyhow::anyhow!(
            "{}: {error}\n\nhint: put the filter nearer to the values, such as `$.items[?@.error]`; \
             `{program} read {} --help` explains it",
            name.short_id(),
            name.short_id()
        ),
        error @ JsonError::NotJson { .. } => {
            anyhow::anyhow!("{error}\n\nhint: `{program} read {}` shows it as text", name.short_id())
        }
        error => error.into(),
    })?;
    let is_empty = values.shown == 0;
    let answer = values.answer(name, path);
    anyhow::ensure!(
        !is_empty,
        "{}\n\nhint: `{program} read {} --json '$'` shows all of it",
        answer.what,
        name.short_id()
    );
    Ok(answer)
}

/// Copies the whole output.
fn raw(store: &dyn Store, name: &OutputId) -> anyhow::Result<()> {
    const CHUNK: u64 = 256 * 1024;
    let total = store.entry(name)?.bytes;
    let _ = store.touch(name);
    if let Some(missing) = retrieve::missing_lines(store, name)? {
        ui::warn_line(&format!("{}: {missing} (`store.max_output`)", name.short_id()));
    }
    // On a terminal the text itself shows progress.
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
