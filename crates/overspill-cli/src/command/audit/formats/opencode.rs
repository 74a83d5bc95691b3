//! Reads sessions of opencode: the file that `opencode export SESSION` writes. Tested with version
//! 1.18.34. opencode keeps its sessions in a database.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, list,
    string,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "opencode",
    begins: |start| {
        let start = start.trim_start();
        start.starts_with('{') && start.contains("\"info\"") && start.contains("\"projectID\"")
    },
    reader: || Box::new(Reader),
    is_document: true,
};

struct Reader;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    info: Option<Info<'a>>,
    #[serde(borrow)]
    parts: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Info<'a> {
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    tool: Option<String>,
    #[serde(rename = "callID")]
    id: Option<String>,
    #[serde(borrow)]
    state: Option<State<'a>>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    exit: Option<i32>,
    truncated: Option<bool>,
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        let Message { info, parts } = serde_json::from_str(line)?;
        let is_agent = info.and_then(|info| info.role).as_deref() == Some("assistant");
        if !is_agent {
            take(SessionEvent::Told(line));
            return Ok(());
        }
        for part in list(parts) {
            let part: Part<'_> = serde_json::from_str(part.get())?;
            match (part.kind.as_deref(), part.state) {
                (Some("text" | "reasoning"), _) => {
                    string(part.text).into_iter().for_each(|text| take(SessionEvent::Said(text)));
                }
                (Some("tool"), Some(state)) => {
                    let arguments = state.input.map_or("", RawValue::get);
                    let (id, tool) = (part.id.unwrap_or_default(), part.tool.unwrap_or_default());
                    let command = command_in(arguments).filter(|_| tool == "bash");
                    let called =
                        ToolCall { id: id.clone(), tool, command, arguments: arguments.into() };
                    take(SessionEvent::ToolCall(called));
                    let Some(shown) = string(state.output).or_else(|| string(state.error)) else {
                        continue;
                    };
                    let exit = state.metadata.as_ref().and_then(|it| it.exit);
                    let failed =
                        exit.map(|code| code != 0).or(state.output.is_none().then_some(true));
                    let is_cut = state.metadata.is_some_and(|it| it.truncated == Some(true));
                    let output = ToolOutput { is_cut, failed, ..ToolOutput::new(id, shown) };
                    take(SessionEvent::ToolOutput(output));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
