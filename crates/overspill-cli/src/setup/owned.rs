//! Finds our pieces in a file, by the receipt or by their exact text.

use std::path::Path;

use super::piece::{JsonNeed, SetupPiece};
use super::plan::LayeredPiece;
use super::receipt::{Receipt, Wrote};
use crate::env::Env;
use crate::hosts::HOSTS;

/// Our pieces in a file, and the file without them.
#[derive(Debug)]
pub(super) struct Owned {
    /// The text of the file without our pieces; `None` if the file would not exist.
    pub(super) before: Option<String>,
    /// Our pieces, exactly as `init` wrote them.
    pub(super) pieces: Vec<LayeredPiece>,
    /// Pieces that the user or the host has changed or removed since. `uninstall` leaves them.
    pub(super) changed: Vec<LayeredPiece>,
}

impl Owned {
    /// Finds our pieces in the text of a file. `possible` are the pieces that `init` can write
    /// there.
    pub(super) fn of(
        now: Option<&str>,
        path: &Path,
        wrote: Option<&Wrote>,
        possible: &[LayeredPiece],
        env: &Env,
    ) -> Result<Owned, String> {
        let old = wrote.and_then(|wrote| wrote.before.as_deref());
        let noted = match wrote {
            Some(wrote) => noted(wrote, path, possible),
            None => now.map_or_else(Vec::new, |now| signed(now, path, possible, env)),
        };
        let Some(now) = now else {
            return Ok(Owned { before: None, pieces: Vec::new(), changed: noted });
        };
        noted.iter().try_for_each(|noted| noted.piece.check(now, path))?;
        let is_in = |noted: &LayeredPiece| noted.piece.is_in(now, path, old);
        let (pieces, changed): (Vec<_>, Vec<_>) = noted.into_iter().partition(is_in);
        if let Some(wrote) = wrote.filter(|wrote| wrote.after == now) {
            return Ok(Owned { before: wrote.before.clone(), pieces, changed });
        }
        let before = without(now, path, pieces.iter().rev(), old)?;
        // `init` created the file, and it has nothing else. Without a receipt, an empty file counts
        // as created.
        let was_made = match wrote {
            Some(wrote) => wrote.before.is_none(),
            None => !pieces.is_empty(),
        };
        let is_empty = |text: &String| {
            matches!(text.split_whitespace().collect::<String>().as_str(), "" | "{}")
        };
        let is_all_ours = || wrote.is_none() && !pieces.is_empty() && is_made(now, path, possible);
        let before = before.filter(|text| !(was_made && is_empty(text) || is_all_ours()));
        Ok(Owned { before, pieces, changed })
    }
}

/// Tells whether a file has exactly the text that `init` writes into a new file.
fn is_made(now: &str, path: &Path, possible: &[LayeredPiece]) -> bool {
    let there = possible.iter().filter(|one| one.piece.is_in(now, path, None));
    let made = there.into_iter().try_fold(String::new(), |text, one| one.piece.put(&text, path));
    made.is_ok_and(|made| made == now)
}

/// Returns the text without these pieces; `None` if nothing is left of the file.
pub(super) fn without<'a>(
    text: &str,
    path: &Path,
    pieces: impl IntoIterator<Item = &'a LayeredPiece>,
    old: Option<&str>,
) -> Result<Option<String>, String> {
    pieces.into_iter().try_fold(Some(text.to_owned()), |text, noted| match text {
        Some(text) => noted.piece.take(&text, path, old),
        None => Ok(None),
    })
}

/// Returns the pieces of a receipt. For a receipt without a list, it compares the texts before and
/// after.
fn noted(wrote: &Wrote, path: &Path, possible: &[LayeredPiece]) -> Vec<LayeredPiece> {
    if let Some(pieces) = &wrote.pieces {
        return pieces.clone();
    }
    let old = wrote.before.as_deref();
    let is_new = |one: &&LayeredPiece| {
        one.piece.is_in(&wrote.after, path, old)
            && !old.is_some_and(|old| one.piece.is_in(old, path, None))
    };
    possible.iter().filter(is_new).cloned().collect()
}

/// Returns our pieces in a file without a receipt, if one of them names the directory of our links
/// or has our marks. The receipt of a file that two hosts share may belong to the other host.
fn signed(now: &str, path: &Path, possible: &[LayeredPiece], env: &Env) -> Vec<LayeredPiece> {
    // The user may have set the same value as one of our defaults.
    let is_default =
        |piece: &SetupPiece| matches!(piece, SetupPiece::Json { need: JsonNeed::NoValue, .. });
    let is_found = |piece: &SetupPiece| !is_default(piece) && piece.is_in(now, path, None);
    let found = possible.iter().filter(|one| is_found(&one.piece)).cloned();
    let found: Vec<LayeredPiece> = found.collect();
    let links = env.links().to_string_lossy().into_owned();
    let is_signed = found.iter().any(|one| one.piece.is_signed(&links));
    let is_of_another = || {
        let mut receipts = HOSTS.iter().filter_map(|host| Receipt::read(host, env).ok());
        receipts.any(|receipt| receipt.of(path).is_some())
    };
    if is_signed && !is_of_another() { found } else { Vec::new() }
}
