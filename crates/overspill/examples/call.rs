//! Times one call, the way an agent makes it: `call FILE DIR` prints a JSON line for each way of
//! cutting FILE, with and without saving it in DIR: `{"op": "head+save", "ns": 1234.5}`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that measures")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use overspill::core::{Keep, Policy, Reach, preview};
use overspill::store::Disk;
use overspill::{Outcome, Overspill};

fn main() {
    let mut args = std::env::args_os().skip(1);
    let (Some(file), Some(dir)) = (args.next(), args.next()) else {
        println!("usage: call FILE DIR");
        std::process::exit(2);
    };
    let output = std::fs::read(file).unwrap();
    for (op, keep) in [("head", Keep::Head), ("tail", Keep::Tail), ("both", Keep::ENDS)] {
        let policy = Policy::new(Policy::LIMITS, keep);
        print(op, best(&output, || (), |text| drop(black_box(preview(text, &policy)))));
    }
    let root = Path::new(&dir).join("overspill");
    for (op, keep) in
        [("head+save", Keep::Head), ("tail+save", Keep::Tail), ("both+save", Keep::ENDS)]
    {
        let overspill = Overspill {
            policy: Policy::new(Policy::LIMITS, keep),
            store: Disk::at(&root),
            reach: Reach { files: true, ..Reach::default() },
        };
        let forget = || drop(std::fs::remove_dir_all(&root));
        print(
            op,
            best(&output, forget, |text| match overspill.process(text) {
                Outcome::Whole(bytes) => drop(black_box(bytes)),
                Outcome::Spilled(spilled) => assert!(spilled.saved.is_ok()),
            }),
        );
    }
    let _ = std::fs::remove_dir_all(&root);
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
