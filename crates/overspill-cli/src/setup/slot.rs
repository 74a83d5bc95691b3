//! The piece of a file that names what a host runs commands by, where the user may have a value of their own.

use std::path::Path;

use serde_json::Value;

use super::lines;
use super::piece::{JsonNeed, SetupPiece};
use super::plan::{LayeredPiece, SetupLayer};
use crate::env::Env;
use crate::hosts::{Host, OwnSlot};
use crate::jsonc::Jsonc;

/// Returns the slot among the pieces of a file.
fn slot<'a>(host: &Host, pieces: &'a mut [LayeredPiece], env: &Env) -> Option<&'a mut SetupPiece> {
    host.slot?;
    let is_slot = |one: &&mut LayeredPiece| {
        one.layer == SetupLayer::Base
            && value(&one.piece).is_some_and(|value| Path::new(value).starts_with(env.links()))
    };
    pieces.iter_mut().find(is_slot).map(|one| &mut one.piece)
}

/// Returns the value of a piece that may be a slot.
fn value(piece: &SetupPiece) -> Option<&str> {
    match piece {
        SetupPiece::Json { value, need: JsonNeed::Nothing, .. } => value.as_str(),
        SetupPiece::Variable { value, .. } => Some(value),
        _ => None,
    }
}

fn set(piece: &mut SetupPiece, new: &str) {
    match piece {
        SetupPiece::Json { value, .. } => *value = new.into(),
        SetupPiece::Variable { value, .. } => *value = new.to_owned(),
        _ => {}
    }
}

/// Returns the value that a text has in the place of a piece.
fn value_in(piece: &SetupPiece, text: &str) -> Option<String> {
    match piece {
        SetupPiece::Json { path, .. } => {
            let json = Jsonc::parse(text).ok()?;
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            json.value_of(json.get(&names)?)?.as_str().map(str::to_owned)
        }
        SetupPiece::Variable { name, .. } => {
            let value = lines::line_of(text, name)?.split_once('=')?.1.trim();
            let plain = serde_json::from_str::<String>(value);
            Some(plain.unwrap_or_else(|_| value.trim_matches(['"', '\'']).to_owned()))
        }
        _ => None,
    }
}

/// Gives the slot the value that the file has, if that is a link of ours for a value of the user.
pub(super) fn recognise(host: &Host, pieces: &mut [LayeredPiece], now: Option<&str>, env: &Env) {
    let Some(piece) = slot(host, pieces, env) else { return };
    let found = now.and_then(|now| value_in(piece, now));
    if let Some(found) = found.filter(|found| is_own_link(Path::new(found), env)) {
        set(piece, &found);
    }
}

/// Gives the slot a link of ours for the value of the user. Returns that value, if the user has one.
pub(super) fn chain(
    host: &Host,
    pieces: &mut [LayeredPiece],
    before: Option<&str>,
    env: &Env,
) -> Option<OwnSlot> {
    let kind = host.slot?;
    let piece = slot(host, pieces, env)?;
    let own = OwnSlot::of(kind, &value_in(piece, before?)?, env)?;
    set(piece, &own.link(env).to_string_lossy());
    Some(own)
}

/// Returns the value of the user that a piece stands for.
pub(super) fn own_value(piece: &SetupPiece) -> Option<Value> {
    Some(OwnSlot::at(Path::new(value(piece)?))?.value.into())
}

fn is_own_link(path: &Path, env: &Env) -> bool {
    path.starts_with(env.links()) && OwnSlot::at(path).is_some()
}
