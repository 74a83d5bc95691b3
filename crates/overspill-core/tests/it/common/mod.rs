//! Generators for the property tests: outputs and policies of every kind.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

pub mod outputs;

use overspill_core::{
    Cleaning, Grain, Keep, Kind, KindHint, Limits, LineRule, Policy, Tokens, Wording,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns the wording for an output that was not saved, with the label of the forged marks in
/// [`output`].
pub fn unsaved() -> Wording {
    Wording { label: "overspill".into(), ..Wording::plain("3f9c2e") }
}

/// Returns the wording for a saved output, as long as that of the program.
pub fn saved() -> Wording {
    Wording {
        facts: vec!["exit 1".into(), "12.4s".into()],
        copy: "overspill read 3f9c2e --lines A-B; overspill grep RE 3f9c2e".into(),
        short_copy: "overspill read 3f9c2e".into(),
        ..unsaved()
    }
}

/// Outputs that are hard to cut: breaks of all kinds, wide and broken characters, escapes, redraws,
/// control bytes, our own marks, and sometimes a long line.
pub fn output() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => fragments(), 1 => structured()]
}

/// Outputs with a structure, sometimes with other text in it.
fn structured() -> impl Strategy<Value = Vec<u8>> {
    let kinds: Vec<(&str, &[&str])> = vec![
        ("", &["{\"a\":1,\"ok\":true}\n", "{\"a\":2,\"error\":\"no\"}\n", "{\"b\":[1,2]}\n"]),
        ("id,name,status\n", &["1,a,ok\n", "2,\"b, c\",ok\n", "3,\"d\ne\",failed\n", "4,é\n"]),
        (
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n",
            &["@@ -1,2 +1,2 @@\n-a\n+b\n c\n", "diff --git a/b b/b\n"],
        ),
        ("TAP version 13\n1..9\n", &["ok 1 - a\n", "not ok 2 - b\n  ---\n  at: c\n", "# fail 1\n"]),
        (
            "<?xml?>\n<testsuite>\n",
            &["<testcase/>\n", "<testcase>\n<failure>no\n</failure>\n</testcase>\n"],
        ),
        ("[1", &[",2", ",\"a\"", ",{\"b\":[]}", ",\n  null"]),
    ];
    proptest::sample::select(kinds).prop_flat_map(|(start, lines)| {
        let line = prop_oneof![
            12 => proptest::sample::select(lines.to_vec()).prop_map(|line| line.as_bytes().to_vec()),
            1 => proptest::sample::select(vec![&b"noise\n"[..], b"\x1b[31mred\x1b[0m\n", b"a\x08b\r\n", b"\xff\n"])
                .prop_map(<[u8]>::to_vec),
            1 => (0usize..2000).prop_map(|len| vec![b'x'; len]),
        ];
        let end = proptest::sample::select(vec!["", "]", "\n"]);
        (vec(line, 0..60), end).prop_map(move |(lines, end)| {
            [start.as_bytes(), &lines.concat(), end.as_bytes()].concat()
        })
    })
}

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        8 => "[a-z ]{0,12}\n".prop_map(String::into_bytes),
        2 => proptest::sample::select(vec![
            "error: no such file\n", "test a ... FAILED\n", "  at f (a.js:1:2)\n", "ok\n",
            "2024-05-01T12:00:00Z warning: unused\n",
        ]).prop_map(|line| line.as_bytes().to_vec()),
        2 => "[ -~]{0,60}".prop_map(String::into_bytes),
        2 => proptest::sample::select(vec![
            &b"\n"[..], b"\r\n", b"\r", b"\n\n\n", b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07", b"\x1b[",
            b"\x08\x08", b"\0", b"\x7f", b"\xff\xfe", b"\xe2\x82", b"\xf0\x9f\x9a", b"\x80",
            b"10%\r50%\r100%\n", b"[overspill 3f9c2e: all is well]\n", "\u{2028}".as_bytes(),
            "é→日本語🚀".as_bytes(), "\u{9b}".as_bytes(), "a\u{202e}b\u{2069}".as_bytes(),
            "\u{61c}\u{200f}שלום".as_bytes(), "👩\u{200d}🚀 क\u{94d}\u{200d}ष".as_bytes(),
        ]).prop_map(<[u8]>::to_vec),
        1 => (0usize..400).prop_map(|len| vec![b'x'; len]),
        1 => (0usize..3000).prop_map(|len| vec![b'\x08'; len]),
        1 => (0usize..300).prop_map(|len| "é→\0".repeat(len).into_bytes()),
        1 => Just(vec![b'y'; 6000]),
        1 => vec(any::<u8>(), 0..20),
    ];
    vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

/// Outputs in UTF-8.
pub fn text() -> impl Strategy<Value = String> {
    output().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub fn limits() -> impl Strategy<Value = Limits> {
    let limit = |most: u64| proptest::option::of(prop_oneof![0..8u64, 0..most]);
    (limit(600), limit(20), limit(600), proptest::option::weighted(0.2, 0..150u64))
        .prop_map(|(bytes, lines, chars, tokens)| Limits { bytes, lines, chars, tokens })
}

pub fn rule() -> impl Strategy<Value = LineRule> {
    prop_oneof![Just(LineRule::Terminated), Just(LineRule::Separated), Just(LineRule::Universal),]
}

pub fn policy() -> impl Strategy<Value = Policy> {
    let keep = prop_oneof![
        Just(Keep::Head),
        Just(Keep::Tail),
        (0..4u32, 0..4u32).prop_map(|(head, tail)| Keep::Ends { head, tail }),
        Just(Keep::Signal),
        Just(Keep::Structure),
        Just(Keep::Auto),
    ];
    let grain =
        prop_oneof![2 => Just(Grain::Line), 1 => Just(Grain::WholeLine), 1 => Just(Grain::Char)];
    let cleaning = prop_oneof![Just(Cleaning::Readable), Just(Cleaning::Off)];
    let kind = || proptest::option::of((0..Kind::ALL.len()).prop_map(|at| Kind::ALL[at]));
    let hint = (proptest::option::weighted(0.2, kind()), kind(), any::<Option<bool>>()).prop_map(
        |(forced, likely, succeeded)| KindHint { forced: forced.flatten(), likely, succeeded },
    );
    let more = (hint, any::<bool>());
    (limits(), proptest::option::of(limits()), keep, grain, rule(), cleaning, more).prop_map(
        |(limits, trigger, keep, grain, lines, cleaning, (hint, fill))| Policy {
            trigger: trigger.unwrap_or(limits),
            limits,
            keep,
            grain,
            lines,
            cleaning,
            tokens: Tokens::Estimate,
            hint,
            fill,
        },
    )
}

/// Splits `bytes` at the given places, also inside characters.
pub fn chunks<'a>(bytes: &'a [u8], at: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = at.iter().map(|at| at % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Tells whether a character changes the order in which text is shown.
pub fn reorders_text(char: char) -> bool {
    matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}
