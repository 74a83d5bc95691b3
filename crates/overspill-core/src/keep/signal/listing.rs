//! Lists of paths: `find`, `git ls-files`, `ls -R`.
//!
//! No line of a listing says more than another. The lines that are shown come from as many folders as possible:
//! the first line of each folder, then the second one of each.

use std::collections::HashMap;

use super::line::{ScoredLine, ScoredLines};

/// In a listing at most one of so many lines has a blank.
const LISTING: usize = 20;

/// A folder has so many lines at least, on the average. Otherwise folders say nothing.
const LEAST_IN_FOLDER: usize = 2;

/// Folders that are read after the others: tests, documents, and files that programs write.
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

/// Tells whether lines are a list of paths or names: nearly all of them are one word. If the best line is more than
/// one word, a message stands among the names.
pub(super) fn is_listing(lines: &ScoredLines) -> bool {
    let has_blank = |line: &&ScoredLine| memchr::memchr2(b' ', b'\t', lines.text(line)).is_some();
    let best = lines.lines.iter().max_by_key(|line| line.score);
    !best.is_some_and(|best| has_blank(&best))
        && lines.lines.iter().filter(has_blank).count() * LISTING <= lines.lines.len()
}

/// Returns the lines of a listing, those first that show the most folders. Returns `None` if the listing has one
/// folder, or nearly as many folders as lines.
pub(super) fn by_folder(lines: &ScoredLines) -> Option<Vec<usize>> {
    let texts: Vec<&[u8]> = lines.lines.iter().map(|line| lines.text(line).trim_ascii()).collect();
    let headings: Vec<usize> = (0..texts.len()).filter(|&at| is_heading(&texts, at)).collect();
    let mut places: Vec<Place> = Vec::with_capacity(texts.len());
    let mut seen: HashMap<&[u8], u32> = HashMap::new();
    let (mut heading, mut next_headings): (&[u8], _) = (b"", headings.iter().copied().peekable());
    for (at, &text) in texts.iter().enumerate() {
        if next_headings.next_if_eq(&at).is_some() {
            heading = &text[..text.len() - 1];
            // The next folder names this one, too.
            let next = next_headings.peek().map_or(&b""[..], |&next| texts[next]);
            let is_named_again =
                next.starts_with(heading) && next.get(heading.len()) == Some(&b'/');
            seen.insert(heading, 1);
            places.push(Place { round: u32::from(is_named_again), is_later: is_later(heading) });
            continue;
        }
        let folder = memchr::memrchr(b'/', text.strip_suffix(b"/").unwrap_or(text));
        let folder = folder.map_or(heading, |slash| &text[..slash]);
        let before = seen.entry(folder).or_default();
        let round = if text.is_empty() { u32::MAX } else { *before };
        *before += 1;
        places.push(Place { round, is_later: is_later(folder) });
    }
    if seen.len() < 2 || seen.len() * LEAST_IN_FOLDER > texts.len() {
        return None;
    }
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&at| (places[at].round, places[at].is_later));
    Some(order)
}

/// Where a line stands in the order of a listing.
struct Place {
    /// How many lines of its folder come before it.
    round: u32,
    is_later: bool,
}

/// Tells whether a line names the folder of the lines below it, as in `ls -R`.
fn is_heading(texts: &[&[u8]], at: usize) -> bool {
    texts[at].ends_with(b":") && (at == 0 || texts[at - 1].is_empty())
}

fn is_later(folder: &[u8]) -> bool {
    folder.split(|&byte| byte == b'/').any(|part| LATER.contains(&part))
}
