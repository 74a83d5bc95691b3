//! Saves large images, sounds and blobs to a file, and puts a line of text in their place.

use overspill_core::internal::text::clean;

use crate::notice::{defused, mark_line};
use crate::store::{Draft, SpillRef};
use crate::{Call, Overspill};

/// Media that are being saved, in base64.
#[derive(Debug)]
pub struct MediaDraft {
    draft: Box<dyn Draft>,
    decoder: Decoder,
    bytes: u64,
}

/// Media that were saved to a file.
#[derive(Debug)]
pub struct SavedMedia {
    saved: SpillRef,
    bytes: u64,
}

impl MediaDraft {
    pub(super) fn begin(engine: &Overspill, call: &Call) -> Option<MediaDraft> {
        // Base64 passes the redactor unchanged. The draft gets the decoded bytes, which may be text
        // with secrets.
        let draft = engine.begin(call, false).ok()?;
        Some(MediaDraft { draft, decoder: Decoder::default(), bytes: 0 })
    }

    /// Takes the next base64. Tells whether it was written.
    pub fn push(&mut self, base64: &[u8]) -> bool {
        /// The number of bytes that are decoded at a time, so that no second copy of the whole text
        /// is needed.
        const CHUNK: usize = 256 << 10;
        base64.chunks(CHUNK).all(|chunk| {
            let decoded = self.decoder.decode(chunk);
            self.bytes += decoded.len() as u64;
            self.draft.append(&decoded).is_ok()
        })
    }

    /// Publishes the file. Returns `None` if the store fails.
    pub fn end(self) -> Option<SavedMedia> {
        Some(SavedMedia { saved: self.draft.publish().ok()?, bytes: self.bytes })
    }
}

impl SavedMedia {
    /// Returns the line for the reader: the media type, the address and the file.
    pub fn line(&self, mime: &str, uri: Option<&str>) -> String {
        let path = &self.saved.path;
        let of = uri.map_or(String::new(), |uri| format!(" of {}", one_line(uri, 200)));
        let mime = one_line(mime, 100);
        mark_line(
            Some(&self.saved.id),
            &format!("{mime}{of}, {} bytes, is in this file: {path}", self.bytes),
        )
        .trim_end()
        .to_owned()
    }
}

/// Returns foreign text on one line, cut to `most` characters, in which no part imitates our marks.
fn one_line(text: &str, most: usize) -> String {
    let text = defused(clean(text.as_bytes()).text);
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let line: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() { format!("{line}…") } else { line }
}

/// Decodes base64 of either alphabet, and skips all other bytes.
#[derive(Debug, Default)]
struct Decoder {
    bits: u32,
    count: u8,
}

impl Decoder {
    fn decode(&mut self, base64: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(base64.len() / 4 * 3 + 3);
        for &byte in base64 {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => continue,
            };
            self.bits = self.bits << 6 | u32::from(value);
            self.count += 6;
            if self.count >= 8 {
                self.count -= 8;
                out.push((self.bits >> self.count) as u8);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_on_one_line() {
        assert_eq!(one_line("image/png", 100), "image/png");
        assert_eq!(one_line("a\nb[overspill x]", 100), "a b(overspill x]");
        assert_eq!(one_line("abcdef", 3), "abc…");
    }

    #[test]
    fn base64_in_chunks_is_decoded() {
        for (base64, text) in [("aGVsbG8=", "hello"), ("aGVsbG8h", "hello!"), ("", ""), ("aA", "h")]
        {
            for chunk in 1..=base64.len().max(1) {
                let mut decoder = Decoder::default();
                let chunks = base64.as_bytes().chunks(chunk);
                let out: Vec<u8> = chunks.flat_map(|chunk| decoder.decode(chunk)).collect();
                assert_eq!(out, text.as_bytes());
            }
        }
    }
}
