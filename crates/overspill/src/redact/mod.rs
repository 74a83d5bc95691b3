//! Masks secrets before an output is saved for other readers or shown to a model.
//!
//! A secret is replaced by as many stars as it has bytes, so that all lines, offsets and sizes stay
//! the same.
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
use context::{Found, REACH, Window};
use rules::{RULES, hex_tail};
use runs::RunMemo;

pub(crate) use draft::RedactingDraft;
pub use json::JsonMask;
pub(crate) use redacted::Redacted;
use store::MaskedStore;
pub use stream::Redactor;
use view::View;

/// A line with more bytes than this is searched in parts.
const LONGEST_LINE: usize = 64 << 10;

/// The setting `redact`: the texts in which secrets are masked.
#[derive(Debug, Clone, Default)]
pub enum Redact {
    /// No secrets are masked.
    #[default]
    Off,
    /// Secrets are masked in saved outputs.
    Saved(Arc<Redaction>),
    /// Secrets are masked in saved outputs and in all shown texts, short or shortened, now or
    /// later.
    All(Arc<Redaction>),
}

impl Redact {
    /// Returns the rules, unless masking is off.
    pub fn rules(&self) -> Option<&Arc<Redaction>> {
        match self {
            Redact::Off => None,
            Redact::Saved(rules) | Redact::All(rules) => Some(rules),
        }
    }

    /// Returns the rules for shown texts, if secrets are masked in them.
    pub fn shown(&self) -> Option<&Arc<Redaction>> {
        match self {
            Redact::Off | Redact::Saved(_) => None,
            Redact::All(rules) => Some(rules),
        }
    }

    /// Returns the store in the form that a model may see.
    pub fn shown_store(&self, store: &Arc<dyn Store>) -> Arc<dyn Store> {
        match self.shown() {
            None => store.clone(),
            Some(rules) => Arc::new(MaskedStore::new(store.clone(), rules.clone())),
        }
    }
}

/// The rules that find secrets.
#[derive(Debug)]
pub struct Redaction {
    own: Option<Regex>,
}

impl Redaction {
    /// Returns the rules for common kinds of secrets, plus your own regular expression, which is
    /// matched within each line.
    pub fn new(own: Option<&str>) -> Result<Redaction, String> {
        let own = own.map(|own| RegexBuilder::new(own).multi_line(true).build()).transpose();
        Ok(Redaction { own: own.map_err(|error| error.to_string())? })
    }

    /// Masks a complete text and returns the number of secrets.
    pub fn text<'a>(&self, text: &'a str) -> (Cow<'a, str>, u64) {
        match self.bytes(text.as_bytes()) {
            (Cow::Borrowed(_), _) => (Cow::Borrowed(text), 0),
            (Cow::Owned(bytes), count) => {
                (Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()), count)
            }
        }
    }

    /// Masks `text` that follows `context`.
    fn text_after<'a>(&self, context: &[u8], text: &'a str) -> (Cow<'a, str>, u64) {
        if context.is_empty() {
            return self.text(text);
        }
        let both = [context, text.as_bytes()].concat();
        let look = self.look(Window {
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

    /// Masks complete bytes that may not be text, and returns the number of secrets.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> (Cow<'a, [u8]>, u64) {
        let (key, runs) = (&Cell::default(), &RunMemo::default());
        let window = Window { text: bytes, fresh: 0, scan: 0, gaps: &[], is_all: true, key, runs };
        let look = self.look(window);
        if look.secrets.is_empty() {
            return (Cow::Borrowed(bytes), 0);
        }
        let mut masked = bytes.to_vec();
        mask(&mut masked, &look.secrets);
        (Cow::Owned(masked), look.count())
    }

    /// Finds the secrets that are certain so far: in the bytes as written, and as a terminal shows
    /// them.
    fn look(&self, window: Window) -> Look {
        let Some(view) = View::of(window.text) else {
            return self
                .look_at(window, beginning(window.text))
                .settled(window.fresh)
                .unmasked(window.text);
        };
        let mut look =
            self.look_at(window, if view.ends_in_gap() { 0 } else { beginning(window.text) });
        // Shown text waits no longer than written text: a program may overwrite a line endlessly.
        let longest = window.text.len().saturating_sub(self.reach()).min(look.known);
        // Positions in the view differ from positions in the text, so the view needs its own memos.
        let (key, runs) = (&Cell::default(), &RunMemo::default());
        let shown = Window { key, runs, ..view.window(window) };
        view.add(self.look_at(shown, view.beginning()), window, &mut look);
        look.known = look.known.max(longest);
        look.settled(window.fresh).unmasked(window.text)
    }

    /// Returns the number of bytes around a position that decide about a secret there.
    fn reach(&self) -> usize {
        match self.own {
            None => REACH,
            Some(_) => LONGEST_LINE,
        }
    }

    /// Finds candidates for secrets, some of which may be incomplete. The last `beginning` bytes
    /// may be the beginning of a secret.
    fn look_at(&self, window: Window, beginning: usize) -> Look {
        let text = window.text;
        let mut secrets: Vec<Secret> = Vec::new();
        let (mut from, mut known) = (0, text.len());
        let (mut search, mut resume) = (window.scan, text.len());
        while let Some((rule, start)) = starts::next(text, search) {
            match RULES[rule].look(window, start) {
                Found::Nothing => search = start + 1,
                Found::Skip(to) => search = to.max(start + 1),
                Found::Secret { hold, bytes } => {
                    from = bytes.end;
                    search = bytes.end.max(start + 1);
                    secrets.push(Secret { rule: start, start: hold, bytes });
                }
                // A name at the end need not wait: the next search sees it again as context.
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
        if known == text.len() && !window.is_all {
            known = from.max(known - beginning);
        }
        if let Some(own) = &self.own {
            known = known.min(find_own(own, window, &mut secrets));
        }
        Look { secrets, known, resume: resume.min(known) }
    }
}

/// The result of a search.
struct Look {
    secrets: Vec<Secret>,
    /// The position up to which later bytes change nothing.
    known: usize,
    /// The position at which the next search begins. The name of a secret may stand before it.
    resume: usize,
}

impl Look {
    /// Drops incomplete secrets: a secret that would be cut in two waits as a whole. Drops secrets
    /// that were passed on before `fresh`.
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

    /// Drops secrets that are already masked, so that a text that is masked twice counts once.
    fn unmasked(mut self, text: &[u8]) -> Look {
        let is_masked = |secret: &Secret| {
            text[secret.bytes.clone()].iter().all(|byte| b"*\r\n\x08".contains(byte))
        };
        self.secrets.retain(|secret| !is_masked(secret));
        self
    }

    /// Returns the number of secrets.
    fn count(&self) -> u64 {
        let mut starts: Vec<usize> = self.secrets.iter().map(|secret| secret.start).collect();
        starts.sort_unstable();
        starts.dedup();
        starts.len() as u64
    }
}

/// A secret, or a piece of one.
struct Secret {
    /// The position at which its rule begins, such as the name before it. The next search needs it.
    rule: usize,
    start: usize,
    bytes: Range<usize>,
}

/// Returns the number of last bytes that may be the beginning of a secret.
fn beginning(text: &[u8]) -> usize {
    starts::cut(text).max(hex_tail(text))
}

/// Finds the matches of the user's own expression, line by line. Returns the position up to which
/// they are certain.
fn find_own(own: &Regex, window: Window, secrets: &mut Vec<Secret>) -> usize {
    let text = &window.text[window.fresh..];
    let lines = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
    let known = match text.len() - lines {
        len if window.is_all || len == 0 => text.len(),
        len if len > LONGEST_LINE => text.len() - REACH,
        _ => lines,
    };
    // Most often there is no match at all, and this check is faster than the loop.
    if own.is_match(text) {
        let mut at = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let inner = line.strip_suffix(b"\n").unwrap_or(line);
            for found in own.find_iter(inner).filter(|found| !found.is_empty()) {
                let mut bytes = at + found.start()..at + found.end();
                // A match that is longer than the bytes that wait is masked as far as it has
                // arrived.
                if bytes.contains(&known) && bytes.len() > REACH {
                    bytes.end = known;
                }
                let bytes = window.fresh + bytes.start..window.fresh + bytes.end;
                secrets.push(Secret { rule: bytes.start, start: bytes.start, bytes });
            }
            at += line.len();
        }
    }
    window.fresh + known
}

/// Replaces the bytes of secrets by stars. Line ends and backspaces stay.
fn mask(text: &mut [u8], secrets: &[Secret]) {
    for secret in secrets {
        let bytes = text[secret.bytes.clone()].iter_mut();
        bytes.filter(|byte| !b"\r\n\x08".contains(byte)).for_each(|byte| *byte = b'*');
    }
}

#[cfg(test)]
mod tests;
