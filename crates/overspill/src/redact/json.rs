//! Masks strings of JSON: what they say is looked through, and what is written otherwise stays.

use overspill_core::internal::json::{JsonToken, JsonTokens};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Redaction, Redactor};

/// So much is looked at at once.
const LOOK: usize = 16 << 10;

/// A string of JSON as it passes, which may be of any length.
///
/// It is looked through without its escapes. What is no secret is handed on as it is written.
#[derive(Debug)]
pub struct JsonString {
    redactor: Redactor,
    /// What was not looked at: a look at each escape would cost more than all else.
    fresh: Vec<u8>,
    /// How what was not handed on is written.
    waiting: VecDeque<Waiting>,
    /// An escape that is not complete.
    escape: Vec<u8>,
    /// The text of the string so far, if it is short enough for a name.
    name: Vec<u8>,
    out: Vec<u8>,
}

/// A longer name says nothing about its value.
const LONGEST_NAME: usize = 64;

#[derive(Debug)]
enum Waiting {
    /// So many bytes that are written as they are.
    Plain(usize),
    /// A character, and how it is written.
    Escape { says: Vec<u8>, written: Vec<u8> },
}

impl JsonString {
    /// Masks what `redaction` knows.
    pub fn new(redaction: Arc<Redaction>) -> JsonString {
        let redactor = Redactor::new(redaction);
        JsonString {
            redactor,
            fresh: Vec::new(),
            waiting: VecDeque::new(),
            escape: Vec::new(),
            name: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Returns how many secrets there were so far, in all strings.
    pub fn masked(&self) -> u64 {
        self.redactor.masked()
    }

    /// Takes more of it: what is `written`, and what that `says`, which is nothing as long as an
    /// escape is not complete. Returns what goes on.
    pub fn push(&mut self, written: &[u8], says: &[u8]) -> &[u8] {
        self.out.clear();
        if self.escape.is_empty() && written == says {
            match self.waiting.back_mut() {
                Some(Waiting::Plain(len)) => *len += says.len(),
                _ => self.waiting.push_back(Waiting::Plain(says.len())),
            }
        } else {
            self.escape.extend_from_slice(written);
            if says.is_empty() {
                return &self.out;
            }
            let written = std::mem::take(&mut self.escape);
            self.waiting.push_back(Waiting::Escape { says: says.to_vec(), written });
        }
        if self.name.len() <= LONGEST_NAME {
            self.name.extend_from_slice(&says[..says.len().min(LONGEST_NAME + 1)]);
        }
        self.fresh.extend_from_slice(says);
        if self.fresh.len() >= LOOK {
            self.look();
        }
        &self.out
    }

    fn look(&mut self) {
        let JsonString { redactor, fresh, waiting, out, .. } = self;
        redactor.push(fresh, |said| write(said, waiting, out));
        fresh.clear();
    }

    /// Ends the string; returns what is left of it. The next one can begin.
    pub fn end(&mut self) -> &[u8] {
        self.out.clear();
        self.look();
        let JsonString { redactor, waiting, out, escape, .. } = self;
        redactor.finish(|said| write(said, waiting, out));
        // What breaks off in the middle of an escape is not JSON.
        out.append(escape);
        self.name.clear();
        out
    }

    /// Ends the string, which is the name of the next one: `{"password": "…"}`.
    pub fn end_name(&mut self) -> &[u8] {
        let name = std::mem::take(&mut self.name);
        self.end();
        self.redactor.after(&named(&name));
        &self.out
    }
}

/// Returns the text before the value of a field.
fn named(name: &[u8]) -> Vec<u8> {
    let is_short = name.len() <= LONGEST_NAME && !name.contains(&b'\n');
    if is_short { [b"\"", name, b"\": \""].concat() } else { Vec::new() }
}

/// Writes what was looked through as it was written; a secret is stars.
fn write(mut said: &[u8], waiting: &mut VecDeque<Waiting>, out: &mut Vec<u8>) {
    while let Some(next) = waiting.front_mut() {
        let len = match next {
            Waiting::Plain(len) => {
                let now = said.len().min(*len);
                out.extend_from_slice(&said[..now]);
                *len -= now;
                if *len > 0 {
                    return;
                }
                now
            }
            Waiting::Escape { says, written } => {
                let now = said.len().min(says.len());
                let is_same = said[..now] == says[..now];
                if now < says.len() {
                    // A character is cut in two only where something is masked within it.
                    out.extend_from_slice(if is_same { b"" } else { &said[..now] });
                    says.drain(..now);
                    return;
                }
                out.extend_from_slice(if is_same { written } else { &said[..now] });
                now
            }
        };
        said = &said[len..];
        waiting.pop_front();
    }
}

impl Redaction {
    /// Masks what the strings of a JSON text say, names of fields included. What is not JSON is
    /// masked as text.
    pub fn json<'a>(self: &Arc<Self>, json: &'a str) -> (Cow<'a, str>, u64) {
        let (mut tokens, mut string) = (JsonTokens::default(), JsonString::new(self.clone()));
        let mut out = Vec::with_capacity(json.len());
        let mut rest = json.as_bytes();
        let mut in_name = false;
        while !rest.is_empty() {
            let Ok((token, len)) = tokens.next(rest) else { return self.text(json) };
            let (written, later) = rest.split_at(len);
            match token {
                JsonToken::Text(says) => out.extend_from_slice(string.push(written, says)),
                JsonToken::EndString => {
                    out.extend_from_slice(if in_name { string.end_name() } else { string.end() });
                    out.extend_from_slice(written);
                }
                JsonToken::String { is_key } => {
                    in_name = is_key;
                    out.extend_from_slice(written);
                }
                // A name is not the name of what stands in a list or an object.
                JsonToken::Open(_) => {
                    string.end();
                    out.extend_from_slice(written);
                }
                _ => out.extend_from_slice(written),
            }
            rest = later;
        }
        match (tokens.is_done(), string.masked()) {
            (false, _) => self.text(json),
            (true, 0) => (Cow::Borrowed(json), 0),
            (true, count) => (Cow::Owned(String::from_utf8_lossy(&out).into_owned()), count),
        }
    }

    /// Masks the strings in a value, at any depth, names of fields included; returns how many
    /// secrets there were. Base64 of pictures, sounds and blobs stays as it is.
    pub fn value(&self, value: &mut Value) -> u64 {
        self.value_of("", value)
    }

    /// Masks the strings in the value of a field.
    fn value_of(&self, name: &str, value: &mut Value) -> u64 {
        match value {
            Value::String(text) => match self.text_after(&named(name.as_bytes()), text) {
                (Cow::Borrowed(_), _) => 0,
                (Cow::Owned(masked), count) => {
                    *text = masked;
                    count
                }
            },
            Value::Array(values) => values.iter_mut().map(|value| self.value(value)).sum(),
            Value::Object(fields) => {
                let is_media = ["mimeType", "mime_type", "media_type"]
                    .iter()
                    .any(|name| fields.contains_key(*name));
                let looked = fields.iter_mut().map(|(name, value)| match name.as_str() {
                    "data" | "blob" if is_media && is_encoded_media(value) => 0,
                    name => self.value_of(name, value),
                });
                let count: u64 = looked.sum();
                count + self.names(fields)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    /// Masks the names of fields that are secrets; no field takes the place of another.
    fn names(&self, fields: &mut Map<String, Value>) -> u64 {
        if fields.keys().all(|name| self.text(name).1 == 0) {
            return 0;
        }
        let mut total = 0;
        for (name, value) in std::mem::take(fields) {
            let (masked, count) = self.text(&name);
            let mut masked = masked.into_owned();
            while fields.contains_key(&masked) {
                masked.push('*');
            }
            total += count;
            fields.insert(masked, value);
        }
        total
    }
}

/// Tells whether a value is the base64 of a picture, a sound or a blob. A rule that matches there by chance would break
/// it. Text, short strings, objects and lists are not: they may contain secrets.
fn is_encoded_media(value: &Value) -> bool {
    const SHORTEST: usize = 100;
    let Some(text) = value.as_str() else { return false };
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=\r\n".contains(&byte);
    text.len() >= SHORTEST && text.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn redaction() -> Arc<Redaction> {
        Arc::new(Redaction::new(None).unwrap())
    }

    fn token() -> String {
        format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0")
    }

    /// Writes some of the characters as escapes.
    fn written(text: &str, escaped: &[bool]) -> String {
        let mut escaped = escaped.iter().cycle();
        let one = |char: char| match (char, escaped.next()) {
            ('\n', _) => "\\n".into(),
            ('/', Some(true)) => "\\/".into(),
            ('"' | '\\', _) => format!("\\{char}"),
            (_, Some(true)) => {
                char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }
            _ => char.to_string(),
        };
        text.chars().map(one).collect()
    }

    #[test]
    fn strings_are_masked_by_what_they_say() {
        let stars = "*".repeat(40);
        for token in [token(), token().replace('a', "\\u0061"), token().replace('_', "\\u005f")] {
            let json = format!(r#"{{ "a\/b" : ["\u00e9 {token} \ud83d", 1.50], "{token}":null}}"#);
            let (masked, count) = redaction().json(&json);
            assert_eq!(count, 2);
            let start = if token.contains("\\u005f") { "ghp\\u005f" } else { "ghp_" };
            let expected = format!(
                r#"{{ "a\/b" : ["\u00e9 {start}{stars} \ud83d", 1.50], "{start}{stars}":null}}"#
            );
            assert_eq!(masked, expected);
        }
    }

    #[test]
    fn a_key_of_many_lines_stays_a_string_of_many_lines() {
        let line = "a1B2c3D4e5F6g7H8";
        let key =
            format!("-----BEGIN {0} KEY-----\n{line}\n{line}\n-----END {0} KEY-----\n", "PRIVATE");
        let json = json!({ "key": key }).to_string();
        let (masked, count) = redaction().json(&json);
        let value: Value = serde_json::from_str(&masked).unwrap();
        assert_eq!(
            (count, value["key"].as_str().unwrap()),
            (1, &*key.replace(line, &"*".repeat(16)))
        );
    }

    #[test]
    fn value_after_the_name_of_a_secret_is_masked() {
        let json = r#"{"password":"hunter2","a":["password","hunter2"],"api_key":{"b":"a1b2c3d4e5f6"},"user":"x1"}"#;
        let expected = json.replacen("hunter2", "*******", 1);
        assert_eq!(redaction().json(json), (Cow::Borrowed(&*expected), 1));
        let mut value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(redaction().value(&mut value), 1);
        assert_eq!(value, serde_json::from_str::<Value>(&expected).unwrap());
    }

    #[test]
    fn values_are_masked_at_any_depth_but_for_media() {
        let token = token();
        let stars = format!("ghp_{}", "*".repeat(40));
        let image = "aGVsbG8gd29ybGQh".repeat(20);
        let mut value = json!({
            "output": [{"type": "text", "text": format!("a {token}")}, {"data": image, "mimeType": "image/png"}],
            "metadata": {"deep": [[{"data": token}]], (token.clone()): 1, (stars.clone()): 2},
        });
        assert_eq!(redaction().value(&mut value), 3);
        assert_eq!(
            value,
            json!({
                "output": [{"type": "text", "text": format!("a {stars}")}, {"data": image, "mimeType": "image/png"}],
                "metadata": {"deep": [[{"data": stars}]], (stars.clone()): 1, (format!("{stars}*")): 2},
            })
        );
    }

    proptest! {
        #[test]
        fn whatever_is_escaped_and_wherever_it_is_cut(
            escaped in prop::collection::vec(any::<bool>(), 1..9),
            sizes in prop::collection::vec(1..30_usize, 1..5),
            glue in "[a-z é😀\"\\\\/\n]{0,20}",
        ) {
            let text = format!("{glue} {} {glue}", token());
            let written = written(&text, &escaped);
            let json = format!("[\"{written}\"]");
            let (masked, count) = redaction().json(&json);
            let said: Vec<String> = serde_json::from_str(&masked).unwrap();
            prop_assert_eq!((&*said[0], count), (&*redaction().text(&text).0, 1));
            // In chunks it is the same.
            let (mut tokens, mut string) = (JsonTokens::default(), JsonString::new(redaction()));
            let (mut out, mut rest) = (Vec::new(), json.as_bytes());
            for size in sizes.iter().cycle() {
                let (mut chunk, later) = rest.split_at((*size).min(rest.len()));
                while !chunk.is_empty() {
                    let (token, len) = tokens.next(chunk).unwrap();
                    match token {
                        JsonToken::Text(says) => out.extend_from_slice(string.push(&chunk[..len], says)),
                        JsonToken::EndString => {
                            out.extend_from_slice(string.end());
                            out.push(b'"');
                        }
                        _ => out.extend_from_slice(&chunk[..len]),
                    }
                    chunk = &chunk[len..];
                }
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(String::from_utf8(out).unwrap(), masked);
        }
    }

    #[test]
    fn only_base64_in_media_fields_stays_unmasked() {
        let image = "aGVsbG8gd29ybGQh".repeat(20);
        for (data, count) in [
            (json!(format!("{} {}", "word ".repeat(100), token())), 1),
            (json!(token()), 1),
            (json!({ "token": token() }), 1),
            (json!([token()]), 1),
            (json!(image), 0),
        ] {
            let mut value = json!({ "mimeType": "text/plain", "data": data });
            assert_eq!(redaction().value(&mut value), count, "{value}");
            assert!(!value.to_string().contains(&token()), "{value}");
        }
    }
}
