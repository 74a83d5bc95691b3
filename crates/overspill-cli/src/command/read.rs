//! `overspill read`

use anyhow::Context;
use overspill::core::Policy;
use overspill::retrieve::{self, Page, Part};
use overspill::store::{Name, Store};

use crate::{find, home, ui};

/// Shows a part of a saved output, and how to get the next one.
///
/// An output is named by its id, the beginning of it, or the path that was shown.
#[derive(Debug, clap::Args)]
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

/// What the last line may take, beside the name of the program.
const FOOTER_BYTES: u64 = 200;

pub(crate) fn read(args: &ReadArgs) -> anyhow::Result<()> {
    let (disk, name) = find::find(&args.id)?;
    if args.raw {
        return raw(&disk, &name);
    }
    let limits = Policy::LIMITS;
    let footer_bytes = FOOTER_BYTES + home::program().len() as u64;
    let room = overspill::core::Limits {
        bytes: limits.bytes.map(|most| most.saturating_sub(footer_bytes)),
        lines: limits.lines.map(|most| most - 1),
        ..limits
    };
    let page = retrieve::read(&disk, &name, &args.part(), &room)?;
    let mut text = page.text.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let lines = disk.record(&name).ok().flatten().map(|record| record.lines);
    text.push_str(&footer(&name, &page, lines));
    ui::print(text.as_bytes()).context("standard output")
}

/// Says what this was, and the command for the next page.
fn footer(name: &Name, page: &Page, lines: Option<u64>) -> String {
    let what = match (page.lines, lines) {
        (Some((first, last)), Some(all)) if first > last => format!("there are {all} lines"),
        (Some((first, last)), None) if first > last => "there are not so many lines".into(),
        (Some((first, last)), Some(all)) => format!("lines {first}–{last} of {all}"),
        (Some((first, last)), None) => format!("lines {first}–{last}"),
        (None, _) => format!("bytes {}–{} of {}", page.bytes.start, page.bytes.end, page.total),
    };
    let program = home::program();
    let next = match &page.next {
        None => String::new(),
        Some(Part::Lines(from, to)) => format!("; next: {program} read {name} --lines {from}:{to}"),
        Some(Part::Bytes(range)) => {
            format!("; next: {program} read {name} --bytes {}:{}", range.start, range.end)
        }
        Some(Part::Tail(count)) => format!("; next: {program} read {name} --tail {count}"),
    };
    format!("[overspill {}: {what}{next}]\n", name.token())
}

/// Copies everything.
fn raw(store: &dyn Store, name: &Name) -> anyhow::Result<()> {
    const CHUNK: u64 = 256 * 1024;
    let total = store.entry(name)?.bytes;
    let _ = store.touch(name);
    let mut at = 0;
    while at < total {
        let chunk = store.read(name, at..at + CHUNK)?;
        if chunk.is_empty() {
            break;
        }
        ui::print(&chunk).context("standard output")?;
        at += chunk.len() as u64;
    }
    Ok(())
}
