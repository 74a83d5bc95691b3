//! Reads transcripts of pi: `~/.pi/agent/sessions/PROJECT/….jsonl`. Tested with version 0.87.1.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, end_of,
    items, string, text_of,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "pi",
    begins: |start| start.starts_with("{\"type\":\"session\",\"version\":"),
    reader: || Box::new(Reader),
    is_document: false,
};

struct Reader;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(rename = "toolCallId")]
    id: Option<String>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        let Line { message } = serde_json::from_str(line)?;
        let Some(message) = message else { return Ok(()) };
        match message.role.as_deref() {
            Some("assistant") => {
                for part in items::<Part<'_>>(message.content)? {
                    if part.kind.as_deref() == Some("toolCall") {
                        let arguments = part.arguments.map_or("", RawValue::get);
                        let tool = part.name.unwrap_or_default();
                        let command = command_in(arguments).filter(|_| tool == "bash");
                        let id = part.id.unwrap_or_default();
                        take(SessionEvent::ToolCall(ToolCall {
                            id,
                            tool,
                            command,
                            arguments: arguments.into(),
                        }));
                    } else {
                        let text = string(part.text.or(part.thinking));
                        text.into_iter().for_each(|text| take(SessionEvent::Said(text)));
                    }
                }
            }
            Some("toolResult") => {
                let shown = text_of(message.content).unwrap_or_default();
                // pi ends an output that it has cut with one of these texts.
                let end = end_of(&shown, 300);
                let is_cut = end.contains("[Showing lines ") || end.contains("Full output: ");
                let (id, failed) = (message.id.unwrap_or_default(), message.is_error);
                let output = ToolOutput { is_cut, failed, ..ToolOutput::new(id, shown) };
                take(SessionEvent::ToolOutput(output));
            }
            _ => take(SessionEvent::Told(line)),
        }
        Ok(())
    }
}
