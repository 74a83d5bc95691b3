//! Finds the lines of an output with a sign of failure. The page marks them on its map.

use std::time::{Duration, Instant};

use overspill::core::Kind;
use overspill::core::internal::has_failure_word;
use overspill::core::internal::text::clean;
use overspill::internal::store::Record;
use overspill::store::{OutputId, Store};
use serde_json::{Value, json};

/// The largest number of lines that are found.
const MOST_LINES: usize = 2_000;
/// The longest time for reading an output.
const TIME: Duration = Duration::from_millis(500);
/// The number of bytes that are read at a time.
const CHUNK: u64 = 1 << 20;
/// The number of bytes of a line that are checked.
const LINE_START: usize = 4 << 10;

/// Returns the offsets of lines with a sign of failure, up to the limits on lines and time.
pub(super) fn failures(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
) -> anyhow::Result<Value> {
    let kind = record.preview.as_ref().map_or("", |preview| preview.kind.as_str());
    let total = store.entry(name)?.bytes;
    let mut found = FailureScan::default();
    let mut at = 0;
    let until = Instant::now() + TIME;
    let reads = Kind::named(kind).is_none_or(Kind::tells_failures);
    while reads && at < total && found.places.len() < MOST_LINES && Instant::now() < until {
        let chunk = store.read(name, at..total.min(at + CHUNK))?;
        if chunk.is_empty() {
            break;
        }
        found.push(&chunk, at);
        at += chunk.len() as u64;
    }
    if at >= total {
        found.end_line();
    }
    Ok(json!({ "id": name, "places": found.places, "read": at, "total": total }))
}

/// A scan of an output that comes in chunks.
#[derive(Default)]
struct FailureScan {
    /// The offsets of the lines found so far.
    places: Vec<u64>,
    /// The first bytes of the current line.
    line: Vec<u8>,
    /// The offset of the current line.
    line_at: u64,
}

impl FailureScan {
    /// Scans the next chunk, which begins at the offset `at`.
    fn push(&mut self, chunk: &[u8], at: u64) {
        let mut from = 0;
        for feed in memchr::memchr_iter(b'\n', chunk) {
            self.extend_line(&chunk[from..feed]);
            self.end_line();
            from = feed + 1;
            self.line_at = at + from as u64;
        }
        self.extend_line(&chunk[from..]);
    }

    fn extend_line(&mut self, part: &[u8]) {
        let room = LINE_START - self.line.len();
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn end_line(&mut self) {
        if self.places.len() < MOST_LINES && has_failed(&self.line) {
            self.places.push(self.line_at);
        }
        self.line.clear();
    }
}

/// Tells whether a line has a sign of failure, also between colour codes.
fn has_failed(line: &[u8]) -> bool {
    match memchr::memchr(0x1b, line) {
        Some(_) => has_failure_word(clean(line).text.as_bytes()),
        None => has_failure_word(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_found_at_the_start_of_a_line_of_any_length() {
        let long = "x".repeat(9_000);
        let text = format!(
            "error: one {long}\nstep passed\n\x1b[31merror\x1b[0m: two\n{long} error\nerror: end"
        );
        for size in [1, 7, 5_000, text.len()] {
            let mut found = FailureScan::default();
            for (nth, chunk) in text.as_bytes().chunks(size).enumerate() {
                found.push(chunk, (nth * size) as u64);
            }
            found.end_line();
            let at = |word: &str| text.find(word).unwrap() as u64;
            assert_eq!(found.places, [0, at("\x1b"), at("error: end")], "chunks of {size}");
        }
    }
}
