//! Reads options by name, in snake or camel case: `max_lines` and `maxLines` are the same.

use overspill::internal::settings::{CallField, CallKind, CallSetting, CallValue, KEEPS};
use overspill::{Layer, Limit};
use serde_json::{Value, json};

/// An invalid option and the reason: the message of an exception or a thrown error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misuse(pub String);

/// An object whose keys are read one by one.
pub(super) struct Keys<'a> {
    fields: Vec<(String, &'a str, &'a Value)>,
    known: Vec<&'static str>,
    prefix: String,
}

impl<'a> Keys<'a> {
    /// Takes an object. Null counts as an empty object.
    pub(super) fn of(json: &'a Value, what: &str) -> Result<Keys<'a>, Misuse> {
        Keys::within(json, what, String::new())
    }

    fn within(json: &'a Value, what: &str, prefix: String) -> Result<Keys<'a>, Misuse> {
        let fields = match json {
            Value::Object(fields) => Some(fields),
            Value::Null => None,
            other => return Err(Misuse(format!("{what}: {} is not an object", short(other)))),
        };
        let named = |(key, value): (&'a String, &'a Value)| (snake(key), key.as_str(), value);
        let fields = fields.into_iter().flatten().map(named).collect();
        Ok(Keys { fields, known: Vec::new(), prefix })
    }

    /// Returns the value of `key`. Null counts as not set.
    pub(super) fn get(&mut self, key: &'static str) -> Option<&'a Value> {
        self.known.push(key);
        let found = self.fields.iter().find(|(name, ..)| name == key);
        found.map(|(.., value)| *value).filter(|value| !value.is_null())
    }

    /// Reads the value of `key` with `read`. The error names the values that are `allowed`.
    pub(super) fn read<T>(
        &mut self,
        key: &'static str,
        allowed: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Misuse> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(self.bad(key, value, allowed)),
        }
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, Misuse> {
        self.read(key, "text", |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn switch(&mut self, key: &'static str) -> Result<Option<bool>, Misuse> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(super) fn number(&mut self, key: &'static str) -> Result<Option<u64>, Misuse> {
        self.read(key, "a whole number, 0 or more", whole_number)
    }

    pub(super) fn names(&mut self, key: &'static str) -> Result<Vec<String>, Misuse> {
        let names = |value: &Value| {
            let text = |name: &Value| name.as_str().map(str::to_owned);
            value.as_array()?.iter().map(text).collect::<Option<Vec<String>>>()
        };
        Ok(self.read(key, "a list of names", names)?.unwrap_or_default())
    }

    /// Reads the settings of a call, except those of single tools.
    pub(super) fn layer(&mut self) -> Result<Layer, Misuse> {
        let mut layer = Layer::new();
        for setting in CallSetting::ALL {
            let CallField { name, also, kind, .. } = setting.field();
            // The main name is read last, because it overrides the other name.
            for name in also.into_iter().chain([name]) {
                let value = self.read(name, &allowed(kind), |value| call_value(kind, value))?;
                layer.set(setting, value.or(layer.get(setting)));
            }
        }
        Ok(layer)
    }

    /// Reads the settings of single tools. `true` and `false` switch a tool on and off.
    pub(super) fn tools(&mut self, layer: &mut Layer) -> Result<(), Misuse> {
        let Some(tools) = self.get("tools") else { return Ok(()) };
        let Value::Object(tools) = tools else {
            return Err(self.bad("tools", tools, "an object with an entry for each tool"));
        };
        for (tool, value) in tools {
            let entry = match value {
                Value::Bool(enabled) => Layer::new().enabled(*enabled),
                value => {
                    let name = format!("tools.{tool}");
                    let mut keys = Keys::within(value, &name, format!("{name}."))?;
                    let entry = keys.layer()?;
                    keys.done()?;
                    entry
                }
            };
            layer.tools.insert(tool.clone(), entry);
        }
        Ok(())
    }

    /// Fails if the object has an unknown key.
    pub(super) fn done(self) -> Result<(), Misuse> {
        let unknown = self.fields.iter().find(|(name, ..)| !self.known.contains(&name.as_str()));
        let Some((name, key, _)) = unknown else { return Ok(()) };
        let first = name.split('_').next().unwrap_or_default();
        let near = self.known.iter().find(|known| known.starts_with(first));
        let hint = near.map_or(String::new(), |near| {
            let near =
                if key.contains('_') || !near.contains('_') { (*near).into() } else { camel(near) };
            format!("\nhint: did you mean `{near}`?")
        });
        Err(Misuse(format!("{}{key}: unknown option{hint}", self.prefix)))
    }

    fn bad(&self, key: &str, value: &Value, allowed: &str) -> Misuse {
        let written = self.fields.iter().find(|(name, ..)| name == key);
        let key = written.map_or(key, |(_, written, _)| written);
        Misuse(format!("{}{key}: {} is not {allowed}", self.prefix, short(value)))
    }
}

/// Reads the value of a setting of a call.
fn call_value(kind: CallKind, value: &Value) -> Option<CallValue> {
    match kind {
        CallKind::Switch => value.as_bool().map(CallValue::Switch),
        CallKind::Keep => CallValue::keep_named(value.as_str()?),
        CallKind::Kind => CallValue::kind_named(value.as_str()?),
        CallKind::Count | CallKind::Bytes => Some(CallValue::Limit(match value {
            Value::String(word) if word == "none" => Limit::Unlimited,
            value => Limit::AtMost(whole_number(value)?),
        })),
    }
}

/// Returns the allowed values, for a message.
fn allowed(kind: CallKind) -> String {
    match kind {
        CallKind::Switch => "true or false".into(),
        CallKind::Keep => {
            let names: Vec<&str> = KEEPS.iter().map(|(name, ..)| *name).collect();
            format!("one of {}", names.join(", "))
        }
        CallKind::Kind => {
            let names: Vec<&str> = CallValue::kind_names().collect();
            format!("one of {}", names.join(", "))
        }
        CallKind::Count | CallKind::Bytes => "a whole number, 0 or more, or \"none\"".into(),
    }
}

/// Returns the value of a setting of a call as JSON. No limit is `null`.
pub(super) fn json(value: CallValue) -> Value {
    match value {
        CallValue::Switch(on) => json!(on),
        CallValue::Keep(_) | CallValue::Kind(_) => json!(value.to_string()),
        CallValue::Limit(limit) => json!(Option::<u64>::from(limit)),
    }
}

/// Returns a whole number. `3.0` counts as one, for languages that have only such numbers.
fn whole_number(value: &Value) -> Option<u64> {
    let whole = |number: f64| number >= 0.0 && number.fract() == 0.0 && number < u64::MAX as f64;
    value.as_u64().or_else(|| value.as_f64().filter(|number| whole(*number)).map(|n| n as u64))
}

/// Returns the beginning of a value, for a message.
fn short(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

/// Returns `maxLines` as `max_lines`.
fn snake(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for char in key.chars() {
        if char.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(char.to_ascii_lowercase());
    }
    snake
}

/// Returns `max_lines` as `maxLines`.
fn camel(key: &str) -> String {
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    camel
}

/// Converts the keys of an answer into camel case.
pub fn camel_keys(answer: Value) -> Value {
    match answer {
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (camel(&key), camel_keys(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(camel_keys).collect(),
        other => other,
    }
}
