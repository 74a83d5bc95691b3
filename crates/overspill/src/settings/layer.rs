//! One level of settings, such as the settings of the user or of a call.

use std::collections::BTreeMap;

use overspill_core::{Keep, Kind, Limits, Policy};

use super::{CallSetting, CallValue};

/// One level of settings. A setting without a value is left to the level below.
///
/// ```
/// use overspill::core::Keep;
/// use overspill::{Layer, Limit};
///
/// let layer = Layer::new().max_lines(500).keep(Keep::Tail);
/// assert_eq!(layer.max_lines, Some(Limit::AtMost(500)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct Layer {
    /// Whether outputs are shortened at all.
    pub enabled: Option<bool>,
    /// The part that is kept.
    pub keep: Option<Keep>,
    /// Whether the preview of a failing log uses all of its room.
    pub fill: Option<bool>,
    /// The kind of output.
    pub kind: Option<KindSetting>,
    /// Whether outputs over the profile's [`ceiling`](crate::Profile::ceiling) are shortened in any
    /// case.
    pub ceiling: Option<bool>,
    /// The limit on lines.
    pub max_lines: Option<Limit>,
    /// The limit on bytes.
    pub max_bytes: Option<Limit>,
    /// The limit on characters.
    pub max_chars: Option<Limit>,
    /// The limit on tokens.
    pub max_tokens: Option<Limit>,
    /// Settings of single tools, and of all tools of a server under `server/*`.
    pub tools: BTreeMap<String, Layer>,
}

/// The kind of output that a setting names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindSetting {
    /// The text decides.
    Auto,
    /// Every output is of this kind.
    Only(Kind),
}

/// A limit, or no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// At most this number.
    AtMost(u64),
    /// No limit.
    Unlimited,
}

impl Layer {
    /// Returns the value of a setting, if this level sets it.
    pub fn get(&self, setting: CallSetting) -> Option<CallValue> {
        match setting {
            CallSetting::Enabled => self.enabled.map(CallValue::Switch),
            CallSetting::Keep => self.keep.map(CallValue::Keep),
            CallSetting::Fill => self.fill.map(CallValue::Switch),
            CallSetting::Kind => self.kind.map(CallValue::Kind),
            CallSetting::Ceiling => self.ceiling.map(CallValue::Switch),
            CallSetting::MaxLines => self.max_lines.map(CallValue::Limit),
            CallSetting::MaxBytes => self.max_bytes.map(CallValue::Limit),
            CallSetting::MaxChars => self.max_chars.map(CallValue::Limit),
            CallSetting::MaxTokens => self.max_tokens.map(CallValue::Limit),
        }
    }

    /// Sets a setting. `None`, or a value of another kind, leaves it to the level below.
    pub fn set(&mut self, setting: CallSetting, value: Option<CallValue>) {
        match setting {
            CallSetting::Enabled => self.enabled = value.and_then(switch),
            CallSetting::Keep => self.keep = value.and_then(keep),
            CallSetting::Fill => self.fill = value.and_then(switch),
            CallSetting::Kind => self.kind = value.and_then(kind),
            CallSetting::Ceiling => self.ceiling = value.and_then(switch),
            CallSetting::MaxLines => self.max_lines = value.and_then(limit),
            CallSetting::MaxBytes => self.max_bytes = value.and_then(limit),
            CallSetting::MaxChars => self.max_chars = value.and_then(limit),
            CallSetting::MaxTokens => self.max_tokens = value.and_then(limit),
        }
    }

    /// Returns a level without values.
    pub fn new() -> Layer {
        Layer::default()
    }

    /// Sets whether outputs are shortened at all.
    pub fn enabled(self, enabled: bool) -> Layer {
        Layer { enabled: Some(enabled), ..self }
    }

    /// Sets the part that is kept.
    pub fn keep(self, keep: Keep) -> Layer {
        Layer { keep: Some(keep), ..self }
    }

    /// Sets whether the preview of a failing log uses all of its room.
    pub fn fill(self, fill: bool) -> Layer {
        Layer { fill: Some(fill), ..self }
    }

    /// Sets the kind of output.
    pub fn kind(self, kind: KindSetting) -> Layer {
        Layer { kind: Some(kind), ..self }
    }

    /// Sets whether outputs over the profile's [`ceiling`](crate::Profile::ceiling) are shortened
    /// in any case.
    pub fn ceiling(self, ceiling: bool) -> Layer {
        Layer { ceiling: Some(ceiling), ..self }
    }

    /// Sets the limit on lines.
    pub fn max_lines(self, limit: impl Into<Limit>) -> Layer {
        Layer { max_lines: Some(limit.into()), ..self }
    }

    /// Sets the limit on bytes.
    pub fn max_bytes(self, limit: impl Into<Limit>) -> Layer {
        Layer { max_bytes: Some(limit.into()), ..self }
    }

    /// Sets the limit on characters.
    pub fn max_chars(self, limit: impl Into<Limit>) -> Layer {
        Layer { max_chars: Some(limit.into()), ..self }
    }

    /// Sets the limit on tokens.
    pub fn max_tokens(self, limit: impl Into<Limit>) -> Layer {
        Layer { max_tokens: Some(limit.into()), ..self }
    }

    /// Adds the settings of a tool, or of all tools of a server as `server/*`.
    pub fn tool(mut self, name: impl Into<String>, settings: Layer) -> Layer {
        self.tools.insert(name.into(), settings);
        self
    }

    /// Returns these settings, overridden by those of `other`.
    pub fn updated(&self, other: &Layer) -> Layer {
        let mut merged = self.clone();
        for setting in CallSetting::ALL {
            if let Some(value) = other.get(setting) {
                merged.set(setting, Some(value));
            }
        }
        merged.tools.extend(other.tools.clone());
        merged
    }

    /// Returns the limits that this level sets. The others are unlimited.
    pub fn limits(&self) -> Limits {
        let limit = |limit: Option<Limit>| limit.and_then(Option::from);
        Limits {
            bytes: limit(self.max_bytes),
            lines: limit(self.max_lines),
            chars: limit(self.max_chars),
            tokens: limit(self.max_tokens),
        }
    }
}

impl From<&Policy> for Layer {
    /// Returns the level with the limits of a policy, the part that it keeps, and whether it uses
    /// all room.
    fn from(policy: &Policy) -> Layer {
        let Limits { bytes, lines, chars, tokens } = policy.limits;
        let layer = Layer::new().max_bytes(bytes).max_lines(lines);
        layer.max_chars(chars).max_tokens(tokens).keep(policy.keep).fill(policy.fill)
    }
}

impl From<u64> for Limit {
    fn from(limit: u64) -> Limit {
        Limit::AtMost(limit)
    }
}

impl From<Option<u64>> for Limit {
    fn from(limit: Option<u64>) -> Limit {
        limit.map_or(Limit::Unlimited, Limit::AtMost)
    }
}

impl From<Limit> for Option<u64> {
    fn from(limit: Limit) -> Option<u64> {
        match limit {
            Limit::AtMost(limit) => Some(limit),
            Limit::Unlimited => None,
        }
    }
}

fn switch(value: CallValue) -> Option<bool> {
    if let CallValue::Switch(on) = value { Some(on) } else { None }
}

fn keep(value: CallValue) -> Option<Keep> {
    if let CallValue::Keep(keep) = value { Some(keep) } else { None }
}

fn kind(value: CallValue) -> Option<KindSetting> {
    if let CallValue::Kind(kind) = value { Some(kind) } else { None }
}

fn limit(value: CallValue) -> Option<Limit> {
    if let CallValue::Limit(limit) = value { Some(limit) } else { None }
}
