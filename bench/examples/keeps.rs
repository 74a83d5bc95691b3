//! Measures the speed and the memory of streaming an output, for each setting of `keep`.
//!
//! `cargo run --release -p overspill-bench --example keeps -- FILE [ends|signal]`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "its result")]

use std::time::Instant;

use overspill_core::{Finished, Keep, Policy, Window, Wording};

fn main() {
    let mut args = std::env::args().skip(1);
    let text = std::fs::read(args.next().unwrap()).unwrap();
    let only = args.next();
    let wording = Wording::plain("3f9c2e");
    for (name, keep) in [("ends", Keep::ENDS), ("signal", Keep::Signal)] {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let mut best = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            let start = Instant::now();
            let mut window = Window::new(Policy::new(Policy::LIMITS, keep));
            text.chunks(64 << 10).for_each(|chunk| drop(window.push(chunk)));
            let Finished::Over(over) = window.finish() else { return };
            let streamed = start.elapsed().as_secs_f64();
            let answer = over.preview(&wording);
            let answered = start.elapsed().as_secs_f64() - streamed;
            assert!(!answer.text.is_empty());
            best = (best.0.min(streamed), best.1.min(answered));
        }
        let speed = text.len() as f64 / best.0 / 1e6;
        println!("{name}: {speed:.0} MB/s, then {:.2} ms", best.1 * 1e3);
    }
}
