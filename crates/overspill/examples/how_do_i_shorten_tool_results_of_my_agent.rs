//! Register the tools. The registry runs them, shortens their results and shares one budget among
//! the results of a turn.
//!
//! `cargo run -p overspill --features registry --example how_do_i_shorten_tool_results_of_my_agent`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use overspill::core::{Keep, Limits};
use overspill::store::Memory;
use overspill::tool::registry::{Registry, Tool, ToolCall};
use overspill::tool::{Gates, Verdict};
use overspill::{Layer, Overspill, Profile};
use serde_json::{Value, json};

/// Never shortens a diff.
fn decide(_: &str, result: &Value) -> Verdict {
    let text = result["output"].as_str().unwrap_or_default();
    if text.starts_with("diff --git") { Verdict::No } else { Verdict::Yes }
}

fn registry(hidden: Arc<AtomicU64>) -> Registry {
    let overspill = Overspill::builder()
        .profile(Profile::AGENT_V2)
        .store(Memory::default())
        .observer(move |event| {
            let bytes = event.original_bytes.saturating_sub(event.shown_bytes);
            hidden.fetch_add(bytes, Ordering::Relaxed);
        })
        .build();
    let gates = Gates { predicate: Some(Arc::new(decide)), ..Gates::default() };
    let mut registry = Registry::new()
        .shortened_by(overspill, gates)
        .with_budget(Limits::NONE.bytes(30_000))
        .in_session("example");

    // The end of this log matters most, so the tool asks for it.
    let build = Tool::new("build", |_: &Value| {
        Ok(json!({"success": false, "output": "compiling\n".repeat(4000) + "error: no\n"}))
    });
    registry.register(build.with_settings(Layer::new().keep(Keep::Tail).max_lines(20)));

    // This tool shortened its output itself and sets the flag. The registry does not change it.
    registry.register(Tool::new("search", |_: &Value| {
        let metadata = json!({"truncated": true, "shownMatches": 3, "allMatches": 812});
        Ok(json!({"success": true, "output": "three matches of 812", "metadata": metadata}))
    }));

    registry.register(Tool::new("changes", |_: &Value| {
        let diff = format!("diff --git a b\n{}", "+ a line\n".repeat(3000));
        Ok(json!({"success": true, "output": diff}))
    }));
    registry
}

/// Runs the example.
pub fn main() {
    let call = |name: &str| ToolCall {
        id: format!("call-{name}"),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    };
    let hidden = Arc::new(AtomicU64::default());
    // A model makes these calls in one turn.
    let calls = ["build", "search", "changes"].map(call);
    for executed in registry(hidden.clone()).execute(&calls) {
        let output = executed.result["output"].as_str().unwrap_or_default();
        println!("{}: {} bytes, {}", executed.call.name, output.len(), executed.result["metadata"]);
    }
    let hidden = hidden.load(Ordering::Relaxed);
    println!("{hidden} bytes are not in the context of the model");
    assert!(hidden > 30_000);
}
