//! Copilot CLI: `toolResult` in, `modifiedResult` out. The whole text may be in a file.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use serde_json::{Value, json};

use super::{HookContent, HookFormat, HookResult, has_little_beside, host_file, text};
use crate::env::Env;

#[derive(Debug)]
pub(crate) struct CopilotFormat;

const RESULT: &str = "toolResult";
const TEXT: &str = "textResultForLlm";

/// The start of a text whose whole version is in a file of the host.
const TOO_LARGE: &str = "Output too large to read at once (";
const SAVED_TO: &str = "). Saved to: ";
/// The heading above the start of the text that the host shows.
const PREVIEW: &str = "\n\nPreview (first 500 chars):\n";
/// A part of the names of the host's files.
const NAME: &str = "-copilot-tool-output-";
/// The start of the last line after a command, which contains the exit code.
const ENDED: &str = "\n<shellId: ";
/// The largest number of bytes that the last line of the host can have. A longer last line is
/// output of the tool.
const LONGEST_END: usize = 200;
/// The number of bytes of the preview that are compared with the file. The host may have changed
/// its end.
const COMPARED: usize = 400;

impl HookFormat for CopilotFormat {
    fn result_field(&self, payload: &Value) -> Option<&'static str> {
        payload.get(RESULT).map(|_| RESULT)
    }

    fn decode(&self, payload: &Value, _: &Env) -> Option<HookResult> {
        let result = payload.get(RESULT)?;
        let command = payload.get("toolArgs").and_then(|arguments| text(arguments, "command"));
        let is_known = result.as_object().is_none_or(|fields| has_little_beside(fields, &[TEXT]));
        let content = match text(result, TEXT).filter(|_| is_known) {
            Some(all) => match saved(&all) {
                Some(file) => HookContent::File(file, parted(&all).0.to_owned()),
                None => HookContent::Text(parted(&all).0.to_owned()),
            },
            None => HookContent::Any(result.clone()),
        };
        Some(HookResult { tool: text(payload, "toolName")?, command, content })
    }

    fn encode(&self, payload: &Value, shortened: Value) -> Value {
        let Value::String(shown) = &shortened else { return self.replace(shortened) };
        let mut result = payload.get(RESULT).cloned().unwrap_or_default();
        let all = text(&result, TEXT).unwrap_or_default();
        let shown = shown.trim_end_matches('\n').to_owned();
        result[TEXT] = (shown + parted(&all).1).into();
        self.replace(result)
    }

    fn replace(&self, result: Value) -> Value {
        json!({ "modifiedResult": result })
    }

    fn sample(&self, text: &str) -> Value {
        json!({
            "toolName": "bash", "toolArgs": {"command": "x"},
            "toolResult": {"resultType": "success", TEXT: text},
        })
    }
}

/// Splits a text before its last line, if that is the line about the end of the command.
fn parted(all: &str) -> (&str, &str) {
    let is_end =
        |line: &str| line.ends_with('>') && line.len() <= LONGEST_END && !line.contains('\n');
    let at = all.rfind(ENDED).filter(|at| is_end(all[at + 1..].trim_end()));
    all.split_at(at.unwrap_or(all.len()))
}

/// Opens the file with the whole text, if the text names such a file.
///
/// A tool can print the same text and name any file. So the file must have a name that the host
/// gives, not be a link, belong to the user, and begin with the text of the preview.
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
