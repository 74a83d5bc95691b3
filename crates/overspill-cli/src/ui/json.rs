//! The JSON that commands print. docs/json.md describes every field.

use serde_json::{Map, Value};

/// The version of the JSON shapes. It rises if a field changes its name or type, and not for a new
/// field.
const VERSION: u64 = 1;

/// Returns an object as one line that begins with the version. For a list, each object has its own
/// line.
pub(crate) fn json_line(value: Value) -> String {
    match value {
        Value::Array(rows) => rows.into_iter().map(json_line).collect(),
        value => format!("{}\n", versioned(value)),
    }
}

/// Adds the version to an object as its first field.
fn versioned(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut all = Map::new();
            all.insert("version".to_owned(), VERSION.into());
            all.extend(fields);
            Value::Object(all)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_line_begins_with_the_version() {
        assert_eq!(json_line(json!({"a": [{"b": 1}]})), "{\"version\":1,\"a\":[{\"b\":1}]}\n");
        assert_eq!(json_line(json!([{"a": 1}])), "{\"version\":1,\"a\":1}\n");
    }
}
