//! Previews show what matters under every kind of limit, and use the room that the limit leaves.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use common::outputs::{self, Fixture, Generator};
use overspill_core::{Keep, Limits, LineRule, Policy, Size, Tokens, cut};
use proptest::prelude::*;

/// The limits for every host agent; `overspill-cli` sets the same in `hosts::LIMITS`.
const HOST: Limits = Limits::NONE.bytes(51_200).lines(1_900).chars(9_500);

/// The limits under test, and the size in bytes of a typical output that is just within them.
const LIMITS: [(&str, Limits, usize); 5] = [
    ("host", HOST, 9_500),
    ("bytes", Limits::NONE.bytes(9_500), 9_500),
    ("chars", Limits::NONE.chars(9_500), 9_500),
    ("tokens", Limits::NONE.tokens(2_800), 9_500),
    ("lines", Limits::NONE.lines(150), 9_500),
];

/// The larger and smaller limits of host agents; `overspill-cli` sets the same in `hosts::table`.
const CEILINGS: [(&str, Limits); 5] = [
    ("7,500 chars", HOST.chars(7_500)),
    ("19,500 chars", HOST.chars(19_500)),
    ("29,500 chars", HOST.chars(29_500)),
    ("39,500 chars", HOST.chars(39_500)),
    ("50,000 bytes and 1,900 lines", Limits::NONE.bytes(50_000).lines(1_900)),
];

fn preview(output: &str, policy: &Policy) -> Option<String> {
    let text = policy.measure(output.as_bytes())?.preview(&common::saved()).text;
    let exceeded = policy.limits.exceeded_by(text.as_bytes(), policy.lines, &policy.tokens);
    assert_eq!(exceeded, None, "{text}");
    Some(text)
}

/// Makes an output of about this many bytes.
fn of_size(generator: Generator, bytes: usize) -> Fixture {
    let per_item = generator(400).output.len() - generator(200).output.len();
    generator((bytes * 200 / per_item).max(8))
}

/// Returns the used share of the limit that is used most.
fn used(text: &str, limits: &Limits) -> f64 {
    let size = Size::of(text.as_bytes(), LineRule::Terminated);
    let tokens = Tokens::Estimate.count(text.as_bytes());
    [
        (size.bytes, limits.bytes),
        (size.lines, limits.lines),
        (size.chars, limits.chars),
        (tokens, limits.tokens),
    ]
    .into_iter()
    .filter_map(|(used, most)| most.map(|most| used as f64 / most as f64))
    .fold(0.0, f64::max)
}

/// Lists the fixtures whose previews lack a wanted text.
fn missing(name: &str, fixture: &Fixture, keep: Keep) -> Vec<String> {
    let mut missing = Vec::new();
    let limits = LIMITS.map(|(unit, limits, _)| (unit, limits));
    for (unit, limits) in limits.into_iter().chain(CEILINGS) {
        let policy = Policy::new(limits, keep);
        let Some(text) = preview(&fixture.output, &policy) else { continue };
        let lost = fixture.wanted.iter().filter(|wanted| !text.contains(*wanted)).count();
        if lost > 0 {
            let (all, len) = (fixture.wanted.len(), fixture.output.len());
            missing.push(format!("{name}, {len} bytes, limit in {unit}: {lost} of {all} missing"));
        }
    }
    missing
}

#[test]
fn every_structure_under_every_limit_shows_the_wanted_lines() {
    let mut lost = Vec::new();
    for (name, generator) in
        outputs::LINES.into_iter().chain([("json", outputs::json as Generator)])
    {
        for factor in [1, 3, 10, 100] {
            // A little over the limit, so that even the smallest fixture is cut.
            let fixture = of_size(generator, 9_500 * factor + 1_500);
            lost.extend(missing(name, &fixture, Keep::Auto));
            if factor == 10 {
                lost.extend(missing(name, &fixture, Keep::Structure));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn reports_of_known_sizes_under_every_limit_show_the_wanted_lines() {
    let mut lost = Vec::new();
    for (name, fixture) in [
        ("junit, 3000 tests", outputs::junit(3000)),
        ("tap, 44 KB", of_size(outputs::tap, 44_000)),
        ("csv, 840 KB", of_size(outputs::csv, 840_000)),
        ("log -p, 3 commits", outputs::log_patches(3, 400)),
        ("log -p, 10 commits", outputs::log_patches(10, 2000)),
    ] {
        lost.extend(missing(name, &fixture, Keep::Auto));
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn diff_of_99_files_names_every_file_that_fits() {
    let fixture = outputs::large_diff();
    for (unit, limits, _) in LIMITS {
        let text = preview(&fixture.output, &Policy::new(limits, Keep::Auto)).unwrap();
        let named = fixture.wanted.iter().filter(|wanted| text.contains(*wanted)).count();
        // Each name stands between two marks, so that it takes two lines.
        assert!(named >= 60, "limit in {unit}: {named} of 99 named");
        assert!(used(&text, &limits) > 0.95, "limit in {unit}: {}", used(&text, &limits));
    }
}

#[test]
fn structure_previews_use_the_room_of_every_limit() {
    let mut wasted = Vec::new();
    for (name, generator) in outputs::LINES {
        for factor in [3, 10, 100] {
            let fixture = of_size(generator, 9_500 * factor);
            for (unit, limits, _) in LIMITS {
                let text = preview(&fixture.output, &Policy::new(limits, Keep::Auto)).unwrap();
                let share = used(&text, &limits);
                if share < 0.95 {
                    wasted.push(format!(
                        "{name}, {factor} times the limit in {unit}: {share:.3} used"
                    ));
                }
            }
        }
    }
    assert!(wasted.is_empty(), "{}", wasted.join("\n"));
}

#[test]
fn broken_json_shows_the_lines_that_matter() {
    let items: String = (0..4000)
        .map(|at| match at {
            2500 => "  {\n    \"id\": 2500,\n    \"error\": \"disk full: cannot write\"\n  },\n"
                .to_owned(),
            at => format!("  {{\n    \"id\": {at},\n    \"state\": \"fine\"\n  }},\n"),
        })
        .collect();
    for (name, output) in [
        ("cut off", format!("[\n{items}")),
        ("NaN at the end", format!("[\n{items}  NaN\n]\n")),
        ("text behind it", format!("[\n{items}  0\n]\nfetched 4000 items in 3 s\n")),
    ] {
        for (unit, limits, _) in LIMITS {
            let text = preview(&output, &Policy::new(limits, Keep::Auto)).unwrap();
            assert!(text.contains("disk full: cannot write"), "{name}, limit in {unit}: {text}");
        }
    }
}

#[test]
fn few_lines_longer_than_the_limit_are_shown_from_both_ends() {
    let row = |at: usize| format!("{at},{},ok\n", "x".repeat(40_000));
    let output: String =
        ["id,text,status\n".to_owned()].into_iter().chain((0..6).map(row)).collect();
    for limits in [Limits::NONE.bytes(200_000), Limits::NONE.chars(200_000)] {
        let text = preview(&output, &Policy::new(limits, Keep::Auto)).unwrap();
        assert!(text.len() > 190_000, "{}", text.len());
    }
}

/// An ASCII output of each kind, of any size.
fn ascii_output() -> impl Strategy<Value = String> {
    let kinds: Vec<Generator> = outputs::LINES
        .into_iter()
        .map(|(_, generator)| generator)
        .chain([outputs::json as Generator, outputs::log, outputs::listing])
        .collect();
    (proptest::sample::select(kinds), 20usize..600).prop_map(|(make, count)| make(count).output)
}

fn any_keep() -> impl Strategy<Value = Keep> {
    prop_oneof![
        Just(Keep::Head),
        Just(Keep::Tail),
        Just(Keep::ENDS),
        Just(Keep::Signal),
        Just(Keep::Structure),
        Just(Keep::Auto),
    ]
}

proptest! {
    #[test]
    fn ascii_pieces_in_characters_equal_those_in_bytes(
        output in ascii_output(),
        keep in any_keep(),
        most in 100u64..12_000,
    ) {
        let pieces = |limits: Limits| cut(output.as_bytes(), &Policy::new(limits, keep)).map(|cut| cut.pieces);
        prop_assert_eq!(pieces(Limits::NONE.chars(most)), pieces(Limits::NONE.bytes(most)));
    }

    #[test]
    fn ascii_previews_in_characters_are_no_shorter_than_in_bytes(
        output in ascii_output(),
        keep in any_keep(),
        most in 600u64..12_000,
    ) {
        let len = |limits: Limits| preview(&output, &Policy::new(limits, keep)).map(|text| text.len());
        let (chars, bytes) = (len(Limits::NONE.chars(most)), len(Limits::NONE.bytes(most)));
        prop_assert_eq!(chars.is_some(), bytes.is_some());
        let (chars, bytes) = (chars.unwrap_or(0), bytes.unwrap_or(0));
        // A mark has fewer characters than bytes, so the two limits may choose other whole lines. A
        // preview is full if less than a sixty-fourth of its limit is left: 188 of 12,000
        // characters.
        prop_assert!(chars + 200 >= bytes, "{chars} bytes in characters, {bytes} in bytes");
    }
}
