//! Handles content that is not a list: one part, or only its text. The rewriter treats it as a list
//! of one part.

use std::ops::Range;

use super::part::Part;
use super::place::{Kind, Place};
use super::{ResultRewriter, Taking};

/// The start of a list with one text part.
const TEXT_PART: &[u8] = br#"[{"type":"text","text":"#;

/// The state of content that is not a list.
#[derive(Debug, Default)]
pub(super) struct ContentAlone {
    /// Tells whether the current content is one part or a text.
    is_current: bool,
    /// Tells whether the current result, error or parameters are a list.
    is_list: bool,
    /// The byte ranges in `held` that the server did not send.
    added: Vec<Range<usize>>,
}

impl ResultRewriter<'_> {
    /// Begins content that is not a list. Returns the place of the token, as if it stood in a list.
    pub(super) fn content_place(&mut self, token: Kind, opens_object: bool, place: Place) -> Place {
        if place == Place::Whole {
            return self.whole_place(token, opens_object);
        }
        if place != Place::Content || self.is_too_much {
            return place;
        }
        match token {
            Kind::Open if opens_object => {
                self.begin_alone(b"[");
                Place::Part
            }
            Kind::String => {
                self.begin_alone(TEXT_PART);
                Place::ContentText
            }
            Kind::EndString if self.alone.is_current => Place::ContentText,
            Kind::Close if self.alone.is_current => Place::Part,
            Kind::Word => Place::Value,
            _ => place,
        }
    }

    /// Returns the place of a token of a result, an error or parameters: a value, unless it is an
    /// object.
    fn whole_place(&mut self, token: Kind, opens_object: bool) -> Place {
        match token {
            Kind::Open if !opens_object => {
                self.alone.is_list = true;
                Place::Value
            }
            Kind::Close if std::mem::take(&mut self.alone.is_list) => Place::Value,
            Kind::EndString if self.in_key => Place::Whole,
            Kind::String | Kind::EndString | Kind::Word => Place::Value,
            _ => Place::Whole,
        }
    }

    fn begin_alone(&mut self, start: &[u8]) {
        self.alone.is_current = true;
        self.add(start);
    }

    /// Begins the only text of the content.
    pub(super) fn begin_text_alone(&mut self) {
        let start = self.held.len();
        self.begin_text(start);
        let part = start + b"[".len() - TEXT_PART.len();
        let texts = self.texts.len() - 1..self.texts.len();
        self.parts.push(Part { place: part..part, kind: "text".into(), texts, ..Part::default() });
    }

    /// Ends content that is not a list.
    pub(super) fn end_alone(&mut self, place: Place) {
        if !self.alone.is_current || self.is_too_much {
            return;
        }
        match place {
            Place::ContentText => {
                self.add(b"}");
                self.end_part();
            }
            Place::Part => {}
            _ => return,
        }
        self.alone.is_current = false;
        self.content_end = Some(self.held.len());
        self.add(b"]");
    }

    fn add(&mut self, bytes: &[u8]) {
        let start = self.held.len();
        self.held.extend_from_slice(bytes);
        self.alone.added.push(start..self.held.len());
    }

    /// Returns the bytes as the server sent them. They must not have been shortened.
    pub(in super::super) fn give_up(self) -> Vec<u8> {
        as_sent(self.held, &self.alone)
    }

    /// Takes a media string as text, because it is not base64.
    pub(super) fn media_are_text(&mut self, raw: &[u8]) {
        let Taking::Media { start, .. } = self.taking else { return };
        self.held.extend_from_slice(raw);
        let begun = self.held.get(start..).unwrap_or_default();
        let begun = [b"\"", begun, b"\""].concat();
        // The range of a string begins at its quote.
        self.begin_text(start.saturating_sub(1));
        // Escapes are complete here. If the text is not UTF-8, its escapes stay as they are
        // written.
        let text = serde_json::from_slice::<String>(&begun);
        self.text = text.unwrap_or_else(|_| String::from_utf8_lossy(&begun).into_owned()).into();
        self.flush_text();
    }
}

/// Returns the bytes as the server sent them.
pub(super) fn as_sent(mut held: Vec<u8>, alone: &ContentAlone) -> Vec<u8> {
    for added in alone.added.iter().rev() {
        // A shortened message has lost its added bytes.
        if held.get(added.clone()).is_some() {
            held.drain(added.clone());
        }
    }
    held
}
