//! Decides on a short output of `BYTES` bytes, for counting instructions: see
//! `bench/instructions`.

use overspill_core::{Policy, cut};
use std::hint::black_box;

#[inline(never)]
fn decide(text: &[u8], policy: &Policy) -> bool {
    cut(text, policy).is_none()
}

fn main() {
    let bytes = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1 << 10);
    let line = "0000000 compiling warning error note test running ok failed src lib main parse\n";
    let text = line.repeat(1000);
    let policy = Policy::default();
    // Not counted: the first call also detects the features of the processor.
    assert!(cut(black_box(&text.as_bytes()[..40_000]), &policy).is_none());
    assert!(decide(black_box(&text.as_bytes()[..bytes]), &policy));
}
