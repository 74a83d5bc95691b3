//! The events of a session, in the same form for every host.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Something that a transcript records.
pub(super) enum SessionEvent<'a> {
    /// The agent says or thinks this.
    Said(Cow<'a, str>),
    /// The agent is told this, by the user or by its host. It may be the JSON of a whole line.
    Told(&'a str),
    /// The agent calls a tool.
    Called(ToolCall<'a>),
    /// The agent gets the output of a tool.
    Answered(ToolOutput<'a>),
}

/// A call of a tool.
pub(super) struct ToolCall<'a> {
    pub(super) id: String,
    pub(super) tool: String,
    /// The command, if the tool is a shell.
    pub(super) command: Option<String>,
    /// The arguments, as JSON.
    pub(super) arguments: &'a str,
}

/// The output of a tool.
pub(super) struct ToolOutput<'a> {
    /// The id of the call.
    pub(super) id: String,
    /// The text that the agent got.
    pub(super) shown: Cow<'a, str>,
    /// The length of the text that the host put before the output.
    pub(super) header: usize,
    /// The whole output, if the transcript has it and the agent got less.
    pub(super) whole: Option<Cow<'a, str>>,
    /// The file in which the host has saved the whole output.
    pub(super) saved: Option<PathBuf>,
    /// The host has cut the output.
    pub(super) is_cut: bool,
    /// The command failed, if that is known.
    pub(super) failed: Option<bool>,
}

impl<'a> ToolOutput<'a> {
    /// Returns an output that the agent got whole.
    pub(super) fn new(id: String, shown: Cow<'a, str>) -> ToolOutput<'a> {
        let (header, whole, saved, is_cut, failed) = (0, None, None, false, None);
        ToolOutput { id, shown, header, whole, saved, is_cut, failed }
    }
}

/// Reads the transcript of one session.
pub(super) trait TranscriptReader {
    /// Reads a line, which is JSON, and shows what it records to `take`.
    fn read<'a>(
        &mut self,
        line: &'a str,
        take: &mut dyn FnMut(SessionEvent<'a>),
    ) -> serde_json::Result<()>;
}

/// A format of transcripts.
pub(super) struct TranscriptFormat {
    /// The name of the host.
    pub(super) host: &'static str,
    /// Tells whether a file begins like this format.
    pub(super) begins: fn(&str) -> bool,
    pub(super) reader: fn() -> Box<dyn TranscriptReader>,
    /// The file is one JSON document with a list `messages`, and each message is read as a line.
    pub(super) is_document: bool,
}

/// Returns a value that is a string, or nothing.
pub(super) fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let raw = raw?.get();
    if !raw.starts_with('"') {
        return None;
    }
    let inner = &raw[1..raw.len() - 1];
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(raw).ok().map(Cow::Owned)
}

/// Returns a list of values, or nothing.
pub(super) fn list(raw: Option<&RawValue>) -> Vec<&RawValue> {
    raw.filter(|raw| raw.get().starts_with('['))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// Returns the texts of a list of parts, joined: `[{"text": …}]`; or a string as it is.
pub(super) fn text_of(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Part<'a> {
        #[serde(borrow)]
        text: Option<&'a RawValue>,
    }
    if let Some(text) = string(raw) {
        return Some(text);
    }
    let mut texts = list(raw).into_iter().filter_map(|part| {
        let part: Part<'_> = serde_json::from_str(part.get()).ok()?;
        string(part.text)
    });
    let first = texts.next()?;
    Some(texts.fold(first, |all, next| Cow::Owned(format!("{all}\n{next}"))))
}

/// Returns the command among the arguments of a tool: `command` or `cmd`, a string or a list of words.
pub(super) fn command_in(arguments: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Arguments<'a> {
        #[serde(borrow)]
        command: Option<&'a RawValue>,
        #[serde(borrow)]
        cmd: Option<&'a RawValue>,
    }
    let Arguments { command, cmd } = serde_json::from_str(arguments).ok()?;
    let command = command.or(cmd)?;
    if let Some(text) = string(Some(command)) {
        return Some(text.into_owned());
    }
    // `["bash", "-lc", "make"]`
    let words: Vec<String> = serde_json::from_str(command.get()).ok()?;
    match &words[..] {
        [_, flag, line] if flag.starts_with('-') => Some(line.clone()),
        words => Some(words.join(" ")),
    }
}

/// Returns the exit code after a mark such as `Exit Code: `.
pub(super) fn exit_after(text: &str, mark: &str) -> Option<i32> {
    let (_, rest) = text.rsplit_once(mark)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Returns at most so many bytes of the start of a text, without a part of a character.
pub(super) fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns about so many bytes of the end of a text, without a part of a character.
pub(super) fn end_of(text: &str, bytes: usize) -> &str {
    &text[start_of(text, text.len().saturating_sub(bytes)).len()..]
}
