//! `overspill read`

use anyhow::Context;
use overspill::core::Policy;
use overspill::retrieve::{self, Page, Part};
use overspill::store::{Name, Store};

use crate::args::ReadArgs;
use crate::{find, home, ui};

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
