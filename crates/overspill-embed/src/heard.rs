//! Converts an event for an observer into JSON.

use overspill::{Event, EventKind};
use serde_json::{Value, json};

/// Returns the event of a call. Its `type` is `skipped`, `spilled` or `failed`.
pub fn event(event: &Event) -> Value {
    let (what, path, error) = match &event.what {
        EventKind::Skipped => ("skipped", None, None),
        EventKind::Spilled { path } => ("spilled", *path, None),
        EventKind::Failed { error } => ("failed", None, Some(error.to_string())),
    };
    json!({
        "type": what,
        "tool": event.call.tool,
        "call_id": event.call.id,
        "session": event.call.session,
        "original_bytes": event.original_bytes,
        "shown_bytes": event.shown_bytes,
        "path": path,
        "error": error,
    })
}
