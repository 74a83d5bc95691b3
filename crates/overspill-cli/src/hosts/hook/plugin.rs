//! Our own plugins for hosts: `text` or `content` in and out.

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
            (_, Some(content @ Value::Array(_))) => mcp_result(content)?,
            _ => return None,
        };
        let tool = text(payload, "tool").unwrap_or_else(|| "tool".into());
        Some(HookResult { tool, command: text(payload, "command"), content })
    }

    fn replace(&self, result: Value) -> Value {
        let name = if result.is_string() { "text" } else { "content" };
        json!({ name: result })
    }

    fn sample(&self, text: &str) -> Value {
        json!({"tool": "x", "text": text})
    }
}
