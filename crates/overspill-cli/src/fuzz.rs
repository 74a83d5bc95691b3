//! The modules of the program as a library, for the fuzz targets in `fuzz/`. The program does not have
//! this file.
//!
//! Each target takes any bytes. It panics if a promise does not hold.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "the targets use a part of the program")]

mod args;
#[path = "no_bucket.rs"]
mod bucket;
mod command;
mod env;
mod find;
mod hosts;
mod jsonc;
mod mcp;
mod open;
mod process;
mod settings;
mod setup;
mod stores;
mod tokenizer;
mod ui;
mod undelivered;

use overspill::{Call, Overspill, Profile};
use overspill::core::internal::json::JsonTokens;
use overspill::core::internal::text::clean as cleaned;
use overspill::store::Memory;
use serde_json::{Value, json};

/// Cleans an output and makes a preview of it.
pub fn clean(data: &[u8]) {
    let text = cleaned(data).text;
    assert!(!text.chars().any(|char| char == '\u{1b}'), "an escape passes");
    // A long output, so that there is a preview.
    let engine = Overspill::new(Profile::OWN, Memory::default());
    let long = data.repeat(100_000 / data.len().max(1) + 1);
    let outcome = engine.process(&long, &Call::default());
    assert!(outcome.bytes().len() <= 51_200 || data.is_empty(), "the preview is too long");
}

/// Reads JSON in chunks.
pub fn json(data: &[u8]) {
    let (size, data) = data.split_first().map_or((1, data), |(size, data)| (*size, data));
    let mut tokens = JsonTokens::default();
    let mut is_json = true;
    'chunks: for mut chunk in data.chunks(usize::from(size).max(1)) {
        while !chunk.is_empty() {
            let Ok((_, len)) = tokens.next(chunk) else {
                is_json = false;
                break 'chunks;
            };
            assert!(len > 0 && len <= chunk.len());
            chunk = &chunk[len..];
        }
    }
    let is_value = serde_json::from_slice::<Value>(data).is_ok_and(|value| !value.is_number());
    assert!(!is_value || is_json && tokens.is_done(), "valid JSON is refused");
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
        jsonc::Jsonc::parse(&after.without_item(&["list"], 0)).expect("without the item it is JSON");
    }
}

/// Reads a settings file.
pub fn settings(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        settings::fuzz::file(text);
    }
}
