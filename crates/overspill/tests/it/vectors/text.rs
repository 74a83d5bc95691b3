//! Makes the texts that vectors specify, and compares texts with them.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Makes a text from its specification.
pub(crate) fn make(spec: &Value) -> String {
    let fields = spec.as_object().unwrap_or_else(|| panic!("no text: {spec}"));
    let known = ["text", "repeat", "n", "from", "join", "concat"];
    for key in fields.keys() {
        assert!(known.contains(&key.as_str()), "unknown field {key} of a text");
    }
    if let Some(text) = fields.get("text") {
        return text.as_str().unwrap().to_owned();
    }
    if let Some(parts) = fields.get("concat") {
        return parts.as_array().unwrap().iter().map(make).collect();
    }
    let unit = fields["repeat"].as_str().unwrap();
    let from = fields.get("from").map_or(0, |from| from.as_i64().unwrap());
    let join = fields.get("join").map_or("", |join| join.as_str().unwrap());
    let n = fields["n"].as_i64().unwrap();
    let made: Vec<String> = (from..from + n).map(|i| unit.replace("{i}", &i.to_string())).collect();
    made.join(join)
}

/// Checks that `found` is the expected text after the placeholders were replaced.
#[track_caller]
pub(crate) fn check(expected: &Value, found: &str, input: &str, places: &[(&str, &str)]) {
    let fields = expected.as_object().unwrap_or_else(|| panic!("no expected text: {expected}"));
    let put_in = |text: &str| {
        places.iter().fold(text.to_owned(), |text, (place, value)| text.replace(place, value))
    };
    for (key, value) in fields {
        match key.as_str() {
            "same_as_input" => assert_eq!(found, input),
            "text" => assert_eq!(found, put_in(value.as_str().unwrap())),
            "sha256" | "bytes" | "chars" => {}
            "first" => {
                let first = put_in(value.as_str().unwrap());
                assert!(found.starts_with(&first), "starts with {:?}", clip(found, 200));
            }
            "last" => {
                let last = put_in(value.as_str().unwrap());
                let end: String = found.chars().rev().take(300).collect();
                let end: String = end.chars().rev().collect();
                assert!(found.ends_with(&last), "ends with {end:?} instead of {last:?}");
            }
            _ => panic!("unknown field {key} of an expected text"),
        }
    }
    if let Some(hash) = fields.get("sha256") {
        // The hash was taken of a text with the names of the placeholders, or without placeholders.
        let restored = places
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .fold(found.to_owned(), |text, (place, value)| text.replace(value, place));
        let found = format!("{:x}", Sha256::digest(restored.as_bytes()));
        assert_eq!(found, hash.as_str().unwrap(), "hash of {} bytes", restored.len());
        assert_eq!(restored.len() as u64, fields["bytes"].as_u64().unwrap(), "bytes");
        assert_eq!(restored.chars().count() as u64, fields["chars"].as_u64().unwrap(), "chars");
    }
}

fn clip(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
