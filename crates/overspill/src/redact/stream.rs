//! Masks what comes in chunks.

use std::sync::Arc;

use super::rules::{BEFORE, Came};
use super::{Redaction, mask};

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
    /// The end of what was handed on; nothing, if that is what a terminal does not show.
    before: Vec<u8>,
}

impl Redactor {
    /// Masks what `redaction` knows.
    pub fn new(redaction: Arc<Redaction>) -> Redactor {
        Redactor { redaction, count: 0, held: Vec::new(), before: Vec::new() }
    }

    /// Goes on where this one stands, and counts anew.
    pub(crate) fn going_on(&self) -> Redactor {
        let Redactor { redaction, held, before, .. } = self;
        let (redaction, held, before) = (redaction.clone(), held.clone(), before.clone());
        Redactor { redaction, count: 0, held, before }
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
        self.before.clear();
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
        let look = self.redaction.look(Came { text, before: &self.before, gaps: &[], is_all });
        let (done, rest) = text.split_at(look.known);
        if !done.is_empty() {
            self.count += look.count();
            if look.secrets.is_empty() {
                take(done);
            } else {
                let mut masked = done.to_vec();
                mask(&mut masked, &look.secrets);
                take(&masked);
            }
            self.before.extend_from_slice(&done[done.len().saturating_sub(BEFORE)..]);
            let old = match look.ends_in_gap {
                true => self.before.len(),
                false => self.before.len().saturating_sub(BEFORE),
            };
            self.before.drain(..old);
        }
        self.held.extend_from_slice(rest);
    }
}
