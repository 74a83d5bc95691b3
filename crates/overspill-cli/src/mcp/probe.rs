//! What a message is, as far as a relay must know.

use std::ops::Range;

use super::walk::{JsonWalk, Key, Step};
use overspill::core::internal::json::{JsonToken, MalformedJson};

/// An id as it is compared: JSON, always written in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Id(pub(super) String);

/// What is known of one message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Message {
    pub(super) id: Option<Id>,
    pub(super) method: Option<String>,
    /// It has a result.
    pub(super) result: bool,
    /// It has an error.
    pub(super) error: bool,
    /// The name in its parameters: the tool that is called.
    pub(super) name: Option<String>,
    /// The address in its parameters.
    pub(super) uri: Option<String>,
    /// The request that it takes back.
    pub(super) request: Option<Id>,
    /// It says itself which revision of the protocol it is of, as stateless ones do.
    pub(super) is_stateless: bool,
    /// Where it stands in its frame.
    pub(super) place: Range<usize>,
}

impl Message {
    /// Tells whether it answers a request.
    pub(super) fn is_answer(&self) -> bool {
        self.method.is_none() && (self.result || self.error)
    }
}

/// No id, name or address that we need is longer.
const LONGEST: usize = 4096;

/// Learns what a message is while it passes.
#[derive(Debug, Default)]
pub(super) struct MessageProbe {
    message: Message,
    taking: Option<Key>,
    taken: Vec<u8>,
    is_string: bool,
}

impl MessageProbe {
    /// Returns what is known by now.
    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    /// Looks at what was taken.
    pub(super) fn see(&mut self, step: &Step, bytes: &[u8]) {
        match step.token {
            JsonToken::String { is_key: false } => self.begin(step.path, true),
            JsonToken::Text(text) if self.taking.is_some() && self.taken.len() <= LONGEST => {
                self.taken.extend_from_slice(text);
            }
            JsonToken::EndString => self.end(),
            JsonToken::Word { .. } => {
                if self.taking.is_none() {
                    self.begin(step.path, false);
                }
                if self.taking.is_some() && self.taken.len() <= LONGEST {
                    self.taken.extend_from_slice(&bytes[..step.len]);
                }
            }
            JsonToken::Open(_) => {
                self.end();
                self.note(step.path);
            }
            _ if !self.is_string => self.end(),
            _ => {}
        }
    }

    fn begin(&mut self, path: &[Key], is_string: bool) {
        self.end();
        self.note(path);
        self.taking = match path {
            [key @ (Key::Id | Key::Method)] => Some(*key),
            [Key::Params, key @ (Key::Name | Key::Uri | Key::RequestId)] => Some(*key),
            _ => None,
        };
        self.is_string = is_string;
        self.taken.clear();
    }

    fn note(&mut self, path: &[Key]) {
        match path {
            [Key::Result] => self.message.result = true,
            [Key::Error] => self.message.error = true,
            [Key::Params, Key::Meta, Key::Protocol] => self.message.is_stateless = true,
            _ => {}
        }
    }

    /// Takes what has come as a value, if it is not so long that it cannot be one we need.
    fn end(&mut self) {
        let Some(key) = self.taking.take() else { return };
        if self.taken.len() > LONGEST {
            return;
        }
        let text = String::from_utf8_lossy(&self.taken).into_owned();
        let id = |text: &str| match self.is_string {
            true => Id(serde_json::Value::from(text).to_string()),
            false => Id(text.to_owned()),
        };
        match key {
            Key::Id => self.message.id = Some(id(&text)),
            Key::RequestId => self.message.request = Some(id(&text)),
            Key::Method if self.is_string => self.message.method = Some(text),
            Key::Name if self.is_string => self.message.name = Some(text),
            Key::Uri if self.is_string => self.message.uri = Some(text),
            _ => {}
        }
    }
}

/// A frame, and the messages in it.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// They come as a list.
    pub(super) is_list: bool,
    pub(super) messages: Vec<Message>,
}

/// Returns what the messages of a whole frame are.
pub(super) fn peek(frame: &[u8]) -> Result<Frame, MalformedJson> {
    let mut walk = JsonWalk::default();
    let mut messages: Vec<Message> = Vec::new();
    let mut peek = MessageProbe::default();
    let mut at = 0;
    while at < frame.len() {
        let step = walk.next(&frame[at..])?;
        peek.see(&step, &frame[at..]);
        let (is_end, len) = (step.token == JsonToken::Close && step.path.is_empty(), step.len);
        let begins = matches!(step.token, JsonToken::Open(_)) && step.path.is_empty();
        let in_message = step.in_message;
        if begins && in_message {
            peek.message.place.start = at;
        }
        at += len;
        if is_end && in_message {
            peek.message.place.end = at;
            messages.push(std::mem::take(&mut peek).message);
        }
    }
    if !walk.is_done() {
        return Err(walk.cut_off());
    }
    Ok(Frame { is_list: walk.is_list(), messages })
}

/// Learns what a message is that passes in chunks, as long as it is JSON.
#[derive(Debug, Default)]
pub(super) struct Look {
    walk: JsonWalk,
    peek: MessageProbe,
    is_over: bool,
}

impl Look {
    /// Looks at the next chunk.
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_over {
            match self.walk.next(bytes) {
                Ok(step) => {
                    self.peek.see(&step, bytes);
                    bytes = &bytes[step.len..];
                }
                Err(_) => self.is_over = true,
            }
        }
    }

    /// Returns what is known by now.
    pub(super) fn message(&self) -> &Message {
        self.peek.message()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(frame: &str) -> Message {
        let Frame { is_list, mut messages } = peek(frame.as_bytes()).unwrap();
        assert!(!is_list && messages.len() == 1, "{messages:?}");
        messages.remove(0)
    }

    fn id(id: &str) -> Option<Id> {
        Some(Id(id.into()))
    }

    #[test]
    fn odd_texts_get_the_answer_of_the_table() {
        crate::json_texts::check("mcp", |chunks| {
            let mut look = Look::default();
            chunks.iter().for_each(|chunk| look.push(chunk));
            let is_json = !look.is_over && look.walk.is_done();
            assert_eq!(peek(&chunks.concat()).is_ok(), is_json);
            is_json
        });
    }

    #[test]
    fn a_request_is_known_by_id_method_and_tool() {
        let frame = r#"{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"cat","arguments":{"name":"x","id":1}}}"#;
        let message = one(frame);
        assert_eq!(message.id, id("12345678901234567890"));
        assert_eq!(message.method.as_deref(), Some("tools/call"));
        assert_eq!(message.name.as_deref(), Some("cat"));
        assert!(!message.is_answer());
        assert_eq!(message.place, 0..frame.len());
    }

    #[test]
    fn an_answer_is_known_wherever_its_id_stands() {
        for frame in [
            r#"{"result":{"content":[],"id":7},"jsonrpc":"2.0","id":"a\u0062"}"#,
            r#"{"id" : "ab" ,"result":{}}"#,
            r#"{"id":"ab","error":{"code":-1,"message":"no"}}"#,
            r#"{"id":"ab","result":null}"#,
        ] {
            let message = one(frame);
            assert_eq!(message.id, id("\"ab\""), "{frame}");
            assert!(message.is_answer(), "{frame}");
        }
        assert_eq!(one(r#"{"id":null,"result":1}"#).id, id("null"));
        assert_eq!(one(r#"{"id":{"a":1},"result":1}"#).id, None);
    }

    #[test]
    fn a_cancellation_names_its_request() {
        let message =
            one(r#"{"method":"notifications/cancelled","params":{"requestId":3,"reason":"x"}}"#);
        assert_eq!((message.request, message.id), (id("3"), None));
    }

    #[test]
    fn a_list_has_many() {
        let frame = r#" [ {"id":1,"method":"a"} , {"id":2,"method":"b"}] "#;
        let Frame { is_list, messages } = peek(frame.as_bytes()).unwrap();
        assert!(is_list);
        assert_eq!(messages.len(), 2);
        assert_eq!(&frame[messages[1].place.clone()], r#"{"id":2,"method":"b"}"#);
        assert_eq!(messages[1].id, id("2"));
    }
}
