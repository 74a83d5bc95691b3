//! Reads transcripts of Codex CLI: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-….jsonl`. Tested with
//! version 0.169.0.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, exit_after,
    list, start_of, string, text_of,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "codex",
    begins: |start| {
        start.contains("\"type\":\"session_meta\"") || start.contains("\"type\":\"response_item\"")
    },
    reader: || Box::new(Reader::default()),
    is_document: false,
};

/// Shorter lines with a whole output are ignored, because the agent gets short outputs whole.
const WHOLE: usize = 8_000;
/// The largest number of bytes of an output that the transcript can have.
const RECORDED: usize = 65_536;
/// The number of whole outputs that wait for the line with the text that the agent gets.
const WAITING: usize = 8;
/// The text between the header and the output.
const HEADER_END: &str = "\nOutput:\n";
/// The start of an output that Codex has cut.
const CUT: &str = "Warning: truncated output";

#[derive(Default)]
struct Reader {
    /// Whole outputs, each with the id of its call.
    waiting: VecDeque<(String, String)>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
    name: Option<String>,
    call_id: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Ended<'a> {
    #[serde(borrow)]
    item: Option<Item<'a>>,
    /// Earlier versions have the fields of the item here.
    call_id: Option<String>,
    #[serde(borrow)]
    aggregated_output: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    id: Option<String>,
    #[serde(borrow)]
    aggregated_output: Option<&'a RawValue>,
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        let start = start_of(line, 400);
        if start.contains("\"type\":\"event_msg\"") {
            if line.len() > WHOLE && line.contains("\"aggregated_output\":") {
                self.keep(line)?;
            }
            return Ok(());
        }
        let is_item = start.contains("\"type\":\"response_item\"");
        if !is_item {
            // Other lines have no events, so they are not parsed.
            if start.contains("\"type\":\"session_meta\"") {
                take(SessionEvent::Told(line));
            }
            return Ok(());
        }
        let Line { payload } = serde_json::from_str(line)?;
        let Some(payload) = payload else { return Ok(()) };
        let payload: Payload<'_> = serde_json::from_str(payload.get())?;
        let id = payload.call_id.unwrap_or_default();
        let tool = payload.name.unwrap_or_default();
        match payload.kind.as_deref() {
            Some("message") if payload.role.as_deref() == Some("assistant") => {
                text_of(payload.content)
                    .into_iter()
                    .for_each(|text| take(SessionEvent::Said(text)));
            }
            Some("reasoning") => {
                text_of(payload.summary)
                    .into_iter()
                    .for_each(|text| take(SessionEvent::Said(text)));
            }
            Some("function_call") => {
                // The arguments are JSON in a JSON string.
                let raw = payload.arguments.map_or("", RawValue::get);
                let arguments = string(payload.arguments).unwrap_or(Cow::Borrowed(raw));
                let command = command_in(&arguments);
                take(SessionEvent::ToolCall(ToolCall { id, tool, command, arguments }));
            }
            Some("local_shell_call") => {
                let arguments = Cow::Borrowed(payload.action.map_or("", RawValue::get));
                let command = command_in(&arguments);
                let tool = "shell".to_owned();
                take(SessionEvent::ToolCall(ToolCall { id, tool, command, arguments }));
            }
            Some("custom_tool_call") => {
                let arguments = Cow::Borrowed(payload.input.map_or("", RawValue::get));
                take(SessionEvent::ToolCall(ToolCall { id, tool, command: None, arguments }));
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let shown = shown(payload.output);
                let whole = self.waiting.iter().position(|(waiting, _)| *waiting == id);
                let whole = whole.and_then(|at| self.waiting.remove(at)).map(|(_, whole)| whole);
                take(SessionEvent::ToolOutput(output(id, shown, whole)));
            }
            _ => take(SessionEvent::Told(line)),
        }
        Ok(())
    }
}

impl Reader {
    /// Remembers a whole output until the line with the text that the agent gets.
    fn keep(&mut self, line: &str) -> serde_json::Result<()> {
        let Line { payload } = serde_json::from_str(line)?;
        let Some(payload) = payload else { return Ok(()) };
        let Ended { item, call_id, aggregated_output } = serde_json::from_str(payload.get())?;
        let (id, output) = match item {
            Some(item) => (item.id, item.aggregated_output),
            None => (call_id, aggregated_output),
        };
        if let (Some(id), Some(output)) = (id, string(output)) {
            self.waiting.push_back((id, output.into_owned()));
            if self.waiting.len() > WAITING {
                self.waiting.pop_front();
            }
        }
        Ok(())
    }
}

/// Returns the text that the agent got: a string, a list of parts, or JSON with an `output` in a
/// string.
fn shown(raw: Option<&RawValue>) -> Cow<'_, str> {
    #[derive(Deserialize)]
    struct Wrapped {
        output: String,
    }
    let text = text_of(raw).unwrap_or_default();
    if text.starts_with("{\"output\":")
        && let Ok(Wrapped { output }) = serde_json::from_str(&text)
    {
        return Cow::Owned(output);
    }
    if text.is_empty() && !list(raw).is_empty() { Cow::Borrowed("") } else { text }
}

fn output(id: String, shown: Cow<'_, str>, whole: Option<String>) -> ToolOutput<'_> {
    let head = start_of(&shown, 400);
    let header = head.find(HEADER_END).map_or(0, |at| at + HEADER_END.len());
    let is_cut = shown[header..].starts_with(CUT) || shown.contains(" truncated…");
    let failed = exit_after(&shown[..header], "exited with code ").map(|code| code != 0);
    // The transcript does not have the whole of a longer output.
    let whole = whole.filter(|whole| is_cut && whole.len() < RECORDED).map(Cow::Owned);
    ToolOutput { header, whole, is_cut, failed, ..ToolOutput::new(id, shown) }
}
