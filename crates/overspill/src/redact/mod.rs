//! Masks secrets before an output is saved where others can read it, or shown to a model.
//!
//! A secret is replaced by as many stars as it has bytes, so that every place in the output stays
//! what it was: lines, offsets and sizes are those of the original.
//!
//! ```
//! use std::sync::Arc;
//! use overspill::Redaction;
//! use overspill::internal::redact::Redactor;
//!
//! let redaction = Arc::new(Redaction::new(Some("corp-[0-9]+")).unwrap());
//! let (text, masked) = redaction.text("url https://ada:hunter2@example.org, corp-4711");
//! assert_eq!(text, "url https://ada:*******@example.org, *********");
//! assert_eq!(masked, 2);
//! ```

mod address;
mod bare;
mod context;
mod draft;
mod encoded;
mod headers;
mod joint;
mod json;
mod names;
mod pem;
mod read;
mod redacted;
mod rules;
mod runs;
mod shapes;
mod starts;
mod store;
mod stream;
mod value;
mod view;
mod words;

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use regex::bytes::{Regex, RegexBuilder};

use crate::Call;
use crate::store::Store;
use context::{Came, Found, REACH};
use rules::{RULES, hex_tail};
use runs::RunMemo;

pub(crate) use draft::RedactingDraft;
pub use json::JsonMask;
pub(crate) use redacted::Redacted;
use store::MaskedStore;
pub use stream::Redactor;
use view::View;

/// A longer line is looked at in pieces.
const LONGEST_LINE: usize = 64 << 10;

/// What is masked, and where.
#[derive(Debug, Clone, Default)]
pub enum Redact {
    /// Nothing.
    #[default]
    Off,
    /// Secrets in what is saved.
    Saved(Arc<Redaction>),
    /// Secrets in what is saved and in what is shown, cut or not, now or later.
    All(Arc<Redaction>),
}

impl Redact {
    /// Returns the rules, if anything is masked.
    pub fn rules(&self) -> Option<&Arc<Redaction>> {
        match self {
            Redact::Off => None,
            Redact::Saved(rules) | Redact::All(rules) => Some(rules),
        }
    }

    /// Returns the rules for what is shown, if anything is masked there.
    pub fn shown(&self) -> Option<&Arc<Redaction>> {
        match self {
            Redact::Off | Redact::Saved(_) => None,
            Redact::All(rules) => Some(rules),
        }
    }

    /// Returns a store as a model may see it.
    pub fn shown_store(&self, store: &Arc<dyn Store>) -> Arc<dyn Store> {
        match self.shown() {
            None => store.clone(),
            Some(rules) => Arc::new(MaskedStore::new(store.clone(), rules.clone())),
        }
    }
}

/// Knows what secrets look like.
#[derive(Debug)]
pub struct Redaction {
    own: Option<Regex>,
}

impl Redaction {
    /// Knows the common kinds, and whatever a regular expression of your own matches within a line.
    pub fn new(own: Option<&str>) -> Result<Redaction, String> {
        let own = own.map(|own| RegexBuilder::new(own).multi_line(true).build()).transpose();
        Ok(Redaction { own: own.map_err(|error| error.to_string())? })
    }

    /// Masks what is all there; returns how many secrets there were.
    pub fn text<'a>(&self, text: &'a str) -> (Cow<'a, str>, u64) {
        match self.bytes(text.as_bytes()) {
            (Cow::Borrowed(_), _) => (Cow::Borrowed(text), 0),
            (Cow::Owned(bytes), count) => {
                (Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()), count)
            }
        }
    }

    /// Masks `text`, before which `context` stands.
    fn text_after<'a>(&self, context: &[u8], text: &'a str) -> (Cow<'a, str>, u64) {
        if context.is_empty() {
            return self.text(text);
        }
        let both = [context, text.as_bytes()].concat();
        let look = self.look(Came {
            text: &both,
            fresh: context.len(),
            scan: 0,
            gaps: &[],
            is_all: true,
            key: &Cell::default(),
            runs: &RunMemo::default(),
        });
        if look.secrets.is_empty() {
            return (Cow::Borrowed(text), 0);
        }
        let mut masked = both;
        mask(&mut masked, &look.secrets);
        let masked = String::from_utf8_lossy(&masked[context.len()..]).into_owned();
        (Cow::Owned(masked), look.count())
    }

    /// Masks every field of a call.
    pub(crate) fn call(&self, call: Call) -> Call {
        Call {
            tool: self.field(call.tool),
            id: self.field(call.id),
            session: self.field(call.session),
            command: self.field(call.command),
            directory: self.field(call.directory),
        }
    }

    fn field(&self, field: Option<String>) -> Option<String> {
        field.map(|field| match self.text(&field) {
            (Cow::Borrowed(_), _) => field,
            (Cow::Owned(masked), _) => masked,
        })
    }

    /// Like [`Redaction::text`], of what may be no text.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> (Cow<'a, [u8]>, u64) {
        let (key, runs) = (&Cell::default(), &RunMemo::default());
        let came = Came { text: bytes, fresh: 0, scan: 0, gaps: &[], is_all: true, key, runs };
        let look = self.look(came);
        if look.secrets.is_empty() {
            return (Cow::Borrowed(bytes), 0);
        }
        let mut masked = bytes.to_vec();
        mask(&mut masked, &look.secrets);
        (Cow::Owned(masked), look.count())
    }

    /// Finds the secrets in what has come, as far as it is known what is one: as it is written, and
    /// as it is shown.
    fn look(&self, came: Came) -> Look {
        let Some(view) = View::of(came.text) else {
            return self
                .look_at(came, beginning(came.text))
                .settled(came.fresh)
                .unmasked(came.text);
        };
        let mut look =
            self.look_at(came, if view.ends_in_gap() { 0 } else { beginning(came.text) });
        // What is shown waits no longer than what is written: it may be overwritten without end.
        let longest = came.text.len().saturating_sub(self.reach()).min(look.known);
        // The places of a key in the view are others.
        let (key, runs) = (&Cell::default(), &RunMemo::default());
        let shown = Came { key, runs, ..view.came(came) };
        view.add(self.look_at(shown, view.beginning()), came, &mut look);
        look.known = look.known.max(longest);
        look.settled(came.fresh).unmasked(came.text)
    }

    /// Returns how much around a place tells what is a secret there.
    fn reach(&self) -> usize {
        match self.own {
            None => REACH,
            Some(_) => LONGEST_LINE,
        }
    }

    /// Finds what may be secrets, some of which may not be complete. The last bytes may be the
    /// `beginning` of one.
    fn look_at(&self, came: Came, beginning: usize) -> Look {
        let text = came.text;
        let mut secrets: Vec<Secret> = Vec::new();
        let (mut from, mut known) = (0, text.len());
        let (mut search, mut resume) = (came.scan, text.len());
        while let Some((rule, start)) = starts::next(text, search) {
            match RULES[rule].look(came, start) {
                Found::Nothing => search = start + 1,
                Found::Skip(to) => search = to.max(start + 1),
                Found::Secret { hold, bytes } => {
                    from = bytes.end;
                    search = bytes.end.max(start + 1);
                    secrets.push(Secret { rule: start, start: hold, bytes });
                }
                // A name at the end need not wait: it is seen again as context.
                Found::Undecided(hold) if hold >= text.len() => {
                    resume = resume.min(start);
                    search = start + 1;
                }
                Found::Undecided(hold) => {
                    known = hold.max(from);
                    resume = resume.min(start);
                    break;
                }
            }
        }
        if known == text.len() && !came.is_all {
            known = from.max(known - beginning);
        }
        if let Some(own) = &self.own {
            known = known.min(find_own(own, came, &mut secrets));
        }
        Look { secrets, known, resume: resume.min(known) }
    }
}

/// What was found.
struct Look {
    secrets: Vec<Secret>,
    /// Up to here nothing that comes changes it.
    known: usize,
    /// The next look begins here: the name of a secret may stand before the secret.
    resume: usize,
}

impl Look {
    /// Leaves off what is not complete: where a secret would be cut in two, all of it waits. Leaves off
    /// what was passed on before `fresh`.
    fn settled(mut self, fresh: usize) -> Look {
        let cut = |known: usize| {
            self.secrets.iter().find(|secret| secret.start < known && known < secret.bytes.end)
        };
        while let Some(secret) = cut(self.known) {
            self.known = secret.start;
            self.resume = self.resume.min(secret.rule);
        }
        self.known = self.known.max(fresh);
        self.resume = self.resume.min(self.known);
        self.secrets.retain(|secret| secret.bytes.end <= self.known && secret.bytes.end > fresh);
        for secret in &mut self.secrets {
            secret.bytes.start = secret.bytes.start.max(fresh);
        }
        self
    }

    /// Leaves off what is masked already, so that text which is masked twice is counted once.
    fn unmasked(mut self, text: &[u8]) -> Look {
        let is_masked = |secret: &Secret| {
            text[secret.bytes.clone()].iter().all(|byte| b"*\r\n\x08".contains(byte))
        };
        self.secrets.retain(|secret| !is_masked(secret));
        self
    }

    /// Returns how many secrets there are.
    fn count(&self) -> u64 {
        let mut starts: Vec<usize> = self.secrets.iter().map(|secret| secret.start).collect();
        starts.sort_unstable();
        starts.dedup();
        starts.len() as u64
    }
}

/// A secret, or a piece of one, and where it begins to look like one.
struct Secret {
    /// Where its rule begins, such as the name before it. The next look needs it.
    rule: usize,
    start: usize,
    bytes: Range<usize>,
}

/// Returns how many of the last bytes may be the beginning of a secret.
fn beginning(text: &[u8]) -> usize {
    starts::cut(text).max(hex_tail(text))
}

/// Finds what an expression of the user's own matches, line by line; returns how far that is known.
fn find_own(own: &Regex, came: Came, secrets: &mut Vec<Secret>) -> usize {
    let text = &came.text[came.fresh..];
    let lines = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
    let known = match text.len() - lines {
        len if came.is_all || len == 0 => text.len(),
        len if len > LONGEST_LINE => text.len() - REACH,
        _ => lines,
    };
    // Most often there is nothing at all, which is found out sooner.
    if own.is_match(text) {
        let mut at = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let inner = line.strip_suffix(b"\n").unwrap_or(line);
            for found in own.find_iter(inner).filter(|found| !found.is_empty()) {
                let mut bytes = at + found.start()..at + found.end();
                // Longer than what is waited for, it is masked as far as it has come.
                if bytes.contains(&known) && bytes.len() > REACH {
                    bytes.end = known;
                }
                let bytes = came.fresh + bytes.start..came.fresh + bytes.end;
                secrets.push(Secret { rule: bytes.start, start: bytes.start, bytes });
            }
            at += line.len();
        }
    }
    came.fresh + known
}

/// Puts stars in the place of secrets; lines stay lines, and what is printed twice stays so.
fn mask(text: &mut [u8], secrets: &[Secret]) {
    for secret in secrets {
        let bytes = text[secret.bytes.clone()].iter_mut();
        bytes.filter(|byte| !b"\r\n\x08".contains(byte)).for_each(|byte| *byte = b'*');
    }
}

#[cfg(test)]
mod tests;
