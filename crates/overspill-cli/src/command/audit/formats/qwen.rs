//! Reads transcripts of Qwen Code: `~/.qwen/projects/PROJECT/chats/SESSION.jsonl`. Tested with
//! version 0.24.4.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::gemini::{FunctionResponse, ResponseText};
use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, end_of,
    exit_after, items, start_of, string,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "qwen",
    begins: |start| {
        start.contains("\"sessionId\":")
            && (start.contains("\"provenance\":") || start.contains("\"parts\":["))
    },
    reader: || Box::new(Reader),
    is_document: false,
};

/// The transcript has only a part of an output of this size or more.
const RECORDED: usize = 32_000;
/// The text before the output in a result.
const HEADER: &str = "\nOutput: ";
/// The start of a result that Qwen Code has cut.
const CUT: &str = "Tool output was too large";

struct Reader;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow, rename = "toolCallResult")]
    result: Option<CallResult<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    parts: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow, rename = "functionCall")]
    call: Option<FunctionCall<'a>>,
    #[serde(borrow, rename = "functionResponse")]
    response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CallResult<'a> {
    #[serde(borrow, rename = "resultDisplay")]
    display: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ShellResult<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(rename = "exitCode")]
    exit: Option<i32>,
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        let Line { kind, message, result } = serde_json::from_str(line)?;
        let parts = message.and_then(|message| message.parts);
        match kind.as_deref() {
            Some("assistant") => {
                for part in items::<Part<'_>>(parts)? {
                    string(part.text).into_iter().for_each(|text| take(SessionEvent::Said(text)));
                    let Some(call) = part.call else { continue };
                    let arguments = call.args.map_or("", RawValue::get);
                    let tool = call.name.unwrap_or_default();
                    let command = command_in(arguments).filter(|_| tool == "run_shell_command");
                    let id = call.id.unwrap_or_default();
                    take(SessionEvent::ToolCall(ToolCall {
                        id,
                        tool,
                        command,
                        arguments: arguments.into(),
                    }));
                }
            }
            Some("tool_result") => {
                for part in items::<Part<'_>>(parts)? {
                    let Some(response) = part.response else { continue };
                    let id = response.id.unwrap_or_default();
                    let display = result.as_ref().and_then(|result| result.display);
                    take(SessionEvent::ToolOutput(output(id, response.response, display)));
                }
            }
            Some("system") => {}
            _ => take(SessionEvent::Told(line)),
        }
        Ok(())
    }
}

fn output<'a>(
    id: String,
    response: Option<ResponseText<'a>>,
    display: Option<&'a RawValue>,
) -> ToolOutput<'a> {
    let (shown, is_error) = response.map_or((None, false), |response| response.text());
    let shown = shown.unwrap_or_default();
    let is_cut = shown.starts_with(CUT);
    let head = start_of(&shown, 2_000);
    let header = head.find(HEADER).map_or(0, |at| at + HEADER.len());
    let shell: Option<ShellResult<'a>> =
        display.and_then(|display| serde_json::from_str(display.get()).ok());
    let end = end_of(&shown, 200);
    let exit = shell.as_ref().and_then(|it| it.exit).or_else(|| exit_after(end, "Exit Code: "));
    let whole = shell.filter(|_| is_cut).and_then(|it| string(it.output));
    let whole = whole.filter(|whole| whole.len() < RECORDED);
    let failed = exit.map(|code| code != 0).or(is_error.then_some(true));
    ToolOutput { header, whole, is_cut, failed, ..ToolOutput::new(id, shown) }
}
