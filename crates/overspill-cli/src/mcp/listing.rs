//! Changes the list of tools that a server sends to its client.

use std::collections::BTreeMap;
use std::sync::Arc;

use overspill::internal::tool::is_checkable;
use overspill::internal::tool::walk::Structured;
use serde_json::{Map, Value};

/// The field of a tool that tells the client how many characters a result may have.
const MOST_SHOWN: &str = "anthropic/maxResultSizeChars";

/// An answer with which a server lists its tools.
#[derive(Debug)]
pub(super) struct Listing {
    frame: Value,
}

impl Listing {
    /// Reads an answer. Returns `None` if it is not a list of tools.
    pub(super) fn read(frame: &[u8]) -> Option<Listing> {
        let frame: Value = serde_json::from_slice(frame).ok()?;
        frame.get("result")?.get("tools")?.as_array()?;
        Some(Listing { frame })
    }

    /// Returns the names of the tools.
    pub(super) fn names(&self) -> Vec<&str> {
        self.tools().filter_map(|tool| tool.get("name")?.as_str()).collect()
    }

    /// Returns the schemas that tools have for their structured content, if overspill can check
    /// them.
    pub(super) fn schemas(&self) -> BTreeMap<String, Arc<Value>> {
        let schema = |tool: &Value| {
            let schema = tool.get("outputSchema").filter(|schema| is_checkable(schema))?;
            Some((tool.get("name")?.as_str()?.to_owned(), Arc::new(schema.clone())))
        };
        self.tools().filter_map(schema).collect()
    }

    /// Tells whether this is the last page of the list.
    fn is_last_page(&self) -> bool {
        self.frame["result"].get("nextCursor").is_none_or(Value::is_null)
    }

    fn tools(&self) -> impl Iterator<Item = &Value> {
        self.frame["result"]["tools"].as_array().into_iter().flatten()
    }

    /// Changes the description of each tool, and adds the retrieval tools to the last page.
    pub(super) fn changed(
        mut self,
        ours: Vec<Value>,
        most_chars: Option<u64>,
        structured: impl Fn(&str) -> Structured,
    ) -> Vec<u8> {
        let is_last_page = self.is_last_page();
        let Some(tools) = self.frame["result"]["tools"].as_array_mut() else { return Vec::new() };
        for tool in tools.iter_mut() {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let Some(tool) = tool.as_object_mut() else { continue };
            // A client that knows the schema refuses a result without structured content.
            let is_dropped = match structured(&name) {
                Structured::Drop => true,
                Structured::Shrink => !tool.get("outputSchema").is_some_and(is_checkable),
                Structured::Keep => false,
            };
            if is_dropped {
                tool.shift_remove("outputSchema");
            }
            say_most_shown(tool, most_chars);
        }
        if is_last_page {
            tools.extend(ours.into_iter().map(|mut tool| {
                if let Some(tool) = tool.as_object_mut() {
                    say_most_shown(tool, most_chars);
                }
                tool
            }));
        }
        let mut frame = self.frame.to_string().into_bytes();
        frame.push(b'\n');
        frame
    }
}

/// Tells the client how many characters a result may have, so that the client does not cut it
/// again.
fn say_most_shown(tool: &mut Map<String, Value>, most_chars: Option<u64>) {
    /// The number of characters that a client may add itself.
    const MARGIN: u64 = 500;
    let Some(most) = most_chars else { return };
    let meta = tool.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
    if let Some(meta) = meta.as_object_mut()
        && !meta.contains_key(MOST_SHOWN)
    {
        meta.insert(MOST_SHOWN.into(), (most + MARGIN).into());
    }
}
