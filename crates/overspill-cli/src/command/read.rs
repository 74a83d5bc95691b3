//! `overspill read`

use std::ffi::OsString;

use overspill::Part;
use overspill::core::Limits;
use overspill::internal::retrieve::{self, FromValue, JsonError, JsonPath};
use overspill::retrieve::Answer;
use overspill::store::{OutputId, Store};

use super::follow;
use super::request::command_line;
use crate::args::StoreArgs;
use crate::env::Env;
use crate::{find, hosts, ui};

/// Shows a part of a saved output, and how to get the next one.
///
/// An output is named by its id, the beginning or the end of it, or the path that was shown. An answer has at
/// most 2000 lines and 50 KiB, its last line included, which says what this was and has the command
/// for the next page. Exits with 1 if there is no such output, or nothing that the path leads to.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill read q7atzy --lines 181-380
  overspill read 01KA --tail 50
  overspill read 01KA --tail 20 --follow
  overspill read 01KA --json '$.items[*].name'
  overspill read 01KA --json /items/0/name
  overspill read 01KA --raw > all.txt

A path is a JSONPath without filters ($.a.b[0], ['x y'], [*], ..name, [-1], [1:5]) or, if it begins
with a slash, a JSON Pointer. It is applied to each text of an output that has many, such as one a line.")]
pub(crate) struct ReadArgs {
    /// The output: its id, the beginning or the end of it, its path, `last`, `last~2` or `failed`.
    #[arg(value_name = "ID", default_value = "last")]
    id: OsString,
    /// Show these lines, both included, counted from 1. Also `A:B`, `A..B`, `A,B`, `A+N`, `A:`, `:B`, and `-N` for the
    /// last lines.
    #[arg(long, value_name = "A-B", value_parser = lines, allow_hyphen_values = true, conflicts_with_all = ["bytes", "tail"])]
    lines: Option<Part>,
    /// Show these bytes, from A up to B, counted from 0.
    #[arg(long, value_name = "A-B", value_parser = bytes, conflicts_with = "tail")]
    bytes: Option<Part>,
    /// The last N lines.
    #[arg(long, value_name = "N")]
    tail: Option<u64>,
    /// Print new output until the command ends, after all of it so far, or after its last lines (`--tail N`).
    #[arg(long, conflicts_with_all = ["lines", "bytes", "json", "raw"])]
    follow: bool,
    /// The values that this path leads to, as they are written.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["lines", "bytes", "tail"])]
    json: Option<String>,
    /// From this value on, counted from 1; after a colon, from this byte of it on.
    #[arg(long, value_name = "N", requires = "json", value_parser = from)]
    from: Option<FromValue>,
    /// Everything, byte for byte and without a limit.
    #[arg(long, conflicts_with_all = ["lines", "bytes", "tail", "json"])]
    raw: bool,
    #[command(flatten)]
    store: StoreArgs,
}

impl ReadArgs {
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

/// The most bytes of the footer, without the name of the program and the path.
const FOOTER_BYTES: u64 = 300;

pub(crate) fn run(args: &ReadArgs, env: &Env) -> u8 {
    ui::ended(read(args, &args.store.env(env)))
}

fn read(args: &ReadArgs, env: &Env) -> anyhow::Result<()> {
    // An invalid path is reported before the output is looked for.
    let path = args.json.as_deref().map(|typed| {
        JsonPath::parse(typed)
            .map_err(|bad| ui::UsageError(format!("{}: {bad}", ui::short(typed, 200))))
    });
    let path = path.transpose()?;
    if args.follow {
        return follow::follow(&args.id, args.tail, env);
    }
    if args.raw {
        let (store, name) = find::find_raw(&args.id, env)?;
        return raw(&*store, &name);
    }
    let (store, name) = find::find(&args.id, env)?;
    let program = env.program_name();
    let answer = match &path {
        Some(path) => values(&*store, &name, path, args.from.unwrap_or(FromValue::START), env)?,
        None => {
            let room = room(FOOTER_BYTES + program.len() as u64, env);
            retrieve::read(&*store, &name, &args.part(), &room)?.answer(&*store, &name)
        }
    };
    let text = answer.to_text(|next| command_line(next, program));
    ui::answer(&text)?;
    // The page is printed, even if the store cannot note it.
    let _ = store.retrieved(&name, text.len() as u64);
    Ok(())
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
            "{error}\n\nhint: `{program} grep PATTERN {name}` searches the parts that were kept"
        ),
        error => error.into(),
    })?;
    let is_empty = values.shown == 0;
    let answer = values.answer(name, path);
    anyhow::ensure!(!is_empty, answer.what);
    Ok(answer)
}

/// Copies the whole output.
fn raw(store: &dyn Store, name: &OutputId) -> anyhow::Result<()> {
    const CHUNK: u64 = 256 * 1024;
    let total = store.entry(name)?.bytes;
    let _ = store.touch(name);
    if let Some(missing) = retrieve::missing_lines(store, name)? {
        ui::say(&format!("{}: {missing} (`store.max_output`)", name.token()));
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
