//! Finds the transcripts of all hosts, or those below the given paths.

use std::fs;
use std::path::{Path, PathBuf};

use super::tally::Tally;
use crate::env::Env;
use crate::hosts::{HOSTS, below_home};
use crate::ui;

/// The largest number of directory levels that are searched.
const DEEPEST: usize = 16;

/// A file that may be a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TranscriptFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// Returns the existing directories in which hosts keep their transcripts.
pub(super) fn usual_places(env: &Env) -> Vec<PathBuf> {
    let named = HOSTS.iter().flat_map(|host| host.transcripts);
    let places = named.filter_map(|named| placed(named, env));
    places.filter(|place| place.is_dir()).collect()
}

/// Returns a message for each host that keeps its sessions in a database, with the command that
/// exports a session.
pub(super) fn databases(env: &Env) -> Vec<String> {
    let databases = HOSTS.iter().filter_map(|host| {
        let (place, export) = host.session_database?;
        let place = placed(place, env).filter(|place| place.is_file())?;
        Some(format!(
            "{} keeps its sessions in a database ({}): `{export}`, then `overspill audit FILE`",
            host.title,
            env.shown(&place)
        ))
    });
    databases.collect()
}

fn placed(named: &str, env: &Env) -> Option<PathBuf> {
    match named.strip_prefix("$data/") {
        Some(below) => Some(env.data_home().join(below)).filter(|place| place.is_absolute()),
        None => below_home(named, env),
    }
}

/// Returns the regular files at these places, and in directories the files with one of these
/// endings. Links in directories are not followed.
pub(super) fn files(
    places: &[PathBuf],
    endings: &[&str],
    tally: &mut Tally,
) -> Vec<TranscriptFile> {
    let mut all = Vec::new();
    for place in places {
        match fs::metadata(place) {
            Ok(known) if known.is_dir() => walk(place, endings, 0, &mut all, tally),
            Ok(known) if known.is_file() => {
                all.push(TranscriptFile { path: place.clone(), bytes: known.len() });
            }
            Ok(_) => tally.add_not_read(place.clone(), "it is not a regular file".into()),
            Err(error) => tally.add_not_read(place.clone(), ui::reason(&error)),
        }
    }
    all.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    all.dedup();
    all
}

fn walk(
    directory: &Path,
    endings: &[&str],
    depth: usize,
    all: &mut Vec<TranscriptFile>,
    tally: &mut Tally,
) {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            tally.add_not_read(directory.to_owned(), ui::reason(&error));
            return;
        }
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth == DEEPEST {
            let reason = format!("it is more than {DEEPEST} directories deep");
            tally.add_not_read(path, reason);
        } else if kind.is_dir() {
            walk(&path, endings, depth + 1, all, tally);
        } else if kind.is_file() && has_ending(&path, endings) {
            let bytes = entry.metadata().map_or(0, |known| known.len());
            all.push(TranscriptFile { path, bytes });
        }
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}
