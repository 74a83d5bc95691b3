//! Claude Code: `tool_response` in, `hookSpecificOutput.updatedToolOutput` out, in the tool's own form.

use std::path::Path;

use overspill::internal::tool::walk::PartField;
use serde_json::{Value, json};

use super::{HookContent, HookFormat, HookResult, has_little_beside, host_file, mcp_result, text};
use crate::env::Env;

#[derive(Debug)]
pub(crate) struct ClaudeFormat;

/// The tool that runs commands.
const SHELL: &str = "Bash";
const RESULT: &str = "tool_response";

impl HookFormat for ClaudeFormat {
    /// Returns the field of the result. Claude Code does not replace the result of a tool that
    /// failed.
    fn result_field(&self, payload: &Value) -> Option<&'static str> {
        let is_after = payload.get("hook_event_name")? == "PostToolUse";
        payload.get(RESULT).filter(|_| is_after).map(|_| RESULT)
    }

    fn decode(&self, payload: &Value, env: &Env) -> Option<HookResult> {
        let response = payload.get(self.result_field(payload)?)?;
        let content = match response {
            Value::String(text) => HookContent::Text(text.clone()),
            response if is_of_shell(payload) => {
                let (out, err) = (text(response, "stdout"), text(response, "stderr"));
                if is_image(response) && is_picture(&out, &err) {
                    return None;
                }
                let all = joined(out, err);
                // Only the result of the host's own tool may name a file: other tools could name
                // any file.
                let path = response.get("persistedOutputPath").and_then(Value::as_str);
                match path.and_then(|path| host_file::open_claude(Path::new(path), env)) {
                    Some(file) => HookContent::File(file, all),
                    None => HookContent::Text(all),
                }
            }
            response => mcp_result(response)?,
        };
        let command = payload.get("tool_input").and_then(|input| text(input, "command"));
        Some(HookResult { tool: text(payload, "tool_name")?, command, content })
    }

    /// Encodes a result in the form of its tool. Claude Code drops a result in any other form,
    /// without a message.
    fn encode(&self, payload: &Value, shortened: Value) -> Value {
        let output = match payload.get(RESULT) {
            Some(Value::Object(fields)) if is_of_shell(payload) && shortened.is_string() => {
                let mut fields = fields.clone();
                if fields.contains_key("isImage") {
                    fields.insert("isImage".into(), false.into());
                }
                fields.insert("stdout".into(), shortened);
                fields.insert("stderr".into(), "".into());
                // With these fields the host would make a preview of the preview.
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

/// Tells whether a payload has a result of the shell tool, in its known form.
fn is_of_shell(payload: &Value) -> bool {
    let Some(Value::Object(fields)) = payload.get(RESULT) else { return false };
    let is_text = |name: &str| fields.get(name).is_some_and(Value::is_string);
    payload.get("tool_name").is_some_and(|tool| tool == SHELL)
        && is_text("stdout")
        && (is_text("stderr") || !fields.contains_key("stderr"))
        && has_little_beside(fields, &["stdout", "stderr"])
}

/// Tells whether the field `isImage` of a result is true.
fn is_image(response: &Value) -> bool {
    response.get("isImage").and_then(Value::as_bool) == Some(true)
}

/// Tells whether the output is a data URL of a picture in base64, with only short text beside it.
fn is_picture(out: &Option<String>, err: &Option<String>) -> bool {
    let is_short = err.as_ref().is_none_or(|err| err.len() <= PartField::SHORT);
    let is_url = |out: &String| {
        out.starts_with("data:image/") && !PartField::ForeignMedia.is_text(out.as_bytes())
    };
    is_short && out.as_ref().is_some_and(is_url)
}

fn joined(out: Option<String>, err: Option<String>) -> String {
    match (out.unwrap_or_default(), err.unwrap_or_default()) {
        (out, err) if err.is_empty() => out,
        (out, err) if out.is_empty() => err,
        (out, err) => format!("{}\n{err}", out.trim_end_matches('\n')),
    }
}
