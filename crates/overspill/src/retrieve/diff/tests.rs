//! Tests of the comparison of two outputs.

use proptest::prelude::*;

use super::*;
use crate::Call;
use crate::store::{Catalog, Memory, Record};

fn save(store: &Memory, text: &str) -> OutputId {
    let mut draft = store.create(&Call::default()).unwrap();
    draft.append(text.as_bytes()).unwrap();
    draft.publish().unwrap().id
}

fn compared(old: &str, new: &str) -> Differences {
    let store = Memory::default();
    let (old, new) = (save(&store, old), save(&store, new));
    diff(&store, &old, &new, 1, &Limits::NONE).unwrap()
}

/// Applies differences to the old text, as `patch` does.
fn patched(old: &str, differences: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut new, mut at) = (String::new(), 0);
    for line in differences.lines() {
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let (first, rest) = hunk.split_once(',').unwrap();
            let (count, _) = rest.split_once(' ').unwrap();
            let first: usize = first.parse().unwrap();
            let start = if count == "0" { first } else { first - 1 };
            old[at..start].iter().for_each(|line| new.push_str(line));
            at = start;
        } else if line.starts_with('\\') {
            // The mark is about the line before it, which is in the new text unless it is an old
            // line.
            if new.ends_with('\n') && !old_only(differences, line) {
                new.pop();
            }
        } else if let Some(text) = line.strip_prefix([' ', '-']) {
            assert_eq!(old[at].trim_end_matches('\n'), text, "it is the old text");
            at += 1;
            if line.starts_with(' ') {
                new.push_str(&format!("{text}\n"));
            }
        } else {
            new.push_str(&format!("{}\n", &line[1..]));
        }
    }
    old[at..].iter().for_each(|line| new.push_str(line));
    new
}

/// Tells whether a mark is about an old line. The pointer distinguishes two equal marks.
fn old_only(differences: &str, mark: &str) -> bool {
    let at = mark.as_ptr() as usize - differences.as_ptr() as usize;
    differences[..at].lines().last().is_some_and(|line| line.starts_with('-'))
}

#[test]
fn changes_are_shown_with_three_lines_around() {
    let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 9\n", "line nine\n").replace("line 20\n", "line 20");
    let found = compared(&old, &new);
    let expected = "@@ -6,7 +6,7 @@\n line 6\n line 7\n line 8\n-line 9\n+line nine\n line 10\n \
                    line 11\n line 12\n@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n\
                    +line 20\n\\ no line feed at the end\n";
    assert_eq!(found.text, expected);
    assert_eq!((found.added, found.removed), (2, 2));
    assert_eq!(compared("", "a\n").text, "@@ -0,0 +1,1 @@\n+a\n");
    assert_eq!(compared("a\nb\n", "b\n").text, "@@ -1,2 +1,1 @@\n-a\n b\n");
    assert!(compared(&old, &old).same);
}

#[test]
fn long_lines_are_shown_where_they_differ() {
    let long = "x".repeat(100_000);
    let found = compared(&format!("{long}old{long}\n"), &format!("{long}new{long}\n"));
    let lines: Vec<&str> = found.text.lines().collect();
    assert!(lines[1].contains("xxoldxx") && lines[2].contains("xxnewxx"), "{lines:?}");
    assert!(found.text.len() < 1200);
}

#[test]
fn diff_of_many_lines_finds_each_change() {
    let lines =
        |range: std::ops::Range<u32>| -> String { range.map(|n| format!("{n}\n")).collect() };
    let old = format!("a\n{}b\n", lines(0..100));
    let new = format!("c\n{}new\n{}d\n", lines(0..50), lines(50..100));
    let found = compared(&old, &new);
    assert_eq!((found.added, found.removed), (3, 2));
    assert_eq!(patched(&old, &found.text), new);
    let (old, new) = (lines(0..50), lines(100..150));
    let found = compared(&old, &new);
    assert_eq!((found.added, found.removed), (50, 50));
    assert_eq!(patched(&old, &found.text), new);
}

#[test]
fn diff_of_too_large_outputs_names_both_sizes() {
    let refused = |old: &str, new: &str| {
        let store = Memory::default();
        let (old, new) = (save(&store, old), save(&store, new));
        let error = diff(&store, &old, &new, 1, &Limits::NONE).unwrap_err().to_string();
        error.replace(&old.short_id(), "OLD").replace(&new.short_id(), "NEW")
    };
    let large = "x".repeat(MAX_BYTES as usize + 1);
    let expected =
        "OLD has 1 bytes and NEW has 67108865 bytes: diff compares at most 67108864 bytes each";
    assert_eq!(refused("x", &large), expected);
    let many = "\n".repeat(MAX_LINES as usize + 1);
    let expected =
        "OLD has 1000001 lines and NEW has 0 lines: diff compares at most 1000000 lines each";
    assert_eq!(refused(&many, ""), expected);
    assert!(compared(&large[1..], "x").added == 1);
}

#[test]
fn previous_run_is_the_last_one_of_the_same_command() {
    let store = Memory::default();
    let runs: Vec<OutputId> =
        [("make", "/a"), ("make", "/b"), ("ls", "/a"), ("make", "/a"), ("make", "/a")]
            .iter()
            .enumerate()
            .map(|(second, (command, directory))| {
                let name = save(&store, "text");
                let call = Call {
                    command: Some((*command).into()),
                    directory: Some((*directory).into()),
                    ..Call::default()
                };
                let created = jiff::Timestamp::new(second as i64, 0).unwrap();
                store.describe(&name, &Record { call, created, ..Record::default() }).unwrap();
                name
            })
            .collect();
    let previous = |run: usize| previous_run(&store, &runs[run]).unwrap();
    assert_eq!(previous(4), Some(runs[3].clone()));
    assert_eq!(previous(3), Some(runs[0].clone()));
    assert_eq!(previous(0), None);
    assert_eq!(previous(1), None);
    assert_eq!(previous_run(&store, &save(&store, "bare")).unwrap(), None);
}

/// Two texts with few different lines, so that many lines are equal and many are not.
fn texts() -> impl Strategy<Value = (String, String)> {
    let text = prop::collection::vec("[a-d]{0,1}", 0..70).prop_map(|lines| lines.join("\n"));
    let edits = prop::collection::vec((any::<prop::sample::Index>(), "[a-d\n]{0,3}"), 0..6);
    prop_oneof![
        (text.clone(), text.clone()),
        (text, edits).prop_map(|(old, edits)| {
            let mut new = old.clone();
            for (at, with) in edits {
                let at = at.index(new.len() + 1);
                new.insert_str(at, &with);
            }
            (old, new)
        })
    ]
}

proptest! {
    #[test]
    fn differences_turn_the_old_into_the_new((old, new) in texts()) {
        let found = compared(&old, &new);
        prop_assert_eq!(found.same, old == new);
        prop_assert_eq!(found.lines, found.text.lines().count() as u64);
        prop_assert_eq!(patched(&old, &found.text), new);
    }

    #[test]
    fn diff_pages_are_within_limits_and_together_complete(
        (old, new) in texts(), bytes in 60_u64..200, lines in 2_u64..9,
    ) {
        let store = Memory::default();
        let whole = compared(&old, &new);
        let (old, new) = (save(&store, &old), save(&store, &new));
        let limits = Limits::NONE.bytes(bytes).lines(lines);
        let (mut from, mut seen) = (1, String::new());
        loop {
            let page = diff(&store, &old, &new, from, &limits).unwrap();
            prop_assert!(page.text.len() as u64 <= bytes);
            prop_assert!(page.text.lines().count() as u64 <= lines);
            seen.push_str(&page.text);
            let Some(next) = page.next else { break };
            prop_assert!(next > from);
            from = next;
        }
        prop_assert_eq!(seen, whole.text);
    }
}

#[test]
fn outputs_that_repeat_a_few_lines_in_another_order_are_refused() {
    let lines = |step: u32| -> String {
        (0..30_000_u32).map(|n| format!("{}\n", n.wrapping_mul(step) >> 7 & 1)).collect()
    };
    let store = Memory::default();
    let (old, new) = (save(&store, &lines(2_654_435_761)), save(&store, &lines(40_503)));
    let found = diff(&store, &old, &new, 1, &Limits::NONE);
    assert!(matches!(found, Err(DiffError::TooRepetitive { .. })), "{found:?}");
}

#[test]
fn few_changes_in_a_large_output_are_found() {
    let line =
        |n: u32, changed: bool| format!("{} {}\n", n % 1000, if changed { "new" } else { "old" });
    let text = |changes: bool| -> String {
        (0..60_000).map(|n| line(n, changes && n % 20_000 == 7)).collect()
    };
    let found = compared(&text(false), &text(true));
    assert_eq!((found.added, found.removed), (3, 3));
}
