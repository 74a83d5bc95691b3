//! The lines of an output that have a sign of failure, for the marks beside it.

use std::time::{Duration, Instant};

use overspill::core::internal::has_failure_word;
use overspill::core::internal::text::clean;
use overspill::internal::store::Record;
use overspill::store::{OutputId, Store};
use serde_json::{Value, json};

/// So many lines are named.
const MOST: usize = 2_000;
/// So long the output is read.
const TIME: Duration = Duration::from_millis(500);
const CHUNK: u64 = 1 << 20;
/// Kinds of output in which words of failure say that something failed.
const KINDS: [&str; 5] = ["failing-log", "test-run", "tap", "plain", "ends"];

/// Returns where lines with a sign of failure begin, as far as the time allows.
pub(super) fn failures(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
) -> anyhow::Result<Value> {
    let kind = record.preview.as_ref().map_or("", |preview| preview.kind.as_str());
    let total = store.entry(name)?.bytes;
    let (mut places, mut at) = (Vec::new(), 0);
    let until = Instant::now() + TIME;
    let mut rest: Vec<u8> = Vec::new();
    let reads = kind.is_empty() || KINDS.contains(&kind);
    while reads && at < total && places.len() < MOST && Instant::now() < until {
        let chunk = store.read(name, at..total.min(at + CHUNK))?;
        if chunk.is_empty() {
            break;
        }
        let start = at - rest.len() as u64;
        at += chunk.len() as u64;
        rest.extend_from_slice(&chunk);
        // A line that is cut off belongs to the next chunk, unless it is very long.
        let whole = match memchr::memrchr(b'\n', &rest) {
            Some(feed) if at < total => feed + 1,
            _ => rest.len(),
        };
        let mut line_at = 0;
        for feed in memchr::memchr_iter(b'\n', &rest[..whole]).chain((at >= total).then_some(whole))
        {
            let line = &rest[line_at.min(feed)..feed];
            if places.len() < MOST && has_failed(line) {
                places.push(start + line_at as u64);
            }
            line_at = feed + 1;
        }
        rest.drain(..whole);
    }
    Ok(json!({ "id": name, "places": places, "read": at, "total": total }))
}

/// Tells whether a line has a sign of failure. Colours do not hide it.
fn has_failed(line: &[u8]) -> bool {
    let start = &line[..line.len().min(4096)];
    match memchr::memchr(0x1b, start) {
        Some(_) => has_failure_word(clean(start).text.as_bytes()),
        None => has_failure_word(start),
    }
}
