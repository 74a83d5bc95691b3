//! The targets of `fuzz/`, with the feature `fuzz`. The program does not contain them.
//!
//! Each target takes any bytes, and panics if a promise is broken.

use overspill::core::internal::json::JsonTokens;
use overspill::core::internal::text::clean as cleaned;
use overspill::core::{Limits, Policy};
use overspill::store::Memory;
use overspill::{Call, Overspill, Profile};
use serde_json::{Value, json};

use crate::{jsonc, mcp, serve, settings};

/// Cleans an output and makes a preview of it.
pub fn clean(data: &[u8]) {
    let text = cleaned(data).text;
    assert!(!text.chars().any(|char| char == '\u{1b}'), "an escape passes");
    // The limit is small, so that a small input has a preview: one run over 100,000 bytes takes 30
    // ms.
    let limits = Limits::NONE.bytes(LIMIT as u64).lines(40);
    let policy = Policy { trigger: limits, limits, ..Profile::OWN.policy };
    let engine = Overspill::new(Profile { policy, ..Profile::OWN }, Memory::default());
    let long = data.repeat(2 * LIMIT / data.len().max(1) + 1);
    let outcome = engine.process(&long, &Call::default());
    assert!(outcome.bytes().len() <= LIMIT || data.is_empty(), "the preview is too long");
}

/// The limit of a preview in bytes.
const LIMIT: usize = 2_000;

/// Checks that JSON in chunks is read like JSON at once.
pub fn json(data: &[u8]) {
    let (size, data) = data.split_first().map_or((1, data), |(size, data)| (*size, data));
    let is_json = is_json(data.chunks(usize::from(size).max(1)));
    assert_eq!(is_json, self::is_json([data].into_iter()), "chunks are read differently");
    let is_value = serde_json::from_slice::<Value>(data).is_ok();
    assert!(!is_value || is_json, "valid JSON is refused");
}

fn is_json<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut tokens = JsonTokens::default();
    // The end of a number, or half of a surrogate pair, is known only by the next byte: that token
    // is empty.
    let mut empty = 0;
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let Ok((_, len)) = tokens.next(chunk) else { return false };
            empty = if len == 0 { empty + 1 } else { 0 };
            assert!(len <= chunk.len() && empty < 2, "no progress");
            chunk = &chunk[len..];
        }
    }
    tokens.is_done()
}

/// Checks the head of an HTTP request: one header per line.
pub fn heads(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let mut request = hyper::Request::builder().uri(lines.next().unwrap_or_default());
    for line in lines {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        request = request.header(&line[..colon], line[colon + 1..].trim_ascii());
    }
    let Ok(request) = request.body(()) else { return };
    if !serve::is_answered(&request) {
        return;
    }
    let of = |name: &str| -> Vec<String> {
        let values = request.headers().get_all(name).iter();
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).to_lowercase()).collect()
    };
    assert_eq!(of("authorization"), ["bearer secret"], "the token is wrong");
    let is_local = |host: &str| {
        let rest = ["localhost", "127.0.0.1", "[::1]"].iter().find_map(|it| host.strip_prefix(it));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/', '?', '#']))
    };
    assert!(of("host").len() == 1 && is_local(&of("host")[0]), "{:?}", of("host"));
    for origin in of("origin") {
        let host = ["http://", "https://"].iter().find_map(|it| origin.strip_prefix(it));
        assert!(host.is_some_and(is_local), "{origin}");
    }
}

/// Reads records of a bucket that another machine wrote.
pub fn records(data: &[u8]) {
    overspill::internal::store::bucket::fuzz::records(data);
}

/// Reads and shortens MCP messages.
pub fn frames(data: &[u8]) {
    mcp::fuzz::frames(data);
}

/// Changes JSON with comments.
pub fn jsonc(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(parsed) = jsonc::Jsonc::parse(text) else { return };
    let path = ["a", "b"];
    if let Ok(changed) = parsed.set(&path, &json!("new")) {
        let after = jsonc::Jsonc::parse(&changed).expect("the change is JSON");
        let node = after.get(&path).expect("the value is there");
        assert_eq!(after.value_of(node), Some(json!("new")));
        jsonc::Jsonc::parse(&after.without(&path)).expect("without the value it is JSON");
    }
    if let Ok(changed) = parsed.push(&["list"], &json!({"c": 1})) {
        let after = jsonc::Jsonc::parse(&changed).expect("the change is JSON");
        jsonc::Jsonc::parse(&after.without_item(&["list"], 0))
            .expect("without the item it is JSON");
    }
}

/// Reads a settings file.
pub fn settings(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        settings::fuzz::file(text);
    }
}
