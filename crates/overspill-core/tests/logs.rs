//! How many of the lines that matter survive, on real logs; see `logs/README.md`.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use overspill_core::{Keep, Limits, Notice, Over, Policy, Reach, Saved, Stored};

/// Returns the mean share of wanted lines that previews of so many bytes show.
fn recall(keep: Keep, bytes: u64) -> f64 {
    let copy = Stored { id: "01KA0000000000000000000000".into(), ..Stored::default() };
    let reach = Reach { program: Some("overspill".into()), ..Reach::default() };
    let notice = Notice { token: "3f9c2e".into(), saved: Saved::Whole(copy), reach };
    let policy = Policy::new(Limits::NONE.bytes(bytes).lines(2000), keep);
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut shares = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "wanted") {
            continue;
        }
        let mut log = Vec::new();
        let packed = fs::File::open(path.with_extension("log.gz")).unwrap();
        GzDecoder::new(packed).read_to_end(&mut log).unwrap();
        let text = notice.answer(&Over::of(&log, &policy).unwrap()).text;
        let shown: Vec<String> = text.lines().map(single_blanks).collect();
        let wanted = fs::read_to_string(&path).unwrap();
        let kept = wanted.lines().filter(|line| shown.iter().any(|shown| shown.contains(*line)));
        shares.push(kept.count() as f64 / wanted.lines().count() as f64);
    }
    assert_eq!(shares.len(), 12);
    shares.iter().sum::<f64>() / shares.len() as f64
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
