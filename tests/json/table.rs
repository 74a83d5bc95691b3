//! One table of odd JSON texts. Every reader of JSON must give the answer of the table, however the
//! text is split into chunks.
//!
//! Each crate includes this file and brings its own readers.

#![allow(dead_code, reason = "not every crate uses all of it")]

use serde_json::Value;

/// A text, and whether it is valid JSON.
pub(crate) struct OddText {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_valid: bool,
    /// The readers that give the other answer on purpose: each with its reason.
    except: Vec<String>,
}

/// Returns all texts of the table.
pub(crate) fn odd_texts() -> Vec<OddText> {
    let rows: Vec<Value> = serde_json::from_str(include_str!("texts.json")).unwrap();
    rows.iter().map(OddText::of).collect()
}

impl OddText {
    fn of(row: &Value) -> OddText {
        let except = row["except"].as_object();
        OddText {
            name: row["name"].as_str().unwrap().to_owned(),
            bytes: bytes_of(row),
            is_valid: row["valid"].as_bool().unwrap(),
            except: except.map(|reasons| reasons.keys().cloned().collect()).unwrap_or_default(),
        }
    }

    /// Tells whether this reader accepts the text.
    fn is_accepted_by(&self, reader: &str) -> bool {
        self.is_valid != self.except.iter().any(|name| name == reader)
    }
}

/// A row has `text`, `hex` for bytes that are not UTF-8, or `parts` with the count of each.
fn bytes_of(row: &Value) -> Vec<u8> {
    if let Some(text) = row["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    if let Some(hex) = row["hex"].as_str() {
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        return (0..hex.len()).step_by(2).map(digit).collect();
    }
    let part = |part: &Value| {
        let count = usize::try_from(part[1].as_u64().unwrap()).unwrap();
        part[0].as_str().unwrap().repeat(count).into_bytes()
    };
    row["parts"].as_array().unwrap().iter().flat_map(part).collect()
}

/// Returns the text in one piece, byte by byte, and split at every byte; longer texts in chunks.
pub(crate) fn chunkings(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut all = vec![vec![bytes]];
    all.extend([1, 7, 4096].map(|len| bytes.chunks(len).collect()));
    if bytes.len() <= 200 {
        all.extend((1..bytes.len()).map(|at| vec![&bytes[..at], &bytes[at..]]));
    }
    all
}

/// Fails if `accepts` gives another answer than the table, for any chunks of any text.
pub(crate) fn check(reader: &str, accepts: impl Fn(&[&[u8]]) -> bool) {
    let mut others = Vec::new();
    for text in odd_texts() {
        let expected = text.is_accepted_by(reader);
        let is_other = |chunks: &Vec<&[u8]>| accepts(chunks) != expected;
        if let Some(chunks) = chunkings(&text.bytes).iter().find(|chunks| is_other(chunks)) {
            let what = if expected { "refused" } else { "accepted" };
            let lens: Vec<usize> = chunks.iter().map(|chunk| chunk.len()).take(3).collect();
            others.push(format!("{}: {what}, in chunks of {lens:?}", text.name));
        }
    }
    assert!(others.is_empty(), "{reader} gives another answer:\n{}", others.join("\n"));
}
