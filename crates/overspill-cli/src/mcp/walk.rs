//! Walks over the JSON of messages as it passes by, and knows the path of each token.

use overspill::core::internal::json::{JsonToken, JsonTokens, MalformedJson};

/// The names of fields that matter to us, and what stands for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// Any value of a list.
    Item,
    /// A field that we know nothing of.
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
    /// A level below the deepest one that is told apart.
    Deeper,
}

const KEYS: [(&[u8], Key); 36] = [
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
    /// Returns the name of the field; of an unknown field or a value of a list, an empty one.
    pub(super) fn name(self) -> &'static str {
        let known = KEYS.iter().find(|(_, key)| *key == self);
        known.and_then(|(name, _)| std::str::from_utf8(name).ok()).unwrap_or_default()
    }
}

/// Nothing that matters to us stands so deep.
pub(super) const DEEP: usize = 8;
/// No name that we know is longer.
const LONGEST: usize = 40;

/// Walks over one message, or a list of them.
#[derive(Debug, Default)]
pub(super) struct JsonWalk {
    tokens: JsonTokens,
    /// The path of the current value. Below [`DEEP`] levels, [`Key::Deeper`] stands for all others, which
    /// are only counted.
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
    /// How many bytes it took.
    pub(super) len: usize,
    /// Its path in the message, or its beginning if it is very deep.
    pub(super) path: &'a [Key],
    /// It is a part of a message, and not what stands around the messages of a list.
    pub(super) in_message: bool,
}

impl JsonWalk {
    /// Tells whether one whole value has come.
    pub(super) fn is_done(&self) -> bool {
        self.tokens.is_done()
    }

    /// Returns the mistake of a message that ends too early.
    pub(super) fn cut_off(&self) -> MalformedJson {
        MalformedJson { what: self.tokens.missing(), at: 0 }
    }

    /// Tells whether the messages come as a list.
    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    /// Takes as much of the string at hand, which is no key, as there is at once; see
    /// [`JsonTokens::text`].
    pub(super) fn text(&self, bytes: &[u8], text: &mut Vec<u8>) -> usize {
        self.tokens.text(bytes, text)
    }

    /// Takes what `bytes`, which are not empty, begin with.
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
            JsonToken::Text(text) if self.in_key && self.name.len() <= LONGEST => {
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
