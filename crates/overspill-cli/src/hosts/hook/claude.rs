//! Claude Code: `tool_response` in, `hookSpecificOutput.updatedToolOutput` out, in the tool's own form.

use std::path::Path;

use serde_json::{Value, json};

use super::{HookContent, HookFormat, HookResult, host_file, mcp_result, text};
use crate::env::Env;

#[derive(Debug)]
pub(crate) struct ClaudeFormat;

/// The tool that runs commands.
const SHELL: &str = "Bash";
const RESULT: &str = "tool_response";

impl HookFormat for ClaudeFormat {
    /// The result of a tool that failed cannot be replaced.
    fn result_field(&self, payload: &Value) -> Option<&'static str> {
        let is_after = payload.get("hook_event_name")? == "PostToolUse";
        payload.get(RESULT).filter(|_| is_after).map(|_| RESULT)
    }

    fn decode(&self, payload: &Value, env: &Env) -> Option<HookResult> {
        let response = payload.get(self.result_field(payload)?)?;
        let content = match response {
            Value::String(text) => HookContent::Text(text.clone()),
            Value::Object(fields) if fields.contains_key("stdout") => {
                if fields.get("isImage").and_then(Value::as_bool) == Some(true) {
                    return None;
                }
                match fields.get("persistedOutputPath").and_then(Value::as_str) {
                    // Only the host's own tool is trusted to name a file.
                    Some(path) if payload.get("tool_name")? == SHELL => {
                        HookContent::File(host_file::open_claude(Path::new(path), env)?)
                    }
                    Some(_) => return None,
                    None => HookContent::Text(joined(
                        text(response, "stdout"),
                        text(response, "stderr"),
                    )),
                }
            }
            response => mcp_result(response)?,
        };
        let command = payload.get("tool_input").and_then(|input| text(input, "command"));
        Some(HookResult { tool: text(payload, "tool_name")?, command, content })
    }

    /// Claude Code drops a result in any other form than the tool's own, without a message.
    fn encode(&self, payload: &Value, shortened: Value) -> Value {
        let output = match payload.get(RESULT) {
            Some(Value::Object(fields)) if fields.contains_key("stdout") => {
                let mut fields = fields.clone();
                fields.insert("stdout".into(), shortened);
                fields.insert("stderr".into(), "".into());
                // With these the host would show a preview of our preview.
                fields.remove("persistedOutputPath");
                fields.remove("persistedOutputSize");
                Value::Object(fields)
            }
            _ => shortened,
        };
        self.replace(output)
    }

    fn replace(&self, result: Value) -> Value {
        json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": result } })
    }

    fn sample(&self, text: &str) -> Value {
        json!({
            "hook_event_name": "PostToolUse", "tool_name": SHELL, "tool_input": {"command": "x"},
            "tool_response": {"stdout": text, "stderr": "", "interrupted": false, "isImage": false},
        })
    }
}

fn joined(out: Option<String>, err: Option<String>) -> String {
    match (out.unwrap_or_default(), err.unwrap_or_default()) {
        (out, err) if err.is_empty() => out,
        (out, err) if out.is_empty() => err,
        (out, err) => format!("{}\n{err}", out.trim_end_matches('\n')),
    }
}
