//! Decides about the contents of a tool result: one rule for each kind of content.
//!
//! [`Overspill::shorten_result`] and `shorten_any` have the result as a JSON value; hooks, packages
//! and the registry call them. The MCP proxy has the bytes of a result as they stream by.

use std::borrow::Cow;
use std::sync::Arc;

use overspill_core::{Limits, Policy};
use serde_json::Value;

use super::media::MediaDraft;
use super::multi_text::MultiText;
pub use super::rules::{PartField, PartRoom, ResultRules, Structured, is_removed_without_text};
use super::same::{Compared, Digest};
use super::shrink::{noted, smaller};
use crate::redact::Redacted;
use crate::{Call, CallEnd, CallOptions, Outcome, Overspill, Spilled};

/// The JSON of structured content.
pub trait StructuredJson {
    /// Calls `take` with all bytes in order.
    fn each_chunk(&mut self, take: &mut dyn FnMut(&[u8]));

    /// Returns all bytes, if they are in memory.
    fn in_memory(&self) -> Option<&[u8]>;
}

impl StructuredJson for Vec<u8> {
    fn each_chunk(&mut self, take: &mut dyn FnMut(&[u8])) {
        take(self);
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// The changes of one result.
#[derive(Debug)]
pub struct ResultChange {
    /// The share of each text in the preview, in order. `None` if the texts stay unchanged. A text
    /// that is not shown has no share.
    pub texts: Option<Vec<Option<String>>>,
    /// The text that is added at the end of the content.
    pub added: Option<String>,
    /// The change of the structured content.
    pub structured: StructuredChange,
    /// The shortened output, if the texts were too large.
    pub spilled: Option<Box<Spilled>>,
}

/// The change of the structured content.
#[derive(Debug, PartialEq)]
pub enum StructuredChange {
    /// Structured content stays unchanged.
    Stays,
    /// Structured content is removed.
    Removed,
    /// This value replaces the structured content.
    Becomes(Value),
}

/// The largest number of bytes of the first text that are kept in memory.
const MOST_HELD: usize = 512_000;

/// The room for a note in structured content, in bytes.
const NOTE_BYTES: u64 = 700;

/// Takes the texts of one result in order, and decides about them and the structured content.
#[derive(Debug)]
pub struct ResultWalk<'a> {
    engine: &'a Overspill,
    call: Call,
    rules: ResultRules,
    texts: MultiText<'a>,
    count: usize,
    /// A digest of the first text. `None` if the text is not compared.
    digest: Option<Digest>,
    /// The first text, until it is longer than [`MOST_HELD`].
    first: Vec<u8>,
    /// The number of secrets that were masked before the texts came here.
    masked_before: u64,
}

impl<'a> ResultWalk<'a> {
    /// Begins a result whose texts stream by.
    pub fn new(
        engine: &'a Overspill,
        call: Call,
        options: CallOptions,
        rules: ResultRules,
    ) -> ResultWalk<'a> {
        let texts = MultiText::new(engine, call.clone(), options);
        let digest = (rules.structured != Structured::Keep).then(Digest::default);
        ResultWalk::with(engine, call, rules, texts, digest)
    }

    /// Begins a complete result that has passed the redactor.
    pub(crate) fn at_hand(
        engine: &'a Overspill,
        call: &Call,
        options: (CallOptions, CallEnd),
        rules: &ResultRules,
        redacted: Redacted<()>,
        compares: bool,
    ) -> ResultWalk<'a> {
        let texts = MultiText::at_hand(engine, call.clone(), options, redacted);
        let digest = compares.then(Digest::default);
        let (call, rules) = (call.clone(), rules.clone());
        ResultWalk::with(engine, call, rules, texts, digest)
    }

    fn with(
        engine: &'a Overspill,
        call: Call,
        rules: ResultRules,
        texts: MultiText<'a>,
        digest: Option<Digest>,
    ) -> ResultWalk<'a> {
        ResultWalk {
            engine,
            call,
            rules,
            texts,
            count: 0,
            digest,
            first: Vec::new(),
            masked_before: 0,
        }
    }

    /// Returns the rules.
    pub fn rules(&self) -> &ResultRules {
        &self.rules
    }

    fn policy(&self) -> Cow<'_, Policy> {
        self.texts.policy()
    }

    /// Tells whether a result whose JSON has this length is short in any case. A line feed takes
    /// two bytes of JSON, any other character at least one, and an error has half of the room.
    pub fn surely_fits(&self, json: u64) -> bool {
        let Limits { bytes, lines, chars, tokens } = self.policy().trigger;
        let lines = lines.map(|lines| lines.saturating_mul(2));
        let most = [bytes, lines, chars, tokens].into_iter().flatten().min();
        most.is_none_or(|most| json <= most / 2) && !self.rules.is_large(json)
    }

    /// Returns the room for parts that are not text.
    pub fn part_room(&self) -> PartRoom {
        PartRoom::of(&self.policy().trigger)
    }

    /// Begins the next text.
    pub fn next_text(&mut self) {
        self.texts.next_text();
        self.count += 1;
    }

    /// Adds to the text that was begun last.
    pub fn push(&mut self, text: &[u8]) {
        self.texts.push(text);
        // Structured content repeats one text or none.
        if let Some(digest) = self.digest.as_mut().filter(|_| self.count == 1) {
            digest.push(text);
            if self.first.len() <= MOST_HELD {
                self.first.extend_from_slice(text);
            }
        }
    }

    /// Tells whether the texts are too large already, and being saved.
    pub fn is_over(&self) -> bool {
        self.texts.is_over()
    }

    /// Adds to the number of masked secrets in the notice.
    pub fn add_masked(&mut self, count: u64) {
        self.masked_before += count;
        self.texts.add_masked(count);
    }

    /// Begins to save an image, a sound or a blob. Returns `None` if the store refuses it.
    pub fn begin_media(&self) -> Option<MediaDraft> {
        MediaDraft::begin(self.engine, &self.call)
    }

    /// Ends the result and decides. `structured` is its structured content, unless
    /// [`Structured::Keep`] applies.
    pub fn finish(
        mut self,
        mut structured: Option<&mut dyn StructuredJson>,
        is_error: bool,
    ) -> ResultChange {
        let says_same = structured.as_deref_mut().is_some_and(|json| self.says_same(json));
        let shrinks = self.rules.structured == Structured::Shrink && !is_error;
        let too_large_together = says_same
            && !self.texts.is_over()
            && structured.as_deref().is_some_and(|json| self.is_over_with(json));
        // Some clients show only structured content. The text that they do not show must be saved
        // too.
        let is_joined = structured.is_some() && (!says_same || shrinks && too_large_together);
        if is_joined && let Some(json) = structured.as_deref_mut() {
            self.texts.next_text();
            json.each_chunk(&mut |chunk| self.texts.push(chunk));
        }
        let mut small = None;
        if is_error || shrinks && structured.is_some() {
            let half = halved(&self.policy().limits);
            if shrinks && self.texts.is_over() {
                small = structured.as_deref().and_then(|json| self.shrunk(json, &half));
            }
            // Some clients show the text of an error twice. Others show text and structured
            // content.
            if is_error || small.is_some() {
                self.texts.share(half);
            }
        }
        let (spilled, texts) = match self.texts.finish_shares() {
            Some((Outcome::Spilled(spilled), texts)) => (Some(spilled), Some(texts)),
            // A secret may span two texts. Other secrets are masked in place already.
            Some((Outcome::Masked(masked), texts)) if masked.count > self.masked_before => {
                (None, Some(texts))
            }
            Some((Outcome::Whole(_) | Outcome::Masked(_), _)) | None => (None, None),
        };
        let structured = match (structured, &spilled, small) {
            (None, ..) => StructuredChange::Stays,
            (Some(_), Some(spilled), Some((small, schema))) => {
                let note = spilled.notice_line().unwrap_or_default();
                let fits = note.len() as u64 <= NOTE_BYTES;
                StructuredChange::Becomes(if fits { noted(small, &schema, note) } else { small })
            }
            (Some(_), Some(_), None) => StructuredChange::Removed,
            (Some(_), None, _) if too_large_together => StructuredChange::Removed,
            (Some(_), None, _) => StructuredChange::Stays,
        };
        let mut texts = texts;
        let joined = if is_joined { texts.as_mut().and_then(Vec::pop).flatten() } else { None };
        let added = joined.filter(|_| spilled.is_some());
        ResultChange { texts, added, structured, spilled }
    }

    /// Ends a result that breaks off, and returns its preview. The preview has the room of an error.
    pub fn break_off(mut self) -> String {
        let half = halved(&self.policy().limits);
        self.texts.share(half);
        self.texts.finish_text()
    }

    /// Tells whether structured content has the same value as the only text.
    fn says_same(&self, json: &mut dyn StructuredJson) -> bool {
        let Some(digest) = self.digest.as_ref().filter(|_| self.count == 1) else { return false };
        let mut compared = Compared::default();
        json.each_chunk(&mut |chunk| compared.push(chunk));
        digest.is_said_by(&compared)
    }

    /// Tells whether the only text and structured content are too large together.
    fn is_over_with(&self, json: &dyn StructuredJson) -> bool {
        let Some(json) = json.in_memory() else { return true };
        let policy = self.policy();
        let Policy { trigger, lines, tokens, .. } = &*policy;
        trigger.exceeded_by(&[&self.first, json].concat(), *lines, tokens).is_some()
    }

    /// Returns smaller structured content, and its schema.
    fn shrunk(&self, json: &dyn StructuredJson, room: &Limits) -> Option<(Value, Arc<Value>)> {
        let schema = self.rules.schema.clone()?;
        let value: Value = serde_json::from_slice(json.in_memory()?).ok()?;
        let room = room.bytes.into_iter().chain(room.chars).min().unwrap_or(u64::MAX);
        let small = smaller(&value, &schema, room.saturating_sub(NOTE_BYTES))?;
        Some((small, schema))
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
