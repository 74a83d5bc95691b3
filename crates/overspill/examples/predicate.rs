//! A predicate decides for each result: never cut a diff, show more of a test run.
//!
//! `cargo run -p overspill --example predicate`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use std::sync::Arc;

use overspill::store::Memory;
use overspill::tool::{Bounded, Gates, Verdict};
use overspill::{Call, CallOptions, Layer, Limit, Overspill, Profile};
use serde_json::{Value, json};

fn decide(tool: &str, result: &Value) -> Verdict {
    let text = result["output"].as_str().unwrap_or_default();
    match tool {
        _ if text.starts_with("diff --git") => Verdict::No,
        "test" => Verdict::With(Layer { max_lines: Some(Limit::AtMost(4000)), ..Layer::default() }),
        _ => Verdict::Yes,
    }
}

/// Runs the example.
pub fn main() {
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    let gates = Gates { predicate: Some(Arc::new(decide)), ..Gates::default() };
    let lines = "+ a line\n".repeat(3000);
    for (tool, output) in [
        ("bash", lines.clone()),
        ("test", lines.clone()),
        ("bash", format!("diff --git a b\n{lines}")),
    ] {
        let result = json!({"output": output});
        let bounded =
            overspill.bound_result(&result, &Call::new(tool), &CallOptions::default(), &gates);
        let shown = match &bounded {
            Bounded::Unchanged => output.lines().count(),
            Bounded::Changed(result) => {
                result["output"].as_str().unwrap_or_default().lines().count()
            }
        };
        println!("{tool}: {} lines, {shown} shown", output.lines().count());
    }
}
