//! Shrinks structured content within its schema.
//!
//! Strings and lists stay unchanged if the schema forbids shorter ones. The shrunk value is checked
//! against the whole schema.

use serde_json::{Map, Value};

use super::schema::{Conformity, DEEPEST, MORE, Steps, check, referred};

/// Returns a value of at most `room` bytes with shorter lists and strings that conforms to
/// `schema`, or
/// `None`.
pub(super) fn smaller(value: &Value, schema: &Value, room: u64) -> Option<Value> {
    let steps = Steps::of_values();
    let mut most = 4096;
    loop {
        let mut value = value.clone();
        Shrink { root: schema, most, steps: &steps }.shorten(&mut value, schema, 0);
        if value.to_string().len() as u64 <= room {
            let is_valid = check(&value, schema, schema, &steps) == Conformity::Valid;
            return is_valid.then_some(value);
        }
        if most == 0 || steps.are_over() {
            return None;
        }
        most /= 2;
    }
}

/// Adds a field with a note about the missing rest, if the schema allows it.
pub(super) fn noted(value: Value, schema: &Value, note: &str) -> Value {
    let mut with = value.clone();
    if let Value::Object(fields) = &mut with
        && !fields.contains_key(NOTE)
    {
        fields.insert(NOTE.into(), note.into());
        if check(&with, schema, schema, &Steps::of_values()) == Conformity::Valid {
            return with;
        }
    }
    value
}

const NOTE: &str = "_overspill";

/// The schema that allows any value.
static ANY: Value = Value::Bool(true);

struct Shrink<'a> {
    root: &'a Value,
    /// The number of values of a list that stay, and the number of characters of a string.
    most: usize,
    steps: &'a Steps,
}

impl Shrink<'_> {
    /// Cuts lists and strings if the schema allows it. `depth` is the number of schemas that were
    /// followed.
    fn shorten(&self, value: &mut Value, schema: &Value, depth: usize) {
        // A schema may refer to itself without end.
        if depth > DEEPEST || !self.steps.take() {
            return;
        }
        let depth = depth + 1;
        let nothing = Map::new();
        let words = schema.as_object().unwrap_or(&nothing);
        if let Some(reference) = words.get("$ref") {
            if let Some(schema) = referred(self.root, reference) {
                self.shorten(value, schema, depth);
            }
            return;
        }
        let ways = ["anyOf", "oneOf", "allOf"].iter().find_map(|word| words.get(*word)?.as_array());
        if let Some(ways) = ways {
            let is_valid =
                |way: &&Value| check(value, way, self.root, self.steps) == Conformity::Valid;
            if let Some(way) = ways.iter().find(is_valid) {
                self.shorten(value, way, depth);
            }
            return;
        }
        if words.contains_key("enum") || words.contains_key("const") {
            return;
        }
        let least = |word: &str| words.get(word).and_then(Value::as_u64).unwrap_or(0) as usize;
        match value {
            Value::String(text) => {
                if words.contains_key("pattern") || words.contains_key("format") {
                    return;
                }
                let most = self.most.max(16).max(least("minLength"));
                if let Some((at, _)) = text.char_indices().nth(most)
                    && text.len() > at + 1
                {
                    text.truncate(at);
                    text.push(MORE);
                }
            }
            Value::Array(values) => {
                values.truncate(self.most.max(least("minItems")));
                let prefix = words.get("prefixItems").and_then(Value::as_array);
                for (index, value) in values.iter_mut().enumerate() {
                    let own = prefix.and_then(|prefix| prefix.get(index));
                    self.shorten(value, own.or(words.get("items")).unwrap_or(&ANY), depth);
                }
            }
            Value::Object(fields) => {
                let properties = words.get("properties");
                for (name, value) in fields {
                    let own = properties.and_then(|all| all.get(name));
                    self.shorten(
                        value,
                        own.or(words.get("additionalProperties")).unwrap_or(&ANY),
                        depth,
                    );
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(count: u32) -> Value {
        (0..count).map(|n| json!({"name": format!("row {n}"), "kind": "a"})).collect()
    }

    #[test]
    fn list_is_cut_within_its_schema() {
        let row = json!({"type": "object", "properties": {
            "name": {"type": "string"}, "kind": {"enum": ["a", "b"]},
        }, "required": ["name", "kind"], "additionalProperties": false});
        for list in [
            json!({"type": "array", "items": row}),
            json!({"type": "array", "items": {"$ref": "#/$defs/row"}, "minItems": 10}),
            json!({"anyOf": [{"type": "null"}, {"type": "array", "items": row}]}),
            json!({"type": ["array", "null"], "uniqueItems": true}),
        ] {
            let schema = json!({
                "type": "object",
                "properties": {"rows": list, "count": {"type": "integer", "minimum": 0}},
                "required": ["rows", "count"],
                "$defs": {"row": row},
            });
            let all = json!({"rows": rows(10_000), "count": 10_000});
            let small = smaller(&all, &schema, 4_000).unwrap_or_else(|| panic!("{schema}"));
            assert!(small.to_string().len() <= 4_000);
            assert_eq!(small["count"], 10_000);
            assert_eq!(small["rows"][0]["name"], "row 0");
            assert!(small["rows"].as_array().unwrap().len() > 50);
        }
    }

    #[test]
    fn value_without_a_smaller_valid_form_is_refused() {
        let value = json!({"a": "x".repeat(10_000), "b": rows(500)});
        for (name, schema) in [
            ("a", json!({"type": "string", "pattern": "x+"})),
            ("a", json!({"type": "string", "minLength": 5000})),
            ("a", json!({"type": "string", "format": "uri"})),
            ("a", json!({"$ref": "elsewhere.json"})),
            ("a", json!({"enum": ["y"]})),
            ("b", json!({"type": "array", "minItems": 500})),
            ("b", json!({"contains": {"const": 1}})),
            ("b", json!({"const": rows(500)})),
            ("b", json!({"not": {"maxItems": 300}})),
            // The value was invalid before.
            ("b", json!({"type": "object"})),
            ("c", json!({"if": true, "then": false})),
        ] {
            let mut all = json!({"type": "object", "properties": {}});
            all["properties"][name] = schema;
            let whole = if name == "c" { json!({"c": [1], "b": rows(500)}) } else { value.clone() };
            assert_eq!(smaller(&whole, &all, 3_000), None, "{all}");
        }
        let closed = json!({"type": "object", "required": ["z"]});
        assert_eq!(smaller(&value, &closed, 3_000), None);
    }

    #[test]
    fn schema_that_refers_to_itself_shrinks_nothing() {
        let value = json!({"a": "x".repeat(10_000)});
        for schema in [json!({"$ref": "#"}), json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]})] {
            assert_eq!(smaller(&value, &schema, 3_000), None, "{schema}");
        }
    }

    #[test]
    fn note_is_added_if_the_schema_allows_it() {
        let open = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        let closed =
            json!({"type": "object", "additionalProperties": false, "properties": {"a": {}}});
        assert_eq!(noted(json!({"a": 1}), &open, "more"), json!({"a": 1, "_overspill": "more"}));
        assert_eq!(noted(json!({"a": 1}), &closed, "more"), json!({"a": 1}));
    }
}
