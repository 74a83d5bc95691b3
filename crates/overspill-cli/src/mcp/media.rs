//! Pictures, sounds and blobs: passed on as they are, or put into a file if they are very large.

use overspill::store::{Draft, SpillRef};
use overspill::{Call, Overspill};

/// Something in base64 that is put into a file as it passes.
#[derive(Debug)]
pub(super) struct Media {
    draft: Box<dyn Draft>,
    decoder: Decoder,
    bytes: u64,
}

/// A file that something was put into.
#[derive(Debug)]
pub(super) struct Filed {
    saved: SpillRef,
    bytes: u64,
}

impl Media {
    /// Begins a file, if there can be one.
    pub(super) fn begin(engine: &Overspill, call: &Call) -> Option<Media> {
        let draft = engine.store().create(call).ok()?;
        Some(Media { draft, decoder: Decoder::default(), bytes: 0 })
    }

    /// Takes more of it; tells whether that worked.
    pub(super) fn push(&mut self, base64: &[u8]) -> bool {
        let decoded = self.decoder.decode(base64);
        self.bytes += decoded.len() as u64;
        self.draft.append(&decoded).is_ok()
    }

    pub(super) fn end(self) -> Option<Filed> {
        Some(Filed { saved: self.draft.publish().ok()?, bytes: self.bytes })
    }
}

impl Filed {
    /// Says what is in the file and where it is.
    pub(super) fn words(&self, kind: &str, uri: Option<&str>) -> String {
        let (token, path) = (self.saved.name.token(), &self.saved.path);
        let of = uri.map_or(String::new(), |uri| format!(" of {}", crate::ui::short(uri, 200)));
        let kind = crate::ui::short(kind, 100);
        format!("[overspill {token}: {kind}{of}, {} bytes, is in this file: {path}]", self.bytes)
    }
}

/// Decodes base64 of either alphabet; whatever else there is, is skipped.
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
    fn base64_is_decoded_in_pieces() {
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
