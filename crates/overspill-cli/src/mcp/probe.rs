//! Learns the kind of a message: its id, its method, and whether it is a request or an answer.

use std::ops::Range;

use super::walk::{JsonWalk, Key, Step};
use overspill::core::internal::json::{JsonToken, MalformedJson};

/// The id of a request as JSON, always written in the same way, so that equal ids compare equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Id(pub(super) String);

impl Id {
    /// Returns the id for a JSON value without quotes. Equal numbers are equal ids: `77.0` is `77`.
    fn of_word(word: &str) -> Id {
        Id(integer(word).unwrap_or_else(|| word.to_owned()))
    }
}

/// Returns a JSON number without fraction and exponent, if it is an integer of up to 40 digits.
fn integer(number: &str) -> Option<String> {
    /// The largest number of digits of an id. No id of a client has more.
    const DIGITS: usize = 40;
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".into());
    }
    let shift = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
    let digits = match usize::try_from(shift) {
        Ok(zeros) if digits.len() + zeros <= DIGITS => format!("{digits}{}", "0".repeat(zeros)),
        Ok(_) => return None,
        Err(_) => {
            let places = shift.unsigned_abs() as usize;
            let (whole, zeros) = digits.split_at_checked(digits.len().checked_sub(places)?)?;
            if whole.is_empty() || zeros.bytes().any(|byte| byte != b'0') {
                return None;
            }
            whole.to_owned()
        }
    };
    Some(format!("{sign}{digits}"))
}

/// The facts about one message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Message {
    pub(super) id: Option<Id>,
    pub(super) method: Option<String>,
    /// Tells whether the message has a result.
    pub(super) result: bool,
    /// Tells whether the message has an error.
    pub(super) error: bool,
    /// The name in the parameters: the tool of a call.
    pub(super) name: Option<String>,
    /// The address in the parameters.
    pub(super) uri: Option<String>,
    /// The request that the message cancels.
    pub(super) request: Option<Id>,
    /// Tells whether the message names its protocol revision itself, as stateless revisions do.
    pub(super) is_stateless: bool,
    /// Tells whether the message has a second id, or is a request and an answer at once. Readers
    /// disagree about such a message.
    pub(super) is_ambiguous: bool,
    /// The byte range of the message in its frame.
    pub(super) place: Range<usize>,
}

impl Message {
    /// Tells whether the message answers a request.
    pub(super) fn is_answer(&self) -> bool {
        self.result || self.error
    }

    /// Tells whether the message is a log message, which clients may show to a model.
    pub(super) fn is_log(&self) -> bool {
        !self.is_answer() && self.method.as_deref() == Some("notifications/message")
    }

    /// Tells whether the message is a request or a notification.
    pub(super) fn is_call_or_note(&self) -> bool {
        self.method.is_some() && !self.is_answer()
    }
}

/// The largest number of bytes of an id, a name or an address. Longer values are ignored.
const LONGEST_VALUE: usize = 4096;

/// Learns the facts about a message in chunks.
#[derive(Debug, Default)]
pub(super) struct MessageProbe {
    message: Message,
    taking: Option<Key>,
    taken: Vec<u8>,
    is_string: bool,
    has_id: bool,
    has_method: bool,
}

impl MessageProbe {
    /// Returns the facts that are known so far.
    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    /// Takes the next token of the message.
    pub(super) fn see(&mut self, step: &Step, bytes: &[u8]) {
        match step.token {
            JsonToken::String { is_key: false } => self.begin(step.path, true),
            JsonToken::Text(text) if self.taking.is_some() && self.taken.len() <= LONGEST_VALUE => {
                self.taken.extend_from_slice(text);
            }
            JsonToken::EndString => self.end(),
            JsonToken::Word { .. } => {
                if self.taking.is_none() {
                    self.begin(step.path, false);
                }
                if self.taking.is_some() && self.taken.len() <= LONGEST_VALUE {
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
        let message = &mut self.message;
        match path {
            [Key::Result] => message.result = true,
            [Key::Error] => message.error = true,
            [Key::Method] => self.has_method = true,
            [Key::Id] => message.is_ambiguous |= std::mem::replace(&mut self.has_id, true),
            [Key::Params, Key::Meta, Key::Protocol] => message.is_stateless = true,
            _ => {}
        }
        message.is_ambiguous |= self.has_method && (message.result || message.error);
    }

    /// Stores the value that has ended, unless it is longer than [`LONGEST_VALUE`].
    fn end(&mut self) {
        let Some(key) = self.taking.take() else { return };
        if self.taken.len() > LONGEST_VALUE {
            return;
        }
        let text = String::from_utf8_lossy(&self.taken).into_owned();
        let id = |text: &str| match self.is_string {
            true => Id(serde_json::Value::from(text).to_string()),
            false => Id::of_word(text),
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
    /// Tells whether the messages come as a list.
    pub(super) is_list: bool,
    pub(super) messages: Vec<Message>,
}

/// Returns the facts about all messages of a whole frame.
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

/// Learns the facts about messages in chunks, while they are JSON.
#[derive(Debug, Default)]
pub(super) struct Look {
    walk: JsonWalk,
    peek: MessageProbe,
    /// The messages of a list that have ended.
    ended: Vec<Message>,
    is_over: bool,
}

impl Look {
    /// Takes the next chunk.
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_over {
            let Ok(step) = self.walk.next(bytes) else {
                self.is_over = true;
                return;
            };
            self.peek.see(&step, bytes);
            let is_end = step.token == JsonToken::Close && step.path.is_empty() && step.in_message;
            bytes = &bytes[step.len..];
            if is_end && self.walk.is_list() {
                self.ended.push(std::mem::take(&mut self.peek).message);
            }
        }
    }

    /// Tells whether the text is not JSON.
    pub(super) fn is_broken(&self) -> bool {
        self.is_over
    }

    /// Returns the facts so far about the message that has not ended, or that is not part of a
    /// list.
    pub(super) fn message(&self) -> &Message {
        self.peek.message()
    }

    /// Returns all messages that are known so far.
    pub(super) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.ended.iter().chain([self.message()])
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
    fn request_is_recognized_by_id_method_and_tool() {
        let frame = r#"{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"cat","arguments":{"name":"x","id":1}}}"#;
        let message = one(frame);
        assert_eq!(message.id, id("12345678901234567890"));
        assert_eq!(message.method.as_deref(), Some("tools/call"));
        assert_eq!(message.name.as_deref(), Some("cat"));
        assert!(!message.is_answer());
        assert_eq!(message.place, 0..frame.len());
    }

    #[test]
    fn answer_is_recognized_with_its_id_in_any_place() {
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
    fn equal_numbers_are_equal_ids() {
        for (written, value) in [
            ("77", "77"),
            ("77.0", "77"),
            ("7.7e1", "77"),
            ("770e-1", "77"),
            ("-0.0", "0"),
            ("0e5", "0"),
            ("-1E+2", "-100"),
            ("12345678901234567890.00", "12345678901234567890"),
            ("1.5", "1.5"),
            ("1e400", "1e400"),
            ("1e-3", "1e-3"),
            ("null", "null"),
        ] {
            let frame = format!(r#"{{"id":{written},"result":1}}"#);
            assert_eq!(one(&frame).id, id(value), "{written}");
        }
    }

    #[test]
    fn message_with_two_ids_or_two_roles_is_ambiguous() {
        for (frame, is_ambiguous) in [
            (r#"{"id":1,"id":1,"result":{}}"#, true),
            (r#"{"id":1,"id":{},"result":{}}"#, true),
            (r#"{"id":1,"method":"x","result":{}}"#, true),
            (r#"{"id":1,"error":{},"method":7}"#, true),
            (r#"{"id":1,"result":{"id":1,"method":"x"}}"#, false),
            (r#"{"id":1,"method":"x","params":{"id":1}}"#, false),
        ] {
            assert_eq!(one(frame).is_ambiguous, is_ambiguous, "{frame}");
        }
    }

    #[test]
    fn cancellation_names_its_request() {
        let message =
            one(r#"{"method":"notifications/cancelled","params":{"requestId":3,"reason":"x"}}"#);
        assert_eq!((message.request, message.id), (id("3"), None));
    }

    #[test]
    fn list_contains_several_messages() {
        let frame = r#" [ {"id":1,"method":"a"} , {"id":2,"method":"b"}] "#;
        let Frame { is_list, messages } = peek(frame.as_bytes()).unwrap();
        assert!(is_list);
        assert_eq!(messages.len(), 2);
        assert_eq!(&frame[messages[1].place.clone()], r#"{"id":2,"method":"b"}"#);
        assert_eq!(messages[1].id, id("2"));
    }
}
