//! Measures how many of the wanted lines the previews of real logs show; see `logs/README.md`.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use overspill_core::{Keep, Limits, LineRule, Policy, Size, Tokens};

use crate::common;

/// Previews each log. Returns the previews and the wanted lines.
fn previews(keep: Keep, limits: Limits, fill: bool) -> Vec<(String, String)> {
    let policy = Policy { fill, ..Policy::new(limits, keep) };
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut previews = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "wanted") {
            continue;
        }
        let mut log = Vec::new();
        let packed = fs::File::open(path.with_extension("log.gz")).unwrap();
        GzDecoder::new(packed).read_to_end(&mut log).unwrap();
        let text = policy.measure(&log).unwrap().preview(&common::saved()).text;
        previews.push((text, fs::read_to_string(&path).unwrap()));
    }
    assert_eq!(previews.len(), 12);
    previews
}

/// Returns the mean share of wanted lines that previews of this many bytes show.
fn recall(keep: Keep, bytes: u64) -> f64 {
    let mut shares = Vec::new();
    for (text, wanted) in previews(keep, Limits::NONE.bytes(bytes).lines(2000), false) {
        let shown: Vec<String> = text.lines().map(single_blanks).collect();
        let kept = wanted.lines().filter(|line| shown.iter().any(|shown| shown.contains(*line)));
        shares.push(kept.count() as f64 / wanted.lines().count() as f64);
    }
    shares.iter().sum::<f64>() / shares.len() as f64
}

/// Returns for each log the used share of the limit that is used most.
fn used_shares(limits: Limits) -> Vec<f64> {
    let share = |used: u64, most: Option<u64>| most.map_or(0.0, |most| used as f64 / most as f64);
    let used = |(text, _): (String, String)| {
        let size = Size::of(text.as_bytes(), LineRule::Terminated);
        let tokens = Tokens::Estimate.count(text.as_bytes());
        share(size.bytes, limits.bytes)
            .max(share(size.lines, limits.lines))
            .max(share(size.chars, limits.chars))
            .max(share(tokens, limits.tokens))
    };
    previews(Keep::Signal, limits, true).into_iter().map(used).collect()
}

fn single_blanks(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_that_matter_survive() {
    for (bytes, at_least) in [(51_200, 0.98), (8192, 0.95), (2048, 0.75)] {
        let (signal, tail) = (recall(Keep::Signal, bytes), recall(Keep::Tail, bytes));
        assert!(signal >= at_least, "{signal} at {bytes}");
        assert!(signal >= tail + 0.1, "{signal} at {bytes}, the tail alone {tail}");
    }
}

#[test]
fn room_in_every_unit_is_used() {
    let mut wasted = Vec::new();
    for limits in [
        Limits::NONE.bytes(51_200).lines(1_900).chars(9_500),
        Limits::NONE.bytes(9_500),
        Limits::NONE.chars(9_500),
        Limits::NONE.tokens(2_800),
    ] {
        let shares = used_shares(limits);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        if mean < 0.97 {
            wasted.push(format!("{mean:.3} of {limits:?} is used: {shares:.3?}"));
        }
    }
    assert!(wasted.is_empty(), "{}", wasted.join("\n"));
}

#[test]
fn previews_of_failing_logs_are_as_small_as_their_signal() {
    let limits = Limits::NONE.chars(9_500);
    let mut sizes: Vec<usize> =
        previews(Keep::Auto, limits, false).iter().map(|(text, _)| text.chars().count()).collect();
    sizes.sort_unstable();
    assert!(sizes[sizes.len() / 2] <= 5_000, "{sizes:?}");
}
