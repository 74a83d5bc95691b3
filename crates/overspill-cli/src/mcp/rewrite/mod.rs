//! Takes the result of a tool as it passes, and lets no more of its text through than there is room
//! for.
//!
//! What is not text stays as it is written, byte for byte: the result is put together again from its
//! own bytes, with other strings where the long ones were.

mod finish;
mod place;

use std::ops::Range;
use std::sync::Arc;

use overspill::core::Policy;
use overspill::{Call, CallOptions, MultiText, Overspill};

use super::media::{Filed, Media};
use super::probe::{Message, MessageProbe};
use super::same::Digest;
use super::spooled_buffer::SpooledBuffer;
use super::walk::{JsonWalk, Key, Step};
use overspill::json::JsonToken;
use place::{Kind, Place};

/// What becomes of structured content where a result is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Structured {
    /// It goes: its text is cut, and the rest is saved.
    #[default]
    Drop,
    /// It stays, with shorter strings and lists, if its schema admits that; otherwise it goes.
    Shrink,
    /// It stays, and is not counted.
    Keep,
}

/// How results are treated.
#[derive(Debug, Clone)]
pub(super) struct How {
    pub(super) structured: Structured,
    /// What structured content must be like.
    pub(super) schema: Option<Arc<serde_json::Value>>,
    /// Media of more bytes than this are put into a file.
    pub(super) max_media: u64,
}

/// What came of a result.
#[derive(Debug)]
pub(super) enum Done {
    /// It passes as it is.
    Same(Vec<u8>),
    /// This takes its place.
    Changed(Vec<u8>),
}

/// Beyond this the rest of a message passes as it comes: it is not text that fills it.
const MOST_HELD: usize = 16 << 20;
/// So much of a value is held as it is written; what is longer does not fit in any case.
const MOST_RAW: u64 = 2 << 20;
/// So much text is taken at once.
const CHUNK: usize = 64 << 10;

/// Takes one message.
#[derive(Debug)]
pub(super) struct ResultRewriter<'a> {
    engine: &'a Overspill,
    call: Call,
    policy: Policy,
    how: How,
    walk: JsonWalk,
    peek: MessageProbe,
    joined: MultiText<'a>,
    /// The message, without what is too long.
    held: Vec<u8>,
    taking: Taking,
    /// Text that is not in `joined` yet.
    text: Vec<u8>,
    /// Where the texts stand in `held`.
    texts: Vec<Range<usize>>,
    parts: Vec<Part>,
    /// Where the list of parts ends.
    content_end: Option<usize>,
    digest: Digest,
    structured: Option<Field>,
    aside: SpooledBuffer,
    /// Where the last field of the result begins.
    field_at: usize,
    /// Where the value of the structured content begins.
    value_at: usize,
    is_error: bool,
}

/// Why no more is taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused<T> {
    /// From here on it is not JSON.
    NotJson(T),
    /// There is no more room for what is not text.
    TooMuch(T),
}

impl Refused<&[u8]> {
    /// Returns it with what was not taken as its own.
    pub(super) fn held(self) -> Refused<Vec<u8>> {
        match self {
            Refused::NotJson(left) => Refused::NotJson(left.to_vec()),
            Refused::TooMuch(left) => Refused::TooMuch(left.to_vec()),
        }
    }
}

/// What is being taken.
#[derive(Debug, Default)]
enum Taking {
    #[default]
    Nothing,
    Text,
    Structured,
    Media {
        start: usize,
        len: u64,
        filing: Filing,
    },
    Note(Key),
}

/// Whether something is being put into a file.
#[derive(Debug)]
enum Filing {
    NotYet,
    Begun(Media),
    Failed,
}

/// A field of the result: where it stands with its name, and without.
#[derive(Debug, Clone)]
struct Field {
    place: Range<usize>,
    value: Range<usize>,
}

/// A part of the content.
#[derive(Debug, Default)]
struct Part {
    place: Range<usize>,
    kind: Vec<u8>,
    mime: Vec<u8>,
    uri: Vec<u8>,
    texts: Range<usize>,
    filed: Option<Filed>,
}

impl<'a> ResultRewriter<'a> {
    pub(super) fn new(
        engine: &'a Overspill,
        call: Call,
        options: CallOptions,
        how: How,
    ) -> ResultRewriter<'a> {
        ResultRewriter {
            engine,
            policy: engine.policy(&call, &options),
            joined: MultiText::new(engine, call.clone(), options),
            call,
            how,
            walk: JsonWalk::default(),
            peek: MessageProbe::default(),
            held: Vec::new(),
            taking: Taking::Nothing,
            text: Vec::new(),
            texts: Vec::new(),
            parts: Vec::new(),
            content_end: None,
            digest: Digest::default(),
            structured: None,
            aside: SpooledBuffer::default(),
            field_at: 0,
            value_at: 0,
            is_error: false,
        }
    }

    /// Says that so many secrets were masked in the message. The notice counts them.
    pub(super) fn add_masked(&mut self, count: u64) {
        self.joined.add_masked(count);
    }

    /// Returns what is known of the message by now.
    pub(super) fn message(&self) -> &Message {
        self.peek.message()
    }

    /// Tells whether anything has been left out already, so that there is no way back.
    pub(super) fn has_cut(&self) -> bool {
        let is_filing = |filing: &Filing| matches!(filing, Filing::Begun(_));
        self.joined.is_over()
            || self.aside.len() > MOST_RAW
            || self.parts.iter().any(|part| part.filed.is_some())
            || matches!(&self.taking, Taking::Media { filing, .. } if is_filing(filing))
    }

    /// Tells whether all of the message has come.
    pub(super) fn is_done(&self) -> bool {
        self.walk.is_done()
    }

    /// Takes the next bytes. Fails with those it could not take; what was taken before them is still
    /// to be finished.
    pub(super) fn push<'b>(&mut self, mut bytes: &'b [u8]) -> Result<(), Refused<&'b [u8]>> {
        while !bytes.is_empty() {
            if self.held.len() > MOST_HELD {
                return Err(Refused::TooMuch(bytes));
            }
            if matches!(self.taking, Taking::Text) {
                let len = self.walk.text(&bytes[..bytes.len().min(CHUNK)], &mut self.text);
                self.text_taken(&bytes[..len]);
                bytes = &bytes[len..];
                if bytes.is_empty() {
                    return Ok(());
                }
            }
            let Ok(step) = self.walk.next(bytes) else { return Err(Refused::NotJson(bytes)) };
            self.peek.see(&step, bytes);
            let raw = &bytes[..step.len];
            if let JsonToken::Text(text) = step.token
                && matches!(self.taking, Taking::Text)
            {
                self.text.extend_from_slice(text);
                self.text_taken(raw);
                bytes = &bytes[raw.len()..];
                continue;
            }
            let Step { token, path, .. } = step;
            let token = Kind::of(token);
            let place = Place::of(path);
            self.take(token, place, raw);
            bytes = &bytes[raw.len()..];
        }
        Ok(())
    }

    /// Says that there is more text, written like this.
    fn text_taken(&mut self, raw: &[u8]) {
        if !self.joined.is_over() {
            self.held.extend_from_slice(raw);
        }
        if self.text.len() >= CHUNK {
            take_text(&mut self.text, &mut self.joined, &mut self.digest, self.texts.len());
        }
    }

    fn take(&mut self, token: Kind, place: Place, raw: &[u8]) {
        if matches!(self.taking, Taking::Structured) {
            let ends = matches!(token, Kind::Close | Kind::EndString | Kind::Between);
            let is_end = match place {
                Place::Structured => ends,
                Place::InStructured => false,
                _ => true,
            };
            // A bracket or a quote that ends it is part of it; a comma after a word is not.
            let is_part = place == Place::Structured && token != Kind::Between;
            if !is_end || is_part {
                self.aside.push(raw);
                if self.aside.len() <= MOST_RAW {
                    self.held.extend_from_slice(raw);
                }
            }
            if !is_end {
                return;
            }
            self.taking = Taking::Nothing;
            let end = self.held.len();
            self.structured = Some(Field { place: self.field_at..end, value: self.value_at..end });
            if is_part {
                return;
            }
        }
        if self.take_media(token, raw) {
            return;
        }
        match (token, place) {
            (Kind::String, Place::Text) => {
                self.joined.next_text();
                self.texts.push(self.held.len()..self.held.len());
                self.taking = Taking::Text;
            }
            (Kind::EndString, _) if matches!(self.taking, Taking::Text) => {
                take_text(&mut self.text, &mut self.joined, &mut self.digest, self.texts.len());
                self.held.extend_from_slice(raw);
                self.taking = Taking::Nothing;
                if let Some(text) = self.texts.last_mut() {
                    text.end = self.held.len();
                }
                if let Some(part) = self.parts.last_mut() {
                    part.texts.end = self.texts.len();
                }
                return;
            }
            (Kind::String, Place::Media) => {
                let start = self.held.len() + 1;
                self.taking = Taking::Media { start, len: 0, filing: Filing::NotYet };
            }
            (Kind::String, Place::Note(key)) => self.taking = Taking::Note(key),
            (Kind::Text, Place::Note(_)) => self.note(raw),
            (Kind::EndString, Place::Note(_)) => self.taking = Taking::Nothing,
            (Kind::Open, Place::Part) => {
                let texts = self.texts.len()..self.texts.len();
                let place = self.held.len()..self.held.len();
                self.parts.push(Part { place, texts, ..Part::default() });
            }
            (Kind::Close, Place::Part) => {
                if let Some(part) = self.parts.last_mut() {
                    part.place.end = self.held.len() + 1;
                }
            }
            (Kind::Close, Place::Content) => self.content_end = Some(self.held.len()),
            // Before its own name is known it stands where the field before it stood.
            (Kind::Key, Place::Field | Place::Content | Place::Structured | Place::IsError) => {
                self.field_at = self.held.len()
            }
            (Kind::Word, Place::IsError) => self.is_error |= raw.starts_with(b"t"),
            (Kind::Open | Kind::Word | Kind::String, Place::Structured)
                if self.how.structured != Structured::Keep =>
            {
                self.taking = Taking::Structured;
                self.value_at = self.held.len();
                self.aside = SpooledBuffer::default();
                self.aside.push(raw);
            }
            _ => {}
        }
        self.held.extend_from_slice(raw);
    }

    /// Takes what belongs to a picture, a sound or a blob; tells whether it did.
    fn take_media(&mut self, token: Kind, raw: &[u8]) -> bool {
        let Taking::Media { start, len, filing } = &mut self.taking else { return false };
        if token == Kind::EndString {
            if let Taking::Media { filing: Filing::Begun(media), .. } =
                std::mem::take(&mut self.taking)
                && let Some(part) = self.parts.last_mut()
            {
                part.filed = media.end();
            }
            self.held.extend_from_slice(raw);
            return true;
        }
        *len += raw.len() as u64;
        if matches!(filing, Filing::NotYet) && *len / 4 * 3 > self.how.max_media {
            let mut media = Media::begin(self.engine, &self.call);
            let so_far = &self.held[*start..];
            *filing = match media.take_if(|media| media.push(so_far)) {
                Some(media) => {
                    self.held.truncate(*start);
                    Filing::Begun(media)
                }
                None => Filing::Failed,
            };
        }
        match filing {
            Filing::Begun(media) => drop(media.push(raw)),
            Filing::NotYet | Filing::Failed => self.held.extend_from_slice(raw),
        }
        true
    }

    fn note(&mut self, raw: &[u8]) {
        const LONGEST: usize = 300;
        let (Taking::Note(key), Some(part)) = (&self.taking, self.parts.last_mut()) else { return };
        let note = match key {
            Key::Type => &mut part.kind,
            Key::MimeType => &mut part.mime,
            _ => &mut part.uri,
        };
        if note.len() + raw.len() <= LONGEST {
            note.extend_from_slice(raw);
        }
    }

    /// Returns what was taken, as it came; nothing of it may have been cut.
    pub(super) fn give_up(self) -> Vec<u8> {
        self.held
    }
}

/// Hands text on.
fn take_text(text: &mut Vec<u8>, joined: &mut MultiText, digest: &mut Digest, count: usize) {
    joined.push(text);
    // With several texts nobody says one of them twice.
    if count == 1 {
        digest.push(text);
    }
    text.clear();
}
