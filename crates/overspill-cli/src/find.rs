//! Finds the saved output that a user names by id, path, `last` or `failed`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use overspill::Redact;
use overspill::internal::store::{IdMatches, NameStyle};
use overspill::store::{Disk, Entry, OutputId, Store};

use crate::env::Env;
use crate::recent::RecentName;
use crate::settings::SettingSources;
use crate::stores::{self, OpenStore, Outputs, StoreAccess};
use crate::ui;

/// The number of characters of a short id.
const SHORT: usize = 6;
/// The largest number of outputs that an error names.
const MOST_NAMED: usize = 5;

/// Returns the store, with secrets masked as the settings say, and the output that `typed` names:
/// an id, the start or the end of an id, a path, or a name such as `last`.
pub(crate) fn find(typed: &OsStr, access: &StoreAccess<'_>) -> anyhow::Result<(Outputs, OutputId)> {
    let (store, name, redact) = found(typed, access)?;
    Ok((redact.shown_store(&store), name))
}

/// Like [`find`], with the store unmasked.
pub(crate) fn find_raw(
    typed: &OsStr,
    access: &StoreAccess<'_>,
) -> anyhow::Result<(Outputs, OutputId)> {
    found(typed, access).map(|(store, name, _)| (store, name))
}

/// Like [`find_raw`], with the rules for masking.
pub(crate) fn find_with_redaction(
    typed: &OsStr,
    access: &StoreAccess<'_>,
) -> anyhow::Result<(Outputs, OutputId, Redact)> {
    found(typed, access)
}

fn found(typed: &OsStr, access: &StoreAccess<'_>) -> anyhow::Result<(Outputs, OutputId, Redact)> {
    let OpenStore { mut store, redact, names, .. } =
        stores::open(access).map_err(anyhow::Error::msg)?;
    let env = access.env;
    let shown = ui::short(&typed.to_string_lossy(), 100);
    if let Some(recent) = typed.to_str().and_then(RecentName::parse) {
        let name = recent.find(&*store, names, env)?;
        let name = name.ok_or_else(|| nothing_saved(&*store, &shown, recent, env))?;
        return Ok((store, name, redact));
    }
    if is_path(typed) {
        let (store, name) = by_path(Path::new(typed), &shown, env)?;
        return Ok((store, name, redact));
    }
    let stem = Path::new(typed).file_name().unwrap_or(typed).to_string_lossy();
    let stem = stem.strip_suffix(names.ending).unwrap_or(&stem);
    // Our own ids have only capital letters. Names of other systems have both.
    let stem = if names == NameStyle::OWN { stem.to_ascii_uppercase() } else { stem.to_owned() };
    let mut alike = match store.matching(&stem) {
        Ok(found) if !found.ids.is_empty() => found,
        // Outputs in a store of earlier settings can still be found.
        asked => match elsewhere(&stem, env).or_else(|| of_other_profile(typed, env)) {
            Some((here, found)) => {
                store = Arc::new(here);
                found
            }
            // If the store fails, the error is about the store and not about the id.
            None => asked.map_err(unread)?,
        },
    };
    match alike.ids.len() {
        0 => Err(missing(&*redact.shown_store(&store), &shown, &stem)),
        1 => Ok((store, alike.ids.remove(0), redact)),
        n => {
            let seen = redact.shown_store(&store);
            let named = alike.ids.iter().take(MOST_NAMED);
            let ids = told_apart(&alike.ids);
            let rows: String =
                named.zip(&ids).map(|(name, id)| line(&*seen, name, id, env)).collect();
            let more = n.saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            let part = alike.part;
            let newest = &ids[0];
            bail!(
                "{shown} is the {part} of {n} ids{rows}{more}\n\nhint: type more of the id, such as \
                 `overspill read {newest}`"
            )
        }
    }
}

/// Returns the error for `last` or `failed` if no output matches.
fn nothing_saved(store: &dyn Store, typed: &str, recent: RecentName, env: &Env) -> anyhow::Error {
    if store.list().is_ok_and(|entries| entries.is_empty()) {
        return anyhow!(
            "there is no output {typed}: nothing is saved yet\n\nhint: overspill saves an output that \
             is too long to show, such as that of `overspill seq 100000`"
        );
    }
    let directory = env.directory().map_or_else(|_| "this directory".into(), ui::path);
    let (verb, option) = if recent.is_failed { ("failed", " --failed") } else { ("ran", "") };
    anyhow!(
        "there is no output {typed}: only outputs of commands that {verb} in {directory} count\n\nhint: \
         `overspill list{option}` shows the outputs of all directories"
    )
}

/// Tells whether a text is the path of a file, and not the address of an output in a bucket.
fn is_path(typed: &OsStr) -> bool {
    let is_address = typed.to_string_lossy().contains("://");
    let parent = Path::new(typed).parent();
    !is_address && parent.is_some_and(|parent| !parent.as_os_str().is_empty())
}

/// Finds the output at a path, in the store of any profile that has that directory.
fn by_path(path: &Path, shown: &str, env: &Env) -> anyhow::Result<(Outputs, OutputId)> {
    // Some notices have paths relative to the project, others relative to the working directory.
    let bases = [env.directory_or_empty().to_owned(), env.project_root()];
    let typed: Vec<String> =
        bases.iter().map(|base| base.join(path).to_string_lossy().into_owned()).collect();
    let mut missing = None;
    let spools = stores::elsewhere(&SettingSources::of_user(env)).into_iter();
    let of_profiles = stores::of_all_profiles(env).into_iter().map(|(_, disk)| disk);
    let of_others = typed.iter().flat_map(|path| stores::of_other_directories(Path::new(path)));
    for disk in spools.chain(of_profiles).chain(of_others) {
        let store: Outputs = Arc::new(disk);
        for path in &typed {
            match store.find(path) {
                Ok(name) => return Ok((store, name)),
                Err(overspill::Error::OutsideStore { .. }) => {}
                Err(error) => missing = Some(error),
            }
        }
    }
    match missing {
        Some(overspill::Error::NotFound { .. }) => {
            bail!(ui::NoSuchOutput(format!(
                "there is no output {shown}\n\nhint: `overspill list` shows the saved outputs"
            )))
        }
        Some(error) => Err(unread(error)),
        None => bail!(ui::NoSuchOutput(format!(
            "{shown} is in no store of overspill\n\nhint: `overspill list --json` shows the paths of \
             saved outputs"
        ))),
    }
}

/// Looks for an output in the stores of the other profiles.
fn of_other_profile(typed: &OsStr, env: &Env) -> Option<(Disk, IdMatches)> {
    let typed = typed.to_str()?;
    stores::of_all_profiles(env).into_iter().find_map(|(_, disk)| {
        let ids = match (&disk as &dyn Store).find(typed) {
            Ok(id) => vec![id],
            Err(overspill::Error::Ambiguous { names, .. }) => names,
            Err(_) => return None,
        };
        Some((disk, IdMatches { ids, part: "part" }))
    })
}

/// Adds a hint to an error of the store, if one is known.
fn unread(error: overspill::Error) -> anyhow::Error {
    match error {
        overspill::Error::Damaged { .. } => {
            anyhow!("{error}\n\nhint: `overspill gc` removes the record once it is a day old")
        }
        error => error.into(),
    }
}

/// Looks for an id in the stores of earlier settings.
fn elsewhere(stem: &str, env: &Env) -> Option<(Disk, IdMatches)> {
    stores::elsewhere(&SettingSources::of_user(env)).into_iter().find_map(|disk| {
        let alike =
            (&disk as &dyn Store).matching(stem).ok().filter(|alike| !alike.ids.is_empty())?;
        Some((disk, alike))
    })
}

/// Tells whether the first argument of a command line is the id of a saved output, and not a program.
pub(crate) fn is_short_id(typed: &str, env: &Env) -> bool {
    typed.len() == SHORT
        && typed.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && find(OsStr::new(typed), &StoreAccess::by_settings(env)).is_ok()
}

/// Finds all named outputs, before a command changes any of them.
pub(crate) fn all(
    typed: &[OsString],
    access: &StoreAccess<'_>,
) -> anyhow::Result<Vec<(Outputs, OutputId)>> {
    typed.iter().map(|typed| find(typed, access)).collect()
}

/// Returns the saved outputs, the newest first.
///
/// The order is by name and not by use, because reading a page counts as a use.
pub(crate) fn newest_first(store: &dyn Store) -> anyhow::Result<Vec<Entry>> {
    let mut entries = store.list()?;
    entries.sort_by(|a, b| b.name.cmp(&a.name));
    Ok(entries)
}

/// Returns the short ids of these outputs, or the full ones if two have the same short id.
fn told_apart(names: &[OutputId]) -> Vec<String> {
    let short: Vec<String> = names.iter().map(OutputId::short_id).collect();
    let is_unique = short.iter().collect::<std::collections::BTreeSet<_>>().len() == short.len();
    if is_unique { short } else { names.iter().map(ToString::to_string).collect() }
}

/// Returns a line about an output that the user may mean.
fn line(store: &dyn Store, name: &OutputId, id: &str, env: &Env) -> String {
    let record = store.record(name).ok().flatten().unwrap_or_default();
    let what = ui::short(&record.call.command.or(record.call.tool).unwrap_or_default(), 60);
    let Ok(entry) = store.entry(name) else { return format!("\n  {id}  {what}") };
    let (age, size) = (ui::age(entry.used, env.now()), ui::size(entry.bytes));
    format!("\n  {id}  {size}, {age} old  {what}")
}

/// Returns the error for an unknown id: the output has expired, or never existed.
fn missing(store: &dyn Store, typed: &str, stem: &str) -> anyhow::Error {
    let gone = OutputId::parse(stem).and_then(|name| match store.expired(&name) {
        Ok(Some(gone)) => Some(gone),
        Ok(None) | Err(_) => {
            let all = store.all_expired().unwrap_or_default();
            all.into_iter().rfind(|gone| gone.name.ends_like(stem))
        }
    });
    match gone {
        None => {
            ui::NoSuchOutput(format!(
                "there is no output {typed} in the store\n\nhint: `overspill list` shows the saved outputs"
            ))
            .into()
        }
        Some(gone) => {
            let what = gone.command.or(gone.tool).unwrap_or_else(|| "an output".into());
            let (size, day) = (ui::size(gone.bytes), gone.expired.strftime("%Y-%m-%d"));
            anyhow!(
                "{typed} expired on {day}; it was {size} of `{}`\n\nhint: run the command again; \
                 `overspill pin last` keeps an output",
                ui::short(&what, 60)
            )
        }
    }
}
