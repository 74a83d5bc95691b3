//! The payloads of hosts, and the answers that they take.

use std::path::Path;

use serde_json::{Value, json};

use super::{Given, What, host_file};
use crate::env::Env;
use crate::hosts::{HookShape, LIMITS};
use crate::ui;

/// The tool of Claude Code that runs commands.
const SHELL: &str = "Bash";

/// Returns the text at a name.
pub(super) fn text(payload: &Value, name: &str) -> Option<String> {
    payload.get(name)?.as_str().map(str::to_owned)
}

/// Returns the name under which the host's own form of a result stands, if there is one.
pub(super) fn result(shape: HookShape, payload: &Value) -> Option<&'static str> {
    let name = match shape {
        HookShape::Claude => "tool_response",
        HookShape::Copilot => "toolResult",
        HookShape::Cursor => "tool_output",
        HookShape::Plugin if payload.get("text").is_some_and(Value::is_string) => "text",
        HookShape::Plugin => "content",
    };
    let is_after = shape != HookShape::Claude || payload.get("hook_event_name")? == "PostToolUse";
    payload.get(name).filter(|_| is_after).map(|_| name)
}

/// Puts another one in its place.
pub(super) fn replaced(shape: HookShape, result: Value) -> Value {
    match shape {
        HookShape::Claude => updated(result),
        HookShape::Copilot => json!({ "modifiedResult": result }),
        HookShape::Cursor => json!({ "updated_mcp_tool_output": result }),
        HookShape::Plugin if result.is_string() => json!({ "text": result }),
        HookShape::Plugin => json!({ "content": result }),
    }
}

/// Claude Code: after a tool that did not fail. For one that failed nothing can be replaced.
pub(super) fn claude(payload: &Value, env: &Env) -> Option<Given> {
    if payload.get("hook_event_name")?.as_str()? != "PostToolUse" {
        return None;
    }
    let response = payload.get("tool_response")?;
    let what = match response {
        Value::String(text) => What::Text(text.clone()),
        Value::Object(fields) if fields.contains_key("stdout") => {
            if fields.get("isImage").and_then(Value::as_bool) == Some(true) {
                return None;
            }
            match fields.get("persistedOutputPath").and_then(Value::as_str) {
                // Only the host's own tool has its word on files.
                Some(path) if payload.get("tool_name")? == SHELL => {
                    What::File(host_file::open_claude(Path::new(path), env)?)
                }
                Some(_) => return None,
                None => What::Text(joined(text(response, "stdout"), text(response, "stderr"))),
            }
        }
        response => mcp_result(response)?,
    };
    let command = payload.get("tool_input").and_then(|input| text(input, "command"));
    Some(Given { tool: text(payload, "tool_name")?, command, what })
}

/// Returns the result of an MCP tool: a list of parts, or an object around it.
fn mcp_result(result: &Value) -> Option<What> {
    match result {
        Value::Array(_) => Some(What::Result(json!({ "content": result }))),
        Value::Object(fields) => match fields.get("content") {
            Some(Value::String(text)) => Some(What::Text(text.clone())),
            Some(Value::Array(_)) => Some(What::Result(result.clone())),
            _ => fields.get("structuredContent").map(|_| What::Result(result.clone())),
        },
        _ => None,
    }
}

fn joined(out: Option<String>, err: Option<String>) -> String {
    match (out.unwrap_or_default(), err.unwrap_or_default()) {
        (out, err) if err.is_empty() => out,
        (out, err) if out.is_empty() => err,
        (out, err) => format!("{}\n{err}", out.trim_end_matches('\n')),
    }
}

/// In the tool's own form: any other is dropped without a word.
pub(super) fn to_claude(payload: &Value, bounded: Value) -> Value {
    let output = match payload.get("tool_response") {
        Some(Value::Object(fields)) if fields.contains_key("stdout") => {
            let mut fields = fields.clone();
            fields.insert("stdout".into(), bounded);
            fields.insert("stderr".into(), "".into());
            // With these the host would show a preview of ours.
            fields.remove("persistedOutputPath");
            fields.remove("persistedOutputSize");
            Value::Object(fields)
        }
        _ => bounded,
    };
    updated(output)
}

fn updated(output: Value) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": output } })
}

/// Cursor: what an MCP tool has returned.
pub(super) fn cursor(payload: &Value) -> Option<Given> {
    let what = match payload.get("tool_output")? {
        Value::String(text) => What::Text(text.clone()),
        output => mcp_result(output)?,
    };
    Some(Given { tool: text(payload, "tool_name")?, command: None, what })
}

/// Cursor: a command line that is about to be run.
pub(super) fn line(payload: &Value, env: &Env) -> Option<String> {
    let is_before = payload.get("tool_output").is_none() && payload.get("tool_name")? == "Shell";
    let line = payload.get("tool_input").and_then(|input| text(input, "command"))?;
    // Ours is bounded already.
    let is_ours = line.starts_with(&format!("{} run ", env.program_name()));
    (is_before && !is_ours).then_some(line)
}

/// The whole line, as it is, is what we run; nothing is said about whether it may be.
pub(super) fn rewritten(payload: &Value, line: &str, env: &Env) -> Value {
    let mut input = payload.get("tool_input").cloned().unwrap_or_default();
    let most = |most: Option<u64>| most.unwrap_or_default();
    input["command"] = format!(
        "{} run --max-lines {} --max-chars {} --shell {}",
        env.program_name(),
        most(LIMITS.lines),
        most(LIMITS.chars),
        ui::shell_word(line)
    )
    .into();
    json!({ "updated_input": input })
}

/// Our own plugins: a text, or a list of parts.
pub(super) fn plugin(payload: &Value) -> Option<Given> {
    let what = match (payload.get("text"), payload.get("content")) {
        (Some(Value::String(text)), _) => What::Text(text.clone()),
        (_, Some(content @ Value::Array(_))) => mcp_result(content)?,
        _ => return None,
    };
    let tool = text(payload, "tool").unwrap_or_else(|| "tool".into());
    Some(Given { tool, command: text(payload, "command"), what })
}
