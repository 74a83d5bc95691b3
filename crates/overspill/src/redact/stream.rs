//! Masks what comes in chunks.

use std::sync::Arc;

use super::rules::Came;
use super::{Look, Redaction, mask};

/// Masks an output as it comes, wherever it is cut into chunks.
///
/// Hands everything on at once but what may turn out to be a secret; with an expression of the user's
/// own that is the line that is not complete.
#[derive(Debug)]
pub struct Redactor {
    redaction: Arc<Redaction>,
    count: u64,
    /// What may turn out to be a secret.
    held: Vec<u8>,
    /// What was handed on last.
    before: Option<u8>,
}

impl Redactor {
    /// Masks what `redaction` knows.
    pub fn new(redaction: Arc<Redaction>) -> Redactor {
        Redactor { redaction, count: 0, held: Vec::new(), before: None }
    }

    /// Goes on where this one stands, and counts anew.
    pub(crate) fn going_on(&self) -> Redactor {
        let Redactor { redaction, held, before, .. } = self;
        Redactor { redaction: redaction.clone(), count: 0, held: held.clone(), before: *before }
    }

    /// Returns how many secrets there were so far.
    pub fn masked(&self) -> u64 {
        self.count
    }

    /// Takes a chunk, and hands on what can be told of.
    pub fn push(&mut self, chunk: &[u8], take: impl FnMut(&[u8])) {
        self.look(chunk, false, take);
    }

    /// Hands on what is left.
    pub fn finish(&mut self, take: impl FnMut(&[u8])) {
        self.look(b"", true, take);
        self.before = None;
    }

    fn look(&mut self, chunk: &[u8], is_all: bool, mut take: impl FnMut(&[u8])) {
        let mut held = std::mem::take(&mut self.held);
        let text = match held.is_empty() {
            true => chunk,
            false => {
                held.extend_from_slice(chunk);
                &held
            }
        };
        let Look { secrets, known } =
            self.redaction.look(Came { text, before: self.before, is_all });
        if known > 0 {
            self.before = Some(text[known - 1]);
            self.count += secrets.len() as u64;
            if secrets.is_empty() {
                take(&text[..known]);
            } else {
                let mut masked = text[..known].to_vec();
                mask(&mut masked, &secrets);
                take(&masked);
            }
        }
        self.held.extend_from_slice(&text[known..]);
    }
}
