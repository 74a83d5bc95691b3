//! An event listener that keeps metrics: how many calls, how many bytes they cost and saved.
//!
//! `cargo run -p overspill --example metrics`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use overspill::store::Memory;
use overspill::{Call, Event, EventKind, Overspill, Profile};

#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    calls: u64,
    cut: u64,
    failed: u64,
    produced: u64,
    shown: u64,
}

fn count(totals: &mut BTreeMap<String, Totals>, event: &Event) {
    let tool = event.call.tool.clone().unwrap_or_default();
    let of_tool = totals.entry(tool).or_default();
    of_tool.calls += 1;
    of_tool.produced += event.original_bytes;
    of_tool.shown += event.shown_bytes;
    match event.what {
        EventKind::Skipped => {}
        EventKind::Spilled { .. } => of_tool.cut += 1,
        EventKind::Failed { .. } => of_tool.failed += 1,
    }
}

/// Runs the example.
pub fn main() {
    let totals: Arc<Mutex<BTreeMap<String, Totals>>> = Arc::default();
    let counted = totals.clone();
    let overspill = Overspill::new(Profile::OWN, Memory::default())
        .to_builder()
        .observer(move |event| {
            count(&mut counted.lock().unwrap_or_else(PoisonError::into_inner), event);
        })
        .build();
    overspill.process(b"two files\n", &Call::new("ls"));
    overspill.process(&b"a line\n".repeat(100_000), &Call::new("make"));
    let totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
    for (tool, totals) in totals.iter() {
        println!("{tool}: {totals:?}");
    }
    assert_eq!((totals["ls"].cut, totals["make"].cut), (0, 1));
}
