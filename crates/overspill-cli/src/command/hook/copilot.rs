//! Copilot CLI: what a tool has returned, which may be in a file.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use serde_json::{Value, json};

use super::shapes::text;
use super::{Given, What, host_file};

/// How the host begins a text whose whole is in a file.
const TOO_LARGE: &str = "Output too large to read at once (";
const SAVED_TO: &str = "). Saved to: ";
/// How it shows the start of it, and what its files are called.
const PREVIEW: &str = "\n\nPreview (first 500 chars):\n";
const NAME: &str = "-copilot-tool-output-";
/// The last line after a command, which says how it ended.
const ENDED: &str = "\n<shellId: ";
/// As much of a preview as is compared; its end may be the host's.
const COMPARED: usize = 400;

pub(super) fn given(payload: &Value) -> Option<Given> {
    let all = payload.get("toolResult").and_then(|result| text(result, "textResultForLlm"))?;
    let arguments = payload.get("toolArgs");
    let command = arguments.and_then(|arguments| text(arguments, "command"));
    let what = match saved(&all) {
        Some(file) => What::File(file),
        None => What::Text(parted(&all).0.to_owned()),
    };
    Some(Given { tool: text(payload, "toolName")?, command, what })
}

pub(super) fn taken(payload: &Value, bounded: Value) -> Value {
    let mut result = payload.get("toolResult").cloned().unwrap_or_default();
    let all = text(&result, "textResultForLlm").unwrap_or_default();
    let shown = bounded.as_str().unwrap_or_default().trim_end_matches('\n').to_owned();
    result["textResultForLlm"] = (shown + parted(&all).1).into();
    json!({ "modifiedResult": result })
}

/// Parts a text from the line that says how a command ended.
fn parted(all: &str) -> (&str, &str) {
    let at = all.rfind(ENDED).filter(|at| all[at + 1..].trim_end().ends_with('>'));
    all.split_at(at.unwrap_or(all.len()))
}

/// Opens the file that has the whole of a text, if the text says that there is one.
///
/// A tool can print such words too, and name any file. So the file must be one of those that the host
/// makes, no link, the user's own, and begin as the text says.
fn saved(all: &str) -> Option<File> {
    let line = all.strip_prefix(TOO_LARGE)?.lines().next()?;
    let path = Path::new(line.split_once(SAVED_TO)?.1.trim_end());
    let name = path.file_name()?.to_str()?;
    let is_named_so = path.is_absolute() && name.contains(NAME) && name.ends_with(".txt");
    if !is_named_so {
        return None;
    }
    let start = parted(all.split_once(PREVIEW)?.1).0.trim_end_matches('\n');
    let start = &start.as_bytes()[..start.len().min(COMPARED)];
    let mut file = host_file::open(path)?;
    let mut found = vec![0; start.len()];
    file.read_exact(&mut found).ok()?;
    file.rewind().ok()?;
    (found == start).then_some(file)
}
