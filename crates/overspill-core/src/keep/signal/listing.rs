//! Rates the lines of listings: `find`, `git ls-files`, `ls -R`.
//!
//! In a listing every line says as much as the others. So the preview shows lines from as many
//! folders as possible: the first line of each folder, then the second line of each folder.

use std::collections::HashMap;

use super::line::{ScoredLine, ScoredLines};

/// In a listing, at most one line out of this many has a blank.
const LISTING: usize = 20;

/// Folders help to choose only if they have at least this many lines on average.
const LEAST_IN_FOLDER: usize = 2;

/// The names of folders that are less important: tests, documents, and files that programs write.
const LATER: [&[u8]; 20] = [
    b"test",
    b"tests",
    b"__tests__",
    b"spec",
    b"doc",
    b"docs",
    b"example",
    b"examples",
    b"fixtures",
    b"testdata",
    b"node_modules",
    b"vendor",
    b"dist",
    b"build",
    b"target",
    b"generated",
    b"__pycache__",
    b"__snapshots__",
    b".git",
    b"resources",
];

/// The factor for the worth of a name in a folder of [`LATER`].
const LATER_WORTH: f64 = 0.7;

/// The difference between the worth of the first and the last line of a listing. Without it, a
/// preview would show all folders of equal lines, or none.
const DECLINE: f64 = 0.03;

/// Tells whether the lines are a list of paths or names: nearly all lines are one word. If the line
/// with the best score has more than one word, it is a message among the names.
pub(super) fn is_listing(lines: &ScoredLines) -> bool {
    let has_blank = |line: &&ScoredLine| {
        let text = lines.text(line);
        memchr::memchr2(b' ', b'\t', text).is_some() && !is_row(text)
    };
    let best = lines.lines.iter().max_by_key(|line| line.score);
    let most = lines.lines.len() / LISTING;
    !best.is_some_and(|best| has_blank(&best))
        && lines.lines.iter().filter(has_blank).take(most + 1).count() <= most
}

/// Tells whether a list has names. Numbers are not names.
pub(super) fn has_names(lines: &ScoredLines) -> bool {
    let has_letter = |line: &ScoredLine| {
        lines.text(line).iter().any(|byte| !byte.is_ascii_digit() && byte.is_ascii_graphic())
    };
    lines.lines.iter().any(has_letter)
}

/// Returns the worth of each line of a listing. The first name of each folder is worth most.
/// Returns `None` if the listing has one folder, or nearly as many folders as lines.
pub(super) fn worths(lines: &ScoredLines) -> Option<Vec<f64>> {
    let texts: Vec<&[u8]> = lines.lines.iter().map(|line| lines.text(line).trim_ascii()).collect();
    let headings: Vec<usize> = (0..texts.len()).filter(|&at| is_heading(&texts, at)).collect();
    let mut places: Vec<Place> = Vec::with_capacity(texts.len());
    let mut seen: HashMap<&[u8], u32> = HashMap::new();
    let (mut heading, mut next_headings): (&[u8], _) = (b"", headings.iter().copied().peekable());
    // The parents of the current row of `tree`, each with its depth.
    let mut parents: Vec<(usize, &[u8])> = Vec::new();
    for (at, &text) in texts.iter().enumerate() {
        if let Some(depth) = branch(lines.text(&lines.lines[at])) {
            while parents.pop_if(|(above, _)| *above >= depth).is_some() {}
            heading = parents.last().map_or(b"", |(_, row)| row);
            parents.push((depth, text));
            let next = lines.lines.get(at + 1).and_then(|next| branch(lines.text(next)));
            if next.is_some_and(|next| next > depth) {
                // The row names a folder.
                places.push(Place { round: 0, is_later: is_later(text) });
                continue;
            }
        }
        if next_headings.next_if_eq(&at).is_some() {
            heading = &text[..text.len() - 1];
            // The path of the next folder may contain the name of this folder.
            let next = next_headings.peek().map_or(&b""[..], |&next| texts[next]);
            let is_named_again =
                next.starts_with(heading) && next.get(heading.len()) == Some(&b'/');
            seen.insert(heading, 1);
            places.push(Place { round: u32::from(is_named_again), is_later: is_later(heading) });
            continue;
        }
        let text = sized_path(text).or_else(|| path_after_facts(text)).unwrap_or(text);
        let folder = memchr::memrchr(b'/', text.strip_suffix(b"/").unwrap_or(text));
        let folder = folder.filter(|_| parents.is_empty() && !is_long_row(text));
        let folder = folder.map_or(heading, |slash| &text[..slash]);
        let before = seen.entry(folder).or_default();
        let round = if text.is_empty() { u32::MAX } else { *before };
        *before += 1;
        places.push(Place { round, is_later: is_later(folder) });
    }
    if seen.len() < 2 || seen.len() * LEAST_IN_FOLDER > texts.len() {
        return None;
    }
    let later = |at: usize| 1.0 - DECLINE * at as f64 / places.len() as f64;
    Some(places.iter().enumerate().map(|(at, place)| place.worth() * later(at)).collect())
}

/// The position of a line in its folder.
struct Place {
    /// The number of earlier lines in the same folder.
    round: u32,
    is_later: bool,
}

impl Place {
    fn worth(&self) -> f64 {
        let worth = 1.0 / f64::from(self.round.saturating_add(1));
        if self.is_later { worth * LATER_WORTH } else { worth }
    }
}

/// Tells whether a line is a row of `ls -l`, `tree`, `du` or `find -ls`.
fn is_row(text: &[u8]) -> bool {
    is_long_row(text)
        || branch(text).is_some()
        || text.starts_with(b"total ")
        || sized_path(text.trim_ascii()).is_some()
        || path_after_facts(text).is_some()
}

/// The largest number of facts about a file before its path.
const FACTS: usize = 6;

/// The smallest number of digits of a hash.
const HASH: usize = 32;

/// Returns the path at the end of a row after facts about the file: sizes, dates, modes and hashes.
/// One word may be the second fact: `100644 blob 35216a5…`.
pub(crate) fn path_after_facts(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii();
    let from = text.iter().rposition(|byte| byte.is_ascii_whitespace())? + 1;
    let (facts, path) = text.split_at(from);
    let is_name = path.iter().any(u8::is_ascii_alphabetic) && !path.ends_with(b":");
    let (mut words, mut count, mut has_hash) = (0, 0, false);
    for fact in facts.split(u8::is_ascii_whitespace).filter(|fact| !fact.is_empty()) {
        count += 1;
        let is_hash = fact.len() >= HASH && fact.iter().all(u8::is_ascii_hexdigit);
        has_hash |= is_hash;
        let is_number = fact[0].is_ascii_digit()
            && fact.iter().all(|byte| byte.is_ascii_digit() || b"-:.,/+".contains(byte));
        let is_word = count == 2 && fact.iter().all(u8::is_ascii_lowercase);
        words += usize::from(is_word && !is_hash);
        if !(is_hash || is_number || is_word) {
            return None;
        }
    }
    let has_slash = memchr::memchr(b'/', path).is_some();
    let is_row = count <= FACTS && is_name && (has_hash || words == 0 && has_slash && count > 1);
    is_row.then_some(path)
}

/// Returns the path in a row of `du`, after its size, or of `find -ls`, after the file attributes.
fn sized_path(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let unit = text[digits..].iter().take_while(|byte| b"KMGT".contains(byte)).count();
    let rest = &text[digits + unit..];
    let facts = rest.trim_ascii_start();
    if digits == 0 || unit > 1 || facts.len() == rest.len() {
        return None;
    }
    let is_path = |path: &&[u8]| {
        memchr::memchr(b'/', path).is_some() && !path.iter().any(u8::is_ascii_whitespace)
    };
    // Blocks stand before the mode in `find -ls`.
    let blocks = facts.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mode = facts[blocks..].trim_ascii_start();
    if blocks > 0 && is_long_row(mode) {
        let file = memchr::memmem::find(mode, b" -> ").map_or(mode, |link| &mode[..link]);
        return file.rsplit(u8::is_ascii_whitespace).next();
    }
    Some(facts).filter(is_path)
}

/// Tells whether a line begins like a row of `ls -l`: `-rw-r--r--`.
fn is_long_row(text: &[u8]) -> bool {
    text.len() > 10
        && b"-dlbcps".contains(&text[0])
        && text[1..10].iter().all(|byte| b"rwxsStT-".contains(byte))
        && b" +@.".contains(&text[10])
}

/// Returns the depth of a row of `tree` as the number of characters before its branch.
fn branch(text: &[u8]) -> Option<usize> {
    let start = &text[..text.len().min(256)];
    ["├── ", "└── ", "|-- ", "`-- "]
        .iter()
        .filter_map(|branch| memchr::memmem::find(start, branch.as_bytes()))
        .min()
        .map(|at| String::from_utf8_lossy(&start[..at]).chars().count())
}

/// Tells whether a line names the folder of the lines below it, as in `ls -R`.
fn is_heading(texts: &[&[u8]], at: usize) -> bool {
    texts[at].ends_with(b":") && (at == 0 || texts[at - 1].is_empty())
}

fn is_later(folder: &[u8]) -> bool {
    folder.split(|&byte| byte == b'/').any(|part| LATER.contains(&part))
}
