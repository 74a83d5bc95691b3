//! Rules about the form of rows: each test has an output in which only the form tells what matters.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Kind, Limits, Policy};

fn kind_and_preview(output: &str, bytes: u64) -> (Kind, String) {
    let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Auto);
    let oversized = policy.measure(output.as_bytes()).unwrap();
    (oversized.kind().unwrap(), oversized.preview(&common::saved()).text)
}

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Returns the diff of a file in a merge with two parents, with one conflict.
fn merged(n: usize) -> String {
    let same = many(20, |line| format!("  let kept_{n}_{line} = {line};\n"));
    let ours = many(20, |line| format!("- let ours_{n}_{line} = {line};\n"));
    let theirs = many(20, |line| format!(" -let theirs_{n}_{line} = {line};\n"));
    let new = many(20, |line| format!("++let merged_{n}_{line} = {line};\n"));
    format!(
        "diff --cc src/part_{n}.rs\nindex 1111111,2222222..0000000\n--- a/src/part_{n}.rs\n\
         +++ b/src/part_{n}.rs\n@@@ -1,40 -1,40 +1,40 @@@\n{same}{ours}{theirs}{new}"
    )
}

#[test]
fn diff_of_a_merge_names_every_file() {
    let (kind, preview) = kind_and_preview(&many(12, merged), 2000);
    assert_eq!(kind, Kind::Diff);
    for n in 0..12 {
        assert!(preview.contains(&format!("diff --cc src/part_{n}.rs\n")), "{n}: {preview}");
    }
}

#[test]
fn log_with_dates_after_file_names_is_no_search() {
    let log = many(900, |n| {
        let (minute, second) = (n / 60, n % 60);
        let level = if n == 500 { "ERROR pool: connection refused" } else { "INFO api: served" };
        format!("api.log.1.2026-05-16_13:53:08 2026-05-16 00:{minute:02}:{second:02} {level} {n}\n")
    });
    let (kind, preview) = kind_and_preview(&log, 2000);
    assert_ne!(kind, Kind::Search);
    assert!(preview.contains("connection refused"), "{preview}");
}
