//! Logs in which a CI system puts columns before each line: the preview still shows the failure.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Limits, Policy};

/// Returns the log of a test run in which one test fails in the middle. `prefix` returns the columns
/// before a line.
fn log(prefix: impl Fn(usize) -> String) -> String {
    let mut lines: Vec<String> = vec!["collecting tests".into()];
    lines.extend((0..900).map(|n| format!("tests/test_io.py::test_case_{n} PASSED [ {}%]", n / 9)));
    lines.push("tests/test_io.py::test_total FAILED [ 50%]".into());
    lines
        .extend((0..900).map(|n| format!("tests/test_ui.py::test_error_{n} PASSED [ {}%]", n / 9)));
    lines.push("    def test_total():".into());
    lines.push(">       assert total([1, 2]) == 4".into());
    lines.push("E       assert 3 == 4".into());
    lines.push("tests/test_io.py:12: AssertionError".into());
    lines.extend((0..200).map(|n| format!("Uploading artifact part_{n} of 200")));
    lines.iter().enumerate().map(|(n, line)| format!("{}{line}\n", prefix(n))).collect()
}

fn time(n: usize) -> String {
    format!("2026-03-04T10:{:02}:{:02}.{:07}Z", n / 600, n / 10 % 60, n * 7919 % 10_000_000)
}

#[test]
fn columns_of_a_ci_system_do_not_hide_the_failure() {
    let github = |n: usize| match n {
        0 => format!("test (ubuntu, 3.11)\tSet up job\t\u{feff}{} ", time(n)),
        n => format!("test (ubuntu, 3.11)\tRun the tests\t{} ", time(n)),
    };
    let gitlab = |n: usize| format!("{} 01O ", time(n));
    let buildkit = |n: usize| format!("#12 {}.{:03} ", n / 100, n % 100 * 10);
    let syslog = |n: usize| format!("Mar  4 10:{:02}:00 ci-7 runner[{n}]: ", n / 60 % 60);
    let outputs = [log(|_| String::new()), log(github), log(gitlab), log(buildkit), log(syslog)];
    for output in outputs {
        for keep in [Keep::Signal, Keep::Auto] {
            let policy = Policy::new(Limits::NONE.bytes(2400), keep);
            let preview = policy.measure(output.as_bytes()).unwrap().preview(&common::saved()).text;
            for line in
                ["test_total FAILED", "E       assert 3 == 4", "test_io.py:12: AssertionError"]
            {
                assert!(preview.contains(line), "{line}: {preview}");
            }
        }
    }
}
