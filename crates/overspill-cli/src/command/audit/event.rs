//! The events of a session, in the same form for every host. A reader for each host turns the lines
//! of a transcript into these events.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// An event that a transcript records.
pub(super) enum SessionEvent<'a> {
    /// A text that the agent says or thinks.
    Said(Cow<'a, str>),
    /// Texts that the agent says or thinks, as JSON.
    SaidJson(&'a str),
    /// A text that the agent gets from the user or from its host. It may be the JSON of a whole
    /// line.
    Told(&'a str),
    /// A call of a tool.
    ToolCall(ToolCall<'a>),
    /// The output of a tool, which the agent gets.
    ToolOutput(ToolOutput<'a>),
}

/// A call of a tool.
pub(super) struct ToolCall<'a> {
    pub(super) id: String,
    pub(super) tool: String,
    /// The command, if the tool is a shell.
    pub(super) command: Option<String>,
    /// The arguments as JSON.
    pub(super) arguments: Cow<'a, str>,
}

/// The output of a tool.
pub(super) struct ToolOutput<'a> {
    /// The id of the call.
    pub(super) id: String,
    /// The text that the agent got.
    pub(super) shown: Cow<'a, str>,
    /// The number of bytes in `shown` before the output: a header of the host.
    pub(super) header: usize,
    /// The whole output, if the transcript has it and the agent got less.
    pub(super) whole: Option<Cow<'a, str>>,
    /// The file in which the host has saved the whole output.
    pub(super) saved: Option<PathBuf>,
    /// Tells whether the host has cut the output.
    pub(super) is_cut: bool,
    /// Tells whether the command failed, if the transcript records this.
    pub(super) failed: Option<bool>,
}

impl<'a> ToolOutput<'a> {
    /// Returns an output that the agent got whole.
    pub(super) fn new(id: String, shown: Cow<'a, str>) -> ToolOutput<'a> {
        let (header, whole, saved, is_cut, failed) = (0, None, None, false, None);
        ToolOutput { id, shown, header, whole, saved, is_cut, failed }
    }
}

/// A reader for the transcript of one session.
pub(super) trait TranscriptReader {
    /// Reads a line of JSON and calls `take` with each event in this line.
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
    /// Makes a reader for one file.
    pub(super) reader: fn() -> Box<dyn TranscriptReader>,
    /// Tells whether the file is one JSON document with a list `messages`. The reader gets each
    /// message as a line.
    pub(super) is_document: bool,
}

/// Returns the text of a JSON string, or `None` for other values.
pub(super) fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let raw = raw?.get();
    if !raw.starts_with('"') {
        return None;
    }
    let inner = &raw[1..raw.len() - 1];
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let whole = serde_json::from_str::<String>(raw).ok();
    whole.or_else(|| with_half_characters(raw)).map(Cow::Owned)
}

/// Returns the text of a JSON string with half of a character, such as `"\ud83d"`, which becomes
/// U+FFFD. Hosts that count in UTF-16 cut an output in the middle of an emoji.
fn with_half_characters(raw: &str) -> Option<String> {
    struct Bytes;
    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;
        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
    let mut bytes = serde_json::Deserializer::from_str(raw).deserialize_bytes(Bytes).ok()?;
    let mut at = 0;
    // serde_json writes half of a character as three bytes that are not UTF-8.
    while let Some(&[first, second, _]) = bytes.get(at..at + 3) {
        if first == 0xED && second >= 0xA0 {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
        at += 1;
    }
    String::from_utf8(bytes).ok()
}

/// Parses the items of a JSON list. Other values have no items.
pub(super) fn items<'a, T: Deserialize<'a>>(
    raw: Option<&'a RawValue>,
) -> serde_json::Result<Vec<T>> {
    match raw.map(RawValue::get) {
        Some(text) if text.starts_with('[') => serde_json::from_str(text),
        _ => Ok(Vec::new()),
    }
}

/// Returns the values of a JSON list, or an empty list for other values.
pub(super) fn list(raw: Option<&RawValue>) -> Vec<&RawValue> {
    items(raw).unwrap_or_default()
}

/// Returns the text of a JSON string, or the joined texts of a list such as `[{"text": …}]`.
pub(super) fn text_of(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Part<'a> {
        #[serde(borrow)]
        text: Option<&'a RawValue>,
    }
    if let Some(text) = string(raw) {
        return Some(text);
    }
    let parts = items(raw).unwrap_or_else(|_| {
        // Some items have another form.
        list(raw).into_iter().filter_map(|part| serde_json::from_str(part.get()).ok()).collect()
    });
    let mut texts = parts.into_iter().filter_map(|part: Part<'_>| string(part.text));
    let first = texts.next()?;
    Some(texts.fold(first, |all, next| Cow::Owned(format!("{all}\n{next}"))))
}

/// Returns the command in the arguments of a tool. The field is `command` or `cmd`, and has a
/// string or a list of words.
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
    // In `["bash", "-lc", "make"]`, the command is `make`.
    let words: Vec<String> = serde_json::from_str(command.get()).ok()?;
    match &words[..] {
        [_, flag, line] if flag.starts_with('-') => Some(line.clone()),
        words => Some(words.join(" ")),
    }
}

/// Returns the exit code after the last label such as `Exit Code: `.
pub(super) fn exit_after(text: &str, label: &str) -> Option<i32> {
    let (_, rest) = text.rsplit_once(label)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Returns the first bytes of a text, up to the given number, and splits no character.
pub(super) fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns about the given number of bytes from the end of a text, and splits no character.
pub(super) fn end_of(text: &str, bytes: usize) -> &str {
    &text[start_of(text, text.len().saturating_sub(bytes)).len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_character_does_not_drop_the_text() {
        for (json, text) in [
            (r#""plain""#, "plain"),
            (r#""a\n\ud83d\ude00 é""#, "a\n\u{1f600} é"),
            (r#""a\n é\ud83d""#, "a\n é\u{fffd}"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\n\ud7ff""#, "\u{fffd}\n\u{d7ff}"),
        ] {
            let raw = serde_json::from_str::<&RawValue>(json).unwrap();
            assert_eq!(string(Some(raw)).as_deref(), Some(text), "{json}");
        }
    }
}
