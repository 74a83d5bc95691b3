//! The hook format of our own plugins: `text` or `content` in and out. `content` is a list of
//! parts, or a whole result.

use serde_json::{Value, json};

use super::{HookContent, HookFormat, HookResult, mcp_result, text};
use crate::env::Env;

#[derive(Debug)]
pub(crate) struct PluginFormat;

impl HookFormat for PluginFormat {
    fn result_field(&self, payload: &Value) -> Option<&'static str> {
        let is_text = payload.get("text").is_some_and(Value::is_string);
        let name = if is_text { "text" } else { "content" };
        payload.get(name).map(|_| name)
    }

    fn decode(&self, payload: &Value, _: &Env) -> Option<HookResult> {
        let content = match (payload.get("text"), payload.get("content")) {
            (Some(Value::String(text)), _) => HookContent::Text(text.clone()),
            (_, Some(content)) => mcp_result(content)?,
            _ => return None,
        };
        let tool = text(payload, "tool").unwrap_or_else(|| "tool".into());
        Some(HookResult { tool, command: text(payload, "command"), content })
    }

    /// Encodes a shortened result. A plugin that sends `content` expects `content` in the answer.
    fn encode(&self, payload: &Value, shortened: Value) -> Value {
        let is_text = payload.get("text").is_some_and(Value::is_string);
        match shortened {
            Value::String(text) if !is_text => {
                self.replace(json!([{"type": "text", "text": text}]))
            }
            shortened => self.replace(shortened),
        }
    }

    fn replace(&self, result: Value) -> Value {
        let name = if result.is_string() { "text" } else { "content" };
        json!({ name: result })
    }

    fn sample(&self, text: &str) -> Value {
        json!({"tool": "x", "text": text})
    }
}
