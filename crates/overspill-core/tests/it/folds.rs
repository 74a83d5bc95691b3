//! Tests folds, and previews that end after the last useful line.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Limits, Policy, cut};
use proptest::prelude::*;

/// The limit for host agents.
const HOST: Limits = Limits::NONE.chars(9_500);

fn preview(output: &str, policy: &Policy) -> String {
    policy.measure(output.as_bytes()).unwrap().preview(&common::unsaved()).text
}

fn passed(n: u32) -> String {
    format!("test parser::section_{}::case_{n} ... ok\n", n % 7)
}

/// A log with one failure among lines of several families.
fn failing_log() -> String {
    let line = |n: u32| match n {
        900 => "error[E0308]: mismatched types\n --> src/parse.rs:31:9\n".to_owned(),
        n if n < 600 => format!("   Compiling module_{n} v0.{}.0\n", n % 7),
        n => format!("    Checking part_{n} v1.{}.0\n", n % 9),
    };
    (0..1500).map(line).collect()
}

#[test]
fn passing_test_run_is_one_row_a_fold_and_the_summary() {
    let rows: String = (0..400).map(passed).collect();
    let output = format!("running 400 tests\n{rows}\ntest result: ok. 400 passed; 0 failed\n");
    let text = preview(&output, &Policy::new(HOST, Keep::Auto));
    assert!(text.len() < 2_500, "{} bytes:\n{text}", text.len());
    assert!(text.contains(" more like this, lines "), "{text}");
    assert!(text.contains("running 400 tests\n"), "{text}");
    assert!(text.ends_with("test result: ok. 400 passed; 0 failed\n"), "{text}");
}

#[test]
fn preview_of_a_failing_log_ends_after_its_signal() {
    let policy = Policy::new(HOST, Keep::Auto);
    let short = preview(&failing_log(), &policy);
    let full = preview(&failing_log(), &Policy { fill: true, ..policy });
    assert!(short.len() < 3_000, "{} bytes:\n{short}", short.len());
    assert!(full.len() > 9_000, "{} bytes", full.len());
    for text in [short, full] {
        assert!(text.contains("error[E0308]") && text.contains("src/parse.rs:31:9"), "{text}");
    }
}

#[test]
fn failed_row_is_never_in_a_fold() {
    let rows: String = (0..4000)
        .map(|n| if n % 97 == 5 { format!("test a::b{n} ... FAILED\n") } else { passed(n) })
        .collect();
    let policy = Policy::new(HOST, Keep::Auto);
    let cut = cut(rows.as_bytes(), &policy).unwrap();
    let folds: Vec<_> = cut.gaps().filter(|gap| cut.is_fold(gap)).collect();
    assert!(!folds.is_empty());
    for fold in folds {
        let hidden = &rows[fold.bytes.start as usize..fold.bytes.end as usize];
        assert!(!hidden.contains("FAILED"), "{fold:?}");
    }
}

#[test]
fn source_uses_its_room() {
    let function = |n: u32| {
        format!(
            "pub fn decodeSection{n}(input: &[u8]) -> Result<Section, Error> {{\n    let byte_{n} = input[{n}];\n    read_section_{n}(byte_{n});\n}}\n"
        )
    };
    let text = preview(&(0..400).map(function).collect::<String>(), &Policy::new(HOST, Keep::Auto));
    assert!(text.len() > 9_000, "{} bytes", text.len());
}

/// Returns the common form of the lines of a family: words with a digit and joined words are all
/// replaced by the same text.
fn naive_family(line: &str) -> (usize, Vec<String>) {
    let word = |word: &str| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = letters.chars().any(|c| !c.is_alphabetic());
        if is_name { "#".to_owned() } else { letters.to_owned() }
    };
    (line.len() - line.trim_start().len(), line.split_whitespace().map(word).collect())
}

/// Lines of a few families, in runs.
fn runs() -> impl Strategy<Value = String> {
    let line = |kind: u32, n: u32| match kind {
        0 => format!("   Compiling module_{n} v0.{n}.0\n"),
        1 => format!("test a::b{n} ... ok\n"),
        2 => format!("  downloaded layer {n} of image/{n}\n"),
        3 => format!("downloaded layer {n} of image/{n}\n"),
        4 => "error: something is wrong here\n".to_owned(),
        5 => "\n".to_owned(),
        _ => format!("warm part {n} is ready\n"),
    };
    let run = (0..7u32, 1..60u32).prop_map(move |(kind, count)| {
        let count = if kind == 4 { 1 } else { count };
        (0..count).map(|n| line(kind, n)).collect::<String>()
    });
    proptest::collection::vec(run, 3..20).prop_map(|runs| runs.concat())
}

proptest! {
    /// The twin: a fold contains exactly the lines that it counts, and a naive reader finds them
    /// alike.
    #[test]
    fn fold_holds_the_lines_it_counts_and_they_are_alike(
        output in runs(),
        bytes in 600u64..4000,
        fill: bool,
    ) {
        let policy = Policy { fill, ..Policy::new(Limits::NONE.bytes(bytes), Keep::Signal) };
        let Some(over) = policy.measure(output.as_bytes()) else { return Ok(()) };
        let preview = over.preview(&common::unsaved());
        let lines: Vec<&str> = output.split_inclusive('\n').collect();
        let mut folds = 0;
        for gap in preview.cut.gaps().filter(|gap| preview.cut.is_fold(gap)) {
            folds += 1;
            let (first, last) = (gap.first_line as usize, gap.last_line as usize);
            let hidden = &output[gap.bytes.start as usize..gap.bytes.end as usize];
            prop_assert_eq!(hidden, lines[first - 1..last].concat());
            let shown = naive_family(lines[first - 2]);
            for line in &lines[first - 1..last] {
                prop_assert_eq!(&naive_family(line), &shown);
                prop_assert!(!line.starts_with("error"));
            }
        }
        // Each mark of a fold has the count of its lines and a range that `read --lines` takes.
        let marks: Vec<&str> =
            preview.text.lines().filter(|line| line.contains(" more like this, line")).collect();
        prop_assert!(marks.len() <= folds);
        for mark in marks {
            let (_, text) = mark.split_once("3f9c2e: ").unwrap();
            let numbers: Vec<u64> = text
                .replace(',', "")
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let (count, first) = (numbers[0], numbers[1]);
            let last = if mark.contains(", lines ") { numbers[2] } else { first };
            prop_assert_eq!(last + 1 - first, count, "{}", mark);
        }
    }
}
