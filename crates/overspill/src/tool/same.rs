//! Compares structured content with the text beside it.
//!
//! MCP servers send structured content as text too: as JSON, or, if a tool returns a plain value,
//! as that value. The structured content then has the value in an object such as `{"result": …}`.

use overspill_core::internal::json::{JsonToken, JsonTokens};
use xxhash_rust::xxh3::Xxh3;

/// A digest of a text.
#[derive(Debug, Default)]
pub(super) struct Digest {
    plain: Plain,
    json: Json,
}

/// A digest of structured content.
#[derive(Debug, Default)]
pub(super) struct Compared {
    whole: Json,
    inner: Inner,
}

impl Compared {
    /// Takes the next bytes of the JSON.
    pub(super) fn push(&mut self, json: &[u8]) {
        self.whole.push(json);
        self.inner.push(json);
    }
}

impl Digest {
    /// Takes the next bytes of the text.
    pub(super) fn push(&mut self, text: &[u8]) {
        self.plain.push(text);
        self.json.push(text);
    }

    /// Tells whether structured content has the same value.
    pub(super) fn is_said_by(&self, Compared { whole, inner }: &Compared) -> bool {
        let text = self.json.value();
        let inner_is_same =
            text.is_some() && inner.json == text || inner.plain == self.plain.value();
        text.is_some() && whole.value() == text || inner.is_only && inner_is_same
    }
}

/// A hash of bytes that come in chunks.
#[derive(Default)]
struct Hash(Xxh3);

impl Hash {
    fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn value(&self) -> u64 {
        self.0.digest()
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Hash").finish_non_exhaustive()
    }
}

/// Plain bytes.
#[derive(Debug, Default)]
struct Plain {
    hasher: Hash,
    len: u64,
}

impl Plain {
    fn push(&mut self, bytes: &[u8]) {
        self.hasher.push(bytes);
        self.len += bytes.len() as u64;
    }

    fn value(&self) -> Option<(u64, u64)> {
        Some((self.hasher.value(), self.len))
    }
}

/// A JSON value in any spelling.
#[derive(Debug, Default)]
struct Json {
    tokens: JsonTokens,
    hasher: Hash,
    is_none: bool,
}

impl Json {
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_none {
            match self.tokens.next(bytes) {
                Ok((token, len)) => {
                    hash(&mut self.hasher, token, &bytes[..len]);
                    bytes = &bytes[len..];
                }
                Err(_) => self.is_none = true,
            }
        }
    }

    fn value(&self) -> Option<u64> {
        (!self.is_none && self.tokens.is_done()).then(|| self.hasher.value())
    }
}

fn hash(hasher: &mut Hash, token: JsonToken, bytes: &[u8]) {
    match token {
        JsonToken::Text(text) => hasher.push(text),
        // No text has this byte, so it marks the ends of a string.
        JsonToken::String { .. } | JsonToken::EndString => hasher.push(&[0xFF]),
        JsonToken::Between => {
            bytes.split(u8::is_ascii_whitespace).for_each(|separator| hasher.push(separator));
        }
        _ => hasher.push(bytes),
    }
}

/// The value of the only field of an object.
#[derive(Debug, Default)]
struct Inner {
    tokens: JsonTokens,
    /// The number of open brackets.
    depth: u32,
    fields: u32,
    plain_hash: Plain,
    json_hash: Hash,
    is_text: bool,
    in_key: bool,
    is_only: bool,
    json: Option<u64>,
    plain: Option<(u64, u64)>,
}

impl Inner {
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Ok((token, len)) = self.tokens.next(bytes) else { return };
            if token == JsonToken::Close {
                self.depth = self.depth.saturating_sub(1);
            }
            let is_field = self.depth == 1;
            match token {
                JsonToken::String { is_key: true } if is_field => self.fields += 1,
                JsonToken::String { is_key: false } if is_field => self.is_text = true,
                JsonToken::Text(text) if self.is_text => self.plain_hash.push(text),
                JsonToken::EndString if self.is_text => {
                    self.is_text = false;
                    self.plain = self.plain_hash.value();
                }
                _ => {}
            }
            let is_key = self.in_key || token == JsonToken::String { is_key: true };
            match token {
                JsonToken::String { is_key } => self.in_key = is_key,
                JsonToken::EndString => self.in_key = false,
                _ => {}
            }
            // The outer brackets, the name and the colon are not part of the value.
            let is_around = self.depth == 0 || is_field && (is_key || token == JsonToken::Between);
            if !is_around {
                hash(&mut self.json_hash, token, &bytes[..len]);
            }
            if matches!(token, JsonToken::Open(_)) {
                self.depth += 1;
            }
            bytes = &bytes[len..];
        }
        self.is_only = self.fields == 1 && self.tokens.is_done();
        self.json = Some(self.json_hash.value());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(text: &str, structured: &str) -> bool {
        let mut digest = Digest::default();
        text.as_bytes().chunks(3).for_each(|chunk| digest.push(chunk));
        let mut compared = Compared::default();
        structured.as_bytes().chunks(5).for_each(|chunk| compared.push(chunk));
        digest.is_said_by(&compared)
    }

    #[test]
    fn same_value_in_another_spelling_is_the_same() {
        assert!(is_same("{\n  \"a\": [1, 2],\n  \"b\": \"é\"\n}", r#"{"a":[1,2],"b":"\u00e9"}"#));
        assert!(is_same("plain text\nof two lines", r#"{"result":"plain text\nof two lines"}"#));
        assert!(is_same("[1, 2, 3]", r#"{"result":[1,2,3]}"#));
        assert!(is_same("42", r#"{"result":42}"#));
        assert!(is_same("of a file\n", r#"{"content" : "of a file\n"}"#));
    }

    #[test]
    fn another_value_is_different() {
        assert!(!is_same("{\"a\":[1,2]}", r#"{"a":[12]}"#));
        assert!(!is_same("plain", r#"{"result":"other"}"#));
        assert!(!is_same("plain", r#"{"result":"plain","more":1}"#));
        assert!(!is_same("see the structured content", r#"{"rows":[1,2,3]}"#));
        assert!(!is_same("", r#"{"rows":[1,2,3]}"#));
    }
}
