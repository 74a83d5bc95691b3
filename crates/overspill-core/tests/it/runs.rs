//! Checks that previews of failing runs of real tools have all facts for a fix; see
//! `runs/README.md`.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use overspill_core::{Keep, Limits, Policy};

use crate::common;

fn single_blanks(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the runs of a directory whose needed lines a preview of so many bytes does not show, and the number of runs.
fn missing(directory: &str, bytes: u64, least: usize) -> (usize, Vec<String>) {
    let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Auto);
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let (mut runs, mut missing) = (0, Vec::new());
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "needed") {
            continue;
        }
        runs += 1;
        let mut log = Vec::new();
        let packed = fs::File::open(path.with_extension("log.gz")).unwrap();
        GzDecoder::new(packed).read_to_end(&mut log).unwrap();
        assert!(log.len() > least, "{path:?} has {} bytes", log.len());
        let text = policy.measure(&log).unwrap().preview(&common::saved()).text;
        let shown: Vec<String> = text.lines().map(single_blanks).collect();
        let needed = fs::read_to_string(&path).unwrap();
        let is_missing = |line: &&str| !shown.iter().any(|shown| shown.contains(*line));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        missing.extend(needed.lines().filter(is_missing).map(|line| format!("{name}: {line}")));
    }
    (runs, missing)
}

#[test]
fn failing_runs_of_real_tools_can_be_fixed_from_8_kb() {
    let (runs, missing) = missing("tests/runs", 8192, 200_000);
    assert!(runs >= 12, "{runs} runs");
    assert!(missing.is_empty(), "not shown:\n{}", missing.join("\n"));
}

#[test]
fn failing_runs_of_other_tools_can_be_fixed_from_8_kb() {
    let (_, missing) = missing("tests/runs/small", 8192, 40_000);
    assert!(missing.is_empty(), "not shown:\n{}", missing.join("\n"));
}

#[test]
fn failing_runs_of_linters_and_unittest_can_be_fixed_from_2_kb() {
    let (_, missing) = missing("tests/runs/small", 2048, 40_000);
    let is_small = |line: &&String| {
        ["pylint", "stylelint", "unittest"].iter().any(|run| line.starts_with(run))
    };
    let missing: Vec<&String> = missing.iter().filter(is_small).collect();
    assert!(missing.is_empty(), "not shown: {missing:?}");
}
