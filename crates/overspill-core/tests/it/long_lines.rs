//! Tests outputs with few, very long lines.

#![allow(clippy::unwrap_used, reason = "a test")]

use overspill_core::{Finished, Keep, Limits, Policy, Window};
use proptest::prelude::*;

use crate::common;

fn long(name: &str, words: usize) -> String {
    let middle: String = (0..words).map(|n| format!(" {name}_{n}")).collect();
    format!("begin of {name}{middle} end of {name}\n")
}

#[test]
fn few_long_lines_show_both_ends_of_each() {
    let output =
        format!("status 200\n{}status 500\n{}done\n", long("json", 4000), long("page", 4000));
    for limits in [Limits::NONE.bytes(1500), Limits::NONE.chars(1500), Limits::NONE.tokens(500)] {
        let policy = Policy::new(limits, Keep::Auto);
        let text = policy.measure(output.as_bytes()).unwrap().preview(&common::saved()).text;
        let parts = [
            "status 200\nbegin of json",
            "end of json\nstatus 500\nbegin of page",
            "end of page\ndone\n",
        ];
        for part in parts {
            assert!(text.contains(part), "{part} {limits:?}\n{text}");
        }
        assert_eq!(text.matches(": bytes ").count(), 2, "{text}");
    }
}

proptest! {
    /// The pieces are the two ends of lines, and a gap stands for every other part of the output.
    #[test]
    fn pieces_of_long_lines_are_parts_of_the_output(
        lens in proptest::collection::vec(0usize..3000, 2..11),
        bytes in 400u64..9000,
        chunk in 1usize..5000,
    ) {
        let line = |(n, len): (usize, &usize)| format!("<{n}>{}\u{e9}</{n}>\n", "x\u{df}".repeat(*len));
        let output: String = lens.iter().enumerate().map(line).collect();
        let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Auto);
        let Some(over) = policy.measure(output.as_bytes()) else { return Ok(()) };
        let preview = over.preview(&common::saved());
        prop_assert!(preview.text.len() as u64 <= bytes);
        let mut at = 0;
        for (piece, span) in preview.cut.pieces.iter().zip(preview.cut.spans()) {
            prop_assert!(span.bytes.start >= at);
            at = span.bytes.end;
            let original = &output.as_bytes()[span.bytes.start as usize..span.bytes.end as usize];
            prop_assert_eq!(original, piece.text.as_ref());
        }
        let mut window = Window::new(policy);
        output.as_bytes().chunks(chunk).for_each(|chunk| drop(window.push(chunk)));
        let Finished::Over(streamed) = window.finish() else { return Err(TestCaseError::fail("fits")) };
        prop_assert_eq!(streamed.preview(&common::saved()).text, preview.text);
    }
}
