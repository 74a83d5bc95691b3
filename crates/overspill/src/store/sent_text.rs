//! The record of the text that a reader got, without the parts of the output in it.

use overspill_core::PreviewItem;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::Spilled;

/// The text that the reader got, without the parts of the output in it.
///
/// `words` and the shown parts together make the text again. The checksum tells whether they make
/// the same text: a later version may clean the shown parts in another way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SentText {
    /// The texts before, between and after the shown parts: the notice and the marks.
    pub words: Vec<String>,
    /// The checksum of the whole text: XXH3 in 16 hexadecimal digits.
    pub sum: String,
    /// The number of bytes that the reader got before this text, while the command ran. The text
    /// may repeat them.
    #[serde(skip_serializing_if = "is_zero")]
    pub before: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The number of bytes that `words` may have in total. Every listing reads them.
const LONGEST_WORDS: usize = 16 << 10;

impl SentText {
    /// Takes the words from a preview. Returns `None` if they are too long, or if the preview has
    /// no layout.
    pub(crate) fn of(spilled: &Spilled, before: u64) -> Option<SentText> {
        let (text, layout) = (&spilled.text, spilled.layout.as_ref()?);
        let (mut words, mut at) = (Vec::new(), 0);
        for item in &layout.items {
            let PreviewItem::Piece(place) = item else { continue };
            words.push(text.get(at..place.start)?.to_owned());
            // A preview can end before the line feed of its last piece.
            at = place.end.min(text.len());
        }
        // The text of an outline is neither a part of the output nor one of the words.
        let end = if layout.items.is_empty() { layout.notice.end } else { text.len() };
        words.push(text.get(at..end)?.to_owned());
        let len: usize = words.iter().map(String::len).sum();
        (len <= LONGEST_WORDS).then(|| SentText { words, sum: SentText::sum_of(text), before })
    }

    /// Returns the checksum of a text.
    pub fn sum_of(text: &str) -> String {
        format!("{:016x}", xxh3_64(text.as_bytes()))
    }

    /// Tells whether this version can have written the record of a preview with `parts` shown
    /// parts.
    #[cfg(feature = "bucket")]
    pub(super) fn is_plausible(&self, parts: usize) -> bool {
        let len: usize = self.words.iter().map(String::len).sum();
        self.words.len() == parts + 1 && len <= LONGEST_WORDS && self.sum.len() == 16
    }
}
