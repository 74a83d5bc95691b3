//! Puts a message together again from its own bytes and the previews of its texts.

use std::ops::Range;

use overspill::internal::tool::walk::{
    ResultChange, StructuredChange, StructuredJson, is_removed_without_text,
};

use super::super::answers::{INTERNAL_ERROR, error};
use super::super::edit::{Edit, EditChange, edited, json_string};
use super::super::probe::Id;
use super::super::spooled_buffer::SpooledBuffer;
use super::alone::as_sent;
use super::{Done, Part, ResultRewriter, Taking};

impl ResultRewriter<'_> {
    /// Finishes a complete message: returns it unchanged, edited, or as an error.
    pub(in super::super) fn finish(mut self) -> Done {
        self.end_text();
        let is_error = self.is_error || self.message().error;
        let id = self.message().id.clone();
        if let Some(failed) = buffer_error(id.as_ref(), &self.structured_json) {
            return failed;
        }
        let json = &mut self.structured_json as &mut dyn StructuredJson;
        let json = self.structured.is_some().then_some(json);
        let ResultChange { texts, added, structured, .. } = self.walk.finish(json, is_error);
        // Reading the buffer may fail as well.
        if let Some(failed) = buffer_error(id.as_ref(), &self.structured_json) {
            return failed;
        }
        let mut edits: Vec<Edit> =
            self.repeated.iter().map(|field| Edit::remove(field.place.clone())).collect();
        // A result without `content` gets one, in place of the structured content or before it.
        let mut content_at = None;
        if let Some(field) = &self.structured {
            content_at = Some(field.place.clone());
            match structured {
                StructuredChange::Stays => {}
                StructuredChange::Removed => edits.push(Edit::remove(field.place.clone())),
                StructuredChange::Becomes(value) => {
                    let change = EditChange::Put(value.to_string().into_bytes());
                    edits.push(Edit { place: field.value.clone(), change });
                    content_at = Some(field.place.start..field.place.start);
                }
            }
        }
        if let Some(texts) = texts {
            edits.extend(text_edits(&self.parts, &self.texts, &texts));
        }
        if let Some(added) = added {
            edits.extend(added_text_edit(&added, self.content_end, content_at));
        }
        edits.extend(self.parts.iter().filter_map(|part| {
            let line = part.saved.as_ref()?.line(&part.mime, part.uri.as_deref());
            Some(Edit { place: part.place.clone(), change: EditChange::Put(text_part(&line)) })
        }));
        if edits.is_empty() {
            Done::Same(as_sent(self.held, &self.alone))
        } else {
            Done::Changed(edited(&self.held, edits))
        }
    }

    /// Stops rewriting in the middle of a message, and returns a preview of all its text. `rest`
    /// adds the bytes that were not read yet, so that they are saved too.
    pub(in super::super) fn break_off(
        mut self,
        rest: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> String {
        self.end_text();
        if self.structured.is_some() || matches!(self.taking, Taking::Structured) {
            self.walk.next_text();
            self.structured_json.each_chunk(&mut |chunk| self.walk.push(chunk));
        }
        let mut is_begun = false;
        rest(&mut |bytes| {
            if !bytes.is_empty() && !std::mem::replace(&mut is_begun, true) {
                self.walk.next_text();
            }
            self.walk.push(bytes);
        });
        self.walk.break_off()
    }

    fn end_text(&mut self) {
        if matches!(self.taking, Taking::Text) {
            self.flush_text();
            if let Some(text) = self.texts.last_mut() {
                text.end = self.held.len();
            }
        }
    }
}

/// Returns the error for a message whose structured content is lost. The client gets a whole
/// message or an error, and never a part.
fn buffer_error(id: Option<&Id>, buffer: &SpooledBuffer) -> Option<Done> {
    let reason = buffer.failure()?;
    let reason = format!("overspill could not buffer the server's answer: {reason}");
    let answer = error(id, INTERNAL_ERROR, &reason);
    Some(Done::Changed(answer.trim_ascii_end().to_vec()))
}

/// Returns the edits that replace each text by its share of the preview. A text part without a
/// share is removed.
fn text_edits(parts: &[Part], texts: &[Range<usize>], shares: &[Option<String>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut in_edited_part = vec![false; texts.len()];
    for part in parts {
        if part.is_as_text {
            let shown = shares.get(part.texts.clone()).unwrap_or_default();
            let shown: Vec<&str> = shown.iter().flatten().map(String::as_str).collect();
            let change = match (shown.is_empty(), part.is_value) {
                (true, true) => EditChange::Put(b"null".to_vec()),
                (true, false) => EditChange::Remove,
                (false, true) => EditChange::Put(json_string(&shown.join("\n"))),
                (false, false) => EditChange::Put(text_part(&shown.join("\n"))),
            };
            edits.push(Edit { place: part.place.clone(), change });
            part.texts.clone().for_each(|index| in_edited_part[index] = true);
            continue;
        }
        let is_removed = is_removed_without_text(part.kind.as_bytes(), part.texts.len())
            && !part.place.is_empty()
            && shares.get(part.texts.start).is_some_and(Option::is_none);
        if is_removed {
            edits.push(Edit::remove(part.place.clone()));
            in_edited_part[part.texts.start] = true;
        }
    }
    for (index, (place, share)) in texts.iter().zip(shares).enumerate() {
        if !in_edited_part[index] {
            let change = EditChange::Put(json_string(share.as_deref().unwrap_or_default()));
            edits.push(Edit { place: place.clone(), change });
        }
    }
    edits
}

/// Returns the edit that adds a text part at the end of the content, or new content at
/// `content_at`.
fn added_text_edit(
    text: &str,
    content_end: Option<usize>,
    content_at: Option<Range<usize>>,
) -> Option<Edit> {
    match (content_end, content_at) {
        (Some(end), _) => Some(Edit { place: end..end, change: EditChange::Add(text_part(text)) }),
        (None, Some(place)) => {
            let comma: &[u8] = if place.is_empty() { b"," } else { b"" };
            let content = [b"\"content\":[", &text_part(text)[..], b"]", comma].concat();
            Some(Edit { place, change: EditChange::Put(content) })
        }
        (None, None) => None,
    }
}

fn text_part(text: &str) -> Vec<u8> {
    [br#"{"type":"text","text":"#, &json_string(text)[..], b"}"].concat()
}
