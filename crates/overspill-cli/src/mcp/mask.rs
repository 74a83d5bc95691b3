//! Masks secrets in what a server says, where a model may see it.
//!
//! Only what the strings there say is looked through; everything else passes byte for byte.

use std::borrow::Cow;
use std::sync::Arc;

use overspill::Redaction;
use overspill::core::internal::json::JsonToken;
use overspill::internal::redact::{JsonString, Redactor};

use super::walk::{JsonWalk, Key};

/// Masks one message as it passes.
#[derive(Debug)]
pub(super) struct Mask {
    walk: JsonWalk,
    string: JsonString,
    /// The string that is passing is looked through.
    in_string: bool,
    /// The string that is passing is the name of a field.
    in_name: bool,
    /// From here on it is not JSON.
    text: Option<Redactor>,
    rules: Arc<Redaction>,
    out: Vec<u8>,
}

impl Mask {
    pub(super) fn new(rules: &Arc<Redaction>) -> Mask {
        Mask {
            walk: JsonWalk::default(),
            string: JsonString::new(rules.clone()),
            in_string: false,
            in_name: false,
            text: None,
            rules: rules.clone(),
            out: Vec::new(),
        }
    }

    /// Returns a whole message with its secrets masked, and how many there were.
    pub(super) fn whole<'a>(rules: &Arc<Redaction>, message: &'a [u8]) -> (Cow<'a, [u8]>, u64) {
        let mut mask = Mask::new(rules);
        let mut out = mask.push(message).to_vec();
        out.extend_from_slice(mask.end());
        match mask.masked() {
            0 => (Cow::Borrowed(message), 0),
            count => (Cow::Owned(out), count),
        }
    }

    /// Returns how many secrets there were so far.
    pub(super) fn masked(&self) -> u64 {
        self.string.masked() + self.text.as_ref().map_or(0, Redactor::masked)
    }

    /// Takes the next bytes; returns what goes on.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> &[u8] {
        self.out.clear();
        while !bytes.is_empty() && self.text.is_none() {
            let Ok(step) = self.walk.next(bytes) else {
                self.out.extend_from_slice(self.string.end());
                self.text = Some(Redactor::new(self.rules.clone()));
                break;
            };
            let (written, later) = bytes.split_at(step.len);
            match step.token {
                JsonToken::Text(says) if self.in_string => {
                    self.out.extend_from_slice(self.string.push(written, says));
                }
                token => {
                    if let JsonToken::String { is_key } = token {
                        self.in_string = is_seen(step.path);
                        self.in_name = is_key;
                    } else if token == JsonToken::EndString && std::mem::take(&mut self.in_string) {
                        let rest =
                            if self.in_name { self.string.end_name() } else { self.string.end() };
                        self.out.extend_from_slice(rest);
                    } else if matches!(token, JsonToken::Open(_)) {
                        // A name is not the name of what stands in a list or an object.
                        self.string.end();
                    }
                    self.out.extend_from_slice(written);
                }
            }
            bytes = later;
        }
        if let Some(text) = &mut self.text {
            text.push(bytes, |text| self.out.extend_from_slice(text));
        }
        &self.out
    }

    /// Ends the message; returns what is left of it.
    pub(super) fn end(&mut self) -> &[u8] {
        self.out.clear();
        self.out.extend_from_slice(self.string.end());
        if let Some(text) = &mut self.text {
            text.finish(|text| self.out.extend_from_slice(text));
        }
        &self.out
    }
}

/// Tells whether a model may see what stands there: of a result its parts and structured content, of a
/// resource its text, the messages of a prompt or for a model, errors, the instructions of a server, and
/// the descriptions of tools, prompts and resources. Pictures, sounds and blobs are not looked through;
/// nor is what only programs see, such as a token by which a list goes on.
fn is_seen(path: &[Key]) -> bool {
    let is_text = |within: &[Key]| {
        let is_media = matches!(within.last(), Some(Key::Data | Key::Blob));
        !is_media && !within.contains(&Key::Meta)
    };
    match path {
        [Key::Result, Key::Instructions] => true,
        // A model reads descriptions and schemas. The client sends names back.
        [Key::Result, Key::Tools | Key::Prompts, within @ ..] => {
            !within.contains(&Key::Meta) && !matches!(within, [Key::Item, Key::Name, ..])
        }
        [Key::Result, Key::Resources | Key::Templates, within @ ..] => {
            matches!(within, [Key::Item, Key::Description | Key::Title])
        }
        [Key::Error, ..] | [Key::Result, Key::Structured, ..] => true,
        [Key::Result, Key::Content, within @ ..] => is_text(within),
        [Key::Result, Key::Contents, Key::Item, within @ ..] => *within == [Key::Text],
        [Key::Result | Key::Params, Key::Messages, within @ ..] => is_text(within),
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
    fn what_a_model_sees_is_masked_and_nothing_else() {
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
            r#"{"id":1,"result":{"content":[{"text":"$"#,
            r#"{"id":1,"result":{"content":[{"text":"x"}]}} and $"#,
        ];
        let unseen = [
            r#"{"id":"$","result":{"tools":[],"nextCursor":"$"}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"$","_meta":{"a":"$"}}]}}"#,
            r#"{"id":1,"result":{"resources":[{"uri":"$","name":"$"}]}}"#,
            r#"{"id":1,"result":{"content":[{"type":"image","data":"$"}],"_meta":{"a":"$"}}}"#,
            r#"{"id":1,"result":{"content":[{"text":"x","_meta":{"a":"$"}}],"requestState":"$"}}"#,
            r#"{"id":1,"result":{"contents":[{"uri":"$","blob":"$"}]}}"#,
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

    proptest! {
        #[test]
        fn nothing_else_changes(text in "[a-z{}:,\\[\\]\"\\\\ é\n]{0,80}", size in 1..40_usize) {
            let message = serde_json::json!({"id": 1, "result": {"content": [{"text": text}]}});
            for message in [message.to_string(), text] {
                prop_assert_eq!(in_chunks(&message, size), (message, 0));
            }
        }
    }
}
