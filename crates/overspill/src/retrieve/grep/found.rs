//! Collects the lines that a search finds, until the page is full.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use crate::notice::defused;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use overspill_core::Limits;

use super::split_lines::Breaks;
use super::{Numbers, Query};
use crate::Error;
use crate::retrieve::excerpt::{around, around_match, bytes_around, excerpt, shown};
use crate::retrieve::page::Room;
use crate::retrieve::partial::MissingLines;
use crate::store::KeptRanges;

/// The matches on one page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepMatches {
    /// The lines that match, and their context.
    pub lines: Vec<GrepLine>,
    /// The number of matches so far.
    pub matches: u64,
    /// The number of matches that are shown.
    pub shown: u64,
    /// The line with which the next page begins, if this page is full.
    pub next_line: Option<u64>,
    /// The lines that were not saved, and so not searched.
    pub not_searched: Option<MissingLines>,
    /// The query has context, so `--` separates groups of lines.
    pub(super) near: bool,
}

/// A line that matches, or a line of context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// The number of the line, counted from 1.
    pub number: u64,
    /// The line matches. Otherwise it is context.
    pub matches: bool,
    /// Readable text, forged marks included. A long line is shortened to the part around the match.
    pub text: String,
    /// The bytes of the output that the text shows.
    pub bytes: Range<u64>,
    /// The bytes of another match in the same line, outside of the shown part.
    pub again: Option<Range<u64>>,
}

/// The largest number of matches that a line shows with `only`.
const MOST_PARTS: usize = 100;
/// The number of bytes after which a line shows no further match with `only`.
const PARTS_BYTES: usize = 4_000;
/// The largest number of bytes of the note about another match.
const AGAIN_BYTES: usize = "  [matches again: bytes 12345678901234:12345678901234]".len();

impl GrepLine {
    fn as_shown(&self) -> String {
        let (text, note) = (self.safe_text(), self.note());
        format!("{}{}{text}{note}\n", self.number, self.sign())
    }

    /// Returns the text without forged marks.
    pub fn safe_text(&self) -> String {
        defused(self.text.clone())
    }

    /// Returns the note about another match in this line. Empty without one.
    pub fn note(&self) -> String {
        self.again.as_ref().map_or_else(String::new, |bytes| {
            format!("  [matches again: bytes {}:{}]", bytes.start, bytes.end)
        })
    }

    /// Returns the character between number and text, as in the output of ripgrep.
    pub fn sign(&self) -> char {
        if self.matches { ':' } else { '-' }
    }
}

impl GrepMatches {
    /// Returns the lines in the format of ripgrep: `12:` before a match, `12-` before context.
    /// Forged marks are defused, see [`defused`].
    pub fn text(&self) -> String {
        self.text_with(GrepLine::as_shown)
    }

    /// Like [`GrepMatches::text`], but `show` writes each line.
    pub fn text_with(&self, show: impl Fn(&GrepLine) -> String) -> String {
        let mut text = String::new();
        let mut last = None;
        for line in &self.lines {
            if self.near && last.is_some_and(|last| last + 1 < line.number) {
                text.push_str("--\n");
            }
            text.push_str(&show(line));
            last = Some(line.number);
        }
        text
    }
}

/// Converts places of the searcher into places of the output.
pub(super) struct Places<'a> {
    /// The place in the saved output where the search began.
    pub(super) start: u64,
    pub(super) breaks: Breaks,
    pub(super) numbers: Numbers<'a>,
    /// The saved ranges of the output, if not all of it was saved.
    pub(super) kept: Option<Rc<KeptRanges>>,
}

impl Places<'_> {
    pub(super) fn number_at(&mut self, place: u64) -> Result<u64, Error> {
        let number = self.numbers.of(self.stored(place))?;
        Ok(self.kept.as_ref().map_or(number, |kept| kept.original_line(number)))
    }

    /// Returns the place in the original output.
    fn offset(&self, place: u64) -> u64 {
        let stored = self.stored(place);
        self.kept.as_ref().map_or(stored, |kept| kept.original_byte(stored))
    }

    /// Returns the range in the original output of a part of the line at `place`.
    fn range(&self, place: u64, part: &Range<usize>) -> Range<u64> {
        self.offset(place + part.start as u64)..self.offset(place + part.end as u64)
    }

    /// Returns the place in the saved output.
    fn stored(&self, place: u64) -> u64 {
        self.start + place - self.breaks.before(place)
    }
}

/// Collects lines until the page is full.
pub(super) struct Lines<'a> {
    pub(super) found: GrepMatches,
    query: &'a Query,
    matcher: &'a RegexMatcher,
    pub(super) places: Places<'a>,
    room: Room,
    /// The first line that may be shown.
    from: u64,
    /// The number of lines of context that are still to be shown after the last match.
    pub(super) left: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        query: &'a Query,
        limits: &Limits,
        matcher: &'a RegexMatcher,
        places: Places<'a>,
        from: u64,
    ) -> Lines<'a> {
        let found = GrepMatches { near: query.before + query.after > 0, ..GrepMatches::default() };
        Lines { found, query, matcher, places, room: Room::of(limits), from, left: 0 }
    }

    /// Adds a line. Returns whether the search goes on.
    fn add(&mut self, place: u64, bytes: &[u8], matches: bool) -> io::Result<bool> {
        let number = self.places.number_at(place).map_err(io::Error::other)?;
        let last = self.found.lines.last().map(|line| line.number);
        if number < self.from {
            if matches {
                self.left =
                    (number + self.query.after as u64 + 1).saturating_sub(self.from) as usize;
            }
            return Ok(true);
        }
        // A very long line arrives in parts and is shown once.
        if last == Some(number) {
            if matches && let Some(at) = self.match_from(bytes, 0) {
                let bytes = bytes_around(self.places.offset(place + at as u64));
                let line = self.found.lines.last_mut().filter(|line| line.matches);
                line.map(|line| line.again.get_or_insert(bytes));
            }
            return Ok(true);
        }
        let done = self.query.most.is_some_and(|most| self.found.shown >= most);
        if done && self.left == 0 {
            return Ok(false);
        }
        let matches = matches && !done;
        if self.query.only {
            return self.add_matches(place, bytes, number);
        }
        self.found.matches += u64::from(matches);
        // Context, and lines of an inverted search, have no match to show.
        let at = if matches { self.match_from(bytes, 0) } else { None };
        let range = match at {
            Some(at) => around_match(bytes, at),
            None => around(bytes.len(), 0),
        };
        let is_cut = matches && range.end < bytes.len();
        let again = if is_cut { self.match_from(bytes, range.end) } else { None };
        let again = again.map(|at| bytes_around(self.places.offset(place + at as u64)));
        let text = shown(&bytes[range.clone()], &range, bytes.len());
        // A later part of this line may match again.
        let mark = if is_cut && again.is_none() { AGAIN_BYTES } else { 0 };
        let shown_bytes = self.places.range(place, &range);
        let line = GrepLine { number, matches, text, bytes: shown_bytes, again };
        let apart = self.found.near && last.is_some_and(|last| last + 1 < number);
        let (bytes, lines) = if apart { (3, 2) } else { (0, 1) };
        if !self.room.take(line.as_shown().len() + mark + bytes, lines) {
            self.found.next_line = Some(number);
            return Ok(false);
        }
        self.found.lines.push(line);
        self.found.shown += u64::from(matches);
        self.left = if matches { self.query.after } else { self.left.saturating_sub(1) };
        let done = self.query.most.is_some_and(|most| self.found.shown >= most);
        Ok(!(done && self.left == 0))
    }

    /// Adds the matches of a line, up to a limit. Returns whether the search goes on.
    fn add_matches(&mut self, place: u64, bytes: &[u8], number: u64) -> io::Result<bool> {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let (mut lines, mut places, mut len, mut at) = (Vec::new(), Vec::new(), 0, 0);
        let mut rest = None;
        while at <= line.len()
            && let Some(found) = self.matcher.find_at(line, at).ok().flatten()
        {
            if found.is_empty() {
                at = found.end() + 1;
                continue;
            }
            at = found.end();
            if lines.len() == MOST_PARTS || len > PARTS_BYTES {
                rest = Some(found.start());
                break;
            }
            let text = excerpt(&line[found], 0);
            let bytes = self.places.range(place, &(found.start()..found.end()));
            let line = GrepLine { number, matches: true, text, bytes, again: None };
            len += line.as_shown().len();
            lines.push(line);
            places.push(found.start());
        }
        // The first line of a page shows the matches that fit and a note about the rest, so that
        // every page advances.
        let is_first = self.found.lines.is_empty();
        while !lines.is_empty() && !self.room.take(len + AGAIN_BYTES, lines.len() as u64) {
            let last = if is_first { lines.pop() } else { None };
            let (Some(last), Some(at)) = (last, places.pop()) else {
                self.found.next_line = Some(number);
                return Ok(false);
            };
            len -= last.as_shown().len();
            rest = Some(at);
        }
        if lines.is_empty() && rest.is_some() {
            self.found.next_line = Some(number);
            return Ok(false);
        }
        if let (Some(last), Some(at)) = (lines.last_mut(), rest) {
            last.again = Some(bytes_around(self.places.offset(place + at as u64)));
        }
        let any = u64::from(!lines.is_empty());
        self.found.matches += any;
        self.found.shown += any;
        self.found.lines.append(&mut lines);
        Ok(self.query.most.is_none_or(|most| self.found.shown < most))
    }

    /// Returns the place of the next match in a line, from `from` on.
    fn match_from(&self, line: &[u8], from: usize) -> Option<usize> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if self.query.invert || from > line.len() {
            return None;
        }
        let found = self.matcher.find_at(line, from).ok().flatten();
        // An empty match is possible at every place, so only the first match counts.
        found.filter(|found| from == 0 || !found.is_empty()).map(|found| found.start())
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.add(found.absolute_byte_offset(), found.bytes(), true)
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        self.add(near.absolute_byte_offset(), near.bytes(), false)
    }
}
