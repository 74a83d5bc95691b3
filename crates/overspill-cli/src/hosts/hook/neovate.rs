//! The hook format of neovate: its plugin passes the whole result of a tool, and takes a whole
//! result back.

use overspill::Profile;
use overspill::internal::profile::ResultLayout;
use serde_json::{Value, json};

use super::{HookContent, HookFormat, HookResult, PluginFormat, text};
use crate::env::Env;

/// The format with a field `result`. Plugins of older versions have `text` or `content` in its
/// place.
#[derive(Debug)]
pub(crate) struct NeovateFormat;

impl HookFormat for NeovateFormat {
    fn result_field(&self, payload: &Value) -> Option<&'static str> {
        let is_whole = self.layout(payload).is_some();
        if is_whole { Some("result") } else { PluginFormat.result_field(payload) }
    }

    fn decode(&self, payload: &Value, env: &Env) -> Option<HookResult> {
        if self.layout(payload).is_none() {
            return PluginFormat.decode(payload, env);
        }
        let tool = text(payload, "tool").unwrap_or_else(|| "tool".into());
        let content = HookContent::Host(payload.get("result")?.clone());
        Some(HookResult { tool, command: None, content })
    }

    fn encode(&self, payload: &Value, shortened: Value) -> Value {
        match self.layout(payload) {
            Some(_) => json!({ "result": shortened }),
            None => PluginFormat.encode(payload, shortened),
        }
    }

    fn replace(&self, result: Value) -> Value {
        match result.get(Profile::TAKUMI.shape.text) {
            Some(_) => json!({ "result": result }),
            None => PluginFormat.replace(result),
        }
    }

    fn layout(&self, payload: &Value) -> Option<ResultLayout> {
        let is_whole = payload.get("result").is_some_and(Value::is_object);
        is_whole.then_some(Profile::TAKUMI.shape)
    }

    fn session(&self, payload: &Value) -> Option<String> {
        text(payload, "session")
    }

    fn sample(&self, text: &str) -> Value {
        PluginFormat.sample(text)
    }
}
