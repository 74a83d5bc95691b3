//! The JSON formats in which hosts pass the result of a tool to a hook and take the answer.
//!
//! Each format is a module with a [`HookFormat`], and the table of hosts names it.

mod claude;
mod copilot;
mod cursor;
mod host_file;
mod neovate;
mod plugin;

use std::fmt::Debug;
use std::fs::File;

use overspill::internal::profile::ResultLayout;
use serde_json::{Map, Value, json};

pub(crate) use claude::ClaudeFormat;
pub(crate) use copilot::CopilotFormat;
pub(crate) use cursor::CursorFormat;
pub(crate) use neovate::NeovateFormat;
pub(crate) use plugin::PluginFormat;

use crate::env::Env;

/// The JSON format of a host's hook.
pub(crate) trait HookFormat: Debug + Sync {
    /// Returns the name of the field that has the result of a tool. `None` if the payload has no result.
    fn result_field(&self, payload: &Value) -> Option<&'static str>;

    /// Decodes the result of a tool. `None` if its form is unknown.
    fn decode(&self, payload: &Value, env: &Env) -> Option<HookResult>;

    /// Encodes a shortened result in the form of the payload.
    fn encode(&self, _payload: &Value, shortened: Value) -> Value {
        self.replace(shortened)
    }

    /// Encodes an answer that replaces the whole result by `result`.
    fn replace(&self, result: Value) -> Value;

    /// Returns the answer to a host that asks before it runs a command. Returns `None` for other
    /// payloads.
    fn rewrite_command(&self, _payload: &Value, _env: &Env) -> Option<Value> {
        None
    }

    /// Returns the layout of the result, if the host passes the whole result and takes a whole
    /// result back.
    fn layout(&self, _payload: &Value) -> Option<ResultLayout> {
        None
    }

    /// Returns the session of the call, if the payload names it.
    fn session(&self, payload: &Value) -> Option<String> {
        text(payload, "session_id").or_else(|| text(payload, "sessionId"))
    }

    /// Returns a payload in the form of the host, for trials. `text` is the result of the tool.
    fn sample(&self, text: &str) -> Value;
}

/// The result of a tool, decoded from the payload of a host.
#[derive(Debug)]
pub(crate) struct HookResult {
    pub(crate) tool: String,
    /// The command, if the tool runs commands.
    pub(crate) command: Option<String>,
    pub(crate) content: HookContent,
}

/// The content of a result.
#[derive(Debug)]
pub(crate) enum HookContent {
    Text(String),
    /// A result of MCP: an object with a list of parts, structured content, or both.
    Result(Value),
    /// A result in an unknown form. The sizes of all its strings count.
    Any(Value),
    /// The whole result, with the [`HookFormat::layout`] of the host.
    Host(Value),
    /// A text in a file of the host, and the text that the result itself contains.
    File(File, String),
}

/// Returns the text in a field.
fn text(payload: &Value, name: &str) -> Option<String> {
    payload.get(name)?.as_str().map(str::to_owned)
}

/// Returns the result of an MCP tool: a list of parts, or an object around it.
fn mcp_result(result: &Value) -> Option<HookContent> {
    const FIELDS: [&str; 4] = ["content", "structuredContent", "isError", "_meta"];
    let fields = match result {
        Value::Array(items) if items.iter().all(is_part) => {
            return Some(HookContent::Result(json!({ "content": result })));
        }
        Value::Array(_) => return Some(HookContent::Any(result.clone())),
        Value::Object(fields) => fields,
        _ => return None,
    };
    let is_known = has_little_beside(fields, &FIELDS);
    Some(match (fields.get("content"), fields.get("structuredContent")) {
        (Some(Value::String(text)), None) if is_known => HookContent::Text(text.clone()),
        (Some(Value::Array(_)), _) | (None, Some(_)) if is_known => {
            HookContent::Result(result.clone())
        }
        _ => HookContent::Any(result.clone()),
    })
}

/// Tells whether an item of a list is a part of a result: every part has a type.
fn is_part(item: &Value) -> bool {
    item.get("type").is_some_and(Value::is_string)
}

/// Tells whether a result has only short values beside these fields.
fn has_little_beside(fields: &Map<String, Value>, known: &[&str]) -> bool {
    /// The largest number of bytes of JSON that the other fields can have.
    const MOST: usize = 2_000;
    let others = fields.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    others.map(|(name, value)| name.len() + value.to_string().len()).sum::<usize>() <= MOST
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::hosts::HOSTS;

    /// Every format either rewrites the command of its sample, or decodes its result and encodes
    /// another result.
    #[test]
    fn hook_format_understands_its_own_sample() {
        let env = Env::of_table(&[], Path::new("/"));
        for (host, format) in HOSTS.iter().filter_map(|host| Some((host.name, host.hook?))) {
            let payload = format.sample("long output");
            if let Some(answer) = format.rewrite_command(&payload, &env) {
                assert!(answer.to_string().contains("run --max-lines"), "{host}: {answer}");
                continue;
            }
            let field = format.result_field(&payload).unwrap_or_else(|| panic!("{host}"));
            assert!(payload.get(field).is_some(), "{host}");
            let result = format.decode(&payload, &env).unwrap_or_else(|| panic!("{host}"));
            assert!(matches!(&result.content, HookContent::Text(text) if text == "long output"));
            let answer = format.encode(&payload, "short".into()).to_string();
            assert!(
                answer.contains("short") && !answer.contains("long output"),
                "{host}: {answer}"
            );
        }
    }
}
