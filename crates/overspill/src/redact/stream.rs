//! Masks the secrets of an output that arrives in chunks.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use overspill_core::internal::Excerpt;

use super::context::{BEFORE, Window};
use super::pem::KeyMemo;
use super::runs::RunMemo;
use super::{Redaction, Secret, mask};

/// Masks the secrets of an output that arrives in chunks. The chunks may cut a secret anywhere.
///
/// Everything is passed on at once, except bytes that may belong to a secret. With the user's own
/// expression, the incomplete line waits too.
#[derive(Debug)]
pub struct Redactor {
    redaction: Arc<Redaction>,
    count: u64,
    /// The last bytes that were passed on, and the bytes that wait.
    text: Vec<u8>,
    /// The position in `text` of the first byte that waits.
    fresh: usize,
    /// The position in `text` at which the next search begins.
    scan: usize,
    /// The facts about private keys that the searches have found.
    key: KeyMemo,
    /// The number of bytes that were passed on.
    passed: u64,
    /// The ranges of secrets of several lines. A single line of them does not look like a secret.
    blocks: Vec<Range<u64>>,
}

/// The largest number of ranges in [`Redactor::blocks`].
const MOST_BLOCKS: usize = 10_000;

impl Redactor {
    /// Returns a redactor with these rules.
    pub fn new(redaction: Arc<Redaction>) -> Redactor {
        let (text, blocks) = (Vec::new(), Vec::new());
        Redactor {
            redaction,
            count: 0,
            text,
            fresh: 0,
            scan: 0,
            key: KeyMemo::default(),
            passed: 0,
            blocks,
        }
    }

    /// Returns a copy that continues at the same position and counts from 0.
    pub(crate) fn going_on(&self) -> Redactor {
        let Redactor { redaction, text, fresh, scan, key, .. } = self;
        let (redaction, text) = (redaction.clone(), text.clone());
        let (fresh, scan, key, blocks) = (*fresh, *scan, *key, Vec::new());
        Redactor { redaction, count: 0, text, fresh, scan, key, passed: 0, blocks }
    }

    /// Sets the text before the next chunk, which serves as context.
    pub(super) fn after(&mut self, context: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(context);
        self.fresh = context.len();
        self.scan = 0;
        self.key = KeyMemo::default();
    }

    /// Returns the number of secrets so far.
    pub fn masked(&self) -> u64 {
        self.count
    }

    /// Masks lines that were taken from this output, and drops the lines of secrets of several
    /// lines.
    pub(crate) fn mask_excerpts(&self, mut excerpts: Vec<Excerpt>) -> Vec<Excerpt> {
        excerpts.retain(|it| {
            let next = self.blocks.partition_point(|block| block.end <= it.bytes.start);
            self.blocks.get(next).is_none_or(|block| block.start >= it.bytes.end)
        });
        for it in &mut excerpts {
            if let Cow::Owned(masked) = self.redaction.bytes(&it.text).0 {
                it.text = masked;
            }
        }
        excerpts
    }

    /// Takes a chunk, and passes on the bytes that are decided.
    pub fn push(&mut self, chunk: &[u8], take: impl FnMut(&[u8])) {
        self.look(chunk, false, take);
    }

    /// Passes on the rest.
    pub fn finish(&mut self, take: impl FnMut(&[u8])) {
        self.look(b"", true, take);
        self.after(b"");
    }

    fn look(&mut self, chunk: &[u8], is_all: bool, mut take: impl FnMut(&[u8])) {
        let Redactor { redaction, count, text, fresh, scan, key, passed, blocks } = self;
        text.extend_from_slice(chunk);
        let checked = Cell::new(*key);
        let look = redaction.look(Window {
            text,
            fresh: *fresh,
            scan: *scan,
            gaps: &[],
            is_all,
            key: &checked,
            runs: &RunMemo::default(),
        });
        if look.known > *fresh {
            *count += look.count();
            if look.secrets.is_empty() {
                take(&text[*fresh..look.known]);
            } else {
                let mut masked = text[..look.known].to_vec();
                mask(&mut masked, &look.secrets);
                take(&masked[*fresh..]);
                let place =
                    |secret: &Secret| secret.start.min(secret.bytes.start)..secret.bytes.end;
                let mut found: Vec<Range<usize>> = look.secrets.iter().map(place).collect();
                found.retain(|block| memchr::memchr(b'\n', &text[block.clone()]).is_some());
                found.sort_unstable_by_key(|block| block.start);
                for block in found {
                    // A secret may begin in bytes that were passed on before.
                    let place = |at: usize| (*passed + at as u64).saturating_sub(*fresh as u64);
                    note_block(blocks, place(block.start)..place(block.end));
                }
            }
            *passed += (look.known - *fresh) as u64;
        }
        let old = look.known.saturating_sub(BEFORE);
        text.drain(..old);
        *fresh = look.known - old;
        *scan = look.resume.saturating_sub(old);
        *key = checked.get().moved(old);
    }
}

/// Remembers the range of a secret of several lines.
fn note_block(blocks: &mut Vec<Range<u64>>, block: Range<u64>) {
    let is_full = blocks.len() == MOST_BLOCKS;
    match blocks.last_mut() {
        // If the list is full, the lines between two secrets are dropped as well, to be safe.
        Some(last) if last.end >= block.start || is_full => last.end = last.end.max(block.end),
        _ => blocks.push(block),
    }
}
