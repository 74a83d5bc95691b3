//! Walks over the JSON of messages in chunks, and tells the path of each token.

use overspill::core::internal::json::{JsonToken, JsonTokens, MalformedJson};

/// The field names that matter to the proxy, and stand-ins for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A value of a list.
    Item,
    /// A field with an unknown name.
    Other,
    Id,
    Method,
    Params,
    Result,
    Error,
    Content,
    Contents,
    Messages,
    Structured,
    IsError,
    ToolResult,
    Message,
    Text,
    Data,
    Resource,
    Blob,
    Url,
    ImageUrl,
    FileData,
    Type,
    MimeType,
    Uri,
    Name,
    RequestId,
    Meta,
    Protocol,
    Capabilities,
    Resources,
    Templates,
    Tools,
    Prompts,
    Task,
    TaskId,
    NextCursor,
    ProgressToken,
    RequestState,
    UriTemplate,
    /// A level below the deepest one that the walk distinguishes.
    Deeper,
}

const KEYS: [(&[u8], Key); 37] = [
    (b"id", Key::Id),
    (b"method", Key::Method),
    (b"params", Key::Params),
    (b"result", Key::Result),
    (b"error", Key::Error),
    (b"content", Key::Content),
    (b"contents", Key::Contents),
    (b"messages", Key::Messages),
    (b"structuredContent", Key::Structured),
    (b"isError", Key::IsError),
    (b"toolResult", Key::ToolResult),
    (b"message", Key::Message),
    (b"text", Key::Text),
    (b"data", Key::Data),
    (b"resource", Key::Resource),
    (b"blob", Key::Blob),
    (b"url", Key::Url),
    (b"image_url", Key::ImageUrl),
    (b"file_data", Key::FileData),
    (b"type", Key::Type),
    (b"mimeType", Key::MimeType),
    (b"uri", Key::Uri),
    (b"name", Key::Name),
    (b"requestId", Key::RequestId),
    (b"_meta", Key::Meta),
    (b"io.modelcontextprotocol/protocolVersion", Key::Protocol),
    (b"capabilities", Key::Capabilities),
    (b"resources", Key::Resources),
    (b"resourceTemplates", Key::Templates),
    (b"tools", Key::Tools),
    (b"prompts", Key::Prompts),
    (b"task", Key::Task),
    (b"taskId", Key::TaskId),
    (b"nextCursor", Key::NextCursor),
    (b"progressToken", Key::ProgressToken),
    (b"requestState", Key::RequestState),
    (b"uriTemplate", Key::UriTemplate),
];

impl Key {
    /// Returns the name of the field, or an empty name for an unknown field or a value of a list.
    pub(super) fn name(self) -> &'static str {
        let known = KEYS.iter().find(|(_, key)| *key == self);
        known.and_then(|(name, _)| std::str::from_utf8(name).ok()).unwrap_or_default()
    }
}

/// The number of levels that the walk distinguishes. No field that matters to the proxy is deeper.
pub(super) const DEEP: usize = 8;
/// The number of bytes of a field name that the walk keeps. No known name is longer.
const LONGEST_NAME: usize = 40;

/// A walk over one message, or a list of messages.
#[derive(Debug, Default)]
pub(super) struct JsonWalk {
    tokens: JsonTokens,
    /// The path of the current value. Below [`DEEP`] levels, [`Key::Deeper`] stands for all others,
    /// which are only counted.
    path: Vec<Key>,
    deeper: usize,
    /// The bracket that was opened last, and is not yet part of the path.
    opened: Option<u8>,
    name: Vec<u8>,
    in_key: bool,
    is_list: bool,
    started: bool,
}

/// A token and its place.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) token: JsonToken<'a>,
    /// The number of bytes of the token.
    pub(super) len: usize,
    /// The path of the token in the message, or the beginning of the path if it is very deep.
    pub(super) path: &'a [Key],
    /// Tells whether the token is part of a message, and does not stand between the messages of a
    /// list.
    pub(super) in_message: bool,
}

impl JsonWalk {
    /// Tells whether one value is complete.
    pub(super) fn is_done(&self) -> bool {
        self.tokens.is_done()
    }

    /// Returns the error for a message that ends too early.
    pub(super) fn cut_off(&self) -> MalformedJson {
        MalformedJson { what: self.tokens.missing(), at: 0 }
    }

    /// Tells whether the messages come as a list.
    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    /// Takes as much as possible of the current string, which is not a key; see
    /// [`JsonTokens::text`].
    pub(super) fn text(&self, bytes: &[u8], text: &mut Vec<u8>) -> usize {
        self.tokens.text(bytes, text)
    }

    /// Takes the token at the start of `bytes`, which must not be empty.
    pub(super) fn next<'a>(&'a mut self, bytes: &'a [u8]) -> Result<Step<'a>, MalformedJson> {
        if let Some(opened) = self.opened.take() {
            let within = if opened == b'[' { Key::Item } else { Key::Other };
            if self.path.len() < DEEP {
                self.path.push(within);
            } else {
                if self.deeper == 0 {
                    self.path.push(Key::Deeper);
                }
                self.deeper += 1;
            }
        }
        let (token, len) = self.tokens.next(bytes)?;
        match token {
            JsonToken::Open(bracket) => {
                if !self.started && bracket == b'[' {
                    self.is_list = true;
                }
                self.started = true;
                self.opened = Some(bracket);
            }
            JsonToken::Close => {
                self.deeper = self.deeper.saturating_sub(1);
                if self.deeper == 0 {
                    self.path.pop();
                }
            }
            JsonToken::String { is_key } => {
                self.in_key = is_key;
                self.name.clear();
            }
            JsonToken::Text(text) if self.in_key && self.name.len() <= LONGEST_NAME => {
                self.name.extend_from_slice(text);
            }
            JsonToken::EndString if self.in_key && self.deeper == 0 => {
                let known = KEYS.iter().find(|(name, _)| *name == self.name);
                if let Some(last) = self.path.last_mut() {
                    *last = known.map_or(Key::Other, |(_, key)| *key);
                }
            }
            _ => {}
        }
        let base = usize::from(self.is_list);
        let in_message = !self.is_list || !self.path.is_empty();
        Ok(Step { token, len, path: self.path.get(base..).unwrap_or_default(), in_message })
    }
}
