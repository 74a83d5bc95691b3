//! The shell slot: the piece that sets the shell or prefix of a host. The user may have a value
//! there, which overspill calls.

use std::path::Path;

use serde_json::Value;

use super::piece::{JsonNeed, SetupPiece};
use super::plan::{LayeredPiece, SetupLayer, SetupPlan, SetupScope};
use super::{lines, text_of};
use crate::env::Env;
use crate::hosts::{Host, OwnSlot, SHELLS, SlotKind};
use crate::jsonc::Jsonc;
use crate::settings::checked_file::CheckedFile;
use crate::settings::text;

/// A program of the user that overspill calls, and the place of the setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chained {
    pub(super) own: OwnSlot,
    /// The place of the setting; `None` if it is in the file that `init` changes.
    pub(super) place: Option<String>,
}

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

/// Returns the value that a text has at the place of a piece.
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

/// Takes the value of the file into the slot, if it is a link of ours for a program of the user or
/// for another shell.
pub(super) fn recognise(host: &Host, pieces: &mut [LayeredPiece], now: Option<&str>, env: &Env) {
    let Some(piece) = slot(host, pieces, env) else { return };
    let found = now.and_then(|now| value_in(piece, now));
    let is_ours = |path: &Path| is_own_link(path, env) || is_shell_link(host, path, env);
    if let Some(found) = found.filter(|found| is_ours(Path::new(found))) {
        set(piece, &found);
    }
}

/// Puts our link for the user's program into the slot. Returns the user's value, if the user has
/// one.
///
/// If the file has no value, the value counts that the host would use: from another file, or from
/// the environment.
pub(super) fn chain(
    host: &Host,
    pieces: &mut [LayeredPiece],
    file: (&Path, SetupScope),
    before: Option<&str>,
    env: &Env,
) -> Option<Chained> {
    let kind = host.slot?;
    let piece = slot(host, pieces, env)?;
    let here = before.and_then(|before| value_in(piece, before));
    let chained = match here {
        Some(value) => Chained { own: OwnSlot::of(kind, &value, env)?, place: None },
        None => elsewhere(host, piece, file, env)?,
    };
    set(piece, &chained.own.link(env).to_string_lossy());
    Some(chained)
}

/// Returns the value that the host uses if this file has none.
fn elsewhere(
    host: &Host,
    piece: &SetupPiece,
    (path, scope): (&Path, SetupScope),
    env: &Env,
) -> Option<Chained> {
    let kind = host.slot?;
    let of = |value: String, place: String| {
        // The other file may have a link of ours.
        let own = OwnSlot::at(Path::new(&value)).or_else(|| OwnSlot::of(kind, &value, env))?;
        Some(Chained { own: OwnSlot { is_elsewhere: true, ..own }, place: Some(place) })
    };
    if scope == SetupScope::Project {
        let root = env.project_root();
        let others = host.overrides.iter().rev().map(|name| root.join(name));
        for other in others.filter(|other| other != path) {
            let file = CheckedFile::inside(&other, std::slice::from_ref(&root)).ok();
            let open = file.and_then(|file| file.open().ok()?);
            let found = open.and_then(|(file, _)| text::read_open(file).ok());
            if let Some(value) = found.and_then(|found| value_in(piece, &found)) {
                return of(value, env.shown(&other));
            }
        }
        let mut users = SetupPlan::of(host, SetupScope::User, &[SetupLayer::Base], env).targets;
        for user in &mut users {
            let Some(piece) = slot(host, &mut user.pieces, env) else { continue };
            let found = text_of(&user.path, env).ok().flatten();
            if let Some(value) = found.and_then(|found| value_in(piece, &found)) {
                return of(value, env.shown(&user.path));
            }
        }
    }
    let name = variable(piece)?;
    let value = env.variable(name)?.into_string().ok()?;
    of(value, format!("the variable {name}"))
}

/// Returns the variable that a slot sets against the environment. A file of variables does not: the
/// environment overrides it.
fn variable(piece: &SetupPiece) -> Option<&str> {
    match piece {
        SetupPiece::Json { path, .. } => match &path[..] {
            [env, name] if env == "env" => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a value of the user that our piece overrides, because the user set it elsewhere after
/// `init` ran.
pub(super) fn hidden(
    host: &Host,
    pieces: &mut [LayeredPiece],
    file: (&Path, SetupScope),
    env: &Env,
) -> Option<Chained> {
    let piece = slot(host, pieces, env)?;
    let chained = OwnSlot::at(Path::new(value(piece)?));
    // The file had its own value, which overrides the other places.
    let is_free = chained.as_ref().is_none_or(|own| own.is_elsewhere);
    let found = elsewhere(host, piece, file, env).filter(|_| is_free)?;
    (chained.as_ref() != Some(&found.own)).then_some(found)
}

/// Returns the user's value that a piece replaces, if the file had it.
pub(super) fn own_value(piece: &SetupPiece) -> Option<Value> {
    let own = OwnSlot::at(Path::new(value(piece)?))?;
    (!own.is_elsewhere).then(|| own.value.into())
}

/// Tells whether a path is our link for a shell, which has the name of the user's shell.
fn is_shell_link(host: &Host, path: &Path, env: &Env) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    host.slot == Some(SlotKind::Shell)
        && path.parent() == Some(&env.links())
        && name.is_some_and(|name| SHELLS.contains(&name))
}

fn is_own_link(path: &Path, env: &Env) -> bool {
    path.starts_with(env.links()) && OwnSlot::at(path).is_some()
}
