//! Collects the facts about an output: the fields of `overspill list`, the short id, and the saved
//! parts.

use overspill::internal::store::{KeptRange, Record};
use overspill::store::{OutputId, Store};
use serde_json::{Value, json};

use crate::command::list;

/// Returns the facts as JSON. An output that was not saved whole has `kept`: each saved part as a
/// range of the original and as a range of the saved output.
pub(super) fn facts(store: &dyn Store, name: &OutputId, record: &Record) -> anyhow::Result<Value> {
    let mut facts = list::json(store, &store.entry(name)?, record);
    facts["short_id"] = name.short_id().into();
    if let Some(kept) = store.kept_ranges(name)? {
        let range = |it: &KeptRange| {
            let (bytes, stored) = (&it.bytes, &it.stored);
            json!({ "bytes": [bytes.start, bytes.end], "stored": [stored.start, stored.end] })
        };
        facts["kept"] = kept.ranges.iter().map(range).collect();
    }
    Ok(facts)
}
