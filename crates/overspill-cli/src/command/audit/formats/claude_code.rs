//! Reads transcripts of Claude Code: `~/.claude/projects/PROJECT/SESSION.jsonl`. Tested with
//! version 2.1.326.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, items,
    string, text_of,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "claude-code",
    begins: |start| {
        start.contains("\"sessionId\":")
            && ["\"parentUuid\":", "\"type\":\"queue-operation\"", "\"leafUuid\":"]
                .iter()
                .any(|mark| start.contains(mark))
    },
    reader: || Box::new(Reader),
    is_document: false,
};

/// The types of lines that repeat other lines, or that the agent does not get.
const PASSED_OVER: [&str; 9] = [
    "api-request",
    "queue-operation",
    "last-prompt",
    "atis-latch",
    "tools-used",
    "cost-state",
    "file-history-snapshot",
    "progress",
    "summary",
];
/// The tag around the start of an output that Claude Code has saved in a file.
const SAVED: &str = "<persisted-output>";
/// The text before the output of a command that failed.
const EXIT: &str = "Exit code ";

struct Reader;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow, rename = "toolUseResult")]
    result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    is_error: Option<bool>,
}

#[derive(Deserialize)]
struct Persisted {
    #[serde(rename = "persistedOutputPath")]
    path: Option<String>,
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        if let Some(kind) = line.strip_prefix("{\"type\":\"")
            && PASSED_OVER.iter().any(|passed| kind.starts_with(passed))
        {
            return Ok(());
        }
        if !line.contains("\"message\":") {
            take(SessionEvent::Told(line));
            return Ok(());
        }
        let Line { message, result } = serde_json::from_str(line)?;
        let Some(message) = message else {
            take(SessionEvent::Told(line));
            return Ok(());
        };
        let is_agent = message.role.as_deref() == Some("assistant");
        if let Some(text) = string(message.content) {
            take(if is_agent { SessionEvent::Said(text) } else { SessionEvent::Told(line) });
            return Ok(());
        }
        for block in items::<Block<'_>>(message.content)? {
            match block.kind.as_deref() {
                Some("text") if !is_agent => {
                    take(SessionEvent::Told(block.text.map_or("", RawValue::get)));
                }
                Some("text" | "thinking") => {
                    let text = string(block.text.or(block.thinking));
                    text.into_iter().for_each(|text| take(SessionEvent::Said(text)));
                }
                Some("tool_use") => {
                    let arguments = block.input.map_or("", RawValue::get);
                    let tool = block.name.unwrap_or_default();
                    let command =
                        command_in(arguments).filter(|_| matches!(&*tool, "Bash" | "PowerShell"));
                    let id = block.id.unwrap_or_default();
                    take(SessionEvent::ToolCall(ToolCall {
                        id,
                        tool,
                        command,
                        arguments: arguments.into(),
                    }));
                }
                Some("tool_result") => {
                    let shown = text_of(block.content).unwrap_or_default();
                    let id = block.tool_use_id.unwrap_or_default();
                    let failed = block.is_error;
                    take(SessionEvent::ToolOutput(output(id, shown, failed, result)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn output<'a>(
    id: String,
    shown: Cow<'a, str>,
    failed: Option<bool>,
    result: Option<&RawValue>,
) -> ToolOutput<'a> {
    let exit = shown.strip_prefix(EXIT).filter(|_| failed == Some(true));
    let header = match exit.and_then(|rest| rest.find('\n')) {
        Some(end) => EXIT.len() + end + 1,
        None => 0,
    };
    let is_saved = shown.starts_with(SAVED);
    let is_cut = is_saved || shown.contains(" characters truncated] ...");
    let saved = result.filter(|_| is_saved).and_then(|result| {
        let Persisted { path } = serde_json::from_str(result.get()).ok()?;
        path.map(Into::into)
    });
    ToolOutput { header, saved, is_cut, failed, ..ToolOutput::new(id, shown) }
}
