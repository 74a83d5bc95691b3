//! Reads the settings of the source systems: JSON with names in camel case.

use overspill_core::Keep;
use serde_json::{Map, Value};

use crate::settings::Warning;
use crate::{Layer, Limit};

impl Layer {
    /// Reads `{maxLines, maxBytes, direction, enabled, skip, tools}`. A bare
    /// `true` or `false` switches truncation on or off.
    ///
    /// An invalid value causes a warning and is left out. The caller reads the keys that a layer
    /// does not have, such as the directory.
    pub fn from_json(json: &Value) -> (Layer, Vec<Warning>) {
        let mut warnings = Vec::new();
        let layer = match json {
            Value::Bool(enabled) => Layer { enabled: Some(*enabled), ..Layer::default() },
            Value::Object(fields) => layer(fields, "", &mut warnings),
            Value::Null => Layer::default(),
            _ => {
                warnings.push(warning("truncation", json, "true, false or an object"));
                Layer::default()
            }
        };
        (layer, warnings)
    }
}

fn layer(fields: &Map<String, Value>, prefix: &str, warnings: &mut Vec<Warning>) -> Layer {
    let mut layer = Layer::default();
    for (key, value) in fields {
        let mut warn =
            |allowed: &str| warnings.push(warning(&format!("{prefix}{key}"), value, allowed));
        match (key.as_str(), value) {
            (_, Value::Null) => {}
            ("maxLines", value) => layer.max_lines = most(value, &mut warn),
            ("maxBytes", value) => layer.max_bytes = most(value, &mut warn),
            ("direction", Value::String(word)) if word == "head" => layer.keep = Some(Keep::Head),
            ("direction", Value::String(word)) if word == "tail" => layer.keep = Some(Keep::Tail),
            ("direction", _) => warn("head or tail"),
            ("enabled", Value::Bool(enabled)) => layer.enabled = layer.enabled.or(Some(*enabled)),
            ("enabled", _) => warn("true or false"),
            // `skip: false` switches on, even if another level switches off.
            ("skip", Value::Bool(skip)) => layer.enabled = Some(!skip),
            ("skip", _) => warn("true or false"),
            ("tools", Value::Object(tools)) => {
                for (tool, value) in tools {
                    let (entry, more) = Layer::from_json(value);
                    let named =
                        |w: Warning| Warning { key: format!("tools.{tool}.{}", w.key), ..w };
                    warnings.extend(more.into_iter().map(named));
                    layer.tools.insert(tool.clone(), entry);
                }
            }
            ("retentionDays" | "storageDir", _) => {}
            _ => warn("a setting"),
        }
    }
    layer
}

fn most(value: &Value, warn: &mut impl FnMut(&str)) -> Option<Limit> {
    let number = value.as_u64();
    if number.is_none() {
        warn("a whole number, 0 or more");
    }
    number.map(Limit::AtMost)
}

pub(super) fn warning(key: &str, value: &Value, allowed: &str) -> Warning {
    Warning { key: key.to_owned(), place: None, message: format!("{value} is not {allowed}") }
}

/// Tells whether the takumi files leave truncation on. The project's file overrides the global
/// file, and the default is on. Only booleans count.
pub fn takumi_enabled(global: Option<&Value>, project: Option<&Value>) -> (bool, Vec<Warning>) {
    let mut warnings = Vec::new();
    for file in [project, global].into_iter().flatten() {
        match file.get("truncation") {
            Some(Value::Bool(enabled)) => return (*enabled, warnings),
            None | Some(Value::Null) => {}
            Some(value) => warnings.push(warning("truncation", value, "true or false")),
        }
    }
    (true, warnings)
}

/// Sets `truncation` in the contents of a takumi file, and changes no other key.
pub fn takumi_set(file: &Value, key: &str, value: &str) -> Result<Value, Warning> {
    let refused =
        |message: &str| Warning { key: key.to_owned(), place: None, message: message.to_owned() };
    if key != "truncation" {
        return Err(refused("is not a setting of this profile"));
    }
    let value = match value {
        "true" => true,
        "false" => false,
        _ => return Err(refused(&format!("{value:?} is not true or false"))),
    };
    let mut fields = match file {
        Value::Object(fields) => fields.clone(),
        Value::Null => Map::new(),
        _ => return Err(refused("the file does not hold an object")),
    };
    fields.insert(key.to_owned(), Value::Bool(value));
    Ok(Value::Object(fields))
}
