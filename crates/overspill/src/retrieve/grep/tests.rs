//! Tests of the search in saved outputs.

use grep_matcher::Matcher;
use proptest::prelude::*;
use proptest::sample::select;

use super::split_lines::LONGEST_PART;
use super::*;
use crate::Call;
use crate::store::Memory;

fn stored(output: &str) -> (Memory, OutputId) {
    let store = Memory::default();
    let mut draft = store.create(&Call::default()).unwrap();
    draft.append(output.as_bytes()).unwrap();
    let name = draft.publish().unwrap().id;
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
fn progress_line_is_shown_as_it_matches_or_as_it_ends() {
    let output = "10 %: error\rdone 100 %\nnext\n";
    let text = |query: &Query| found(output, query, Limits::NONE).text();
    assert_eq!(text(&query("error")), "1:10 %: error…\n");
    assert_eq!(text(&query("done")), "1:done 100 %\n");
    assert_eq!(text(&Query { invert: true, ..query("next") }), "1:done 100 %\n");
    assert_eq!(text(&Query { before: 1, ..query("next") }), "1-done 100 %\n2:next\n");
}

#[test]
fn only_shows_each_match_on_its_own_line() {
    let only = |pattern: &str| Query { only: true, before: 1, after: 1, ..query(pattern) };
    let text = |pattern: &str| found(OUTPUT, &only(pattern), Limits::NONE).text();
    assert_eq!(text("[eE]r+|s.v"), "3:Err\n7:err\n7:sev\n");
    assert_eq!((text("z*"), text("nothing")), (String::new(), String::new()));
    assert_eq!(text("^."), "1:o\n2:t\n3:E\n4:f\n5:f\n6:s\n7:e\n");
    // The limit counts lines, not matches.
    let most = Query { most: Some(2), ..only("[eo]") };
    assert_eq!(found(OUTPUT, &most, Limits::NONE).text(), "1:o\n1:e\n2:o\n");
    assert_eq!(found("x\0\x1b[31my\n", &only("x.*y"), Limits::NONE).text(), "1:x␀y\n");
}

#[test]
fn line_with_too_many_matches_names_the_bytes_of_the_rest() {
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
    // The same for lines in parts.
    let long = "x".repeat(3 * LONGEST_PART as usize);
    let output = format!("id=1{long}id=2{long}\n");
    let page = found(&output, &only, Limits::NONE);
    assert_eq!((page.lines.len(), &*page.lines[0].text, page.matches), (1, "id=1", 1));
    let rest = page.lines[0].again.clone().unwrap();
    assert!(output[rest.start as usize..rest.end as usize].contains("id=2"));
}

/// Returns all pages of an answer. Each page asks for the rest of `most`.
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

/// Returns the lines that a search shows, computed line by line without the engine.
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
        // The engine reads 64 KiB at a time: some of these outputs are shorter, most are longer.
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
        // A page does not know to which match the last context lines of the page before belong.
        let rest = paged.split_off(whole.len().min(paged.len()));
        prop_assert!(paged == whole, "{query:?}");
        prop_assert!(rest.len() <= after && rest.iter().all(|line| !line.1), "{query:?}");
        prop_assert!(rest.is_empty() || most.is_some(), "{query:?}");
        let counted = super::count(&stored.0, &stored.1, &query).unwrap();
        prop_assert_eq!(counted, whole.iter().filter(|line| line.1).count() as u64);
    }
}

#[test]
fn very_long_line_is_searched_in_parts() {
    let long = "x".repeat(3 * LONGEST_PART as usize);
    let output = format!("first\nxxxx{long}needle{long}needle{long}\nlast\n");
    let page = found(&output, &query("needle"), Limits::NONE);
    assert!(page.text().starts_with("2:xxxx") && page.text().contains("needle"));
    assert_eq!((page.matches, page.text().lines().count()), (1, 1));
    let again = page.lines[0].again.clone().unwrap();
    assert!(output[again.start as usize..again.end as usize].contains("needle"));
    assert!(
        page.text().ends_with(&format!("  [matches again: bytes {}:{}]\n", again.start, again.end))
    );
    assert_eq!(found(&output, &query("last"), Limits::NONE).text(), "3:last\n");
    let (store, name) = stored(&output);
    assert_eq!(count(&store, &name, &query("x|last")).unwrap(), 2);
    assert_eq!(count(&store, &name, &query("needle")).unwrap(), 1);
}

#[test]
fn long_line_with_another_match_names_its_bytes() {
    let far = "x".repeat(2_000);
    let output = format!("first\nneedle {far} needle {far} needle\nneedle {far}\n");
    let lines = found(&output, &query("needle"), Limits::NONE).lines;
    let again = lines[0].again.clone().unwrap();
    let (start, end) = (again.start as usize, again.end as usize);
    assert_eq!(output[start..end].find("needle"), Some(100));
    assert_eq!((lines.len(), &lines[1].again), (2, &None));
    // A line that is shown whole, or does not match, has no note.
    let near = found("needle needle\nhay\n", &query("needle"), Limits::NONE);
    assert_eq!(near.lines[0].again, None);
    let not = Query { invert: true, ..query("hay") };
    assert!(found(&output, &not, Limits::NONE).lines.iter().all(|line| line.again.is_none()));
}

#[test]
fn invalid_pattern_error_names_the_place() {
    for pattern in ["a(b", "fine\na(b"] {
        let error = query(pattern).check().unwrap_err().to_string();
        assert!(error.contains("unclosed group") && error.contains("a(b"), "{error}");
    }
}
