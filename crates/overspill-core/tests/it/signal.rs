//! Tests the previews of `Keep::Signal`, for usual and for unusual outputs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use crate::common;

use overspill_core::{Cut, Finished, Keep, Limits, Policy, Why, Window, cut};
use proptest::prelude::*;

fn policy(bytes: u64) -> Policy {
    Policy::new(Limits::NONE.bytes(bytes).lines(2000), Keep::Signal)
}

fn preview(output: &[u8], bytes: u64) -> String {
    let answer = policy(bytes).measure(output).unwrap().preview(&common::unsaved());
    assert!(answer.text.len() as u64 <= bytes, "{} of {bytes} bytes", answer.text.len());
    answer.text
}

fn streamed<'a>(chunks: impl Iterator<Item = &'a [u8]>, policy: &Policy) -> Cut<'static> {
    let mut window = Window::new(policy.clone());
    chunks.for_each(|chunk| drop(window.push(chunk)));
    match window.finish() {
        Finished::Over(over) => over.cut(),
        Finished::Whole(_) => panic!("it is too large"),
    }
}

fn compiled(n: usize) -> String {
    format!("   Compiling module_{n} v0.{}.0 (/src/module_{n})\n", n % 7)
}

#[test]
fn failure_in_the_middle_is_shown_with_its_neighbours() {
    let mut output: String = (0..4000).map(compiled).collect();
    output.push_str("error[E0308]: mismatched types\n --> src/parse.rs:31:9\n");
    output.push_str("   |\n31 |     count\n   |     ^^^^^ expected `u32`, found `usize`\n");
    output.extend((4000..9000).map(compiled));
    for bytes in [1000, 2048, 8192, 51_200] {
        let text = preview(output.as_bytes(), bytes);
        assert!(text.contains("error[E0308]: mismatched types\n"), "{text}");
        assert!(text.contains(" --> src/parse.rs:31:9\n"), "{text}");
        assert!(text.contains("^^^^^ expected `u32`"), "{text}");
        assert!(text.ends_with("(/src/module_8999)\n"), "{text}");
    }
}

#[test]
fn every_block_says_why_it_is_shown() {
    let mut output: String = (0..4000).map(compiled).collect();
    output.push_str("thread 'main' panicked at src/main.rs:7:5:\n");
    output.extend((4000..9000).map(compiled));
    let cut = cut(output.as_bytes(), &policy(4096)).unwrap();
    assert_eq!(cut.reasons().len(), cut.pieces.len());
    let failure = cut.reasons().iter().find(|reason| reason.why == Why::Failure).unwrap();
    assert_eq!(failure.line, 4001);
    assert_eq!(cut.reasons().last().unwrap().why, Why::Last);
    assert!(cut.reasons().iter().all(|reason| reason.score <= failure.score));
}

#[test]
fn rows_that_passed_are_not_failures() {
    let row = |n: u32| match n % 4 {
        0 => format!("ok {n} - reports a fatal error for key {n}\n"),
        1 => format!("    ✓ fails if section {n} is invalid (3ms)\n"),
        2 => format!("{} error is expected here {n} ... ok\n", "a long name of a test".repeat(9)),
        _ => format!("[INFO] Tests run: {n}, Failures: 0, Errors: 0, Skipped: 0\n"),
    };
    let output: String = (0..900).map(row).collect();
    let cut = cut(output.as_bytes(), &policy(4096)).unwrap();
    let reasons = cut.reasons();
    assert!(reasons.iter().all(|reason| reason.why != Why::Failure), "{reasons:?}");
}

#[test]
fn nothing_but_errors_shows_the_first_the_last_and_each_kind() {
    let mut output = String::new();
    for n in 0..60_000 {
        output.push_str(&match n {
            20_000 => "fatal: could not read from remote repository\n".to_owned(),
            41_000 => "error: disk quota exceeded while writing /var/cache\n".to_owned(),
            _ => format!("error: request {n} failed: connection refused\n"),
        });
    }
    let text = preview(output.as_bytes(), 4096);
    for wanted in ["request 0 failed", "request 59999 failed", "fatal: could", "disk quota"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn source_with_failure_words_is_shown_by_its_names() {
    let function = |n: u32| {
        let body: String = (0..13)
            .map(|line| match line % 3 {
                0 => {
                    "    if input.is_empty() { return Err(Error::invalid(\"unexpected end\")); }\n"
                        .into()
                }
                _ => format!("    let byte = input[{line}];\n"),
            })
            .collect();
        format!("pub fn decodeSection{n}(input: &[u8]) -> Result<Section, Error> {{\n{body}}}\n")
    };
    let source: String = (0..40).map(function).collect();
    let preview = preview(source.as_bytes(), 4000);
    let named = preview.matches("decodeSection").count();
    assert!(named >= 20, "{named} of 40 functions are named:\n{preview}");
}

#[test]
fn uniform_output_shows_both_ends() {
    let output: String =
        (0..20_000).map(|n| format!("/usr/share/doc/package-{n}/README\n")).collect();
    let signal = cut(output.as_bytes(), &policy(8192)).unwrap();
    let ends = cut(output.as_bytes(), &Policy { keep: Keep::ENDS, ..policy(8192) }).unwrap();
    assert_eq!(signal.pieces, ends.pieces);
}

#[test]
fn two_million_equal_lines_are_cut_and_counted() {
    let chunk = "connection reset by peer, trying again\n".repeat(1000);
    let cut = streamed((0..2000).map(|_| chunk.as_bytes()), &policy(8192));
    assert_eq!(cut.total.lines, 2_000_000);
    assert!(cut.shown().bytes <= 8192 && cut.shown().lines > 10, "{:?}", cut.shown());
    assert_eq!(cut.spans().last().unwrap().last_line, 2_000_000);
}

#[test]
fn output_without_lines_shows_both_ends() {
    let base64: String = ('a'..='z').cycle().take(300_000).collect();
    let script = "function a(b){return b||(throw new Error(1))};".repeat(8000);
    let utf16: Vec<u8> =
        "error: nothing\r\n".repeat(9000).bytes().flat_map(|byte| [byte, 0]).collect();
    let old_encoding: Vec<u8> =
        b"\xb4\xed\xce\xf3: \xce\xc4\xbc\xfe\xb2\xbb\xb4\xe6\n".repeat(9000);
    for output in [base64.as_bytes(), script.as_bytes(), &utf16, &old_encoding] {
        let text = preview(output, 8192);
        assert!(text.len() > 4000, "{text}");
    }
}

/// Returns random-looking bytes after the first bytes of a file.
fn noise(start: &[u8], len: u32) -> Vec<u8> {
    let noise = (0..len).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8);
    start.iter().copied().chain(noise).collect()
}

#[test]
fn binary_output_is_named_and_not_shown() {
    for (start, expected) in [
        (&b"\x7fELF\x02\x01\x01\0"[..], ": binary (ELF), "),
        (b"\x89PNG\r\n\x1a\n", ": binary (PNG), "),
        (b"\x1f\x8b\x08\0", ": binary (gzip), "),
        (b"PK\x03\x04", ": binary (ZIP), "),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", ": binary (JPEG), "),
        (b"", ": binary, "),
    ] {
        let output = noise(start, 200_000);
        let policy = Policy { keep: Keep::Auto, ..policy(8192) };
        let text = policy.measure(&output).unwrap().preview(&common::unsaved()).text;
        let size = format!("{} bytes, not shown", 200_000 + start.len());
        let size = size.replacen("200", "200,", 1);
        assert!(text.contains(expected) && text.contains(&size), "{text}");
        assert!(text.lines().count() == 1 && text.len() < 200, "{text}");
    }
}

#[test]
fn text_after_binary_output_is_shown() {
    let mut output = noise(b"\x7fELF", 20_000);
    output.extend((0..3000).flat_map(|n| compiled(n).into_bytes()));
    output.extend(b"error: the linker failed\n");
    let text = preview(&output, 8192);
    assert!(text.contains("error: the linker failed"), "{text}");
    let short = [noise(b"\x7fELF", 20_000), b"end\n".to_vec()].concat();
    assert!(preview(&short, 8192).ends_with("end\n"));
}

#[test]
fn long_lines_are_clipped_and_say_so() {
    let mut output: String = (0..3000).map(compiled).collect();
    let long = format!("error: {} is not json\n", "x".repeat(5000));
    output.push_str(&long);
    output.extend((3000..6000).map(compiled));
    let text = preview(output.as_bytes(), 4096);
    assert!(text.contains("error: xxxx"), "{text}");
    assert!(text.contains("\n[3f9c2e: rest of line"), "{text}");
    assert!(!text.contains("is not json"), "{text}");
}

#[test]
fn last_lines_are_always_shown() {
    let mut output: String = (0..50_000).map(|n| format!("error {n}: it broke again\n")).collect();
    output.push_str("finished in 12 s\n");
    assert!(preview(output.as_bytes(), 2048).ends_with("finished in 12 s\n"));
}

/// After the first megabytes the scan skips lines. The choice must not depend on the chunks.
#[test]
fn very_long_output_is_cut_the_same_for_every_chunking() {
    let mut output = String::new();
    let mut n = 0_usize;
    while output.len() < 9 << 20 {
        n += 1;
        output.push_str(&match n % 5003 {
            0 => format!("test case_{n} FAILED: assertion failed: left == right\n"),
            1 => format!("  at check (src/case_{n}.js:{n}:7)\n"),
            _ => format!("{n} downloading layer {:x} of image, please wait\n", n * 7919),
        });
    }
    let policy = policy(8192);
    let expected = cut(output.as_bytes(), &policy).unwrap();
    assert!(
        expected.pieces.iter().any(|piece| piece.text.windows(6).any(|word| word == b"FAILED"))
    );
    for size in [7, 4096, 65_536, 1 << 20] {
        assert_eq!(streamed(output.as_bytes().chunks(size), &policy), expected, "{size}");
    }
}

/// Lines as tools print them: enough lines for a choice.
fn log() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        8 => "[a-z]{1,8} [a-z0-9./]{0,20}".prop_map(String::into_bytes),
        2 => "(error|FAILED|warning|panic): [a-z ]{0,30}".prop_map(String::into_bytes),
        1 => "\\[2024-05-01T12:00:0[0-9]Z\\] [a-z]{0,9}".prop_map(String::into_bytes),
        1 => "  at [a-z]{1,9} \\([a-z]{1,5}\\.js:[0-9]{1,3}\\)".prop_map(String::into_bytes),
        1 => Just(b"\x1b[31mred\x1b[0m 10%\r20%".to_vec()),
        1 => Just(Vec::new()),
        1 => (300usize..900).prop_map(|len| vec![b'x'; len]),
        1 => proptest::collection::vec(any::<u8>(), 0..30),
    ];
    proptest::collection::vec(line, 40..400).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #[test]
    fn pieces_and_gaps_are_the_output_for_every_chunking(
        output in log(),
        bytes in 200u64..4000,
        lines in 3u64..200,
        at in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let policy = Policy::new(Limits::NONE.bytes(bytes).lines(lines), Keep::Signal);
        let Some(cut) = cut(&output, &policy) else { return Ok(()) };
        prop_assert_eq!(&streamed(common::chunks(&output, &at).into_iter(), &policy), &cut);
        let mut end = 0;
        let mut spans: Vec<_> = cut.spans().iter().cloned().chain(cut.gaps()).collect();
        spans.sort_by_key(|span| (span.bytes.start, span.bytes.end));
        for span in &spans {
            prop_assert_eq!(span.bytes.start, end, "{:?}", spans);
            end = span.bytes.end;
            let before = output[..span.bytes.start as usize].iter().filter(|&&b| b == b'\n').count();
            prop_assert_eq!(span.first_line, before as u64 + 1);
        }
        prop_assert_eq!(end, output.len() as u64);
        for piece in cut.pieces.iter().filter(|piece| piece.altered == 0) {
            let original = &output[piece.bytes.start as usize..piece.bytes.end as usize];
            prop_assert_eq!(piece.text.as_ref(), original);
        }
        prop_assert!(cut.shown().bytes <= bytes && cut.shown().lines <= lines);
        prop_assert!(cut.shown().bytes > 0);
    }

    #[test]
    fn answers_stay_within_every_limit(
        output in log(),
        bytes in 200u64..4000,
        lines in 3u64..200,
        tokens in proptest::option::of(60u64..900),
        chars in proptest::option::of(200u64..4000),
    ) {
        let limits = Limits { bytes: Some(bytes), lines: Some(lines), tokens, chars };
        let policy = Policy::new(limits, Keep::Signal);
        let Some(over) = policy.measure(&output) else { return Ok(()) };
        let answer = over.preview(&common::unsaved());
        let exceeded = limits.exceeded_by(answer.text.as_bytes(), policy.lines, &policy.tokens);
        prop_assert_eq!(exceeded, None, "{}", answer.text);
        prop_assert!(!answer.text.is_empty());
        let control =
            |c: char| c.is_control() && c != '\n' && c != '\t' || common::reorders_text(c);
        prop_assert!(!answer.text.contains(control), "{:?}", answer.text);
    }
}
