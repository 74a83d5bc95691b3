//! Masks the strings of JSON that arrives as tokens.

use std::ops::Range;
use std::sync::Arc;

use overspill_core::internal::json::JsonToken;

use super::super::Redaction;
use super::JsonString;

/// The largest number of bytes for which the value of a pair waits for its name.
const HELD: usize = 8 << 10;

/// Masks strings, and keeps everything else as it is written.
#[derive(Debug)]
pub struct JsonMask {
    redaction: Arc<Redaction>,
    string: JsonString,
    /// Whether the current string is masked.
    in_string: bool,
    /// Whether the current string is the name of a field.
    in_name: bool,
    /// The string of a field such as `value` whose name has not arrived yet:
    /// `{"value": "…", "name": "TOKEN"}`.
    value: Option<Range<usize>>,
    /// The number of secrets that were masked after their name arrived.
    late: u64,
    out: Vec<u8>,
    /// The number of bytes of `out` that were passed on.
    handed: usize,
}

impl JsonMask {
    /// Returns a mask with these rules.
    pub fn new(redaction: Arc<Redaction>) -> JsonMask {
        JsonMask {
            string: JsonString::new(redaction.clone()),
            redaction,
            in_string: false,
            in_name: false,
            value: None,
            late: 0,
            out: Vec::new(),
            handed: 0,
        }
    }

    /// Returns the number of secrets so far.
    pub fn masked(&self) -> u64 {
        self.string.masked() + self.late
    }

    /// Takes a token and its `written` bytes. `is_masked` tells whether to mask a string that
    /// begins. The name of a field is always masked.
    pub fn push(&mut self, token: JsonToken, written: &[u8], is_masked: bool) {
        match token {
            JsonToken::Text(says) if self.in_string => return self.push_text(written, says),
            JsonToken::String { is_key } => {
                self.in_string = is_key || is_masked;
                self.in_name = is_key;
            }
            JsonToken::EndString if std::mem::take(&mut self.in_string) => self.end_string(),
            // A name does not apply to the values inside a list or an object.
            JsonToken::Open(_) | JsonToken::Close => {
                self.string.leave();
                self.value = None;
            }
            _ => {}
        }
        self.out.extend_from_slice(written);
        if token == (JsonToken::String { is_key: false }) && is_masked && self.string.has_no_pair()
        {
            self.value = Some(self.out.len()..self.out.len());
        }
        self.release();
    }

    /// Takes a part of a string, and the text that it `says`.
    pub fn push_text(&mut self, written: &[u8], says: &[u8]) {
        self.out.extend_from_slice(self.string.push(written, says));
        self.release();
    }

    /// Stops waiting for the name of a value that arrived too long ago.
    fn release(&mut self) {
        if self.value.as_ref().is_some_and(|value| self.out.len() - value.start > HELD) {
            self.value = None;
        }
    }

    fn end_string(&mut self) {
        if self.in_name {
            self.out.extend_from_slice(self.string.end_name());
            return;
        }
        let is_value = self.string.has_no_pair();
        self.out.extend_from_slice(self.string.end());
        match &mut self.value {
            Some(value) if is_value => value.end = self.out.len(),
            Some(value) => {
                if let Some(name) = self.string.pair() {
                    let written = self.out.get(value.clone()).unwrap_or_default();
                    if let Some((masked, count)) = named_value(&self.redaction, name, written) {
                        self.out.splice(value.clone(), masked);
                        self.late += count;
                    }
                    self.value = None;
                }
            }
            None => {}
        }
    }

    /// Returns the bytes to pass on. They are valid until the next call.
    pub fn ready(&mut self) -> &[u8] {
        self.handed = self.value.as_ref().map_or(self.out.len(), |value| value.start);
        &self.out[..self.handed]
    }

    /// Drops the bytes that were passed on.
    pub fn resume(&mut self) {
        let handed = std::mem::take(&mut self.handed);
        self.out.drain(..handed);
        self.value =
            self.value.take().map(|value| value.start - handed..value.end.max(handed) - handed);
    }

    /// Ends the text and returns the rest of it.
    pub fn end(&mut self) -> &[u8] {
        self.out.extend_from_slice(self.string.end());
        self.value = None;
        self.ready()
    }
}

/// Masks the `written` string of a variable. Returns the number of secrets, if there are any.
fn named_value(redaction: &Arc<Redaction>, name: &[u8], written: &[u8]) -> Option<(Vec<u8>, u64)> {
    let text = [b"{\"", name, b"\":\"", written, b"\"}"].concat();
    let text = String::from_utf8(text).ok()?;
    let (masked, count) = redaction.json(&text);
    let inner = masked.as_bytes().get(name.len() + 5..masked.len() - 2)?;
    (count > 0).then(|| (inner.to_vec(), count))
}
