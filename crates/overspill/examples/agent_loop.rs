//! An agent's loop with the registry: a tool that declares its settings, a tool that cuts its own
//! output, one that is bounded as usual, and one budget for the turn.
//!
//! `cargo run -p overspill --example agent_loop`

#![allow(clippy::print_stdout, unreachable_pub, reason = "an example, which a test runs as well")]

use overspill::core::{Keep, Limits};
use overspill::store::Memory;
use overspill::tool::Gates;
use overspill::tool::registry::{Registry, Tool, ToolCall};
use overspill::{Layer, Limit, Overspill, Profile};
use serde_json::{Value, json};

fn registry() -> Registry {
    let overspill = Overspill::new(Profile::AGENT_V2, Memory::default());
    let mut registry = Registry::new()
        .bounded_by(overspill, Gates::default())
        .with_budget(Limits::NONE.bytes(30_000))
        .in_session("example");

    // It knows that the end of its log is what matters.
    let build = Tool::new("build", |_: &Value| {
        Ok(json!({"success": false, "output": "compiling\n".repeat(4000) + "error: no\n"}))
    });
    registry.register(build.with_settings(Layer {
        keep: Some(Keep::Tail),
        max_lines: Some(Limit::AtMost(20)),
        ..Layer::default()
    }));

    // It has cut its output itself and says so; it is left alone.
    registry.register(Tool::new("search", |_: &Value| {
        let metadata = json!({"truncated": true, "shownMatches": 3, "allMatches": 812});
        Ok(json!({"success": true, "output": "three matches of 812", "metadata": metadata}))
    }));

    registry.register(Tool::new("list", |_: &Value| {
        Ok(json!({"success": true, "output": "a-file-with-a-long-name\n".repeat(2000)}))
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
    // What a model would ask for in one turn.
    let calls = ["build", "search", "list"].map(call);
    for executed in registry().execute(&calls) {
        let output = executed.result["output"].as_str().unwrap_or_default();
        println!("{}: {} bytes, {}", executed.call.name, output.len(), executed.result["metadata"]);
    }
}
