//! Masks strings of JSON. The search reads the decoded text, and text without secrets keeps its
//! original spelling.

use overspill_core::internal::json::JsonTokens;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::encoded::{EncodedMask, LONGEST_TEXT, MediaStart, MediaString, is_media_field};
use super::names::is_secret_name;
use super::{Redaction, Redactor};
use pairs::{Field, pair_name};

mod mask;
mod pairs;

pub use mask::JsonMask;

/// The number of bytes that are searched at once.
const LOOK: usize = LONGEST_TEXT;
/// The number of bytes of base64 that serve as context for text that follows it.
const CONTEXT: usize = 256;

/// A JSON string of any length that arrives in parts.
///
/// The search reads the string without its escapes. Text without secrets is passed on as it was
/// written.
#[derive(Debug)]
struct JsonString {
    redactor: Redactor,
    /// The text that was not searched yet. Searching after each escape would cost more than
    /// everything else.
    fresh: Vec<u8>,
    /// The original spelling of the text that was not passed on yet.
    waiting: VecDeque<Waiting>,
    /// An escape that is not complete yet.
    escape: Vec<u8>,
    /// The text of the string so far, if it is short enough for a name.
    name: Vec<u8>,
    /// The field to which the string belongs.
    field: Field,
    /// The name of the secret whose value this object has, such as `DB_PASSWORD`.
    pair: Vec<u8>,
    /// The state of the string if it is the value of a media field.
    media: MediaString,
    /// The number of secrets that were masked in base64.
    encoded: u64,
    redaction: Arc<Redaction>,
    out: Vec<u8>,
}

/// A name with more bytes than this says nothing about its value.
const LONGEST_NAME: usize = 64;

#[derive(Debug)]
enum Waiting {
    /// A number of bytes that are written without escapes.
    Plain(usize),
    /// A character and its spelling.
    Escape { says: Vec<u8>, written: Vec<u8> },
}

impl JsonString {
    /// Returns a mask with these rules.
    fn new(redaction: Arc<Redaction>) -> JsonString {
        let redactor = Redactor::new(redaction.clone());
        JsonString {
            redactor,
            media: MediaString::No,
            encoded: 0,
            redaction,
            fresh: Vec::new(),
            waiting: VecDeque::new(),
            escape: Vec::new(),
            name: Vec::new(),
            field: Field::Other,
            pair: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Returns the number of secrets so far, in all strings.
    fn masked(&self) -> u64 {
        let encoded = match &self.media {
            MediaString::Encoded(mask) => mask.masked(),
            MediaString::No | MediaString::Undecided => 0,
        };
        self.redactor.masked() + self.encoded + encoded
    }

    /// Takes more of the string: the `written` bytes, and the text that they say, which is empty
    /// while an escape is not complete. Returns the bytes to pass on.
    fn push(&mut self, written: &[u8], says: &[u8]) -> &[u8] {
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
            self.look(false);
        }
        &self.out
    }

    fn look(&mut self, is_all: bool) {
        if matches!(self.media, MediaString::Undecided) {
            self.begin_media(is_all);
        }
        self.look_at_media();
        let JsonString { redactor, fresh, waiting, out, .. } = self;
        redactor.push(fresh, |said| write(said, waiting, out));
        fresh.clear();
    }

    /// Decides whether the string of a media field is base64.
    fn begin_media(&mut self, is_all: bool) {
        let start = MediaStart::of(&self.redaction, &self.fresh, is_all);
        let JsonString { redaction, fresh, waiting, out, .. } = self;
        self.media = match start {
            MediaStart::Text => MediaString::No,
            MediaStart::Encoded(place) => {
                let head: Vec<u8> = fresh.drain(..place.start).collect();
                let (head, count) = redaction.bytes(&head);
                self.encoded += count;
                write(&head, waiting, out);
                MediaString::Encoded(Box::new(EncodedMask::new(redaction.clone())))
            }
        };
    }

    /// Takes the base64 that has arrived. The redactor gets the text that follows it.
    fn look_at_media(&mut self) {
        let JsonString { redactor, fresh, waiting, out, media, encoded, .. } = self;
        let MediaString::Encoded(mask) = media else { return };
        let len = mask.push(fresh, |said| write(said, waiting, out));
        if len < fresh.len() {
            mask.finish(|said| write(said, waiting, out));
            *encoded += mask.masked();
            redactor.after(&fresh[len.saturating_sub(CONTEXT)..len]);
            *media = MediaString::No;
        }
        fresh.drain(..len);
    }

    /// Ends the string and returns the rest of it. The next string can begin.
    fn end(&mut self) -> &[u8] {
        self.out.clear();
        self.look(true);
        let JsonString { redactor, waiting, out, escape, media, encoded, .. } = self;
        if let MediaString::Encoded(mask) = media {
            mask.finish(|said| write(said, waiting, out));
            *encoded += mask.masked();
        }
        *media = MediaString::No;
        redactor.finish(|said| write(said, waiting, out));
        // JSON that ends within an escape is invalid. The escape is passed on unchanged.
        out.append(escape);
        let name = std::mem::take(&mut self.name);
        let is_name = std::mem::take(&mut self.field) == Field::Name;
        if is_name && name.len() <= LONGEST_NAME && is_secret_name(&name) {
            self.pair = name;
        }
        &self.out
    }

    /// Ends the string, which is the name of the next one: `{"password": "…"}`.
    fn end_name(&mut self) -> &[u8] {
        let name = std::mem::take(&mut self.name);
        self.field = Field::Other;
        self.end();
        self.field = Field::of(&name);
        let is_pair = self.field == Field::Value && !self.pair.is_empty();
        self.redactor.after(&named(if is_pair { &self.pair } else { &name }));
        if is_media_field(&name) {
            self.media = MediaString::Undecided;
        }
        &self.out
    }

    /// Forgets the names of fields, because an object or a list begins or ends.
    fn leave(&mut self) {
        self.end();
        self.pair.clear();
    }

    /// Returns the name of the secret whose value this object has.
    fn pair(&self) -> Option<&[u8]> {
        (!self.pair.is_empty()).then_some(&self.pair)
    }

    /// Tells whether the string is the value of a pair whose name has not arrived yet.
    fn has_no_pair(&self) -> bool {
        self.field == Field::Value && self.pair.is_empty()
    }
}

/// Returns the text that serves as context before the value of a field.
fn named(name: &[u8]) -> Vec<u8> {
    let is_short = name.len() <= LONGEST_NAME && !name.contains(&b'\n');
    if is_short { [b"\"", name, b"\": \""].concat() } else { Vec::new() }
}

/// Writes searched text in its original spelling, with stars for secrets.
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
                    // A character is cut in two only if something in it is masked.
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
    /// Masks the strings of a JSON text, including the names of fields. A text that is not JSON is
    /// masked as plain text.
    pub fn json<'a>(self: &Arc<Self>, json: &'a str) -> (Cow<'a, str>, u64) {
        let (mut tokens, mut mask) = (JsonTokens::default(), JsonMask::new(self.clone()));
        let mut rest = json.as_bytes();
        while !rest.is_empty() {
            let Ok((token, len)) = tokens.next(rest) else { return self.text(json) };
            let (written, later) = rest.split_at(len);
            mask.push(token, written, true);
            rest = later;
        }
        let out = mask.end().to_vec();
        match (tokens.is_done(), mask.masked()) {
            (false, _) => self.text(json),
            (true, 0) => (Cow::Borrowed(json), 0),
            (true, count) => (Cow::Owned(String::from_utf8_lossy(&out).into_owned()), count),
        }
    }

    /// Masks the strings in a value, at any depth, including the names of fields. Returns the
    /// number of secrets. In a media field, the decoded base64 is searched too.
    pub fn value(&self, value: &mut Value) -> u64 {
        self.value_of("", value)
    }

    /// Masks the strings in the value of a field.
    fn value_of(&self, name: &str, value: &mut Value) -> u64 {
        match value {
            Value::String(text) => {
                let masked = match is_media_field(name.as_bytes()) {
                    true => self.media(text),
                    false => self.text_after(&named(name.as_bytes()), text),
                };
                match masked {
                    (Cow::Borrowed(_), _) => 0,
                    (Cow::Owned(masked), count) => {
                        *text = masked;
                        count
                    }
                }
            }
            Value::Array(values) => values.iter_mut().map(|value| self.value(value)).sum(),
            Value::Object(fields) => {
                let pair = pair_name(fields);
                let looked = fields.iter_mut().map(|(name, value)| match &pair {
                    Some(pair) if Field::of(name.as_bytes()) == Field::Value => {
                        self.value_of(pair, value)
                    }
                    _ => self.value_of(name, value),
                });
                let count: u64 = looked.sum();
                count + self.names(fields)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    /// Masks the names of fields that are secrets, and keeps the names of all fields different.
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

#[cfg(test)]
mod tests;
