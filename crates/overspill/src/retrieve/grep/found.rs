//! What a search has found, as much of it as there is room for.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use overspill_core::Limits;
use overspill_core::text::defused;

use super::pieces::Breaks;
use super::{Numbers, Query};
use crate::Error;
use crate::retrieve::excerpt::{around, around_match, bytes_around, excerpt, shown};
use crate::retrieve::page::Room;
use crate::retrieve::partial::MissingLines;
use crate::store::KeptRanges;

/// What was found, as much as there is room for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepMatches {
    /// The lines that match, and those near them.
    pub lines: Vec<GrepLine>,
    /// How many matches there are, as far as was searched.
    pub matches: u64,
    /// How many of them are shown.
    pub shown: u64,
    /// The search stopped before the end for lack of room; it goes on from this line.
    pub next_line: Option<u64>,
    /// What of the output was not kept, and so not searched.
    pub not_searched: Option<MissingLines>,
    /// Lines near a match were asked for, so what is apart is shown apart.
    pub(super) near: bool,
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// Its number, counted from 1.
    pub number: u64,
    /// It matches, and is not only near one that does.
    pub matches: bool,
    /// Readable text, exact for programs; of a long line what is around the match.
    pub text: String,
    /// The line matches again beyond what is shown of it: these bytes of the output show where.
    pub again: Option<Range<u64>>,
}

/// So many matches of one line are shown one by one, and about so many bytes of them.
const MOST_PARTS: usize = 100;
const PARTS_BYTES: usize = 4_000;
/// What is said of a line that matches again may take so much.
const AGAIN_BYTES: usize = "  [matches again: bytes 12345678901234:12345678901234]".len();

impl GrepLine {
    fn as_shown(&self) -> String {
        let again = self.again.as_ref().map_or_else(String::new, |bytes| {
            format!("  [matches again: bytes {}:{}]", bytes.start, bytes.end)
        });
        let text = defused(self.text.clone());
        format!("{}{}{text}{again}\n", self.number, if self.matches { ':' } else { '-' })
    }
}

impl GrepMatches {
    /// Returns the lines as ripgrep shows them: `12:` before a match, `12-` before a line near one.
    /// Nothing in them passes for a mark of ours, see [`defused`].
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for line in &self.lines {
            if self.near && last.is_some_and(|last| last + 1 < line.number) {
                text.push_str("--\n");
            }
            text.push_str(&line.as_shown());
            last = Some(line.number);
        }
        text
    }
}

/// Tells what of the output the searcher means.
pub(super) struct Places<'a> {
    /// Where the search began.
    pub(super) start: u64,
    pub(super) breaks: Breaks,
    pub(super) numbers: Numbers<'a>,
    /// Which ranges of the output were kept, if not all.
    pub(super) kept: Option<Rc<KeptRanges>>,
}

impl Places<'_> {
    pub(super) fn number_at(&mut self, place: u64) -> Result<u64, Error> {
        let number = self.numbers.of(self.stored(place))?;
        Ok(self.kept.as_ref().map_or(number, |kept| kept.original_line(number)))
    }

    /// Returns where in the output a place is.
    fn offset(&self, place: u64) -> u64 {
        let stored = self.stored(place);
        self.kept.as_ref().map_or(stored, |kept| kept.original_byte(stored))
    }

    /// Returns where in the stored copy a place is.
    fn stored(&self, place: u64) -> u64 {
        self.start + place - self.breaks.before(place)
    }
}

/// Collects lines while there is room.
pub(super) struct Lines<'a> {
    pub(super) found: GrepMatches,
    query: &'a Query,
    matcher: &'a RegexMatcher,
    pub(super) places: Places<'a>,
    room: Room,
    /// The number of the line from which on they are shown.
    from: u64,
    /// How many lines after the last match are still to come.
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

    /// Adds a line; tells whether the search goes on.
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
        // One line is shown once, also if it is so long that it comes in pieces.
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
        // Lines near a match, and those that match by not doing so, have no place to show.
        let at = if matches { self.match_from(bytes, 0) } else { None };
        let range = match at {
            Some(at) => around_match(bytes, at),
            None => around(bytes.len(), 0),
        };
        let is_cut = matches && range.end < bytes.len();
        let again = if is_cut { self.match_from(bytes, range.end) } else { None };
        let again = again.map(|at| bytes_around(self.places.offset(place + at as u64)));
        let text = shown(&bytes[range.clone()], &range, bytes.len());
        // Of a line that goes on it may turn out later.
        let mark = if is_cut && again.is_none() { AGAIN_BYTES } else { 0 };
        let line = GrepLine { number, matches, text, again };
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

    /// Adds what matches in a line, as much of it as a few lines take; tells whether the search goes on.
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
            let line = GrepLine { number, matches: true, text, again: None };
            len += line.as_shown().len();
            lines.push(line);
            places.push(found.start());
        }
        // Where nothing else takes the room, what has none is said to be there: a page leads on.
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

    /// Returns where in a line, from a place on, the next match is.
    fn match_from(&self, line: &[u8], from: usize) -> Option<usize> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if self.query.invert || from > line.len() {
            return None;
        }
        let found = self.matcher.find_at(line, from).ok().flatten();
        // What matches nothing matches everywhere.
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
