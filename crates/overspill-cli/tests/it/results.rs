//! The shared table of tool results, through a hook and through the MCP proxy.

#[path = "../../../../tests/results/table.rs"]
mod table;

use serde_json::{Value, json};
use table::cases;

use crate::mcp::client::Client;
use crate::program::Test;

#[test]
fn hook_shortens_every_kind_of_part() {
    for case in cases() {
        let payload = json!({
            "hook_event_name": "PostToolUse", "tool_name": "mcp__server__tool", "tool_input": {},
            "tool_response": case.result,
        });
        // The host shows more than the table of cases expects.
        let test = Test::new(&["hook", "claude-code"]);
        let config = test.dir.path().join("config/overspill");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("config.toml"), "max_chars = 9500\n").unwrap();
        let done = test.stdin(payload.to_string()).run().code(0);
        let answer = done.text();
        let after = (!answer.is_empty()).then(|| {
            let answer: Value = serde_json::from_str(&answer).unwrap();
            json!({ "content": answer["hookSpecificOutput"]["updatedToolOutput"] })
        });
        let saved = done.files().iter().map(|file| std::fs::read(file).unwrap()).collect();
        case.check("hook", after.as_ref(), saved);
    }
}

#[test]
fn proxy_shortens_every_kind_of_part() {
    for case in cases() {
        let mut client = Client::new();
        let frame = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{}}}"#, case.result);
        let answer: Value = serde_json::from_str(&client.raw(&frame)).unwrap();
        case.check("proxy", Some(&answer["result"]), client.saved());
    }
}
