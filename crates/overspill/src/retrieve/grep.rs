//! Search in a stored output, with ripgrep's engine and in its form.

use std::io;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use overspill_core::Limits;

use super::found::{Found, Lines, Places};
use super::line_start;
use super::numbers::Numbers;
use super::pieces::{Breaks, Pieces};
use super::source::Source;
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

/// A pattern that is none: what is wrong with it, and where.
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

impl Query {
    /// Tells whether the pattern is one, before anything is searched.
    pub fn check(&self) -> Result<(), BadPattern> {
        self.matcher().map(drop)
    }

    fn matcher(&self) -> Result<RegexMatcher, BadPattern> {
        RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.fixed)
            .word(self.word)
            .line_terminator(Some(b'\n'))
            .build(&self.pattern)
            .map_err(|error| match regex_syntax::parse(&self.pattern) {
                // The engine speaks of the pattern as it has changed it; this is as it was typed.
                Err(as_typed) => BadPattern(as_typed.to_string()),
                Ok(_) => BadPattern(error.to_string()),
            })
    }
}

/// Searches an output from a line on, until there is no more room in `limits`.
pub fn grep(
    store: &dyn Store,
    name: &Name,
    query: &Query,
    limits: &Limits,
) -> Result<Found, GrepError> {
    let matcher = query.matcher()?;
    let source = Source::open(store, name)?;
    let from = query.from_line.max(1);
    // What comes after a match before `from` is part of the answer.
    let first = from.saturating_sub(query.after as u64).max(1);
    let Some(start) = line_start(store, name, first, source.total)? else {
        return Ok(Found::default());
    };
    let numbers = Numbers::new(store, name, start, first)?;
    let pieces = Pieces::new(source, start);
    let places = Places { start, breaks: pieces.breaks(), numbers };
    let mut lines = Lines::new(query, limits, &matcher, places, from);
    searcher(query).build().search_reader(&matcher, pieces, &mut lines)?;
    Ok(lines.found)
}

/// Counts the lines that match, without showing any.
pub fn count(store: &dyn Store, name: &Name, query: &Query) -> Result<u64, GrepError> {
    let matcher = query.matcher()?;
    let pieces = Pieces::new(Source::open(store, name)?, 0);
    let mut counted = Count {
        lines: 0,
        last: None,
        most: query.most.unwrap_or(u64::MAX),
        breaks: pieces.breaks(),
    };
    if counted.most > 0 {
        searcher(query).build().search_reader(&matcher, pieces, &mut counted)?;
    }
    Ok(counted.lines)
}

fn searcher(query: &Query) -> SearcherBuilder {
    let mut builder = SearcherBuilder::new();
    builder
        .invert_match(query.invert)
        .before_context(query.before)
        .after_context(query.after)
        // Whoever shows a line looks its number up.
        .line_number(false)
        // An output is searched whatever it holds, as it is; what is shown of it is made readable.
        .binary_detection(BinaryDetection::none())
        .bom_sniffing(false);
    builder
}

struct Count {
    lines: u64,
    last: Option<u64>,
    most: u64,
    breaks: Breaks,
}

impl Sink for Count {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = Some(self.breaks.line_of(found.absolute_byte_offset()));
        self.lines += u64::from(line != self.last);
        self.last = line;
        Ok(self.lines < self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces::LONGEST_PIECE;
    use super::*;
    use crate::Call;
    use crate::store::Memory;

    fn stored(output: &str) -> (Memory, Name) {
        let store = Memory::default();
        let mut draft = store.create(&Call::default()).unwrap();
        draft.append(output.as_bytes()).unwrap();
        let name = draft.publish().unwrap().name;
        (store, name)
    }

    fn found(output: &str, query: &Query, limits: Limits) -> Found {
        let (store, name) = stored(output);
        grep(&store, &name, query, &limits).unwrap()
    }

    fn query(pattern: &str) -> Query {
        Query { pattern: pattern.into(), ..Query::default() }
    }

    const OUTPUT: &str = "one\ntwo\nError: three\nfour\nfive\nsix\nerror: seven\n";

    #[test]
    fn lines_are_found_as_ripgrep_shows_them() {
        let all = Limits::NONE;
        let text = |query: &Query| found(OUTPUT, query, all).text();
        assert_eq!(text(&query("error")), "7:error: seven\n");
        let any_case = Query { ignore_case: true, before: 1, ..query("error") };
        assert_eq!(text(&any_case), "2-two\n3:Error: three\n--\n6-six\n7:error: seven\n");
        assert_eq!(text(&Query { word: true, ..query("s") }), "");
        assert_eq!(text(&Query { fixed: true, ..query("r: t") }), "3:Error: three\n");
        assert_eq!(text(&Query { invert: true, ..query("e") }), "2:two\n4:four\n6:six\n");
        let first = Query { most: Some(1), after: 2, ..query("o") };
        assert_eq!(text(&first), "1:one\n2-two\n3-Error: three\n");
        assert_eq!(found("a\0\x1b[31mred\n", &query("red"), all).text(), "1:a␀red\n");
    }

    #[test]
    fn pages_together_are_the_whole_answer() {
        let output: String = (1..=1000).map(|n| format!("line {n}\n")).collect();
        for (pattern, before, after) in [("line", 0, 0), ("line .*7", 2, 3), ("00", 0, 9)] {
            let query = Query { before, after, ..query(pattern) };
            let whole = found(&output, &query, Limits::NONE);
            let limits = Limits::NONE.lines(10).bytes(100);
            let (mut from_line, mut lines) = (1, Vec::new());
            loop {
                let page = found(&output, &Query { from_line, ..query.clone() }, limits);
                assert!(page.text().len() <= 100 && page.text().lines().count() <= 10);
                lines.extend(page.lines);
                let Some(next) = page.next_line else { break };
                assert!(next > from_line);
                from_line = next;
            }
            assert!(lines == whole.lines, "{pattern}");
        }
    }

    #[test]
    fn a_line_too_long_to_hold_is_searched_in_pieces() {
        let long = "x".repeat(3 * LONGEST_PIECE as usize);
        let output = format!("first\nxxxx{long}needle{long}needle{long}\nlast\n");
        let page = found(&output, &query("needle"), Limits::NONE);
        assert!(page.text().starts_with("2:xxxx") && page.text().contains("needle"));
        assert_eq!((page.matches, page.text().lines().count()), (1, 1));
        assert_eq!(found(&output, &query("last"), Limits::NONE).text(), "3:last\n");
        let (store, name) = stored(&output);
        assert_eq!(count(&store, &name, &query("x|last")).unwrap(), 2);
        assert_eq!(count(&store, &name, &query("needle")).unwrap(), 1);
    }

    #[test]
    fn a_bad_pattern_says_where() {
        let error = query("a(b").check().unwrap_err().to_string();
        assert!(error.contains("unclosed group"), "{error}");
    }
}
