//! Reads the options of a single call.

use overspill::internal::seeds::{PermissionRule, Preset, can_delegate};
use overspill::{Call, CallEnd, CallOptions, Layer, Outcome, Overspill};
use serde_json::Value;

use crate::Misuse;
use crate::keys::Keys;

/// A call and its options, from an object with these keys in snake or camel case: `tool`,
/// `call_id`, `session`, `command`, `directory`; every
/// [`CallSetting`](overspill::internal::settings::CallSetting); `preset`, `declared`, `delegate`,
/// `permission`, `exit_code`.
#[derive(Debug, Clone, Default)]
pub struct CallRequest {
    /// The call.
    pub call: Call,
    /// The options of the call.
    pub options: CallOptions,
    /// The way in which the call ended.
    pub end: CallEnd,
}

impl CallRequest {
    /// Shortens an output of this call.
    pub fn process<'a>(&self, overspill: &Overspill, output: &'a [u8]) -> Outcome<'a> {
        overspill.process_ended(output, &self.call, &self.options, self.end)
    }

    /// Reads a request.
    pub fn from_json(json: &Value) -> Result<CallRequest, Misuse> {
        let mut keys = Keys::of(json, "options")?;
        let call = Call {
            tool: keys.text("tool")?,
            id: keys.text("call_id")?,
            session: keys.text("session")?,
            command: keys.text("command")?,
            directory: keys.text("directory")?,
        };
        let preset =
            keys.read("preset", "one of code, log, error", |name| match name.as_str()? {
                "code" => Some(Preset::Code),
                "log" => Some(Preset::Log),
                "error" => Some(Preset::Error),
                _ => None,
            })?;
        let preset = preset.map_or_else(Layer::default, Preset::layer);
        let declared = match keys.get("declared") {
            None => None,
            Some(declared) => {
                let mut keys = Keys::of(declared, "declared")?;
                let layer = keys.layer()?;
                keys.done()?;
                Some(layer)
            }
        };
        let rule = |rule: &Value| -> Option<PermissionRule> {
            let text = |key: &str| rule.get(key)?.as_str().map(str::to_owned);
            let (permission, pattern) = (text("permission")?, text("pattern")?);
            Some(PermissionRule { permission, pattern, action: text("action")? })
        };
        let rules = |rules: &Value| rules.as_array()?.iter().map(rule).collect();
        let rules: Option<Vec<PermissionRule>> =
            keys.read("permission", "a list of rules", rules)?;
        let settings = preset.updated(&keys.layer()?);
        let exit = |value: &Value| value.as_i64().and_then(|code| i32::try_from(code).ok());
        let options = CallOptions {
            settings,
            declared,
            delegate: keys.switch("delegate")?.unwrap_or_else(|| can_delegate(rules.as_deref())),
            ..CallOptions::default()
        };
        let exit = keys.read("exit_code", "an exit code", exit)?;
        keys.done()?;
        Ok(CallRequest { call, options, end: CallEnd { exit, ..CallEnd::default() } })
    }
}
