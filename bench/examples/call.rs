//! Times one call as an agent makes it.
//!
//! `call` alone prints a table for outputs of four sizes: each kind of preview, with and without
//! saving, compared with a copy of the same bytes in memory and with writing them to a file.
//! `call FILE DIR` prints JSON lines for other harnesses: `{"op": "head+save", "ns": 1234.5}`.
//!
//! `+record` also saves the facts about the output: its record, a hash and a line index.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that measures")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use overspill::core::{Keep, Policy, preview};
use overspill::internal::profile::Sweeps;
use overspill::store::{Disk, DiskOptions, Durability};
use overspill::{Call, Outcome, Overspill, Profile};

const KEEPS: [(&str, Keep); 3] = [("head", Keep::Head), ("tail", Keep::Tail), ("both", Keep::ENDS)];

fn main() {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    match &args[..] {
        [] => table(),
        [file, dir] => {
            let output = std::fs::read(file).unwrap();
            measure(&output, Path::new(dir), |op, ns| {
                println!(r#"{{"op": "{op}", "ns": {ns:.1}}}"#)
            });
        }
        _ => println!("usage: call [FILE DIR]"),
    }
}

/// Prints the ratio of each kind to the limits of the machine, best of several rounds.
fn table() {
    let dir = tempfile::tempdir().unwrap();
    println!("{:18} {:>5} {:>12} {:>9} {:>7}", "op", "size", "ns", "x memcpy", "x save");
    for (name, len) in [("1K", 1 << 10), ("49K", 49 << 10), ("1M", 1 << 20), ("100M", 100 << 20)] {
        let output = lines(len);
        let mut copy = vec![0; len];
        let calls = if len <= 51_200 { 1000 } else { 1 };
        let memcpy = best_of(
            25,
            calls,
            || (),
            || black_box(&mut copy[..]).copy_from_slice(black_box(&output)),
        );
        let plain = dir.path().join("plain");
        let forget = || drop(std::fs::remove_file(&plain));
        let create = best_of(9, 1, forget, || std::fs::write(&plain, &output).unwrap());
        measure(&output, dir.path(), |op, ns| {
            println!("{op:18} {name:>5} {ns:12.1} {:9.2} {:7.3}", ns / memcpy, ns / create);
        });
    }
}

/// Returns log-like lines of about 80 bytes.
fn lines(len: usize) -> Vec<u8> {
    let line = "compiling warning error note test running ok failed src lib main parse token";
    let numbered = (0..).flat_map(|n| format!("{n:07} {}\n", &line[..50 + n % 26]).into_bytes());
    numbered.take(len).collect()
}

/// Times each kind of preview of `output`, and saving the output below `dir`.
fn measure(output: &[u8], dir: &Path, report: impl Fn(&str, f64)) {
    for (op, keep) in KEEPS {
        let policy = Policy::new(Policy::LIMITS, keep);
        report(op, best(output, || (), |text| drop(black_box(preview(text, &policy)))));
    }
    for (op, keep) in KEEPS {
        for (what, records) in [("save", false), ("save+record", true)] {
            let root = dir.join("overspill");
            report(&format!("{op}+{what}"), save(output, &root, keep, records));
            let _ = std::fs::remove_dir_all(&root);
        }
    }
}

/// Times shortening and saving, in a store that already exists.
fn save(output: &[u8], root: &Path, keep: Keep, records: bool) -> f64 {
    let options = DiskOptions { durability: Durability::None, records, ..DiskOptions::default() };
    let disk = Disk::new(root, options);
    let policy = Policy::new(Policy::LIMITS, keep);
    let profile = Profile { policy, sweeps: Sweeps::Never, ..Profile::OWN };
    let overspill = Overspill::new(profile, disk);
    let call = Call::new("bench");
    let forget = || {
        let store = overspill.store();
        for entry in store.list().unwrap() {
            store.delete(&entry.name).unwrap();
        }
    };
    best(output, forget, |text| match overspill.process(text, &call) {
        outcome @ (Outcome::Whole(_) | Outcome::Masked(_)) => drop(black_box(outcome)),
        Outcome::Spilled(spilled) => assert!(spilled.saved.is_ok()),
    })
}

/// Returns the best time of a call in nanoseconds. Small outputs are too fast to time one by one.
fn best(output: &[u8], before: impl Fn(), call: impl Fn(&[u8])) -> f64 {
    let fits = output.len() <= 51_200;
    let (rounds, calls) = if fits { (50, 1000) } else { (9, 1) };
    best_of(rounds, calls, before, || call(black_box(output)))
}

fn best_of(rounds: u32, calls: u32, before: impl Fn(), mut call: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..rounds {
        before();
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}
