//! Our pieces in a file, known by the receipt or by their exact shape.

use std::path::Path;

use super::piece::{JsonNeed, SetupPiece};
use super::plan::LayeredPiece;
use super::receipt::{Receipt, Wrote};
use crate::env::Env;
use crate::hosts::HOSTS;

/// Our pieces in a file, and the file without them.
#[derive(Debug)]
pub(super) struct Owned {
    /// The file as it is without us; nothing if it would not be there.
    pub(super) before: Option<String>,
    /// Our pieces, exactly as we wrote them.
    pub(super) pieces: Vec<LayeredPiece>,
    /// Pieces that the user or the host has changed or removed since. They are not ours any more.
    pub(super) changed: Vec<LayeredPiece>,
}

impl Owned {
    /// Looks at the text of a file. `possible` are the pieces that `init` can write there.
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
        // `init` made the file, and it has nothing else in it. Without a receipt an empty file counts as made.
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

/// Tells whether a file is what `init` makes of none: our pieces, defaults among them.
fn is_made(now: &str, path: &Path, possible: &[LayeredPiece]) -> bool {
    let there = possible.iter().filter(|one| one.piece.is_in(now, path, None));
    let made = there.into_iter().try_fold(String::new(), |text, one| one.piece.put(&text, path));
    made.is_ok_and(|made| made == now)
}

/// Returns the text without these pieces; nothing if the file goes with them.
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

/// Returns the pieces of a receipt. One that does not list them says so by its texts.
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

/// Returns our pieces in a file without a receipt, if one of them names our own directory or has our
/// marks. Another host may have the receipt of a file that both share.
fn signed(now: &str, path: &Path, possible: &[LayeredPiece], env: &Env) -> Vec<LayeredPiece> {
    // A default may as well be the user's.
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
