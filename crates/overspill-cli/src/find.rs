//! Finds the output that somebody means.

use std::path::Path;

use anyhow::{anyhow, bail};
use overspill::store::{Disk, Entry, Name, Store};

use crate::{home, ui};

/// Returns the store and the output that `typed` names: an id, the beginning of one, or a path.
pub(crate) fn find(typed: &str) -> anyhow::Result<(Disk, Name)> {
    let disk = home::disk().map_err(anyhow::Error::msg)?;
    let stem = Path::new(typed).file_name().and_then(|file| file.to_str()).unwrap_or(typed);
    let stem = stem.strip_suffix(".txt").unwrap_or(stem).to_ascii_uppercase();
    let exact = Name::parse(&stem).filter(|name| disk.entry(name).is_ok());
    if let Some(name) = exact {
        return Ok((disk, name));
    }
    let mut alike: Vec<Name> = disk.list()?.into_iter().map(|entry| entry.name).collect();
    alike.retain(|name| !stem.is_empty() && name.as_str().starts_with(&stem));
    alike.sort();
    match alike.len() {
        0 => Err(missing(&disk, typed, &stem)),
        1 => Ok((disk, alike.remove(0))),
        n => {
            let first: Vec<&str> = alike.iter().take(5).map(Name::as_str).collect();
            let more = if n > 5 { format!(", and {} more", n - 5) } else { String::new() };
            bail!("{typed} is the beginning of {n} outputs: {}{more}", first.join(", "))
        }
    }
}

/// Finds all that are named, before anything is done to any of them.
pub(crate) fn all(typed: &[String]) -> anyhow::Result<Vec<(Disk, Name)>> {
    typed.iter().map(|typed| find(typed)).collect()
}

/// Returns what is saved, the last used first.
pub(crate) fn newest_first(disk: &Disk) -> anyhow::Result<Vec<Entry>> {
    let mut entries = disk.list()?;
    entries.sort_by(|a, b| (b.used, &b.name).cmp(&(a.used, &a.name)));
    Ok(entries)
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
