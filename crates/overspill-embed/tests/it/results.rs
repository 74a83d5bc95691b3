//! Tests the shared table of tool results through the functions that the packages call.

#[path = "../../../../tests/results/table.rs"]
mod table;

use overspill::tool::{Gates, ShortenedResult};
use overspill_embed::{CallRequest, Setup, apply};
use serde_json::json;
use table::{MAX_BYTES, MAX_CHARS, MAX_LINES, cases};

#[test]
fn packages_shorten_every_kind_of_part() {
    for case in cases() {
        let options = json!({
            "store": "memory", "maxBytes": MAX_BYTES, "maxLines": MAX_LINES, "maxChars": MAX_CHARS,
        });
        let engine = Setup::from_json(&options).unwrap().overspill(&|_| None, "/".into());
        let asked = CallRequest::from_json(&json!({"tool": "tool"})).unwrap();
        let after = match apply(&engine, &case.result, &asked, &Gates::default()) {
            ShortenedResult::Unchanged => None,
            ShortenedResult::Changed(after) => Some(after),
        };
        let entries = engine.store().list().unwrap();
        let saved = entries.iter().map(|entry| engine.store().read(&entry.name, 0..u64::MAX));
        case.check("package", after.as_ref(), saved.map(Result::unwrap).collect());
    }
}
