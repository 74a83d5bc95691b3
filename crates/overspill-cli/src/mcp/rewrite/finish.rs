//! Puts a message together again, from its own bytes and what is shown of its texts.

use std::ops::Range;

use overspill::Outcome;
use overspill::core::{Limits, Policy};
use serde_json::Value;

use super::super::edit::{Edit, EditChange, edited, json_string};
use super::super::shrink::{noted, smaller};
use super::{Done, Part, ResultRewriter, Structured, Taking, take_text};

/// What is left of the room for a note in structured content.
const NOTE_BYTES: u64 = 700;

impl ResultRewriter<'_> {
    /// Says that all of the message came.
    pub(in super::super) fn finish(mut self) -> Done {
        self.end_text();
        let is_error = self.is_error || self.peek.message().error;
        let is_said = self.texts.len() == 1
            && self.structured.is_some()
            && self.digest.is_said_by(self.aside.chunks());
        // Some clients show only structured content: what is left out there must be saved, too.
        let is_shrunk = self.how.structured == Structured::Shrink && !is_error;
        let is_over = is_said && !self.joined.is_over() && self.is_over_with_both();
        let is_joined = self.structured.is_some() && (!is_said || is_shrunk && is_over);
        if is_joined {
            self.joined.next_text();
            self.aside.chunks().for_each(|chunk| self.joined.push(&chunk));
        }
        let half = halved(&self.policy.limits);
        let small = (is_shrunk && self.joined.is_over()).then(|| self.small(&half)).flatten();
        // Some clients show the text of an error twice, and some both text and structured content.
        if is_error || small.is_some() {
            self.joined.share(half);
        }
        // Where it fits, its secrets are masked in place already.
        let shares = self.joined.finish().and_then(|(outcome, shares)| match outcome {
            Outcome::Spilled(spilled) => Some((spilled, shares)),
            Outcome::Whole(_) | Outcome::Masked(_) => None,
        });
        let mut edits = Vec::new();
        if let Some(field) = &self.structured {
            match (&small, &shares) {
                (Some((small, schema)), Some((spilled, _))) => {
                    let note = spilled.notice_line().unwrap_or_default();
                    let fits = note.len() as u64 <= NOTE_BYTES;
                    let small = if fits { noted(small, schema, note) } else { small.clone() };
                    let change = EditChange::Put(small.to_string().into_bytes());
                    edits.push(Edit { place: field.value.clone(), change });
                }
                (_, shares) if shares.is_some() || is_over => {
                    edits.push(Edit::remove(field.place.clone()));
                }
                _ => {}
            }
        }
        if let Some((_, mut shares)) = shares {
            let last = if is_joined { shares.pop() } else { None };
            edits.extend(edits_of_texts(&self.parts, &self.texts, &shares));
            // Words too short to be shared out stand in the first share; it may be the last one too.
            if let Some(last) = last.filter(|last| !last.is_empty()) {
                // Where there is no content there is some now, instead of the field or before it.
                let field = self.structured.as_ref().map(|field| match small.is_some() {
                    true => field.place.start..field.place.start,
                    false => field.place.clone(),
                });
                edits.extend(added(&last, self.content_end, field));
            }
        }
        edits.extend(self.parts.iter().filter_map(|part| {
            let filed = part.filed.as_ref()?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let uri = Some(text(&part.uri)).filter(|uri| !uri.is_empty());
            let words = filed.words(&text(&part.mime), uri.as_deref());
            Some(Edit { place: part.place.clone(), change: EditChange::Put(text_part(&words)) })
        }));
        if edits.is_empty() {
            Done::Same(self.held)
        } else {
            Done::Changed(edited(&self.held, edits))
        }
    }

    /// Says that what came breaks off here; returns what is shown of it. `rest` adds what is left, as
    /// it is, so that it is saved as well.
    pub(in super::super) fn break_off(
        mut self,
        rest: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> String {
        self.end_text();
        if self.structured.is_some() || matches!(self.taking, Taking::Structured) {
            self.joined.next_text();
            self.aside.chunks().for_each(|chunk| self.joined.push(&chunk));
        }
        let mut is_begun = false;
        rest(&mut |bytes| {
            if !bytes.is_empty() && !std::mem::replace(&mut is_begun, true) {
                self.joined.next_text();
            }
            self.joined.push(bytes);
        });
        self.joined.share(halved(&self.policy.limits));
        let finished = self.joined.finish();
        finished.map_or_else(String::new, |(outcome, _)| {
            String::from_utf8_lossy(outcome.bytes()).into_owned()
        })
    }

    fn end_text(&mut self) {
        if matches!(self.taking, Taking::Text) {
            take_text(&mut self.text, &mut self.joined, &mut self.digest, self.texts.len());
            if let Some(text) = self.texts.last_mut() {
                text.end = self.held.len();
            }
        }
    }

    /// Returns smaller structured content, and its schema.
    fn small(&self, room: &Limits) -> Option<(Value, std::sync::Arc<Value>)> {
        let schema = self.how.schema.clone()?;
        let value: Value = serde_json::from_slice(self.aside.held()?).ok()?;
        let room = room.bytes.into_iter().chain(room.chars).min().unwrap_or(u64::MAX);
        let small = smaller(&value, &schema, room.saturating_sub(NOTE_BYTES))?;
        Some((small, schema))
    }

    /// Tells whether text and structured content are too large together, where the text alone is not.
    fn is_over_with_both(&self) -> bool {
        let Some(structured) = self.aside.held() else { return true };
        let texts = self.texts.iter().filter_map(|place| {
            serde_json::from_slice::<String>(self.held.get(place.clone())?).ok()
        });
        let mut all = texts.collect::<Vec<String>>().join("\n").into_bytes();
        all.extend_from_slice(structured);
        let Policy { trigger, lines, tokens, .. } = &self.policy;
        trigger.exceeded_by(&all, *lines, tokens).is_some()
    }
}

fn halved(limits: &Limits) -> Limits {
    let half = |limit: Option<u64>| limit.map(|limit| limit / 2);
    Limits {
        bytes: half(limits.bytes),
        lines: half(limits.lines),
        chars: half(limits.chars),
        tokens: half(limits.tokens),
    }
}

/// Puts each text's share in its place; a text part without a share goes.
fn edits_of_texts(parts: &[Part], texts: &[Range<usize>], shares: &[String]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut gone = vec![false; texts.len()];
    for part in parts {
        let is_text = part.kind == b"text" && part.texts.len() == 1 && !part.place.is_empty();
        if is_text && shares.get(part.texts.start).is_some_and(String::is_empty) {
            edits.push(Edit::remove(part.place.clone()));
            gone[part.texts.start] = true;
        }
    }
    for (index, (place, share)) in texts.iter().zip(shares).enumerate() {
        if !gone[index] {
            edits.push(Edit { place: place.clone(), change: EditChange::Put(json_string(share)) });
        }
    }
    edits
}

/// Adds a text part, at the end of the content or, where there is none, as the content.
fn added(text: &str, content_end: Option<usize>, field: Option<Range<usize>>) -> Option<Edit> {
    match (content_end, field) {
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
