//! Masks what comes in chunks.

use std::sync::Arc;

use super::context::{BEFORE, Came};
use super::{Redaction, mask};

/// Masks an output as it comes, wherever it is cut into chunks.
///
/// Hands everything on at once but what may turn out to be a secret; with an expression of the user's
/// own that is the line that is not complete.
#[derive(Debug)]
pub struct Redactor {
    redaction: Arc<Redaction>,
    count: u64,
    /// The end of what was passed on, and what may turn out to be a secret.
    text: Vec<u8>,
    /// Where the latter begins.
    fresh: usize,
    /// Where the next look begins.
    scan: usize,
}

impl Redactor {
    /// Masks what `redaction` knows.
    pub fn new(redaction: Arc<Redaction>) -> Redactor {
        Redactor { redaction, count: 0, text: Vec::new(), fresh: 0, scan: 0 }
    }

    /// Goes on where this one stands, and counts anew.
    pub(crate) fn going_on(&self) -> Redactor {
        let Redactor { redaction, text, fresh, scan, .. } = self;
        let (redaction, text) = (redaction.clone(), text.clone());
        Redactor { redaction, count: 0, text, fresh: *fresh, scan: *scan }
    }

    /// Takes `context` for the text before the next chunk.
    pub(super) fn after(&mut self, context: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(context);
        self.fresh = context.len();
        self.scan = 0;
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
        self.after(b"");
    }

    fn look(&mut self, chunk: &[u8], is_all: bool, mut take: impl FnMut(&[u8])) {
        let Redactor { redaction, count, text, fresh, scan } = self;
        text.extend_from_slice(chunk);
        let look = redaction.look(Came { text, fresh: *fresh, scan: *scan, gaps: &[], is_all });
        if look.known > *fresh {
            *count += look.count();
            if look.secrets.is_empty() {
                take(&text[*fresh..look.known]);
            } else {
                let mut masked = text[..look.known].to_vec();
                mask(&mut masked, &look.secrets);
                take(&masked[*fresh..]);
            }
        }
        let old = look.known.saturating_sub(BEFORE);
        text.drain(..old);
        *fresh = look.known - old;
        *scan = look.resume.saturating_sub(old);
    }
}
