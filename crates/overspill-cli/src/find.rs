//! Finds the output that somebody means.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use jiff::Timestamp;
use overspill::redact::Redact;
use overspill::store::{Entry, Name, Store};

use crate::home::Outputs;
use crate::settings::Sources;
use crate::{home, ui};

/// So long is the short name of an output in a notice.
const SHORT: usize = 6;
/// So many of the outputs that may be meant are named.
const MOST_NAMED: usize = 5;

/// Returns the store, as a model may see it, and the output that `typed` names: an id, the beginning or
/// the end of one, or a path.
pub(crate) fn find(typed: &OsStr) -> anyhow::Result<(Outputs, Name)> {
    let (store, name, redact) = found(typed)?;
    Ok((redact.shown_store(&store), name))
}

/// The same, as it was saved.
pub(crate) fn find_raw(typed: &OsStr) -> anyhow::Result<(Outputs, Name)> {
    found(typed).map(|(store, name, _)| (store, name))
}

fn found(typed: &OsStr) -> anyhow::Result<(Outputs, Name, Redact)> {
    let (store, redact) = home::store_and_redact().map_err(anyhow::Error::msg)?;
    let shown = ui::short(&typed.to_string_lossy(), 100);
    let stem = Path::new(typed).file_name().unwrap_or(typed).to_string_lossy();
    let stem = stem.strip_suffix(".txt").unwrap_or(&stem).to_ascii_uppercase();
    let exact = Name::parse(&stem).map(|name| (store.entry(&name), name));
    match exact {
        Some((Ok(_), name)) => return Ok((store, name, redact)),
        Some((Err(overspill::Error::NotFound { .. }), name)) => {
            // What was saved before a bucket was set is still here.
            let here = home::disk().ok().filter(|disk| disk.entry(&name).is_ok());
            if let Some(disk) = here {
                return Ok((Arc::new(disk), name, redact));
            }
        }
        None => {}
        // A store that cannot be used has its reasons, and they are not the id's.
        Some((Err(error), _)) => return Err(error.into()),
    }
    let mut alike: Vec<Entry> = if stem.is_empty() { Vec::new() } else { store.named(&stem)? };
    alike.sort_by(|a, b| b.name.cmp(&a.name));
    let mut end = "beginning";
    // A notice begins with the end of an id.
    if alike.is_empty() && may_be_end(&stem) {
        end = "end";
        let names = store.ending(&stem)?;
        alike = names.iter().map(|name| store.entry(name)).collect::<Result<_, _>>()?;
    }
    match alike.len() {
        0 => Err(missing(&*redact.shown_store(&store), &shown, &stem)),
        1 => Ok((store, alike.remove(0).name, redact)),
        n => {
            let seen = redact.shown_store(&store);
            let rows: String = alike.iter().take(MOST_NAMED).map(|one| line(&*seen, one)).collect();
            let more = n.saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            bail!("{shown} is the {end} of {n} outputs{rows}{more}\n\nhint: type more of the id")
        }
    }
}

/// Tells whether this can be the end of an id, and not a whole one.
fn may_be_end(stem: &str) -> bool {
    stem.len() >= SHORT && Name::parse(stem).is_some_and(|name| name.time().is_none())
}

/// Finds all that are named, before anything is done to any of them.
pub(crate) fn all(typed: &[OsString]) -> anyhow::Result<Vec<(Outputs, Name)>> {
    typed.iter().map(|typed| find(typed)).collect()
}

/// Returns what is saved, the last saved first.
///
/// By name and not by use: whoever reads page by page uses what is read.
pub(crate) fn newest_first(store: &dyn Store) -> anyhow::Result<Vec<Entry>> {
    let mut entries = store.list()?;
    entries.sort_by(|a, b| b.name.cmp(&a.name));
    Ok(entries)
}

/// One that may be meant, and what it came from.
fn line(store: &dyn Store, entry: &Entry) -> String {
    let record = store.record(&entry.name).ok().flatten().unwrap_or_default();
    let what = record.call.command.or(record.call.tool).unwrap_or_default();
    let (age, size) = (ui::age(entry.used, Timestamp::now()), ui::size(entry.bytes));
    format!("\n  {}  {size}, {age} old  {}", entry.name, ui::short(&what, 60))
}

/// Says whether an output has expired or never was.
fn missing(store: &dyn Store, typed: &str, stem: &str) -> anyhow::Error {
    let gone = Name::parse(stem).and_then(|name| store.gone(&name).ok().flatten());
    match gone {
        None => {
            let is_end = may_be_end(stem) && Sources::of_user().bucket().is_some();
            let hint = match is_end {
                true => "; an end of an id is looked for only among what was saved lately",
                false => "",
            };
            anyhow!(
                "there is no output {typed}\n\nhint: `overspill list` shows what there is{hint}"
            )
        }
        Some(gone) => {
            let what = gone.command.or(gone.tool).unwrap_or_else(|| "an output".into());
            let (size, day) = (ui::size(gone.bytes), gone.expired.strftime("%Y-%m-%d"));
            anyhow!("{typed} expired on {day}; it was {size} of `{}`", ui::short(&what, 60))
        }
    }
}
