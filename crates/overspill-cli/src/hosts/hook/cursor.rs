//! The hook format of Cursor: it asks before a command runs, and passes on results of MCP tools.

use serde_json::{Value, json};

use super::{HookContent, HookFormat, HookResult, mcp_result, text};
use crate::env::Env;
use crate::hosts::LIMITS;
use crate::ui;

#[derive(Debug)]
pub(crate) struct CursorFormat;

const RESULT: &str = "tool_output";

impl HookFormat for CursorFormat {
    fn result_field(&self, payload: &Value) -> Option<&'static str> {
        payload.get(RESULT).map(|_| RESULT)
    }

    fn decode(&self, payload: &Value, _: &Env) -> Option<HookResult> {
        let content = match payload.get(RESULT)? {
            Value::String(text) => HookContent::Text(text.clone()),
            output => mcp_result(output)?,
        };
        Some(HookResult { tool: text(payload, "tool_name")?, command: None, content })
    }

    fn replace(&self, result: Value) -> Value {
        json!({ "updated_mcp_tool_output": result })
    }

    /// Returns an answer in which `overspill run` runs the whole line. The answer does not allow
    /// the command.
    fn rewrite_command(&self, payload: &Value, env: &Env) -> Option<Value> {
        let is_before = payload.get(RESULT).is_none() && payload.get("tool_name")? == "Shell";
        let mut input = payload.get("tool_input").filter(|_| is_before)?.clone();
        let line = text(&input, "command")?;
        let run = format!("{} run ", env.program_name());
        if line.starts_with(&run) {
            return None;
        }
        let most = |most: Option<u64>| most.unwrap_or_default();
        input["command"] = format!(
            "{run}--max-lines {} --max-chars {} --shell {}",
            most(LIMITS.lines),
            most(LIMITS.chars),
            ui::shell_word(&line)
        )
        .into();
        Some(json!({ "updated_input": input }))
    }

    /// Returns the payload before a command, because most outputs of Cursor come from commands.
    fn sample(&self, _: &str) -> Value {
        json!({"tool_name": "Shell", "tool_input": {"command": "x"}})
    }
}
