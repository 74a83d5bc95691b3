//! Tests progress displays of several lines, which a tool redraws by moving the cursor up.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::io::Read;

use flate2::read::GzDecoder;
use overspill_core::{Keep, Limits, Policy};

use crate::common;

fn preview(output: &[u8], bytes: u64) -> String {
    let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Auto);
    policy.measure(output).unwrap().preview(&common::saved()).text
}

/// Draws the steps of a build as BuildKit does: moves the cursor up over all lines, then writes
/// each line again.
fn build(draws: u32, up: &str) -> String {
    let mut text = String::from("resolving the builder\n");
    for draw in 0..draws {
        if draw > 0 {
            text += &up.replace('n', "6");
        }
        text += &format!("\x1b[2K[+] Building {}.{}s (3/5)\r\n", draw / 10, draw % 10);
        for step in 1..=5 {
            text += &format!("\x1b[2K => [stage {step}/5] RUN make part_{step}   {draw}.0s\r\n");
        }
    }
    text + "------\n > [stage 4/5] RUN make part_4:\nmake: *** No rule to make target 'part_4'.  Stop.\n"
}

#[test]
fn redrawn_build_shows_its_last_state_only() {
    for up in ["\x1b[nA", "\x1b[nF", "\x1b[nA\x1b[J"] {
        let preview = preview(build(400, up).as_bytes(), 2000);
        for step in 1..=5 {
            let state = format!(" => [stage {step}/5] RUN make part_{step}   ");
            let shown: Vec<&str> =
                preview.lines().filter_map(|line| line.strip_prefix(&*state)).collect();
            assert_eq!(shown, ["399.0s"], "{up:?}\n{preview}");
        }
        assert!(preview.contains("No rule to make target 'part_4'"), "{preview}");
        assert!(preview.contains("lines 2-2395 cut]"), "{preview}");
    }
}

#[test]
fn text_without_redraws_loses_nothing_to_erased_lines() {
    // Build logs erase the rest of a line before they write on it.
    let line = |n: u32| format!("\r\x1b[0K$ make part_{n}\n");
    let preview = preview((0..400).map(line).collect::<String>().as_bytes(), 2000);
    assert!(preview.contains("$ make part_0\n$ make part_1\n"), "{preview}");
}

#[test]
fn test_run_on_a_terminal_shows_its_final_state() {
    let packed: &[u8] = include_bytes!("../kinds/vitest-terminal.log.gz");
    let mut log = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut log).unwrap();
    let preview = preview(&log, 8192);
    assert!(!preview.contains("[queued]"), "{preview}");
    for line in ["+   \"total\": 1350,", "      Tests  1 failed | 3200 passed (3201)"] {
        assert!(preview.contains(line), "{preview}");
    }
}
