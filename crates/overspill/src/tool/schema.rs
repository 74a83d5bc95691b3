//! Checks a value against its JSON Schema, as far as the keywords of the schema are known.
//!
//! A validator for all keywords is larger than the rest of the program. This one knows the keywords
//! that tools use, and reports others as unknown.

use std::cell::Cell;

use serde_json::{Map, Value};

/// Whether a value conforms to a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conformity {
    Valid,
    Invalid,
    /// The schema has unknown keywords.
    Unknown,
}

/// The end of a string that was shortened.
pub(super) const MORE: char = '…';

/// Keywords that describe a schema without checking anything.
#[rustfmt::skip]
const NOTES: [&str; 12] = [
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "$schema", "$id", "$comment", "$defs", "definitions",
];

/// Keywords that check one kind of value.
#[rustfmt::skip]
const KEYWORDS: [&str; 19] = [
    "properties", "additionalProperties", "required", "minProperties", "maxProperties",
    "items", "prefixItems", "minItems", "maxItems", "uniqueItems",
    "minLength", "maxLength", "pattern", "format",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
];

fn is_note(word: &str) -> bool {
    NOTES.contains(&word) || word.starts_with("x-")
}

/// The depth to which schemas are followed.
pub(super) const DEEPEST: usize = 64;

/// The number of steps that are left for a schema. The schema of a hostile server may need endless
/// steps.
#[derive(Debug)]
pub(super) struct Steps(Cell<u32>);

impl Steps {
    /// The steps for checking values: more than structured content of the largest size needs.
    const MOST: u32 = 4_000_000;
    /// The steps for reading keywords: more than any usual schema needs.
    const MOST_KEYWORDS: u32 = 100_000;

    /// Begins with the steps for checking values.
    pub(super) fn of_values() -> Steps {
        Steps(Cell::new(Steps::MOST))
    }

    /// Takes one step. Returns false if none was left.
    pub(super) fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }

    /// Tells whether all steps are taken.
    pub(super) fn are_over(&self) -> bool {
        self.0.get() == 0
    }
}

/// Checks `value` against `schema`, a part of the schema `root`.
pub(super) fn check(value: &Value, schema: &Value, root: &Value, steps: &Steps) -> Conformity {
    Checker { root, steps }.value(value, schema, 0)
}

/// Returns the schema that a reference within `root` leads to.
pub(super) fn referred<'a>(root: &'a Value, reference: &Value) -> Option<&'a Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// Tells whether all keywords of a JSON Schema are known, so that structured content can be shrunk
/// within it.
pub fn is_checkable(schema: &Value) -> bool {
    is_known_at(schema, schema, 0, &Steps(Cell::new(Steps::MOST_KEYWORDS)))
}

fn is_known_at(root: &Value, schema: &Value, depth: usize, steps: &Steps) -> bool {
    if !steps.take() {
        return false;
    }
    let Value::Object(words) = schema else { return schema.is_boolean() };
    // A schema that refers to itself is known if the rest of it is known.
    depth >= DEEPEST
        || words.iter().all(|(word, value)| {
            let inner = |schema: &Value| is_known_at(root, schema, depth + 1, steps);
            match word.as_str() {
                "properties" => value.as_object().is_some_and(|all| all.values().all(inner)),
                "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                    value.as_array().is_some_and(|all| all.iter().all(inner))
                }
                "items" | "additionalProperties" | "not" => inner(value),
                "$ref" => referred(root, value).is_some_and(|schema| depth > 8 || inner(schema)),
                "type" | "enum" | "const" => true,
                word => KEYWORDS.contains(&word) || is_note(word),
            }
        })
}

impl Conformity {
    fn of(is_valid: bool) -> Conformity {
        if is_valid { Conformity::Valid } else { Conformity::Invalid }
    }

    fn and(self, other: Conformity) -> Conformity {
        match (self, other) {
            (Conformity::Invalid, _) | (_, Conformity::Invalid) => Conformity::Invalid,
            (Conformity::Unknown, _) | (_, Conformity::Unknown) => Conformity::Unknown,
            (Conformity::Valid, Conformity::Valid) => Conformity::Valid,
        }
    }

    fn not(self) -> Conformity {
        match self {
            Conformity::Valid => Conformity::Invalid,
            Conformity::Invalid => Conformity::Valid,
            Conformity::Unknown => Conformity::Unknown,
        }
    }
}

fn all(verdicts: impl Iterator<Item = Conformity>) -> Conformity {
    verdicts.fold(Conformity::Valid, Conformity::and)
}

struct Checker<'a> {
    root: &'a Value,
    steps: &'a Steps,
}

impl Checker<'_> {
    fn value(&self, value: &Value, schema: &Value, depth: usize) -> Conformity {
        if !self.steps.take() {
            return Conformity::Unknown;
        }
        match schema {
            Value::Bool(all) => Conformity::of(*all),
            Value::Object(_) if depth > DEEPEST => Conformity::Unknown,
            Value::Object(words) => {
                all(words.iter().map(|(word, says)| self.word(value, words, word, says, depth)))
            }
            _ => Conformity::Unknown,
        }
    }

    fn word(
        &self,
        value: &Value,
        words: &Map<String, Value>,
        word: &str,
        says: &Value,
        depth: usize,
    ) -> Conformity {
        let under = |schema: &Value| self.value(value, schema, depth + 1);
        let each = || says.as_array().into_iter().flatten().map(under);
        match word {
            "$ref" => referred(self.root, says).map_or(Conformity::Unknown, under),
            "allOf" => all(each()),
            "not" => under(says).not(),
            "anyOf" | "oneOf" => {
                let verdicts: Vec<Conformity> = each().collect();
                let count = |verdict| verdicts.iter().filter(|one| **one == verdict).count();
                match (count(Conformity::Valid), count(Conformity::Unknown)) {
                    (1.., _) if word == "anyOf" => Conformity::Valid,
                    (_, 1..) => Conformity::Unknown,
                    (valid, _) => Conformity::of(valid == 1),
                }
            }
            "type" => is_of_type(value, says),
            "enum" => Conformity::of(says.as_array().is_some_and(|all| all.contains(value))),
            "const" => Conformity::of(says == value),
            _ if is_note(word) => Conformity::Valid,
            _ => match value {
                Value::Object(fields) => self.object(fields, words, word, says, depth),
                Value::Array(values) => self.list(values, words, word, says, depth),
                Value::String(text) => string(text, word, says),
                Value::Number(_) => number(value, word, says),
                Value::Null | Value::Bool(_) => of_another_kind(word),
            },
        }
    }

    fn object(
        &self,
        fields: &Map<String, Value>,
        words: &Map<String, Value>,
        word: &str,
        says: &Value,
        depth: usize,
    ) -> Conformity {
        let is_own =
            |name: &str| words.get("properties").is_some_and(|all| all.get(name).is_some());
        let others = fields.iter().filter(|(name, _)| !is_own(name));
        match word {
            "properties" => all(fields
                .iter()
                .filter_map(|(name, value)| Some(self.value(value, says.get(name)?, depth + 1)))),
            "additionalProperties" => {
                all(others.map(|(_, value)| self.value(value, says, depth + 1)))
            }
            "required" => {
                let mut names = says.as_array().into_iter().flatten().filter_map(Value::as_str);
                Conformity::of(names.all(|name| fields.contains_key(name)))
            }
            "minProperties" => at_least(fields.len(), says),
            "maxProperties" => at_most(fields.len(), says),
            _ => of_another_kind(word),
        }
    }

    fn list(
        &self,
        values: &[Value],
        words: &Map<String, Value>,
        word: &str,
        says: &Value,
        depth: usize,
    ) -> Conformity {
        match word {
            "items" => {
                let first = words.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                all(values.iter().skip(first).map(|value| self.value(value, says, depth + 1)))
            }
            "prefixItems" => {
                let pairs = says.as_array().into_iter().flatten().zip(values);
                all(pairs.map(|(schema, value)| self.value(value, schema, depth + 1)))
            }
            "minItems" => at_least(values.len(), says),
            "maxItems" => at_most(values.len(), says),
            "uniqueItems" if says == &Value::Bool(true) => {
                let mut seen = std::collections::HashSet::new();
                Conformity::of(values.iter().all(|value| seen.insert(value.to_string())))
            }
            "uniqueItems" => Conformity::Valid,
            _ => of_another_kind(word),
        }
    }
}

fn is_of_type(value: &Value, says: &Value) -> Conformity {
    let is = |name: &str| match (name, value) {
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        ("number", Value::Number(_)) | ("null", Value::Null) | ("boolean", Value::Bool(_)) => true,
        ("string", Value::String(_)) => true,
        ("array", Value::Array(_)) | ("object", Value::Object(_)) => true,
        _ => false,
    };
    match says {
        Value::String(name) => Conformity::of(is(name)),
        Value::Array(names) => Conformity::of(names.iter().filter_map(Value::as_str).any(is)),
        _ => Conformity::Unknown,
    }
}

fn string(text: &str, word: &str, says: &Value) -> Conformity {
    match word {
        "minLength" => at_least(text.chars().count(), says),
        "maxLength" => at_most(text.chars().count(), says),
        // A string that we did not change is as valid as its server made it.
        "pattern" | "format" if text.ends_with(MORE) => Conformity::Unknown,
        _ => of_another_kind(word),
    }
}

/// Checks a number. Numbers are never changed.
fn number(value: &Value, word: &str, says: &Value) -> Conformity {
    let (Some(number), Some(limit)) = (value.as_f64(), says.as_f64()) else {
        return of_another_kind(word);
    };
    match word {
        "minimum" => Conformity::of(number >= limit),
        "maximum" => Conformity::of(number <= limit),
        "exclusiveMinimum" => Conformity::of(number > limit),
        "exclusiveMaximum" => Conformity::of(number < limit),
        _ => of_another_kind(word),
    }
}

/// Returns the result for a known keyword of another kind of value, which checks nothing here.
fn of_another_kind(word: &str) -> Conformity {
    if KEYWORDS.contains(&word) { Conformity::Valid } else { Conformity::Unknown }
}

fn at_least(count: usize, says: &Value) -> Conformity {
    says.as_f64().map_or(Conformity::Unknown, |least| Conformity::of(count as f64 >= least))
}

fn at_most(count: usize, says: &Value) -> Conformity {
    says.as_f64().map_or(Conformity::Unknown, |most| Conformity::of(count as f64 <= most))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_that_takes_too_many_steps_is_not_checkable() {
        let refs = |name: &str| vec![json!({"$ref": format!("#/$defs/{name}")}); 30];
        let wide = json!({
            "anyOf": refs("a"),
            "$defs": {"a": {"anyOf": refs("b")}, "b": {"anyOf": refs("a")}},
        });
        assert!(!is_checkable(&wide));
        let own = json!({"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}});
        assert!(is_checkable(&own));
    }

    #[test]
    fn check_that_takes_too_many_steps_is_unknown() {
        let refs = json!([{"$ref": "#"}, {"$ref": "#"}]);
        let nested = json!({"anyOf": refs});
        let steps = Steps(Cell::new(1_000));
        assert_eq!(check(&json!("x"), &nested, &nested, &steps), Conformity::Unknown);
    }
}
