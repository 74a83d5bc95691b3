//! Masks secrets in the messages of a server.
//!
//! Every string is masked, except addresses: strings that the client sends back unchanged. All
//! other bytes stay unchanged.

use std::borrow::Cow;
use std::sync::Arc;

use overspill::Redaction;
use overspill::internal::redact::JsonMask;

use super::walk::{JsonWalk, Key};

/// Masks secrets in one message, in chunks.
#[derive(Debug)]
pub(super) struct Mask {
    walk: JsonWalk,
    json: JsonMask,
    /// Tells whether the rest is not JSON. Such text is masked as the inside of one string, because
    /// a client may still decode its escapes.
    is_text: bool,
    /// An incomplete escape at the end of such text.
    escape: Vec<u8>,
}

impl Mask {
    pub(super) fn new(rules: &Arc<Redaction>) -> Mask {
        Mask {
            walk: JsonWalk::default(),
            json: JsonMask::new(rules.clone()),
            is_text: false,
            escape: Vec::new(),
        }
    }

    /// Returns a whole message with its secrets masked, and the number of secrets.
    pub(super) fn whole<'a>(rules: &Arc<Redaction>, message: &'a [u8]) -> (Cow<'a, [u8]>, u64) {
        let mut mask = Mask::new(rules);
        let mut out = mask.push(message).to_vec();
        out.extend_from_slice(mask.end());
        match mask.masked() {
            0 => (Cow::Borrowed(message), 0),
            count => (Cow::Owned(out), count),
        }
    }

    /// Returns the number of secrets that were masked so far.
    pub(super) fn masked(&self) -> u64 {
        self.json.masked()
    }

    /// Takes the next bytes; returns the bytes that are ready.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> &[u8] {
        self.json.resume();
        while !bytes.is_empty() && !self.is_text {
            let Ok(step) = self.walk.next(bytes) else {
                self.is_text = true;
                break;
            };
            let (written, later) = bytes.split_at(step.len);
            self.json.push(step.token, written, !is_address(step.path));
            bytes = later;
        }
        self.push_text(bytes);
        self.json.ready()
    }

    /// Takes text that is not JSON.
    fn push_text(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            if self.escape.is_empty() && byte != b'\\' {
                let len = memchr::memchr(b'\\', bytes).unwrap_or(bytes.len());
                let (plain, later) = bytes.split_at(len);
                self.json.push_text(plain, plain);
                bytes = later;
                continue;
            }
            self.escape.push(byte);
            bytes = &bytes[1..];
            let decoded = match Escape::of(&self.escape) {
                Escape::Incomplete => continue,
                Escape::Char(char) => char.to_string().into_bytes(),
                Escape::Invalid => self.escape.clone(),
            };
            let written = std::mem::take(&mut self.escape);
            self.json.push_text(&written, &decoded);
        }
    }

    /// Ends the message; returns the rest of its bytes.
    pub(super) fn end(&mut self) -> &[u8] {
        self.json.resume();
        let escape = std::mem::take(&mut self.escape);
        self.json.push_text(&escape, &escape);
        self.json.end()
    }
}

/// A backslash and the characters after it.
enum Escape {
    Incomplete,
    Char(char),
    Invalid,
}

impl Escape {
    fn of(escape: &[u8]) -> Escape {
        let digits = match escape {
            [_] => return Escape::Incomplete,
            [_, b'u', digits @ ..] => digits,
            [_, byte, ..] => {
                return match byte {
                    b'n' => Escape::Char('\n'),
                    b't' => Escape::Char('\t'),
                    b'r' => Escape::Char('\r'),
                    b'"' | b'\\' | b'/' => Escape::Char(char::from(*byte)),
                    _ => Escape::Invalid,
                };
            }
            [] => return Escape::Invalid,
        };
        let code = std::str::from_utf8(digits).ok().map(|digits| u32::from_str_radix(digits, 16));
        match (digits.len(), code) {
            (0, _) => Escape::Incomplete,
            (_, None | Some(Err(_))) => Escape::Invalid,
            (1..4, _) => Escape::Incomplete,
            (_, Some(Ok(code))) => {
                Escape::Char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
    }
}

/// Tells whether the client sends the string at this path back, so that it must stay unchanged: an
/// id, a token, a cursor, or the name or address of an item in a list of the server.
fn is_address(path: &[Key]) -> bool {
    match path {
        [Key::Id | Key::Method] => true,
        [Key::Result, Key::NextCursor | Key::RequestState | Key::TaskId] => true,
        [Key::Result, Key::Task, Key::TaskId] => true,
        [Key::Result, Key::Tools | Key::Prompts, Key::Item, Key::Name] => true,
        [Key::Result, Key::Resources | Key::Templates, Key::Item, key] => {
            matches!(key, Key::Name | Key::Uri | Key::UriTemplate)
        }
        [Key::Result, Key::Contents, Key::Item, Key::Uri] => true,
        [Key::Params, Key::Uri | Key::Url] => true,
        [Key::Params, Key::ProgressToken | Key::RequestId | Key::TaskId] => true,
        [Key::Params, Key::Meta, Key::ProgressToken] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INNER: &str = "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0";

    fn rules() -> Arc<Redaction> {
        Arc::new(Redaction::new(None).unwrap())
    }

    fn in_chunks(message: &str, size: usize) -> (String, u64) {
        let mut mask = Mask::new(&rules());
        let mut out = Vec::new();
        message.as_bytes().chunks(size).for_each(|chunk| out.extend_from_slice(mask.push(chunk)));
        out.extend_from_slice(mask.end());
        (String::from_utf8(out).unwrap(), mask.masked())
    }

    #[test]
    fn every_string_is_masked_but_addresses() {
        let (secret, stars) = (format!("ghp_{INNER}"), format!("ghp_{}", "*".repeat(40)));
        let seen = [
            r#"{"id":1,"result":{"content":[{"type":"text","text":"a $ b"}]}}"#,
            r#"{"id":1,"result":{"content":[{"type":"resource","resource":{"uri":"$","text":"$"}}]}}"#,
            r#"{"id":1,"result":{"structuredContent":{"a":[[[[[[{"$":"$"}]]]]]],"data":"$"}}}"#,
            r#"{"id":1,"error":{"code":1,"message":"$","data":{"why":"$"}}}"#,
            r#"{"id":1,"result":{"contents":[{"uri":"file:///a","text":"$"}]}}"#,
            r#"{"id":1,"result":{"messages":[{"role":"user","content":{"type":"text","text":"$"}}]}}"#,
            r#"{"id":1,"method":"sampling/createMessage","params":{"messages":[{"content":{"text":"$"}}]}}"#,
            r#"{"id":1,"result":{"instructions":"call me with $"}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"a","title":"$","description":"$"}]}}"#,
            r#"{"id":1,"result":{"tools":[{"inputSchema":{"properties":{"a":{"description":"$"}}}}]}}"#,
            r#"{"id":1,"result":{"prompts":[{"arguments":[{"description":"$"}]}]}}"#,
            r#"{"id":1,"result":{"resources":[{"uri":"a","description":"$"}]}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"a","_meta":{"name":"$"}}]}}"#,
            r#"{"id":1,"result":{"content":[{"type":"image","data":"$"}],"_meta":{"a":"$"}}}"#,
            r#"{"id":1,"result":{"content":{"a":{"b":{"c":{"d":{"e":{"f":{"id":"$"}}}}}}}}}"#,
            r#"{"id":1,"$":2,"result":{"nextCursor":{"a":"$"},"x":"$"}}"#,
            r#"{"id":1,"result":{"content":[{"text":"x"}],"requestState":["$"]}}"#,
            r#"{"id":1,"result":{"contents":[{"uri":"a","blob":"$"}]}}"#,
            r#"{"id":1,"result":{"content":[{"text":"$"#,
            r#"[["$"],"$",{"id":1,"result":"$"}]"#,
            r#"{"id":1,"result":{"content":[{"text":"x"}]}} and $"#,
        ];
        let unseen = [
            r#"{"id":"$","result":{"tools":[],"nextCursor":"$"}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"$"}],"requestState":"$"}}"#,
            r#"{"id":1,"result":{"resources":[{"uri":"$","name":"$"}]}}"#,
            r#"{"id":1,"result":{"contents":[{"uri":"$"}]}}"#,
            r#"{"method":"notifications/progress","params":{"progressToken":"$"}}"#,
        ];
        for (messages, shown) in [(&seen[..], &stars), (&unseen[..], &secret)] {
            for message in messages {
                let sent = message.replace('$', &secret);
                let count = if shown == &stars { message.matches('$').count() as u64 } else { 0 };
                let expected = (message.replace('$', shown), count);
                for size in [1, 3, 1000] {
                    assert_eq!(in_chunks(&sent, size), expected, "by {size}");
                }
            }
        }
    }

    #[test]
    fn value_of_a_pair_is_masked_in_any_chunks() {
        for pair in [r#""name":"DB_PASSWORD","value":"$""#, r#""value":"$","name":"DB_PASSWORD""#] {
            let message = format!(r#"{{"id":1,"result":{{"structuredContent":[{{{pair}}}]}}}}"#);
            let expected = (message.replace('$', "*********"), 1);
            for size in [1, 3, 7, 1000] {
                assert_eq!(in_chunks(&message.replace('$', "hunter2x9"), size), expected);
            }
        }
        let long = format!(r#"{{"value":"{}","name":"DB_PASSWORD"}}"#, "a b1 ".repeat(9000));
        assert_eq!(in_chunks(&long, 100), (long.clone(), 0));
    }

    proptest! {
        #[test]
        fn message_without_a_secret_is_unchanged(text in "[a-z{}:,\\[\\]\"\\\\ é\n]{0,80}", size in 1..40_usize) {
            let message = serde_json::json!({"id": 1, "result": {"content": [{"text": text}]}});
            for message in [message.to_string(), text] {
                prop_assert_eq!(in_chunks(&message, size), (message, 0));
            }
        }
    }

    #[test]
    fn escapes_hide_no_secret_in_text_that_is_not_json() {
        let sent = format!(r#"{{"x":NaN,"text":"gh\u0070_{INNER} C:\new \q \u12"}}"#);
        let shown = format!(r#"{{"x":NaN,"text":"gh\u0070_{} C:\new \q \u12"}}"#, "*".repeat(40));
        for size in [1, 3, 1000] {
            assert_eq!(in_chunks(&sent, size), (shown.clone(), 1), "by {size}");
        }
    }
}
