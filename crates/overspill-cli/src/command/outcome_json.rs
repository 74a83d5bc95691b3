//! What became of an output, for a program.

use overspill::core::{LineRule, Size, Span};
use overspill::store::Kept;
use overspill::{Outcome, Spilled};
use serde_json::{Value, json};

/// Returns an outcome as one object:
///
/// | field | what |
/// | --- | --- |
/// | `spilled` | whether the output was too large |
/// | `text` | what the reader gets, notice included |
/// | `lossy` | whether not all that is shown is byte for byte the output's: bytes that are no UTF-8 replaced, and in a preview colours dropped and control bytes made visible |
/// | `id`, `path` | the saved output; `null` where nothing is saved |
/// | `complete` | whether all of the output is in `text` or in the saved copy |
/// | `total`, `shown` | `bytes`, `lines` and `chars` of the output, and of what is shown of it |
/// | `pieces`, `gaps` | what is shown and what is left out: `bytes` from and up to, `lines` first and last |
/// | `error` | why it could not be saved; `null` where nothing failed |
///
/// Lines of what was not cut are counted by `lines`, as the profile counts the others.
pub(crate) fn of(outcome: &Outcome, lines: LineRule) -> Value {
    match outcome {
        Outcome::Whole(bytes) => whole(bytes, lines),
        Outcome::Spilled(spilled) => cut(spilled),
    }
}

fn whole(bytes: &[u8], lines: LineRule) -> Value {
    let text = String::from_utf8_lossy(bytes);
    let size = Size::of(bytes, lines);
    let pieces = if bytes.is_empty() {
        json!([])
    } else {
        json!([{ "bytes": [0, size.bytes], "lines": [1, size.lines] }])
    };
    json!({
        "spilled": false,
        "text": text,
        "lossy": text.as_bytes() != bytes,
        "id": null,
        "path": null,
        "complete": text.as_bytes() == bytes,
        "total": size_of(&size),
        "shown": size_of(&size),
        "pieces": pieces,
        "gaps": [],
        "error": null,
    })
}

fn cut(spilled: &Spilled) -> Value {
    let saved = spilled.saved.as_ref();
    let spans = |spans: &mut dyn Iterator<Item = Span>| -> Vec<Value> {
        spans
            .map(|Span { bytes, first_line, last_line, .. }| {
                json!({ "bytes": [bytes.start, bytes.end], "lines": [first_line, last_line] })
            })
            .collect()
    };
    let cut = spilled.cut.as_ref();
    json!({
        "spilled": true,
        "text": spilled.text,
        "lossy": cut.is_none_or(|cut| cut.pieces.iter().any(|piece| piece.altered > 0)),
        "id": saved.ok().map(|saved| saved.name.to_string()),
        "path": saved.ok().map(|saved| &saved.path),
        "complete": saved.is_ok_and(|saved| saved.kept == Kept::Whole),
        "total": size_of(&spilled.total),
        "shown": size_of(&spilled.shown),
        "pieces": cut.map(|cut| spans(&mut cut.spans().iter().cloned())),
        "gaps": cut.map(|cut| spans(&mut cut.gaps())),
        "error": saved.err().map(ToString::to_string),
    })
}

fn size_of(size: &Size) -> Value {
    json!({ "bytes": size.bytes, "lines": size.lines, "chars": size.chars })
}
