//! Searches a saved output with ripgrep's engine. Results have the format of ripgrep.

mod found;
mod split_lines;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use overspill_core::Limits;

use self::found::{Lines, Places};
use self::split_lines::{Breaks, SearchRange, SplitLines};
use super::page::line_start;
use super::partial::MissingLines;
use super::source::Source;
use crate::Error;
use crate::store::{OutputId, Store};

pub use found::{GrepLine, GrepMatches};

/// A search: the pattern and its options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// A regular expression, or plain text with `fixed`. Each line of it is a pattern, and one
    /// match is enough.
    pub pattern: String,
    /// Ignore case.
    pub ignore_case: bool,
    /// The pattern is plain text.
    pub fixed: bool,
    /// Match whole words only.
    pub word: bool,
    /// Find the lines that do not match.
    pub invert: bool,
    /// Show each match on a line of its own, without the rest of its line and without context.
    pub only: bool,
    /// The number of lines to show before each match.
    pub before: usize,
    /// The number of lines to show after each match.
    pub after: usize,
    /// The largest number of matches to show.
    pub most: Option<u64>,
    /// The line to begin with, counted from 1.
    pub from_line: u64,
}

/// An invalid pattern: the error and its place.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadPattern(String);

/// The reason why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    /// The pattern is invalid.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// The output could not be read.
    #[error(transparent)]
    Store(#[from] Error),
    /// The search itself failed.
    #[error(transparent)]
    Search(#[from] io::Error),
}

impl Query {
    /// Checks the pattern without a search.
    pub fn check(&self) -> Result<(), BadPattern> {
        self.matcher().map(drop)
    }

    /// Returns the patterns, one for each line.
    pub fn patterns(&self) -> Vec<&str> {
        // An empty pattern among others would match every line.
        let several: Vec<&str> = self.pattern.lines().filter(|line| !line.is_empty()).collect();
        if several.is_empty() { vec![""] } else { several }
    }

    /// Returns a highlighter for the lines that match.
    pub fn highlighter(&self) -> Result<Highlighter, BadPattern> {
        Ok(Highlighter { matcher: self.matcher()?, invert: self.invert })
    }

    fn matcher(&self) -> Result<RegexMatcher, BadPattern> {
        let patterns = self.patterns();
        RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.fixed)
            .word(self.word)
            .line_terminator(Some(b'\n'))
            .build_many(&patterns)
            .map_err(|error| {
                // The engine's error shows a rewritten pattern. This error shows the pattern as it
                // was typed.
                let as_typed = patterns.iter().find_map(|one| regex_syntax::parse(one).err());
                BadPattern(as_typed.map_or_else(|| error.to_string(), |typed| typed.to_string()))
            })
    }
}

/// Finds the matches in a line that is shown.
#[derive(Debug, Clone)]
pub struct Highlighter {
    matcher: RegexMatcher,
    invert: bool,
}

impl Highlighter {
    /// Returns the ranges of the matches. A line of an inverted search has no matches.
    pub fn ranges(&self, line: &str) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        if !self.invert {
            // The engine never fails on text in memory.
            let _ = self.matcher.find_iter(line.as_bytes(), |found| {
                let range = found.start()..found.end();
                if !range.is_empty() && line.get(range.clone()).is_some() {
                    all.push(range);
                }
                true
            });
        }
        all
    }
}

/// Searches an output from a given line on, up to `limits`. A search that shows lines marks the
/// output as used.
pub fn grep(
    store: &dyn Store,
    name: &OutputId,
    query: &Query,
    limits: &Limits,
) -> Result<GrepMatches, GrepError> {
    let matcher = query.matcher()?;
    let mut source = Source::open(store, name)?;
    let kept = source.kept.clone();
    let not_searched = kept.as_deref().and_then(MissingLines::of);
    let bare = query.only.then(|| Query { before: 0, after: 0, ..query.clone() });
    let query = bare.as_ref().unwrap_or(query);
    let from = query.from_line.max(1);
    // A match before `from` may have context lines that belong to this page.
    let first = from.saturating_sub(query.after as u64).max(1);
    let first = match &kept {
        Some(kept) => kept.stored_line(first),
        None => Some(first),
    };
    let start = first.map(|line| line_start(store, name, line, source.total)).transpose()?;
    let (Some(first), Some(start)) = (first, start.flatten()) else {
        return Ok(GrepMatches { not_searched, ..GrepMatches::default() });
    };
    let numbers = Numbers::new(store, name, start, first)?;
    let places = Places { start, breaks: Breaks::default(), numbers, kept };
    let mut lines = Lines::new(query, limits, &matcher, places, from);
    for range in ranges(&mut source, start)? {
        let text = SplitLines::new(&mut source, &range);
        (lines.places.start, lines.places.breaks) = (range.bytes.start, text.breaks());
        if !search(&mut searcher(query), &matcher, text, &mut lines)? {
            break;
        }
        // Lines after a hole are not context of a match before it.
        lines.left = 0;
    }
    if !lines.found.lines.is_empty() {
        // The lines are shown even if the store cannot record the use of the output.
        let _ = store.touch(name);
    }
    Ok(GrepMatches { not_searched, ..lines.found })
}

/// Returns the ranges of the saved output from `start` on. Each is searched separately, because no
/// line continues across a hole.
fn ranges(source: &mut Source<'_>, start: u64) -> Result<Vec<SearchRange>, Error> {
    let Some(kept) = source.kept.clone() else {
        let bytes = start..source.total;
        return Ok(Vec::from([SearchRange { bytes, cut_before: false, cut_after: false }]));
    };
    let gaps = kept.not_kept();
    let mut all = Vec::new();
    for range in kept.ranges.iter().filter(|range| range.stored.end > start) {
        let bytes = range.stored.start.max(start)..range.stored.end;
        if bytes.is_empty() {
            continue;
        }
        let is_first = bytes.start == range.stored.start && !range.starts_line;
        let cut_before = is_first && gaps.iter().any(|gap| gap.bytes.end == range.bytes.start);
        let is_before_gap = gaps.iter().any(|gap| gap.bytes.start == range.bytes.end);
        let cut_after = is_before_gap && source.range(bytes.end - 1, bytes.end)? != b"\n";
        all.push(SearchRange { bytes, cut_before, cut_after });
    }
    Ok(all)
}

/// Counts the lines that match, without showing any.
pub fn count(store: &dyn Store, name: &OutputId, query: &Query) -> Result<u64, GrepError> {
    let matcher = query.matcher()?;
    let mut source = Source::open(store, name)?;
    let most = query.most.unwrap_or(u64::MAX);
    let mut counted = Count { lines: 0, last: None, most, breaks: Breaks::default(), places: None };
    for range in ranges(&mut source, 0)? {
        let kept = source.kept.clone();
        let text = SplitLines::new(&mut source, &range);
        counted.breaks = text.breaks();
        if let Some(kept) = kept {
            // Two ranges may have parts of the same line.
            let before = counted.places.take();
            let numbers = before.map_or_else(
                || Numbers::new(store, name, 0, 1),
                |places: Places<'_>| Ok(places.numbers),
            )?;
            let (start, breaks) = (range.bytes.start, text.breaks());
            counted.places = Some(Places { start, breaks, numbers, kept: Some(kept) });
        }
        if counted.most == 0 || !search(&mut searcher(query), &matcher, text, &mut counted)? {
            break;
        }
    }
    Ok(counted.lines)
}

fn searcher(query: &Query) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder
        .invert_match(query.invert)
        .before_context(query.before)
        .after_context(query.after)
        // `Numbers` finds the numbers of the shown lines only.
        .line_number(false)
        // Binary output is searched too. The shown lines are made readable.
        .binary_detection(BinaryDetection::none())
        .bom_sniffing(false);
    builder.build()
}

struct Count<'a> {
    lines: u64,
    last: Option<u64>,
    most: u64,
    breaks: Breaks,
    /// Distinguishes two lines if a part of the output was not saved.
    places: Option<Places<'a>>,
}

impl Sink for Count<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let place = found.absolute_byte_offset();
        let line = Some(match &mut self.places {
            None => self.breaks.line_of(place),
            Some(places) => places.number_at(place).map_err(io::Error::other)?,
        });
        self.lines += u64::from(line != self.last);
        self.last = line;
        Ok(self.lines < self.most)
    }
}

/// Searches until `sink` stops. Returns whether it wants more.
fn search<S: Sink<Error = io::Error>>(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    text: SplitLines<'_, '_>,
    sink: S,
) -> io::Result<bool> {
    let stopped = text.stopped();
    let until = Until { sink, stopped: stopped.clone() };
    searcher.search_reader(matcher, text, until)?;
    Ok(!stopped.get())
}

/// Stops the search for good after the sink has stopped.
///
/// The engine stops only for the bytes in its buffer: an inverted search continues and calls the
/// sink again.
struct Until<S> {
    sink: S,
    stopped: Rc<Cell<bool>>,
}

impl<S> Until<S> {
    fn ask(&mut self, ask: impl FnOnce(&mut S) -> io::Result<bool>) -> io::Result<bool> {
        if !self.stopped.get() {
            self.stopped.set(!ask(&mut self.sink)?);
        }
        Ok(!self.stopped.get())
    }
}

impl<S: Sink<Error = io::Error>> Sink for Until<S> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.ask(|sink| sink.matched(searcher, found))
    }

    fn context(&mut self, searcher: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        self.ask(|sink| sink.context(searcher, near))
    }
}

/// The distance in bytes above which the index of the store is faster than counting.
const FAR: u64 = 512 << 10;

/// Finds the number of a line when it is shown. Most searches show few lines, so counting all lines
/// would cost more.
struct Numbers<'a> {
    store: &'a dyn Store,
    name: &'a OutputId,
    source: Source<'a>,
    /// A place in the output, and the number of its line.
    at: u64,
    number: u64,
}

impl<'a> Numbers<'a> {
    /// Begins at `at`, where line `number` begins, counted from 1.
    fn new(
        store: &'a dyn Store,
        name: &'a OutputId,
        at: u64,
        number: u64,
    ) -> Result<Numbers<'a>, Error> {
        let source = Source::open(store, name)?;
        Ok(Numbers { store, name, source, at, number })
    }

    /// Returns the number of the line at `place`. Places must not decrease from call to call.
    fn of(&mut self, place: u64) -> Result<u64, Error> {
        if place.saturating_sub(self.at) > FAR
            && let Some(number) = self.store.line_at(self.name, place)?
        {
            (self.at, self.number) = (place, number);
        }
        while self.at < place {
            let block = self.source.range(self.at, place)?;
            if block.is_empty() {
                break;
            }
            self.at += block.len() as u64;
            self.number += bytecount::count(block, b'\n') as u64;
        }
        Ok(self.number)
    }
}
