//! Times one call, the way an agent makes it: `call FILE DIR` prints a JSON line for each way of
//! cutting FILE, with and without saving it in DIR: `{"op": "head+save", "ns": 1234.5}`.
//!
//! `+record` adds what is known of the output beside it: its record, a hash and a line index.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that measures")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use overspill::core::{Keep, Policy, preview};
use overspill::profile::Sweeps;
use overspill::store::{Disk, DiskOptions, Durability};
use overspill::{Call, Outcome, Overspill, Profile};

const KEEPS: [(&str, Keep); 3] = [("head", Keep::Head), ("tail", Keep::Tail), ("both", Keep::ENDS)];

fn main() {
    let mut args = std::env::args_os().skip(1);
    let (Some(file), Some(dir)) = (args.next(), args.next()) else {
        println!("usage: call FILE DIR");
        std::process::exit(2);
    };
    let output = std::fs::read(file).unwrap();
    for (op, keep) in KEEPS {
        let policy = Policy::new(Policy::LIMITS, keep);
        print(op, best(&output, || (), |text| drop(black_box(preview(text, &policy)))));
    }
    for (op, keep) in KEEPS {
        for (what, records) in [("save", false), ("save+record", true)] {
            let root = Path::new(&dir).join("overspill");
            let time = save(&output, &root, keep, records);
            print(&format!("{op}+{what}"), time);
            let _ = std::fs::remove_dir_all(&root);
        }
    }
}

/// Times cutting and saving, in a store that is there already.
fn save(output: &[u8], root: &Path, keep: Keep, records: bool) -> f64 {
    let options = DiskOptions { durability: Durability::None, records, ..DiskOptions::default() };
    let disk = Disk::new(root, options);
    let policy = Policy::new(Policy::LIMITS, keep);
    let profile = Profile { policy, sweeps: Sweeps::Never, ..Profile::OWN };
    let overspill = Overspill::new(profile, disk);
    let call = Call::of("bench");
    let forget = || {
        let store = overspill.store();
        for entry in store.list().unwrap() {
            store.delete(&entry.name).unwrap();
        }
    };
    best(output, forget, |text| match overspill.process(text, &call) {
        Outcome::Whole(bytes) => drop(black_box(bytes)),
        Outcome::Spilled(spilled) => assert!(spilled.saved.is_ok()),
    })
}

/// The best time of a call, in nanoseconds. Small outputs are too quick to time one by one.
fn best(output: &[u8], before: impl Fn(), call: impl Fn(&[u8])) -> f64 {
    let fits = output.len() <= 51_200;
    let (rounds, calls) = if fits { (50, 1000) } else { (9, 1) };
    let mut best = f64::MAX;
    for _ in 0..rounds {
        before();
        let start = Instant::now();
        for _ in 0..calls {
            call(black_box(output));
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}

fn print(op: &str, ns: f64) {
    println!(r#"{{"op": "{op}", "ns": {ns:.1}}}"#);
}
