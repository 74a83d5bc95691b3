//! Finds the output that somebody means.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhow::{anyhow, bail};
use jiff::Timestamp;
use overspill::store::{Disk, Entry, Name, Store};

use crate::{home, ui};

/// So many of the outputs that may be meant are named.
const MOST_NAMED: usize = 5;

/// Returns the store and the output that `typed` names: an id, the beginning of one, or a path.
pub(crate) fn find(typed: &OsStr) -> anyhow::Result<(Disk, Name)> {
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let shown = ui::short(&typed.to_string_lossy(), 100);
    let stem = Path::new(typed).file_name().unwrap_or(typed).to_string_lossy();
    let stem = stem.strip_suffix(".txt").unwrap_or(&stem).to_ascii_uppercase();
    let exact = Name::parse(&stem).map(|name| (disk.entry(&name), name));
    match exact {
        Some((Ok(_), name)) => return Ok((disk, name)),
        Some((Err(overspill::Error::NotFound { .. }), _)) | None => {}
        // A store that cannot be used has its reasons, and they are not the id's.
        Some((Err(error), _)) => return Err(error.into()),
    }
    let mut alike: Vec<Entry> = disk.list()?;
    alike.retain(|entry| !stem.is_empty() && entry.name.as_str().starts_with(&stem));
    alike.sort_by(|a, b| b.name.cmp(&a.name));
    match alike.len() {
        0 => Err(missing(&disk, &shown, &stem)),
        1 => Ok((disk, alike.remove(0).name)),
        n => {
            let rows: String = alike.iter().take(MOST_NAMED).map(|one| line(&disk, one)).collect();
            let more = n.saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            bail!(
                "{shown} is the beginning of {n} outputs{rows}{more}\n\nhint: type more of the id"
            )
        }
    }
}

/// Finds all that are named, before anything is done to any of them.
pub(crate) fn all(typed: &[OsString]) -> anyhow::Result<Vec<(Disk, Name)>> {
    typed.iter().map(|typed| find(typed)).collect()
}

/// Returns what is saved, the last saved first.
///
/// By name and not by use: whoever reads page by page uses what is read.
pub(crate) fn newest_first(disk: &Disk) -> anyhow::Result<Vec<Entry>> {
    let mut entries = disk.list()?;
    entries.sort_by(|a, b| b.name.cmp(&a.name));
    Ok(entries)
}

/// One that may be meant, and what it came from.
fn line(disk: &Disk, entry: &Entry) -> String {
    let record = disk.record(&entry.name).ok().flatten().unwrap_or_default();
    let what = record.call.command.or(record.call.tool).unwrap_or_default();
    let (age, size) = (ui::age(entry.used, Timestamp::now()), ui::size(entry.bytes));
    format!("\n  {}  {size}, {age} old  {}", entry.name, ui::short(&what, 60))
}

/// Says whether an output has expired or never was.
fn missing(disk: &Disk, typed: &str, stem: &str) -> anyhow::Error {
    let gone = Name::parse(stem).and_then(|name| disk.gone(&name).ok().flatten());
    match gone {
        None => anyhow!("there is no output {typed}\n\nhint: `overspill list` shows what there is"),
        Some(gone) => {
            let what = gone.command.or(gone.tool).unwrap_or_else(|| "an output".into());
            let (size, day) = (ui::size(gone.bytes), gone.expired.strftime("%Y-%m-%d"));
            anyhow!("{typed} expired on {day}; it was {size} of `{}`", ui::short(&what, 60))
        }
    }
}
