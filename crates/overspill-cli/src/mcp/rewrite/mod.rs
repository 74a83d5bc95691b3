//! Rewrites the result of a tool in chunks: shortens its text, and keeps all other bytes.
//!
//! The result is put together again from its own bytes, with previews in place of the long strings.
//! The rules are those of [`overspill::internal::tool::walk`].

mod alone;
mod finish;
mod part;
mod place;
mod structured;
#[cfg(test)]
mod tests;

use std::ops::Range;

use overspill::core::internal::json::JsonToken;
use overspill::internal::tool::walk::{PartField, PartRoom, ResultRules, ResultWalk, Structured};
use overspill::{Call, CallOptions, Overspill};

use super::probe::{Message, MessageProbe};
use super::spooled_buffer::SpooledBuffer;
use super::walk::{JsonWalk, Step};
use crate::env::Env;
use alone::ContentAlone;
use part::{Part, Saving};
use place::{Kind, Place};

/// The outcome for a message.
#[derive(Debug)]
pub(super) enum Done {
    /// The message is unchanged.
    Same(Vec<u8>),
    /// The message is replaced by these bytes.
    Changed(Vec<u8>),
}

/// The largest number of bytes of a message that stay in memory, not counting text. A result with
/// more is refused.
const MOST_HELD: usize = 16 << 20;
/// The number of bytes in memory beyond which media are saved to files.
const MOST_MEDIA: usize = MOST_HELD / 2;
/// The smallest number of bytes of memory that a part counts.
const PART_BYTES: usize = 256;
/// The number of bytes of structured content that stay in memory. Larger structured content exceeds
/// every limit.
const MOST_RAW: u64 = 2 << 20;
/// The number of bytes of text that are taken at once.
const CHUNK: usize = 64 << 10;

/// Rewrites one message.
#[derive(Debug)]
pub(super) struct ResultRewriter<'a> {
    walk: ResultWalk<'a>,
    tokens: JsonWalk,
    message: MessageInfo,
    /// The message, without the long strings.
    held: Vec<u8>,
    taking: Taking,
    /// Text of the current string that `walk` does not have yet.
    text: Vec<u8>,
    /// The places of the texts in `held`.
    texts: Vec<Range<usize>>,
    parts: Vec<Part>,
    /// The end of the list of parts.
    content_end: Option<usize>,
    /// The room for parts that are not text.
    room: PartRoom,
    /// Tells whether the message exceeds [`MOST_HELD`]. After that, only text is taken.
    is_too_much: bool,
    /// Tells whether a text has begun.
    has_text: bool,
    /// Tells whether the current string is the name of a field.
    in_key: bool,
    /// Tells whether the current part is a number, `true`, `false` or `null`.
    in_word: bool,
    structured: Option<Field>,
    /// Earlier fields with structured content. Readers take the last field.
    repeated: Vec<Field>,
    structured_json: SpooledBuffer,
    /// Content that is not a list.
    alone: ContentAlone,
    /// The start of the last field of the result.
    field_at: usize,
    /// The start of the value of the structured content.
    value_at: usize,
    is_error: bool,
}

/// The facts about the message: known in advance, or learned from its bytes.
#[derive(Debug)]
enum MessageInfo {
    Known(Message),
    Learning(MessageProbe),
}

/// The value that the current token belongs to.
#[derive(Debug, Default)]
enum Taking {
    #[default]
    Nothing,
    Text,
    /// A string that counts as text only if it is long; `start` is its position.
    Short {
        field: PartField,
        start: usize,
    },
    Structured,
    Media {
        start: usize,
        len: u64,
        /// Tells whether large media become a file.
        is_saved: bool,
        saving: Saving,
    },
}

/// A field of the result: its byte range with its name, and the range of its value.
#[derive(Debug, Clone)]
struct Field {
    place: Range<usize>,
    value: Range<usize>,
}

impl<'a> ResultRewriter<'a> {
    /// Begins a message. `known` contains the facts about the message, if all of it was parsed
    /// before.
    pub(super) fn new(
        engine: &'a Overspill,
        call: Call,
        rules: ResultRules,
        known: Option<Message>,
        env: &Env,
    ) -> ResultRewriter<'a> {
        let learning = || MessageInfo::Learning(MessageProbe::default());
        let walk = ResultWalk::new(engine, call, CallOptions::default(), rules);
        ResultRewriter {
            room: walk.part_room(),
            walk,
            is_too_much: false,
            has_text: false,
            in_key: false,
            in_word: false,
            tokens: JsonWalk::default(),
            message: known.map_or_else(learning, MessageInfo::Known),
            held: Vec::new(),
            taking: Taking::Nothing,
            text: Vec::new(),
            texts: Vec::new(),
            parts: Vec::new(),
            content_end: None,
            structured: None,
            repeated: Vec::new(),
            alone: ContentAlone::default(),
            structured_json: SpooledBuffer::new(env.clone()),
            field_at: 0,
            value_at: 0,
            is_error: false,
        }
    }

    /// Adds to the number of masked secrets in the notice.
    pub(super) fn add_masked(&mut self, count: u64) {
        self.walk.add_masked(count);
    }

    /// Returns the facts about the message that are known so far.
    pub(super) fn message(&self) -> &Message {
        match &self.message {
            MessageInfo::Known(message) => message,
            MessageInfo::Learning(probe) => probe.message(),
        }
    }

    /// Tells whether a message of this length is certainly within the limit.
    pub(super) fn surely_fits(&self, len: usize) -> bool {
        self.walk.surely_fits(len as u64)
    }

    /// Tells whether some bytes were dropped already, so that the message cannot pass unchanged.
    pub(super) fn has_cut(&self) -> bool {
        let is_saving = |saving: &Saving| matches!(saving, Saving::Begun(_));
        self.walk.is_over()
            || self.is_too_much
            || self.structured_json.len() > MOST_RAW
            || !self.repeated.is_empty()
            || self.parts.iter().any(|part| part.saved.is_some())
            || matches!(&self.taking, Taking::Media { saving, .. } if is_saving(saving))
    }

    /// Tells whether the message has too much data besides text, so that only
    /// [`ResultRewriter::break_off`] can answer for it.
    pub(super) fn is_too_much(&self) -> bool {
        self.is_too_much
    }

    /// Tells whether the message is complete.
    pub(super) fn is_done(&self) -> bool {
        self.tokens.is_done()
    }

    /// Takes the next bytes. Fails with the bytes that are not JSON.
    pub(super) fn push<'b>(&mut self, mut bytes: &'b [u8]) -> Result<(), &'b [u8]> {
        while !bytes.is_empty() {
            let held = self.held.len() + PART_BYTES * self.parts.len();
            if self.is_too_much {
                self.held.clear();
                self.parts.clear();
                self.texts.clear();
            } else if held > MOST_HELD {
                self.is_too_much = true;
            }
            if matches!(self.taking, Taking::Text) {
                let len = self.tokens.text(&bytes[..bytes.len().min(CHUNK)], &mut self.text);
                self.text_taken(&bytes[..len]);
                bytes = &bytes[len..];
                if bytes.is_empty() {
                    return Ok(());
                }
            }
            let Ok(step) = self.tokens.next(bytes) else { return Err(bytes) };
            if let MessageInfo::Learning(probe) = &mut self.message {
                probe.see(&step, bytes);
            }
            let Step { token, path, len, .. } = step;
            let (raw, rest) = bytes.split_at(len);
            bytes = rest;
            if let JsonToken::Text(text) = token
                && matches!(self.taking, Taking::Text | Taking::Short { .. })
            {
                self.text.extend_from_slice(text);
                self.text_taken(raw);
                continue;
            }
            let is_no_media = matches!(self.taking, Taking::Media { .. })
                && matches!(token, JsonToken::Text(text) if !PartField::is_base64(text));
            let opens_object = token == JsonToken::Open(b'{');
            let (token, place) = (Kind::of(token), Place::of(path));
            if is_no_media && !self.is_saving() {
                self.media_are_text(raw);
                continue;
            }
            let place = self.content_place(token, opens_object, place);
            self.take(token, place, raw);
        }
        Ok(())
    }

    /// Takes the raw bytes of text that was added to `text`.
    fn text_taken(&mut self, raw: &[u8]) {
        if let Taking::Short { field, start } = self.taking {
            self.held.extend_from_slice(raw);
            if field.is_text(&self.text) {
                self.begin_text(start);
            } else if self.text.len() > PartField::SHORT {
                self.begin_media(field, start);
            }
            return;
        }
        if !self.walk.is_over() && !self.is_too_much {
            self.held.extend_from_slice(raw);
        }
        if self.text.len() >= CHUNK {
            self.flush_text();
        }
    }

    /// Begins a text whose string begins at `start`.
    fn begin_text(&mut self, start: usize) {
        self.taking = Taking::Text;
        if self.is_too_much && self.has_text {
            return self.walk.push(b"\n");
        }
        self.has_text = true;
        self.walk.next_text();
        self.texts.push(start..start);
    }

    fn flush_text(&mut self) {
        self.walk.push(&self.text);
        self.text.clear();
    }

    fn take(&mut self, token: Kind, within: Place, raw: &[u8]) {
        if self.in_word && token != Kind::Word {
            self.in_word = false;
            self.end_part();
        }
        if self.take_structured(token, within, raw) || self.take_media(token, raw) {
            return;
        }
        let was_in_key = self.in_key;
        match token {
            Kind::Key => self.in_key = true,
            Kind::EndString => self.in_key = false,
            _ => {}
        }
        match (token, within) {
            (Kind::String, Place::InPart(_) | Place::Value) => {
                let start = self.held.len();
                self.text.clear();
                if within == Place::Value {
                    self.begin_part(within);
                }
                match within {
                    Place::InPart(PartField::Text) => self.begin_text(start),
                    Place::InPart(PartField::Meta) => {}
                    Place::InPart(field) => self.taking = Taking::Short { field, start },
                    _ => self.taking = Taking::Short { field: PartField::Other, start },
                }
            }
            (Kind::Text, Place::InPart(PartField::Meta)) if !was_in_key => {
                if let Some(part) = self.parts.last_mut() {
                    part.meta += raw.len();
                }
            }
            (Kind::EndString, Place::Part) if !was_in_key => {
                self.held.extend_from_slice(raw);
                return self.end_part();
            }
            (Kind::EndString, _) => match std::mem::take(&mut self.taking) {
                Taking::Text => {
                    self.flush_text();
                    self.held.extend_from_slice(raw);
                    if let Some(text) = self.texts.last_mut() {
                        text.end = self.held.len();
                    }
                    // The range of a part is empty until the part ends.
                    if let Some(part) = self.parts.last_mut().filter(|part| part.place.is_empty()) {
                        part.texts.end = self.texts.len();
                    }
                    return self.end_alone_or_value(within);
                }
                Taking::Short {
                    field: field @ (PartField::Media | PartField::ForeignMedia),
                    start,
                } => {
                    self.begin_media(field, start);
                    self.take_media(token, raw);
                    return;
                }
                Taking::Short { field, .. } => {
                    self.note(field);
                    self.held.extend_from_slice(raw);
                    return self.end_alone_or_value(within);
                }
                _ => {}
            },
            (Kind::String, Place::ContentText) => self.begin_text_alone(),
            (Kind::Open | Kind::String, Place::Part) | (Kind::Open, Place::Value) => {
                self.begin_part(within);
            }
            (Kind::Word, Place::Part | Place::Value) if !self.in_word => {
                self.in_word = true;
                self.begin_part(within);
            }
            (Kind::Close, Place::Part | Place::Value) => {
                self.held.extend_from_slice(raw);
                self.end_part();
                return self.end_alone(within);
            }
            (Kind::Close, Place::Content) => self.content_end = Some(self.held.len()),
            // The path changes to the new name only at the end of the key.
            (
                Kind::Key,
                Place::Field | Place::Content | Place::Structured | Place::IsError | Place::Value,
            ) => self.field_at = self.held.len(),
            (Kind::Word, Place::IsError) => self.is_error |= raw.starts_with(b"t"),
            (Kind::Open | Kind::Word | Kind::String, Place::Structured)
                if self.walk.rules().structured != Structured::Keep =>
            {
                self.taking = Taking::Structured;
                self.value_at = self.held.len();
                // Readers take the last field.
                self.repeated.extend(self.structured.take());
                self.structured_json.clear();
                self.structured_json.push(raw);
            }
            _ => {}
        }
        self.held.extend_from_slice(raw);
    }
}
