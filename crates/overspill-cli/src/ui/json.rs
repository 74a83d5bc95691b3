//! The JSON that commands print. docs/json.md describes every field.

use serde_json::{Map, Value};

/// The version of the shapes. A field that changes its name or type raises it; a new field does not.
const VERSION: u64 = 1;

/// Returns an object as one line, with the version in it; of a list, each object on a line of its own.
pub(crate) fn json_line(value: Value) -> String {
    match value {
        Value::Array(rows) => rows.into_iter().map(json_line).collect(),
        value => format!("{}\n", versioned(value)),
    }
}

/// Puts the version first in an object.
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
