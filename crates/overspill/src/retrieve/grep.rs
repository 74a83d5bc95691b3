//! Search in a stored output, with ripgrep's engine and in its form.

use std::io;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use overspill_core::Limits;

use super::found::{GrepMatches, Lines, Places};
use super::numbers::Numbers;
use super::pieces::{Breaks, Pieces, SearchRange};
use super::source::Source;
use super::until::search;
use super::{MissingLines, line_start};
use crate::Error;
use crate::store::{OutputId, Store};

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// The pattern: a regular expression, or plain text with `fixed`. Of several, one on each line,
    /// any may match.
    pub pattern: String,
    /// Whatever the case.
    pub ignore_case: bool,
    /// The pattern is plain text.
    pub fixed: bool,
    /// Only whole words.
    pub word: bool,
    /// Lines that do not match.
    pub invert: bool,
    /// Of lines that match only what matches, each match by itself, and nothing near them.
    pub only: bool,
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

    /// Returns the pattern, or each of several.
    pub fn patterns(&self) -> Vec<&str> {
        // An empty one among others would match everything.
        let several: Vec<&str> = self.pattern.lines().filter(|line| !line.is_empty()).collect();
        if several.is_empty() { vec![""] } else { several }
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
                // The engine speaks of the pattern as it has changed it; this is as it was typed.
                let as_typed = patterns.iter().find_map(|one| regex_syntax::parse(one).err());
                BadPattern(as_typed.map_or_else(|| error.to_string(), |typed| typed.to_string()))
            })
    }
}

/// Searches an output from a line on, until there is no more room in `limits`. Marks an output of which it
/// shows lines as used.
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
    // What comes after a match before `from` is part of the answer.
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
        let pieces = Pieces::new(&mut source, &range);
        (lines.places.start, lines.places.breaks) = (range.bytes.start, pieces.breaks());
        if !search(&mut searcher(query), &matcher, pieces, &mut lines)? {
            break;
        }
        // What comes after a hole is not near a line before it.
        lines.left = 0;
    }
    if !lines.found.lines.is_empty() {
        // Whether it could be marked as used or not, its lines can be shown.
        let _ = store.touch(name);
    }
    Ok(GrepMatches { not_searched, ..lines.found })
}

/// Returns the ranges of the stored copy that are searched one by one, from a place on: no line
/// goes on across a hole.
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
        let pieces = Pieces::new(&mut source, &range);
        counted.breaks = pieces.breaks();
        if let Some(kept) = kept {
            // A line may have a part in two ranges.
            let before = counted.places.take();
            let numbers = before.map_or_else(
                || Numbers::new(store, name, 0, 1),
                |places: Places<'_>| Ok(places.numbers),
            )?;
            let (start, breaks) = (range.bytes.start, pieces.breaks());
            counted.places = Some(Places { start, breaks, numbers, kept: Some(kept) });
        }
        if counted.most == 0 || !search(&mut searcher(query), &matcher, pieces, &mut counted)? {
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
        // Whoever shows a line looks its number up.
        .line_number(false)
        // An output is searched whatever it holds, as it is; what is shown of it is made readable.
        .binary_detection(BinaryDetection::none())
        .bom_sniffing(false);
    builder.build()
}

struct Count<'a> {
    lines: u64,
    last: Option<u64>,
    most: u64,
    breaks: Breaks,
    /// Tells lines by their numbers, where not all of the output was kept.
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

#[cfg(test)]
mod tests {
    use grep_matcher::Matcher;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::GrepLine;
    use super::super::pieces::LONGEST_PIECE;
    use super::*;
    use crate::Call;
    use crate::store::Memory;

    fn stored(output: &str) -> (Memory, OutputId) {
        let store = Memory::default();
        let mut draft = store.create(&Call::default()).unwrap();
        draft.append(output.as_bytes()).unwrap();
        let name = draft.publish().unwrap().name;
        (store, name)
    }

    fn found(output: &str, query: &Query, limits: Limits) -> GrepMatches {
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
        assert_eq!(text(&query("two|six\n\nfour\n")), "2:two\n4:four\n6:six\n");
        let fixed = Query { fixed: true, ..query(": t\n: s\n(") };
        assert_eq!(text(&fixed), "3:Error: three\n7:error: seven\n");
    }

    #[test]
    fn a_line_that_was_drawn_over_is_shown_as_it_matches_or_as_it_ends() {
        let output = "10 %: error\rdone 100 %\nnext\n";
        let text = |query: &Query| found(output, query, Limits::NONE).text();
        assert_eq!(text(&query("error")), "1:10 %: error…\n");
        assert_eq!(text(&query("done")), "1:done 100 %\n");
        assert_eq!(text(&Query { invert: true, ..query("next") }), "1:done 100 %\n");
        assert_eq!(text(&Query { before: 1, ..query("next") }), "1-done 100 %\n2:next\n");
    }

    #[test]
    fn only_what_matches_is_shown_match_by_match() {
        let only = |pattern: &str| Query { only: true, before: 1, after: 1, ..query(pattern) };
        let text = |pattern: &str| found(OUTPUT, &only(pattern), Limits::NONE).text();
        assert_eq!(text("[eE]r+|s.v"), "3:Err\n7:err\n7:sev\n");
        assert_eq!((text("z*"), text("nothing")), (String::new(), String::new()));
        assert_eq!(text("^."), "1:o\n2:t\n3:E\n4:f\n5:f\n6:s\n7:e\n");
        // Lines are counted, not what matches in them.
        let most = Query { most: Some(2), ..only("[eo]") };
        assert_eq!(found(OUTPUT, &most, Limits::NONE).text(), "1:o\n1:e\n2:o\n");
        assert_eq!(found("x\0\x1b[31my\n", &only("x.*y"), Limits::NONE).text(), "1:x␀y\n");
    }

    #[test]
    fn a_line_with_too_many_matches_says_where_the_rest_is() {
        let output = format!("first\n{}\nlast id=7\n", "id=1234 ".repeat(10_000));
        let only = Query { only: true, ..query("id=[0-9]+") };
        for limits in [Limits::NONE, Limits::NONE.bytes(300), Limits::NONE.lines(5)] {
            let page = found(&output, &only, limits);
            let text = page.text();
            assert!(limits.bytes.is_none_or(|most| text.len() as u64 <= most), "{text}");
            assert!(limits.lines.is_none_or(|most| text.lines().count() as u64 <= most), "{text}");
            assert!(text.starts_with("2:id=1234\n2:id=1234\n"), "{text}");
            let rest = page.lines.iter().find_map(|line| line.again.clone()).unwrap();
            assert!(output[rest.start as usize..rest.end as usize].contains("id=1234"));
            let next = Query { from_line: 3, ..only.clone() };
            assert_eq!(found(&output, &next, limits).text(), "3:id=7\n");
        }
        // In pieces, too.
        let long = "x".repeat(3 * LONGEST_PIECE as usize);
        let output = format!("id=1{long}id=2{long}\n");
        let page = found(&output, &only, Limits::NONE);
        assert_eq!((page.lines.len(), &*page.lines[0].text, page.matches), (1, "id=1", 1));
        let rest = page.lines[0].again.clone().unwrap();
        assert!(output[rest.start as usize..rest.end as usize].contains("id=2"));
    }

    /// Returns all pages of an answer, each with what is still wanted of `most`.
    fn pages(stored: &(Memory, OutputId), query: &Query, limits: Limits) -> Vec<GrepLine> {
        let (mut query, mut lines) = (query.clone(), Vec::new());
        loop {
            let page = grep(&stored.0, &stored.1, &query, &limits).unwrap();
            let text = page.text();
            assert!(limits.bytes.is_none_or(|most| text.len() as u64 <= most));
            assert!(limits.lines.is_none_or(|most| text.lines().count() as u64 <= most));
            lines.extend(page.lines);
            query.most = query.most.map(|most| most - page.shown);
            let Some(next) = page.next_line else { return lines };
            assert!(next > query.from_line, "{query:?}");
            query.from_line = next;
        }
    }

    /// What a search shows, told line by line and without the engine.
    fn by_hand(output: &str, query: &Query) -> Vec<(u64, bool)> {
        let matcher = query.matcher().unwrap();
        let matches = |line: &str| matcher.is_match(line.as_bytes()).unwrap() != query.invert;
        let lines = output.lines().map(matches).zip(1..);
        let most = query.most.unwrap_or(u64::MAX) as usize;
        let wanted: Vec<u64> = lines.filter_map(|(is, at)| is.then_some(at)).take(most).collect();
        let near = |at: &u64| {
            let (before, after) = (query.before as u64, query.after as u64);
            let next = wanted.partition_point(|one| one < at);
            wanted.get(next).is_some_and(|one| one - at <= before)
                || next > 0 && at - wanted[next - 1] <= after
        };
        let all = 1..=output.lines().count() as u64;
        all.filter(near).map(|at| (at, wanted.binary_search(&at).is_ok())).collect()
    }

    proptest! {
        #[test]
        fn pages_together_are_the_whole_answer(
            // The engine reads 64 KiB at a time: some of these are shorter, most longer.
            count in prop_oneof![1..40_u64, 5_000..30_000_u64],
            pattern in select(vec!["1", "[05]$", "LINE", "line 1", "00", "7", "no such line"]),
            [invert, ignore_case, word, fixed] in any::<[bool; 4]>(),
            (before, after) in prop_oneof![Just((0, 0)), (0..4_usize, 0..9_usize)],
            most in proptest::option::of(0..3_000_u64),
            (bytes, lines) in (4_000..60_000_u64, 100..2_000_u64),
        ) {
            let output: String = (1..=count).map(|n| format!("line {n}\n")).collect();
            let stored = stored(&output);
            let query = Query {
                invert, ignore_case, word, fixed, before, after, most, ..query(pattern)
            };
            let whole = by_hand(&output, &query);
            let told = |lines: &[GrepLine]| -> Vec<(u64, bool)> {
                lines.iter().map(|line| (line.number, line.matches)).collect()
            };
            let at_once = grep(&stored.0, &stored.1, &query, &Limits::NONE).unwrap();
            prop_assert!(told(&at_once.lines) == whole, "{query:?}");
            let mut paged = told(&pages(&stored, &query, Limits::NONE.lines(lines).bytes(bytes)));
            // A page does not know of which match the last lines of the one before are the end.
            let rest = paged.split_off(whole.len().min(paged.len()));
            prop_assert!(paged == whole, "{query:?}");
            prop_assert!(rest.len() <= after && rest.iter().all(|line| !line.1), "{query:?}");
            prop_assert!(rest.is_empty() || most.is_some(), "{query:?}");
            let counted = super::count(&stored.0, &stored.1, &query).unwrap();
            prop_assert_eq!(counted, whole.iter().filter(|line| line.1).count() as u64);
        }
    }

    #[test]
    fn a_line_too_long_to_hold_is_searched_in_pieces() {
        let long = "x".repeat(3 * LONGEST_PIECE as usize);
        let output = format!("first\nxxxx{long}needle{long}needle{long}\nlast\n");
        let page = found(&output, &query("needle"), Limits::NONE);
        assert!(page.text().starts_with("2:xxxx") && page.text().contains("needle"));
        assert_eq!((page.matches, page.text().lines().count()), (1, 1));
        let again = page.lines[0].again.clone().unwrap();
        assert!(output[again.start as usize..again.end as usize].contains("needle"));
        assert!(
            page.text()
                .ends_with(&format!("  [matches again: bytes {}:{}]\n", again.start, again.end))
        );
        assert_eq!(found(&output, &query("last"), Limits::NONE).text(), "3:last\n");
        let (store, name) = stored(&output);
        assert_eq!(count(&store, &name, &query("x|last")).unwrap(), 2);
        assert_eq!(count(&store, &name, &query("needle")).unwrap(), 1);
    }

    #[test]
    fn a_line_that_matches_again_beyond_what_is_shown_says_where() {
        let far = "x".repeat(2_000);
        let output = format!("first\nneedle {far} needle {far} needle\nneedle {far}\n");
        let lines = found(&output, &query("needle"), Limits::NONE).lines;
        let again = lines[0].again.clone().unwrap();
        let (start, end) = (again.start as usize, again.end as usize);
        assert_eq!(output[start..end].find("needle"), Some(100));
        assert_eq!((lines.len(), &lines[1].again), (2, &None));
        // What is shown whole, or does not match, has nothing to say.
        let near = found("needle needle\nhay\n", &query("needle"), Limits::NONE);
        assert_eq!(near.lines[0].again, None);
        let not = Query { invert: true, ..query("hay") };
        assert!(found(&output, &not, Limits::NONE).lines.iter().all(|line| line.again.is_none()));
    }

    #[test]
    fn a_bad_pattern_says_where() {
        for pattern in ["a(b", "fine\na(b"] {
            let error = query(pattern).check().unwrap_err().to_string();
            assert!(error.contains("unclosed group") && error.contains("a(b"), "{error}");
        }
    }
}
