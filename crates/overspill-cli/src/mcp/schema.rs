//! Whether a value is what its JSON Schema says, as far as we know the schema's words.
//!
//! A validator of all words is larger than the rest of the program. This one knows those that tools
//! have in their schemas, and says so where it meets another.

use serde_json::{Map, Value};

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    Invalid,
    /// The schema has words that we do not know.
    Unknown,
}

/// A string that was made shorter ends so.
pub(super) const MORE: char = '…';

/// Words that say something of a schema, and nothing of a value.
const NOTES: [&str; 12] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
];

/// Schemas refer to each other no deeper than this.
const DEEPEST: usize = 64;

/// Tells whether `value` is as `schema` says.
pub(super) fn check(value: &Value, schema: &Value) -> Verdict {
    Checker { root: schema }.value(value, schema, 0)
}

/// Returns what a reference within `root` leads to.
pub(super) fn referred<'a>(root: &'a Value, reference: &Value) -> Option<&'a Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// Tells whether we know all words of a schema.
pub(super) fn is_known(schema: &Value) -> bool {
    is_known_at(schema, schema, 0)
}

fn is_known_at(root: &Value, schema: &Value, depth: usize) -> bool {
    let Value::Object(words) = schema else { return schema.is_boolean() };
    // What refers to itself is known if all else is.
    depth >= DEEPEST
        || words.iter().all(|(word, value)| {
            let inner = |schema: &Value| is_known_at(root, schema, depth + 1);
            match word.as_str() {
                "properties" => value.as_object().is_some_and(|all| all.values().all(inner)),
                "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                    value.as_array().is_some_and(|all| all.iter().all(inner))
                }
                "items" | "additionalProperties" | "not" => inner(value),
                "$ref" => referred(root, value).is_some_and(|schema| depth > 8 || inner(schema)),
                "type" | "enum" | "const" | "required" | "minItems" | "maxItems"
                | "uniqueItems" | "minProperties" | "maxProperties" | "minLength" | "maxLength"
                | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
                | "multipleOf" | "pattern" | "format" => true,
                word => NOTES.contains(&word) || word.starts_with("x-"),
            }
        })
}

impl Verdict {
    fn of(is_valid: bool) -> Verdict {
        if is_valid { Verdict::Valid } else { Verdict::Invalid }
    }

    fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Invalid, _) | (_, Verdict::Invalid) => Verdict::Invalid,
            (Verdict::Unknown, _) | (_, Verdict::Unknown) => Verdict::Unknown,
            (Verdict::Valid, Verdict::Valid) => Verdict::Valid,
        }
    }

    fn not(self) -> Verdict {
        match self {
            Verdict::Valid => Verdict::Invalid,
            Verdict::Invalid => Verdict::Valid,
            Verdict::Unknown => Verdict::Unknown,
        }
    }
}

fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    verdicts.fold(Verdict::Valid, Verdict::and)
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn value(&self, value: &Value, schema: &Value, depth: usize) -> Verdict {
        match schema {
            Value::Bool(all) => Verdict::of(*all),
            Value::Object(_) if depth > DEEPEST => Verdict::Unknown,
            Value::Object(words) => {
                all(words.iter().map(|(word, says)| self.word(value, words, word, says, depth)))
            }
            _ => Verdict::Unknown,
        }
    }

    fn word(
        &self,
        value: &Value,
        words: &Map<String, Value>,
        word: &str,
        says: &Value,
        depth: usize,
    ) -> Verdict {
        let under = |schema: &Value| self.value(value, schema, depth + 1);
        let each = || says.as_array().into_iter().flatten().map(under);
        let one_of = |verdict: Verdict| each().filter(|each| *each == verdict).count();
        match word {
            "$ref" => referred(self.root, says).map_or(Verdict::Unknown, under),
            "allOf" => all(each()),
            "not" => under(says).not(),
            "anyOf" if one_of(Verdict::Valid) > 0 => Verdict::Valid,
            "anyOf" | "oneOf" if one_of(Verdict::Unknown) > 0 => Verdict::Unknown,
            "anyOf" => Verdict::Invalid,
            "oneOf" => Verdict::of(one_of(Verdict::Valid) == 1),
            "type" => is_of_type(value, says),
            "enum" => Verdict::of(says.as_array().is_some_and(|all| all.contains(value))),
            "const" => Verdict::of(says == value),
            _ if NOTES.contains(&word) || word.starts_with("x-") => Verdict::Valid,
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
    ) -> Verdict {
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
                Verdict::of(names.all(|name| fields.contains_key(name)))
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
    ) -> Verdict {
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
                Verdict::of(values.iter().all(|value| seen.insert(value.to_string())))
            }
            "uniqueItems" => Verdict::Valid,
            _ => of_another_kind(word),
        }
    }
}

fn is_of_type(value: &Value, says: &Value) -> Verdict {
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
        Value::String(name) => Verdict::of(is(name)),
        Value::Array(names) => Verdict::of(names.iter().filter_map(Value::as_str).any(is)),
        _ => Verdict::Unknown,
    }
}

fn string(text: &str, word: &str, says: &Value) -> Verdict {
    match word {
        "minLength" => at_least(text.chars().count(), says),
        "maxLength" => at_most(text.chars().count(), says),
        // A string that we have not touched is as right as its server made it.
        "pattern" | "format" if text.ends_with(MORE) => Verdict::Unknown,
        _ => of_another_kind(word),
    }
}

/// Looks at a number; numbers are never changed.
fn number(value: &Value, word: &str, says: &Value) -> Verdict {
    let (Some(number), Some(limit)) = (value.as_f64(), says.as_f64()) else {
        return of_another_kind(word);
    };
    match word {
        "minimum" => Verdict::of(number >= limit),
        "maximum" => Verdict::of(number <= limit),
        "exclusiveMinimum" => Verdict::of(number > limit),
        "exclusiveMaximum" => Verdict::of(number < limit),
        _ => of_another_kind(word),
    }
}

/// A word about another kind of value says nothing of this one, if we know it.
fn of_another_kind(word: &str) -> Verdict {
    const WORDS: [&str; 19] = [
        "properties",
        "additionalProperties",
        "required",
        "minProperties",
        "maxProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
    ];
    if WORDS.contains(&word) { Verdict::Valid } else { Verdict::Unknown }
}

fn at_least(count: usize, says: &Value) -> Verdict {
    says.as_f64().map_or(Verdict::Unknown, |least| Verdict::of(count as f64 >= least))
}

fn at_most(count: usize, says: &Value) -> Verdict {
    says.as_f64().map_or(Verdict::Unknown, |most| Verdict::of(count as f64 <= most))
}
