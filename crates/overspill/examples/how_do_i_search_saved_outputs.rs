//! Call `Overspill::grep`. The answer is within the limits and has the request for the next page.
//!
//! `cargo run -p overspill --example how_do_i_search_saved_outputs`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use overspill::retrieve::Query;
use overspill::store::Memory;
use overspill::{Call, Overspill};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let overspill = Overspill::builder().store(Memory::default()).max_lines(100).build();
    for run in 1..=3 {
        let output: String = (1..=999).map(|n| format!("run {run}: case {n} ok\n")).collect();
        overspill.process(&output, &Call::new("make"));
    }

    let query = Query { pattern: "case 50[0-9]".into(), ..Query::default() };
    let mut found = 0;
    for entry in overspill.store().list()? {
        let answer = overspill.grep(&entry.name, &query)?;
        println!("{}{}", answer.text, answer.what);
        found += answer.text.lines().count();
    }
    assert_eq!(found, 30);
    Ok(())
}
