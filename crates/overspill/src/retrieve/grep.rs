//! Search in a stored output, with ripgrep's engine and in its form.

use std::io::{self, Read};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use overspill_core::Limits;

use super::line_start;
use crate::Error;
use crate::store::{Name, Store};

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// The pattern: a regular expression, or plain text with `fixed`.
    pub pattern: String,
    /// Whatever the case.
    pub ignore_case: bool,
    /// The pattern is plain text.
    pub fixed: bool,
    /// Only whole words.
    pub word: bool,
    /// Lines that do not match.
    pub invert: bool,
    /// So many lines before each match.
    pub before: usize,
    /// So many lines after each match.
    pub after: usize,
    /// No more than so many matches.
    pub most: Option<u64>,
    /// From this line on, counted from 1.
    pub from_line: u64,
}

/// What was found, as much as there is room for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The lines, each with its number: `12:` for a match, `12-` for a line near one.
    pub text: String,
    /// How many matches are shown.
    pub shown: u64,
    /// How many matches there are, as far as was searched.
    pub matches: u64,
    /// The search stopped before the end for lack of room; it goes on from this line.
    pub next_line: Option<u64>,
}

/// A pattern that is none.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadPattern(String);

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    /// The pattern is none.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// The output could not be read.
    #[error(transparent)]
    Store(#[from] Error),
    /// The search itself failed.
    #[error(transparent)]
    Search(#[from] io::Error),
}

/// The most characters of a line that are shown.
const LONGEST_LINE: usize = 500;

/// Searches an output from a line on, until there is no more room in `limits`.
pub fn grep(
    store: &dyn Store,
    name: &Name,
    query: &Query,
    limits: &Limits,
) -> Result<Found, GrepError> {
    let matcher = matcher(query)?;
    let total = store.entry(name)?.bytes;
    // Whether it could be marked as used or not, it can be searched.
    let _ = store.touch(name);
    let first = query.from_line.max(1);
    let Some(start) = line_start(store, name, first, total)? else { return Ok(Found::default()) };
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .invert_match(query.invert)
        .before_context(query.before)
        .after_context(query.after)
        // An output is searched whatever it holds; what is shown of it is made readable.
        .binary_detection(BinaryDetection::none())
        .build();
    let mut lines =
        Lines { found: Found::default(), limits, query, first, last: None, lines: 0, full: false };
    searcher.search_reader(&matcher, Reader { store, name, at: start, total }, &mut lines)?;
    Ok(lines.found)
}

fn matcher(query: &Query) -> Result<RegexMatcher, BadPattern> {
    RegexMatcherBuilder::new()
        .case_insensitive(query.ignore_case)
        .fixed_strings(query.fixed)
        .word(query.word)
        .line_terminator(Some(b'\n'))
        .build(&query.pattern)
        .map_err(|error| BadPattern(error.to_string()))
}

/// Reads an output block by block.
struct Reader<'a> {
    store: &'a dyn Store,
    name: &'a Name,
    at: u64,
    total: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = self.total.min(self.at + buffer.len() as u64);
        if self.at >= end {
            return Ok(0);
        }
        let bytes = self.store.read(self.name, self.at..end).map_err(io::Error::other)?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

/// Collects lines while there is room.
struct Lines<'a> {
    found: Found,
    limits: &'a Limits,
    query: &'a Query,
    first: u64,
    last: Option<u64>,
    /// How many lines the text has.
    lines: u64,
    full: bool,
}

impl Lines<'_> {
    /// Adds a line; tells whether it had room.
    fn add(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) -> bool {
        let number = self.first + number.unwrap_or(1) - 1;
        let text = overspill_core::text::clean(bytes).text;
        let text = text.trim_end_matches('\n');
        let shown: String = text.chars().take(LONGEST_LINE).collect();
        let clipped = if shown.len() < text.len() { "…" } else { "" };
        let apart = self.last.is_some_and(|last| last + 1 < number)
            && self.query.before + self.query.after > 0;
        let line = format!("{}{number}{mark}{shown}{clipped}\n", if apart { "--\n" } else { "" });
        let lines = self.lines + if apart { 2 } else { 1 };
        let room = self
            .limits
            .bytes
            .is_none_or(|most| (self.found.text.len() + line.len()) as u64 <= most)
            && self.limits.lines.is_none_or(|most| lines <= most);
        if room {
            self.found.text.push_str(&line);
            self.last = Some(number);
            self.lines = lines;
        } else if !self.full {
            self.full = true;
            self.found.next_line = Some(number);
        }
        room
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.matches += 1;
        if !self.add(found.line_number(), ':', found.bytes()) {
            return Ok(false);
        }
        self.found.shown += 1;
        Ok(self.query.most.is_none_or(|most| self.found.shown < most))
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.add(near.line_number(), '-', near.bytes()))
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        Ok(())
    }
}

/// Counts the lines that match, without showing any.
pub fn count(store: &dyn Store, name: &Name, query: &Query) -> Result<u64, GrepError> {
    struct Count(u64);
    impl Sink for Count {
        type Error = io::Error;

        fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
            self.0 += 1;
            Ok(true)
        }
    }
    let matcher = matcher(query)?;
    let total = store.entry(name)?.bytes;
    let mut searcher = SearcherBuilder::new()
        .line_number(false)
        .invert_match(query.invert)
        .binary_detection(BinaryDetection::none())
        .build();
    let mut counted = Count(0);
    searcher.search_reader(&matcher, Reader { store, name, at: 0, total }, &mut counted)?;
    Ok(counted.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Call;
    use crate::store::Memory;

    fn found(output: &str, query: &Query, limits: Limits) -> Found {
        let store = Memory::default();
        let mut draft = store.create(&Call::default()).unwrap();
        draft.append(output.as_bytes()).unwrap();
        let name = draft.publish().unwrap().name;
        grep(&store, &name, query, &limits).unwrap()
    }

    fn query(pattern: &str) -> Query {
        Query { pattern: pattern.into(), ..Query::default() }
    }

    const OUTPUT: &str = "one\ntwo\nError: three\nfour\nfive\nsix\nerror: seven\n";

    #[test]
    fn lines_are_found_as_ripgrep_shows_them() {
        let all = Limits::NONE;
        assert_eq!(found(OUTPUT, &query("error"), all).text, "7:error: seven\n");
        let any_case = Query { ignore_case: true, before: 1, ..query("error") };
        assert_eq!(
            found(OUTPUT, &any_case, all).text,
            "2-two\n3:Error: three\n--\n6-six\n7:error: seven\n"
        );
        assert_eq!(found(OUTPUT, &Query { word: true, ..query("s") }, all).text, "");
        assert_eq!(found(OUTPUT, &Query { fixed: true, ..query("r: t") }, all).shown, 1);
        assert_eq!(
            found(OUTPUT, &Query { invert: true, ..query("e") }, all).text,
            "2:two\n4:four\n6:six\n"
        );
        assert_eq!(found(OUTPUT, &Query { most: Some(1), ..query("o") }, all).shown, 1);
        assert_eq!(found("a\0\x1b[31mred\n", &query("red"), all).text, "1:a␀red\n");
    }

    #[test]
    fn what_has_no_room_comes_on_the_next_page() {
        let output: String = (1..=1000).map(|n| format!("match {n}\n")).collect();
        let limits = Limits::NONE.lines(10).bytes(100);
        let (mut from, mut seen) = (1, 0);
        while seen < 1000 {
            let page = found(&output, &Query { from_line: from, ..query("match") }, limits);
            assert!(page.text.len() <= 100 && page.text.lines().count() <= 10);
            seen += page.shown;
            match page.next_line {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(seen, 1000);
    }

    #[test]
    fn a_bad_pattern_says_where() {
        let error = matcher(&query("a(b")).unwrap_err().to_string();
        assert!(error.contains("unclosed group"), "{error}");
    }
}
