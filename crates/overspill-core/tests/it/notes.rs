//! Tests the notes in marks: repeated messages, and matches of a search.

#![allow(clippy::unwrap_used, reason = "a test")]

use overspill_core::{Keep, Limits, Policy, Preview};
use proptest::prelude::*;

use crate::common;

fn preview(output: &str, limits: Limits) -> Preview<'_> {
    let policy = Policy::new(limits, Keep::Auto);
    policy.measure(output.as_bytes()).unwrap().preview(&common::saved())
}

/// Returns the first number in a text.
fn number(text: &str) -> usize {
    let digits = text.replace(',', "");
    let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// Makes a report with many equal errors and one other.
fn report(files: usize, errors: usize, other: usize) -> String {
    let mut text = String::new();
    for file in 0..files {
        for n in 0..errors {
            text += &format!("src/part_{file}.ts({},7): error TS2339: no `total`.\n", 3 * n + 2);
        }
        if file == other {
            text += &format!("src/part_{file}.ts(1,7): error TS2322: no number.\n");
        }
    }
    text
}

#[test]
fn equal_errors_are_one_line_and_a_mark_with_their_places() {
    let text = preview(&report(40, 30, 20), Limits::NONE.chars(9_500)).text;
    let first = "src/part_0.ts(2,7): error TS2339: no `total`.\n";
    let mark = "cut, 628 more like line 2: src/part_0.ts:8, 11, 14 … src/part_20.ts:89]\n";
    assert!(text.contains(first) && text.contains(mark), "{text}");
    assert!(text.contains("src/part_20.ts(1,7): error TS2322: no number.\n"), "{text}");
    assert!(text.len() < 2000, "{} bytes: {text}", text.len());
}

#[test]
fn error_comes_before_warnings_that_come_often() {
    let warning = |n: u32| {
        format!("shop/A{n}.java:{n}: warning: [rawtypes] found raw type\n    List x{n};\n")
    };
    let warnings: String = (1..900).map(warning).collect();
    let output = format!("{warnings}shop/B.java:14: error: bad operand types\n{warnings}1 error\n");
    let text = preview(&output, Limits::NONE.bytes(600)).text;
    assert!(text.contains("shop/B.java:14: error: bad operand types\n"), "{text}");
}

#[test]
fn equal_warnings_of_rustc_stay_with_their_heads() {
    let warning = |n: u32| {
        format!(
            "warning: unused variable: `price`\n --> src/lib.rs:{n}:9\n  |\n{n} |     let price = {n};\n  |         ^^^^^\n\n"
        )
    };
    let warnings: String = (3..123).map(warning).collect();
    let error = "error[E0308]: mismatched types\n --> src/lib.rs:140:5\n\n";
    let text = preview(&format!("{warnings}{error}"), Limits::NONE.chars(4_000)).text;
    assert!(text.contains("warning: unused variable: `price`\n --> src/lib.rs:3:9\n"), "{text}");
    assert!(text.contains(" more like line 1: src/lib.rs:4, 5, 6 … 12"), "{text}");
    // Every place has its message above it.
    let lines: Vec<&str> = text.lines().collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.starts_with(" --> ")) {
        let above = lines[at - 1];
        assert!(above.starts_with("warning") || above.starts_with("error"), "{text}");
    }
    assert!(text.contains(error.trim_end()), "{text}");
}

#[test]
fn name_of_a_file_in_a_mark_holds_no_other_text() {
    let line = |n: u32| format!("do]_what\u{201c}/x.c:{n}: error: no such thing\n");
    let text = preview(&(1..2000).map(line).collect::<String>(), Limits::NONE.chars(2_000)).text;
    let marks: Vec<&str> = text.lines().filter(|line| line.starts_with("[3f9c2e: ")).collect();
    assert!(marks.iter().any(|mark| mark.ends_with(" more like line 1]")), "{text}");
}

#[test]
fn search_marks_count_the_matches_in_a_gap() {
    let line =
        |n: usize| format!("src/file_{}.rs:{n}:    let value_{n} = read_part_{n}();\n", n / 30);
    let output: String = (0..3000).map(line).collect();
    let preview = preview(&output, Limits::NONE.chars(9_500));
    let mut counted = 0;
    for gap in preview.cut.gaps() {
        let Some(note) = preview.cut.note(&gap) else { continue };
        counted += 1;
        // Every line is a match.
        let parts = note.split(", ").map(number);
        assert_eq!(parts.sum::<usize>() as u64, gap.last_line + 1 - gap.first_line, "{note}");
        assert!(preview.text.contains(&format!("cut, {note}]")), "{note}");
    }
    assert!(counted > 3, "{}", preview.text);
}

proptest! {
    /// The twin: a naive reader counts the same messages in each gap.
    #[test]
    fn marks_count_exactly_the_messages_in_their_gap(
        files in 3usize..30,
        errors in 5usize..40,
        other in 0usize..30,
        bytes in 700u64..9000,
    ) {
        let output = report(files, errors, other);
        let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Auto);
        let Some(over) = policy.measure(output.as_bytes()) else { return Ok(()) };
        let preview = over.preview(&common::saved());
        let lines: Vec<&str> = output.lines().collect();
        for gap in preview.cut.gaps() {
            let Some(note) = preview.cut.note(&gap) else { continue };
            let (_, like) = note.split_once(" like line ").unwrap();
            let message = lines[number(like) - 1].split_once("): ").unwrap().1;
            let hidden = &output[gap.bytes.start as usize..gap.bytes.end as usize];
            let again = hidden.lines().filter(|line| line.ends_with(message)).count();
            prop_assert_eq!(number(note), again, "{}", note);
        }
    }
}
