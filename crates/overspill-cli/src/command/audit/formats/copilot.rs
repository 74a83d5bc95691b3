//! Reads transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`. Tested with
//! version 1.0.102.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, list,
    string, text_of,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "copilot",
    begins: |start| start.contains("\"type\":\"session.start\""),
    reader: || Box::new(Reader),
    is_document: false,
};

const CUT: &str = "Output too large to read at once";

/// The types of lines with events.
const EVENTS: [&str; 4] =
    ["assistant.message", "tool.execution_complete", "user.message", "system.message"];

struct Reader;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, rename = "reasoningText")]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow, rename = "toolRequests")]
    requests: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(rename = "toolCallId")]
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Completed<'a> {
    #[serde(rename = "toolCallId")]
    id: Option<String>,
    success: Option<bool>,
    #[serde(rename = "shellExecution")]
    shell: Option<Shell>,
    #[serde(borrow)]
    result: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Shell {
    #[serde(rename = "exitCode")]
    exit: Option<i32>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        // Most lines have no events. Their type is at the start, so they are not parsed.
        if let Some(kind) = line.strip_prefix("{\"type\":\"")
            && !EVENTS.iter().any(|event| kind.starts_with(event))
        {
            return Ok(());
        }
        let Line { kind, data } = serde_json::from_str(line)?;
        let Some(data) = data else { return Ok(()) };
        match kind.as_deref() {
            Some("assistant.message") => {
                let said: Said<'_> = serde_json::from_str(data.get())?;
                for text in [string(said.reasoning), string(said.content)].into_iter().flatten() {
                    take(SessionEvent::Said(text));
                }
                for request in list(said.requests) {
                    let request: Request<'_> = serde_json::from_str(request.get())?;
                    let arguments = request.arguments.map_or("", RawValue::get);
                    let tool = request.name.unwrap_or_default();
                    let command = command_in(arguments).filter(|_| tool == "bash");
                    let id = request.id.unwrap_or_default();
                    take(SessionEvent::ToolCall(ToolCall {
                        id,
                        tool,
                        command,
                        arguments: arguments.into(),
                    }));
                }
            }
            Some("tool.execution_complete") => {
                let done: Completed<'_> = serde_json::from_str(data.get())?;
                let text = done.result.and_then(|result| text_of(result.content));
                let shown = text.unwrap_or_default();
                let is_cut = shown.starts_with(CUT);
                let exit = done.shell.and_then(|shell| shell.exit);
                let failed = exit.map(|code| code != 0).or(done.success.map(|success| !success));
                let id = done.id.unwrap_or_default();
                let output = ToolOutput { is_cut, failed, ..ToolOutput::new(id, shown) };
                take(SessionEvent::ToolOutput(output));
            }
            Some("user.message" | "system.message") => take(SessionEvent::Told(line)),
            _ => {}
        }
        Ok(())
    }
}
