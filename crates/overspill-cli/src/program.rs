//! What to type to run this program once more, for those who read our words.

use std::path::PathBuf;

use crate::home::{self, quoted};
use crate::hosts::Host;
use crate::setup;

/// What this program is called.
const NAME: &str = "overspill";

/// Returns what to type in a shell that has our environment: the plain name if that leads to this very
/// program, else its path.
///
/// Looks into the directories of the PATH, so it is asked only when there is something to say.
pub(crate) fn word() -> String {
    let is_kept = !Host::around().any(|host| host.resets_path);
    if is_kept && is_on_path() { NAME.into() } else { path() }
}

/// Returns what to type in a shell of which nothing is known: our path. The link that `init` made comes
/// first, since it stays where it is when the program moves.
pub(crate) fn path() -> String {
    let own = own();
    let link = setup::links().join(NAME);
    let leads_here = own.is_some() && link.canonicalize().ok() == own;
    let path = if leads_here { Some(link) } else { own };
    path.map_or_else(|| NAME.into(), |path| quoted(&path.to_string_lossy()))
}

/// Tells whether the name leads to this program, from any directory.
fn is_on_path() -> bool {
    let path = home::variable("PATH").unwrap_or_default();
    let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let mut all = std::env::split_paths(&path).map(|directory| directory.join(&file));
    // The first one is what a shell runs. Whether it may be run need not be asked: it must be ours.
    let first = all.find(|path| path.is_file());
    let first = first.filter(|path| path.is_absolute()).and_then(|path| path.canonicalize().ok());
    first.is_some() && first == own()
}

/// Returns where this program is.
fn own() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    // On Linux a program that was replaced since it was started is said to be deleted; where it was is
    // the one that took its place.
    let place = own.to_str().and_then(|path| path.strip_suffix(" (deleted)"));
    let own = place.filter(|_| !own.exists()).map(PathBuf::from).unwrap_or(own);
    Some(own.canonicalize().unwrap_or(own))
}
