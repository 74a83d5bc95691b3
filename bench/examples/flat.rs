//! Streams `GIB` gibibytes through a window and prints the peak memory.
//!
//! `cargo run --release -p overspill-bench --example flat -- 10`

#![allow(clippy::print_stdout, reason = "its result")]

use overspill_core::{Finished, Policy, Window};

fn main() {
    let gib: u64 = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(10);
    let line = "0000000 compiling warning error note test running ok failed src lib main parse\n";
    let chunk = line.repeat(800);
    let mut window = Window::new(Policy::default());
    let mut fed = 0;
    while fed < gib << 30 {
        drop(window.push(chunk.as_bytes()));
        fed += chunk.len() as u64;
    }
    let Finished::Over(over) = window.finish() else { return };
    let total = over.total();
    println!("{} bytes in {} lines; peak memory {}", total.bytes, total.lines, peak_memory());
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown".into(), |peak| peak.trim().to_owned())
}
