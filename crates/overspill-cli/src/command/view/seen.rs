//! Returns the text that the agent saw of an output.

use overspill::internal::retrieve::{self, SeenPart, SeenText};
use overspill::internal::store::Record;
use overspill::store::{OutputId, Store};
use serde_json::{Value, json};

use crate::command::explain;
use crate::env::Env;

/// Returns the text that the agent saw as parts in JSON: parts of the output, and words of
/// overspill.
pub(super) fn seen(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
    env: &Env,
) -> anyhow::Result<Value> {
    let mut seen = retrieve::seen(store, name, record)?;
    let is_outline =
        record.preview.as_ref().is_some_and(|it| it.kind == "json") && record.shown.is_empty();
    if !seen.is_exact && is_outline {
        seen = with_outline(store, name, record, seen, env)?;
    }
    let part = |part: &SeenPart| match part {
        SeenPart::Words(text) => json!({ "words": text }),
        SeenPart::Piece { text, bytes } => {
            json!({ "text": text, "bytes": [bytes.start, bytes.end] })
        }
    };
    let parts: Vec<Value> = seen.parts.iter().map(part).collect();
    let bytes: usize = seen.parts.iter().map(|part| part.text().len()).sum();
    // If the agent got lines while the command ran, the preview did not come in exactly this form.
    let is_all = seen.besides == Some(0);
    Ok(json!({
        "id": name, "exact": seen.is_exact && is_all, "bytes": bytes, "besides": seen.besides,
        "on_terminal": record.on_terminal, "parts": parts,
    }))
}

/// Makes the outline of a JSON output again and adds the outline to the seen text. The checksum
/// tells whether the text is the same as the text that the agent got.
fn with_outline(
    store: &dyn Store,
    name: &OutputId,
    record: &Record,
    seen: SeenText,
    env: &Env,
) -> anyhow::Result<SeenText> {
    let Some(preview) = record.preview.clone() else { return Ok(seen) };
    let outline = explain::outline_again(store, name, record, preview, env)?;
    Ok(match outline {
        Some(outline) => seen.with_outline(outline, record),
        None => seen,
    })
}
