//! Pairs of fields with the name of a variable and its value:
//! `{"name": "DB_PASSWORD", "value": "…"}`.

use serde_json::{Map, Value};

use super::super::names::is_secret_name;

/// The role of a field in such a pair, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Field {
    /// The name of a variable: `name`, `Key`, `ParameterKey`.
    Name,
    /// The value of a variable: `value`, `ParameterValue`.
    Value,
    #[default]
    Other,
}

impl Field {
    pub(super) fn of(name: &[u8]) -> Field {
        let is = |words: &[&[u8]]| words.iter().any(|word| word.eq_ignore_ascii_case(name));
        match name {
            _ if is(&[b"name", b"key", b"ParameterKey", b"ParameterName"]) => Field::Name,
            _ if is(&[b"value", b"ParameterValue"]) => Field::Value,
            _ => Field::Other,
        }
    }
}

/// Returns the name of the secret whose value is in an object.
pub(super) fn pair_name(fields: &Map<String, Value>) -> Option<String> {
    let names = fields.iter().filter(|(field, _)| Field::of(field.as_bytes()) == Field::Name);
    let mut names = names.filter_map(|(_, name)| name.as_str());
    names.find(|name| is_secret_name(name.as_bytes())).map(str::to_owned)
}
