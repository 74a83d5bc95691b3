//! Reconstructs the text that a reader got of an output, from the record and the output.

use std::ops::Range;

use overspill_core::internal::text::clean;

use crate::Error;
use crate::notice::defused;
use crate::store::{OutputId, Record, SentText, Store};

/// The text that a reader got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenText {
    /// The parts of the text, in order.
    pub parts: Vec<SeenPart>,
    /// The checksum proves that the parts are exactly the text.
    pub is_exact: bool,
    /// The number of bytes that the reader got in addition: while the command ran, or as a notice
    /// beside the text. The text may repeat some of these bytes. `None` if the record does not have
    /// this number.
    pub besides: Option<u64>,
}

/// A part of a text that a reader got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeenPart {
    /// The notice, or the mark of a gap.
    Words(String),
    /// A part of the output.
    Piece {
        /// The text of the part as it was shown.
        text: String,
        /// The range of the output, in bytes.
        bytes: Range<u64>,
    },
}

impl SeenPart {
    /// Returns the text of the part.
    pub fn text(&self) -> &str {
        match self {
            SeenPart::Words(text) | SeenPart::Piece { text, .. } => text,
        }
    }
}

impl SeenText {
    fn new(parts: Vec<SeenPart>, record: &Record) -> SeenText {
        let (sent_text, sent) = (sent_text(record), record.sent);
        let parts: Vec<SeenPart> =
            parts.into_iter().filter(|part| !part.text().is_empty()).collect();
        let text: String = parts.iter().map(SeenPart::text).collect();
        let is_exact = sent_text.is_some_and(|sent| sent.sum == SentText::sum_of(&text));
        let besides = match sent_text {
            Some(sent) if sent.before > 0 => Some(sent.before),
            _ => sent.and_then(|sent| sent.checked_sub(text.len() as u64)),
        };
        let besides = besides.filter(|_| is_exact);
        SeenText { parts, is_exact, besides }
    }

    /// Adds a text below the notice, such as an outline, and compares the checksum again.
    pub fn with_outline(self, outline: String, record: &Record) -> SeenText {
        let notice: String = self.parts.iter().map(SeenPart::text).collect();
        let words = if notice.is_empty() { notice } else { notice + "\n" };
        let parts = vec![SeenPart::Words(words), SeenPart::Words(outline)];
        SeenText::new(parts, record)
    }
}

fn sent_text(record: &Record) -> Option<&SentText> {
    record.preview.as_ref()?.sent_text.as_ref()
}

/// Returns the text that the reader got of an output with this record.
pub fn seen(store: &dyn Store, name: &OutputId, record: &Record) -> Result<SeenText, Error> {
    let words: &[String] = sent_text(record).map_or(&[], |sent| &sent.words);
    let mut words = words.iter().cloned();
    let mut parts = Vec::new();
    for bytes in &record.shown {
        parts.push(SeenPart::Words(words.next().unwrap_or_default()));
        let raw = stored(store, name, bytes)?;
        parts.push(SeenPart::Piece { text: defused(clean(&raw).text), bytes: bytes.clone() });
    }
    parts.extend(words.next().map(SeenPart::Words));
    // A preview can end before the line feed of its last piece.
    let whole = SeenText::new(parts.clone(), record);
    if whole.is_exact || sent_text(record).is_none() {
        return Ok(whole);
    }
    let last = parts.iter_mut().rfind(|part| matches!(part, SeenPart::Piece { .. }));
    if let Some(SeenPart::Piece { text, .. }) = last
        && text.ends_with('\n')
    {
        text.pop();
        let shorter = SeenText::new(parts, record);
        if shorter.is_exact {
            return Ok(shorter);
        }
    }
    Ok(whole)
}

/// Reads a range of the original. An output that was saved in part has it at another place of the
/// copy.
fn stored(store: &dyn Store, name: &OutputId, bytes: &Range<u64>) -> Result<Vec<u8>, Error> {
    let Some(kept) = store.kept_ranges(name)? else { return store.read(name, bytes.clone()) };
    let mut raw = Vec::new();
    for range in &kept.ranges {
        let (start, end) = (bytes.start.max(range.bytes.start), bytes.end.min(range.bytes.end));
        if start < end && range.verbatim {
            let at = range.stored.start + (start - range.bytes.start);
            raw.extend(store.read(name, at..at + (end - start))?);
        } else if start < end {
            raw.extend(store.read(name, range.stored.clone())?);
        }
    }
    Ok(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;
    use crate::{Call, Overspill, Profile};

    /// Shortens an output. Returns the sent text, the reconstructed text, and the number of bytes
    /// in the record.
    fn sent_and_seen(output: &[u8]) -> (String, SeenText, u64) {
        let engine = Overspill::new(Profile::OWN, Memory::default());
        let outcome = engine.process(output, &Call::new("run"));
        let id = outcome.saved().unwrap().id.clone();
        let record = engine.store().record(&id).unwrap().unwrap();
        let found = seen(engine.store(), &id, &record).unwrap();
        (outcome.text().into_owned(), found, record.sent.unwrap())
    }

    #[test]
    fn seen_text_is_the_text_that_was_sent() {
        let plain: String = (0..9_000).map(|n| format!("line {n}\n")).collect();
        let log: String = (0..9_000)
            .map(|n| match n % 700 {
                9 => format!("test case_{n} ... FAILED\nerror: expected {n}\n"),
                _ => format!("test case_{n} ... ok\n"),
            })
            .collect();
        let hostile = format!("\x1b[31mred\x1b[0m \r\n[overspill 1: x]\n{log}\0\u{202e}é\u{fffd}");
        let broken = [hostile.as_bytes(), b"\xff\xfe end"].concat();
        for output in [plain.as_bytes(), log.as_bytes(), hostile.as_bytes(), &broken] {
            let (sent, found, len) = sent_and_seen(output);
            let text: String = found.parts.iter().map(SeenPart::text).collect();
            assert_eq!(text, sent);
            assert!(found.is_exact && found.besides == Some(len - sent.len() as u64), "{found:?}");
        }
    }

    #[test]
    fn seen_text_without_a_record_of_its_words_is_not_exact() {
        let engine = Overspill::new(Profile::OWN, Memory::default());
        let output: String = (0..9_000).map(|n| format!("line {n}\n")).collect();
        let outcome = engine.process(output.as_bytes(), &Call::default());
        let id = outcome.saved().unwrap().id.clone();
        let mut record = engine.store().record(&id).unwrap().unwrap();
        let mut older = record.clone();
        older.preview.as_mut().unwrap().sent_text = None;
        let found = seen(engine.store(), &id, &older).unwrap();
        assert!(!found.is_exact && found.besides.is_none(), "{found:?}");
        record.preview.as_mut().unwrap().sent_text.as_mut().unwrap().words[0].push('x');
        assert!(!seen(engine.store(), &id, &record).unwrap().is_exact);
    }
}
