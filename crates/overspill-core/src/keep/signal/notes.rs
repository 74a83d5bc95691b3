//! Adds notes to marks. A note describes the hidden lines: the number of matches of a search, or
//! the places at which a message of a compiler or a linter occurs again.
//!
//! The counts are exact: a gap gets a note only if every line in it is held.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::block::Block;
use super::diagnostic;
use super::line::ScoredLines;
use super::search;
use crate::Kind;
use crate::text::{commas, counted};

/// The number of places that a note names before the last place.
const NAMED: usize = 3;

/// A message gets a note if it occurs at least this many times more.
const FEWEST: usize = 3;

/// In search results, a gap of at least this many lines gets a note.
const FEWEST_CUT: usize = 10;

/// The largest number of bytes of a file name in a note.
const LONGEST_FILE_NAME: usize = 80;

/// A line that notes can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NotedLine {
    /// A hash of the message.
    message: u64,
    /// The file of a match or a message.
    file: u32,
    /// The number of the line in the file.
    line: u32,
}

/// The lines of an output that notes can count.
#[derive(Debug, Clone, Default)]
pub(super) struct LineNotes {
    lines: Vec<Option<NotedLine>>,
    files: Vec<String>,
    is_search: bool,
}

impl LineNotes {
    pub(super) fn of(lines: &ScoredLines, kind: Kind) -> LineNotes {
        let mut files = FileNames::default();
        let is_search = kind == Kind::Search;
        let found: Vec<Option<NotedLine>> = match kind {
            Kind::Search => {
                let mut matches = search::MatchFiles::of(lines);
                let lines = lines.lines.iter().map(|line| lines.text(line));
                lines
                    .map(|text| {
                        let found = matches.file_of(text)?;
                        let file = files.id(found);
                        Some(NotedLine { message: 0, file, line: 0 })
                    })
                    .collect()
            }
            Kind::FailingLog => messages(lines, &mut files),
            _ => Vec::new(),
        };
        LineNotes { lines: found, files: files.names, is_search }
    }

    /// Adds notes to the blocks that need one for the gap after them.
    pub(super) fn add(&self, lines: &ScoredLines, blocks: &mut [Block]) {
        if self.lines.is_empty() {
            return;
        }
        for at in 0..blocks.len() {
            let from = blocks[at].lines.end;
            let to = blocks.get(at + 1).map_or(lines.lines.len(), |next| next.lines.start);
            if from == to || !is_held(lines, from, to) || self.is_search && to - from < FEWEST_CUT {
                continue;
            }
            blocks[at].note = if self.is_search {
                self.matches_in(&blocks[at], to)
            } else {
                self.repeats(lines, &blocks[at], to)
            };
        }
    }

    /// Returns the note about hidden matches: `2 more in this file, 6 in 3 other files`.
    fn matches_in(&self, block: &Block, to: usize) -> Option<String> {
        let shown = block.lines.clone().rev().find_map(|at| self.lines[at]);
        let (mut here, mut elsewhere, mut files) = (0, 0, HashSet::new());
        for found in self.lines[block.lines.end..to].iter().flatten() {
            if shown.is_some_and(|shown| shown.file == found.file) {
                here += 1;
            } else {
                elsewhere += 1;
                files.insert(found.file);
            }
        }
        let others = match (elsewhere, shown) {
            (0, _) => None,
            (count, None) => {
                Some(format!("{} in {}", commas(count), counted(files.len() as u64, "file")))
            }
            (count, _) => {
                Some(format!("{} in {}", commas(count), counted(files.len() as u64, "other file")))
            }
        };
        let here = (here > 0).then(|| format!("{} more in this file", commas(here)));
        let parts: Vec<String> = here.into_iter().chain(others).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns the note about repetitions of the last message of a block in the gap after it:
    /// `119 more like line 3: src/lib.rs:3, 9, 14 … 122`.
    fn repeats(&self, lines: &ScoredLines, block: &Block, to: usize) -> Option<String> {
        let shown = block.lines.clone().rev().find(|&at| self.lines[at].is_some())?;
        let message = self.lines[shown]?.message;
        let again = self.lines[block.lines.end..to].iter().flatten();
        let again: Vec<&NotedLine> = again.filter(|found| found.message == message).collect();
        if again.len() < FEWEST {
            return None;
        }
        let (number, count) = (lines.lines[shown].number + 1, commas(again.len() as u64));
        let (mut places, mut file) = (String::new(), None);
        let last = again.len() - 1;
        for (at, found) in again.iter().enumerate().filter(|(at, _)| *at < NAMED || *at == last) {
            let name = self.name(found.file);
            let separator = match at {
                0 => "",
                at if at > NAMED => " … ",
                _ => ", ",
            };
            places += separator;
            if file.replace(found.file) != Some(found.file) {
                places += name;
                places += ":";
            }
            places += &found.line.to_string();
            if name.is_empty() {
                return Some(format!("{count} more like line {number}"));
            }
        }
        Some(format!("{count} more like line {number}: {places}"))
    }

    fn name(&self, file: u32) -> &str {
        &self.files[file as usize]
    }
}

/// Tells whether every line of the gap from `from` up to `to` is held.
fn is_held(lines: &ScoredLines, from: usize, to: usize) -> bool {
    let number = |at: usize| lines.lines[at].number;
    let before = from.checked_sub(1).map_or(0, |at| number(at) + 1);
    number(to - 1) + 1 - before == (to - from) as u64
}

/// The names of files, each with a number.
#[derive(Debug, Default)]
struct FileNames {
    ids: HashMap<Vec<u8>, u32>,
    names: Vec<String>,
}

impl FileNames {
    fn id(&mut self, name: &[u8]) -> u32 {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.names.len() as u32;
        self.ids.insert(name.to_vec(), id);
        self.names.push(shown_name(name).unwrap_or_default());
        id
    }
}

/// Returns the name of a file as a mark shows it. A command must not be able to write its own text
/// into a mark, so only the characters of ordinary paths are allowed.
fn shown_name(name: &[u8]) -> Option<String> {
    let is_ordinary = |byte: &u8| byte.is_ascii_alphanumeric() || b"/\\._-+@~".contains(byte);
    let name = name.strip_prefix(b"./").unwrap_or(name);
    let is_named = name.len() <= LONGEST_FILE_NAME && name.iter().all(is_ordinary);
    is_named.then(|| String::from_utf8_lossy(name).into_owned())
}

/// Finds the messages of a compiler or a linter, with their places.
fn messages(lines: &ScoredLines, files: &mut FileNames) -> Vec<Option<NotedLine>> {
    let text = |at: usize| lines.lines.get(at).map(|line| lines.body(line).trim_ascii_end());
    let mut heading: Option<&[u8]> = None;
    let mut found = Vec::with_capacity(lines.lines.len());
    for at in 0..lines.lines.len() {
        let line = text(at).unwrap_or_default();
        let place_below = || diagnostic::place_below(text(at + 1)?);
        let noted = if let Some(message) = lines.message(&lines.lines[at]) {
            let file = message.file.or(heading);
            file.map(|file| (message.message, file, message.line))
        } else if line.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
            if !line.contains(&b' ') {
                heading = Some(line);
            }
            place_below().map(|(file, number)| (line, file, number))
        } else {
            None
        };
        found.push(noted.and_then(|(message, file, number)| {
            let number = std::str::from_utf8(number).ok()?.parse().ok()?;
            Some(NotedLine { message: hash(message), file: files.id(file), line: number })
        }));
    }
    found
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
