//! Reads transcripts of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-….jsonl`. Tested with
//! version 0.61.0.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::command::audit::event::{
    SessionEvent, ToolCall, ToolOutput, TranscriptFormat, TranscriptReader, command_in, end_of,
    exit_after, items, start_of, string, text_of,
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    host: "gemini",
    begins: |start| start.contains("\"projectHash\":") && start.contains("\"sessionId\":"),
    reader: || Box::new(Reader::default()),
    is_document: false,
};

/// The number of remembered ids: Gemini writes a message again when its tools have ended.
const REMEMBERED: usize = 256;
/// The text before the output in a result.
const HEADER: &str = "Output: ";
/// The start of a result that Gemini has cut.
const CUT: &str = "Output too large.";

#[derive(Default)]
struct Reader {
    done: VecDeque<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    id: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    thoughts: Option<&'a RawValue>,
    #[serde(borrow, rename = "toolCalls")]
    calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow, rename = "resultDisplay")]
    display: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct ResultPart<'a> {
    #[serde(borrow, rename = "functionResponse")]
    pub(super) response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
pub(super) struct FunctionResponse<'a> {
    pub(super) id: Option<String>,
    #[serde(borrow)]
    pub(super) response: Option<ResponseText<'a>>,
}

#[derive(Deserialize)]
pub(super) struct ResponseText<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl<'a> ResponseText<'a> {
    /// Returns the text that the agent got, and whether it is an error.
    pub(super) fn text(&self) -> (Option<Cow<'a, str>>, bool) {
        match string(self.output) {
            Some(text) => (Some(text), false),
            None => (string(self.error), true),
        }
    }
}

impl Reader {
    /// Tells whether an id is new, and remembers it.
    fn is_new(&mut self, id: &str) -> bool {
        if self.done.iter().any(|done| done == id) {
            return false;
        }
        self.done.push_back(id.to_owned());
        if self.done.len() > REMEMBERED {
            self.done.pop_front();
        }
        true
    }
}

impl TranscriptReader for Reader {
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()> {
        let Line { kind, id, content, thoughts, calls } = serde_json::from_str(line)?;
        match kind.as_deref() {
            Some("gemini") => {
                if self.is_new(&id.unwrap_or_default()) {
                    let text = text_of(content).filter(|text| !text.is_empty());
                    text.into_iter().for_each(|text| take(SessionEvent::Said(text)));
                    let thoughts = thoughts.map(RawValue::get).filter(|text| *text != "[]");
                    thoughts.into_iter().for_each(|text| take(SessionEvent::SaidJson(text)));
                }
                for call in items::<Call<'_>>(calls)? {
                    let id = call.id.unwrap_or_default();
                    if call.result.is_none() || !self.is_new(&id) {
                        continue;
                    }
                    let arguments = call.args.map_or("", RawValue::get);
                    let tool = call.name.unwrap_or_default();
                    let command = command_in(arguments).filter(|_| tool == "run_shell_command");
                    let called =
                        ToolCall { id: id.clone(), tool, command, arguments: arguments.into() };
                    take(SessionEvent::ToolCall(called));
                    take(SessionEvent::ToolOutput(output(id, call.result, call.display)?));
                }
            }
            // The messages of the agent have these results, too.
            Some("user") if line.contains("\"functionResponse\":") => {}
            _ => take(SessionEvent::Told(line)),
        }
        Ok(())
    }
}

fn output<'a>(
    id: String,
    result: Option<&'a RawValue>,
    display: Option<&'a RawValue>,
) -> serde_json::Result<ToolOutput<'a>> {
    let mut shown: Option<Cow<'a, str>> = None;
    for part in items::<ResultPart<'a>>(result)? {
        let text = part.response.and_then(|it| it.response).and_then(|it| it.text().0);
        shown = match (shown, text) {
            (Some(all), Some(text)) => Some(Cow::Owned(format!("{all}\n{text}"))),
            (all, text) => all.or(text),
        };
    }
    let shown = shown.unwrap_or_default();
    let is_cut = shown.starts_with(CUT);
    let head = start_of(&shown, 600);
    let header = head.find(HEADER).map_or(0, |at| at + HEADER.len());
    let end = end_of(&shown, 200);
    let failed = exit_after(end, "Exit Code: ").map(|code| code != 0);
    let whole = if is_cut { string(display) } else { None };
    Ok(ToolOutput { header, whole, is_cut, failed, ..ToolOutput::new(id, shown) })
}
