//! Handles the parts of a result: their media, and the parts without room in the preview.

use std::ops::Range;

use overspill::internal::tool::walk::PartField;
use overspill::internal::tool::{MediaDraft, SavedMedia};

use super::place::{Kind, Place};
use super::{MOST_MEDIA, ResultRewriter, Taking};

/// The state of saving media.
#[derive(Debug)]
pub(super) enum Saving {
    NotYet,
    Begun(MediaDraft),
    Failed,
}

/// A part of the content.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) place: Range<usize>,
    pub(super) kind: String,
    pub(super) mime: String,
    pub(super) uri: Option<String>,
    pub(super) texts: Range<usize>,
    pub(super) saved: Option<SavedMedia>,
    /// The number of bytes of metadata in the part.
    pub(super) meta: usize,
    /// The number of bytes of media in the part.
    pub(super) media: usize,
    /// Tells whether the JSON of the part counts as text, because the preview has no room for the
    /// part.
    pub(super) is_as_text: bool,
    /// Tells whether this is a value, and not a part of a list. A string replaces the value.
    pub(super) is_value: bool,
}

impl ResultRewriter<'_> {
    /// Begins media whose string begins at `start`.
    pub(super) fn begin_media(&mut self, field: PartField, start: usize) {
        let begun = self.held.get(start + 1..).unwrap_or_default().to_vec();
        self.held.truncate(start + 1);
        // Only media in MCP fields have a line that can replace them; media in fields of other APIs
        // have none.
        let is_saved = field == PartField::Media;
        let (start, saving) = (start + 1, Saving::NotYet);
        self.taking = Taking::Media { start, len: 0, is_saved, saving };
        self.take_media(Kind::Text, &begun);
    }

    /// Begins a part, or a value that counts like a part.
    pub(super) fn begin_part(&mut self, within: Place) {
        let texts = self.texts.len()..self.texts.len();
        let place = self.held.len()..self.held.len();
        let is_value = within == Place::Value;
        self.parts.push(Part { place, texts, is_value, ..Part::default() });
    }

    /// Ends the value or the content if it is a string.
    pub(super) fn end_alone_or_value(&mut self, within: Place) {
        match within {
            Place::Value => self.end_part(),
            _ => self.end_alone(within),
        }
    }

    /// Tells whether the current media are being saved.
    pub(super) fn is_saving(&self) -> bool {
        matches!(&self.taking, Taking::Media { saving: Saving::Begun(_), .. })
    }

    /// Ends a part. If the preview has no room for the part, its JSON counts as text.
    pub(super) fn end_part(&mut self) {
        let Some((part, before)) = self.parts.split_last_mut() else { return };
        part.place.end = self.held.len();
        if part.saved.is_some() || self.is_too_much {
            return;
        }
        // An empty string stands for each text.
        let mut json = Vec::new();
        let mut at = part.place.start;
        for text in &self.texts[part.texts.clone()] {
            json.extend_from_slice(&self.held[at..text.start]);
            json.extend_from_slice(b"\"\"");
            at = text.end;
        }
        json.extend_from_slice(&self.held[at..part.place.end]);
        let (len, media) = ((json.len() - part.meta) as u64, part.media as u64);
        if !self.room.is_full_after(part.kind.as_bytes(), len, media) {
            return;
        }
        part.is_as_text = true;
        let (has_texts, start) = (!part.texts.is_empty(), part.place.start);
        // Adjacent parts become one text.
        if let Some(before) = before.last_mut()
            && before.is_as_text
            && !before.is_value
            && !part.is_value
            && !has_texts
        {
            self.walk.push(b"\n");
            self.walk.push(&json);
            if self.walk.is_over() {
                self.held.truncate(before.place.end);
            }
            before.place.end = self.held.len();
            self.parts.pop();
            return;
        }
        self.has_text = true;
        self.walk.next_text();
        self.walk.push(&json);
        if self.walk.is_over() {
            // A short value marks the place.
            self.held.truncate(start);
            self.held.extend_from_slice(b"{}");
            part.place.end = self.held.len();
        }
        self.texts.push(part.place.clone());
        part.texts.end = self.texts.len();
    }

    /// Takes a token of an image, a sound or a blob; tells whether the token belongs to it.
    pub(super) fn take_media(&mut self, token: Kind, raw: &[u8]) -> bool {
        let Taking::Media { start, len, is_saved, saving } = &mut self.taking else { return false };
        if token == Kind::EndString {
            if let Some(part) = self.parts.last_mut() {
                part.media += self.held.len().saturating_sub(*start);
            }
            if let Taking::Media { saving: Saving::Begun(draft), .. } =
                std::mem::take(&mut self.taking)
                && let Some(part) = self.parts.last_mut()
            {
                part.saved = draft.end();
            }
            self.held.extend_from_slice(raw);
            return true;
        }
        *len += raw.len() as u64;
        let is_large = self.walk.rules().is_large(*len) || self.held.len() > MOST_MEDIA;
        if matches!(saving, Saving::NotYet) && *is_saved && is_large && !self.is_too_much {
            let so_far = self.held.get(*start..).unwrap_or_default();
            let mut draft = self.walk.begin_media();
            *saving = match draft.take_if(|draft| draft.push(so_far)) {
                Some(draft) => {
                    self.held.truncate(*start);
                    Saving::Begun(draft)
                }
                None => Saving::Failed,
            };
        }
        match saving {
            Saving::Begun(draft) => drop(draft.push(raw)),
            Saving::NotYet | Saving::Failed => self.held.extend_from_slice(raw),
        }
        true
    }

    /// Stores a string that describes the part.
    pub(super) fn note(&mut self, field: PartField) {
        let Some(part) = self.parts.last_mut() else { return };
        let text = || String::from_utf8_lossy(&self.text).into_owned();
        match field {
            PartField::Kind => part.kind = text(),
            PartField::MimeType => part.mime = text(),
            PartField::Uri => part.uri = Some(text()),
            _ => {}
        }
    }
}
