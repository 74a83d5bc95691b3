//! Ranks the lines of unified diffs and of `git log`.
//!
//! The names of commits and files come first, then the hunks of each file in their order.

use super::json::log2;
use super::reader::{LineRank, StructureLine};
use crate::Why;

/// The number that a hunk adds to the rank of its file.
const HUNK: u32 = 24;

/// The number that an unchanged line adds to the rank of a changed line.
const CONTEXT: u32 = 6;

/// The state of the reader within a diff.
#[derive(Debug, Clone, Default)]
pub(crate) struct DiffReader {
    commits: u64,
    files: u64,
    hunks: u64,
    /// The number of lines read of the current hunk.
    lines: u64,
    /// The number of versions before the change: 1, or the number of parents of a merge.
    parents: usize,
    /// The number of old lines that the current hunk still has, added up over the parents.
    old: u64,
    /// The number of new lines that the current hunk still has.
    new: u64,
    /// The current line is between the name of a file and its first hunk.
    in_heading: bool,
    /// A commit has begun, and the reader has not seen its subject yet.
    awaits_subject: bool,
    /// `git log --graph` draws lines of `*`, `|`, `/` and `\` before the text.
    has_graph: bool,
}

impl DiffReader {
    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        self.has_graph |= self.commits == 0 && line.text.starts_with(b"* ");
        let text = if self.has_graph { without_graph(line.text) } else { line.text };
        if self.old + self.new > 0 {
            return self.within_hunk(text);
        }
        if text.starts_with(b"@@ ") || text.starts_with(b"@@@") {
            (self.parents, self.old, self.new) = hunk(text).unwrap_or((1, 0, 0));
            self.hunks += 1;
            (self.lines, self.in_heading) = (0, false);
            return LineRank::new(self.hunk_rank(), Why::Part);
        }
        let names_file = text.starts_with(b"diff ") || text.starts_with(b"Index: ");
        if names_file || text.starts_with(b"--- ") && !self.in_heading {
            self.files += 1;
            (self.hunks, self.in_heading) = (0, true);
            return LineRank::new(self.file_rank(), Why::Heading);
        }
        if is_commit(text) {
            (self.in_heading, self.awaits_subject) = (false, true);
            self.commits += 1;
            return LineRank::new(0, Why::Heading);
        }
        if is_stat(text) {
            self.files += 1;
            return LineRank::new(self.file_rank(), Why::Heading);
        }
        let is_subject = text.starts_with(b"    ") || text.starts_with(b"Subject: ");
        if self.awaits_subject && is_subject {
            self.awaits_subject = false;
            // The subject gets the same rank as the commit, which says little without it.
            return LineRank::new(0, Why::Heading);
        }
        if self.in_heading {
            // Most lines after the name of a file only repeat the name.
            let says_more = [&b"new file"[..], b"deleted", b"rename", b"similarity", b"Binary"];
            return match says_more.iter().any(|start| text.starts_with(start)) {
                true => LineRank::new(self.file_rank() + 4, Why::Heading),
                false => LineRank::new(self.file_rank() + HUNK - 4, Why::Part),
            };
        }
        if self.commits > 1 {
            return LineRank::PLAIN;
        }
        // The lines before the first file describe the diff.
        let near = if self.files == 0 { log2(line.number) } else { u32::MAX };
        LineRank::new(near, Why::Heading)
    }

    fn within_hunk(&mut self, text: &[u8]) -> LineRank {
        // The diff of a merge has a column for each parent.
        let columns = &text[..text.len().min(self.parents)];
        let count = |mark: u8| columns.iter().filter(|byte| **byte == mark).count();
        let (removed, added) = (count(b'-'), count(b'+'));
        let context = match text.first() {
            Some(b'\\') => 0,
            _ if removed > 0 => {
                self.old = self.old.saturating_sub(removed as u64);
                0
            }
            _ => {
                self.old = self.old.saturating_sub((self.parents - added) as u64);
                self.new = self.new.saturating_sub(1);
                if added > 0 { 0 } else { CONTEXT }
            }
        };
        self.lines += 1;
        LineRank::new(self.hunk_rank() + 1 + context + log2(self.lines / 4), Why::Part)
    }

    fn file_rank(&self) -> u32 {
        // The commits of a log come before its files.
        log2(self.files) / 4 + u32::from(self.commits > 0)
    }

    fn hunk_rank(&self) -> u32 {
        self.file_rank() + HUNK + log2(self.hunks)
    }
}

/// Tells whether a line begins a commit, as in `git log -p` and in a patch sent by mail.
fn is_commit(text: &[u8]) -> bool {
    let hash = text.strip_prefix(b"commit ").or_else(|| text.strip_prefix(b"From "));
    hash.and_then(|hash| hash.get(..40)).is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit))
}

/// Tells whether a line is a row of `git log --stat`: ` src/lib.rs | 12 +++---`.
fn is_stat(text: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(text, b" | ") else { return false };
    let count = text[at + 3..].trim_ascii_start();
    let is_count = count.first().is_some_and(u8::is_ascii_digit) || count.starts_with(b"Bin ");
    text.len() > 1 && text[0] == b' ' && text[1] != b' ' && is_count
}

/// Returns a line of `git log --graph` without the graph.
fn without_graph(mut text: &[u8]) -> &[u8] {
    while let [b'*' | b'|' | b'/' | b'\\' | b'_', rest @ ..] = text {
        text = rest.strip_prefix(b" ").unwrap_or(rest);
    }
    // The graph of a merge is wider. The subject of a commit has an indent of its own.
    Some(text.trim_ascii_start()).filter(|text| is_commit(text)).unwrap_or(text)
}

/// The largest number of bytes of the header of a hunk that are read.
const HUNK_HEADER: usize = 160;

/// Reads the header of a hunk: `@@ -1,3 +1,4 @@`, or `@@@ -1,3 -1,2 +1,4 @@@` for a merge of two
/// parents. Returns the number of parents, the sum of their old lines, and the number of new lines.
fn hunk(text: &[u8]) -> Option<(usize, u64, u64)> {
    // Text from the file may follow the numbers.
    let text = &text[..text.len().min(HUNK_HEADER)];
    let ascii = text.iter().take_while(|byte| byte.is_ascii()).count();
    let mut parts = std::str::from_utf8(&text[..ascii]).ok()?.split(' ');
    let parents = parts.next()?.len().checked_sub(1)?;
    let mut count = |sign: char| -> Option<u64> {
        let range = parts.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
    };
    let old = (0..parents).map(|_| count('-')).sum::<Option<u64>>()?;
    Some((parents, old, count('+')?))
}

/// Tells whether the lines are an output of `git log`, with or without diffs.
pub(super) fn is_log<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    lines.next().is_some_and(|line| is_commit(without_graph(line.as_bytes())))
        && lines.take(4).any(|line| without_graph(line.as_bytes()).starts_with(b"Author: "))
}

/// Tells whether the lines are a unified diff.
pub(super) fn is_diff<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut hunks, mut names, mut like, mut all) = (0, 0, 0, 0);
    for line in lines.take(400) {
        all += 1;
        let names_file = line.starts_with("diff ") || line.starts_with("+++ ");
        let may_be_hunk = line.starts_with("@@ -") || line.starts_with("@@@");
        hunks += u32::from(may_be_hunk && hunk(line.as_bytes()).is_some());
        names += u32::from(names_file);
        let starts = ["+", "-", " ", "@@", "index ", "\\", "rename ", "new file", "similarity"];
        like += u32::from(names_file || starts.iter().any(|start| line.starts_with(start)));
    }
    hunks > 0 && names > 0 && like * 10 >= all * 7
}
