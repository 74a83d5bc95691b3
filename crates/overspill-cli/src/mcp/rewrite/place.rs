//! Names the place of a token in a message.

use overspill::core::internal::json::JsonToken;
use overspill::internal::tool::walk::PartField;

use super::super::walk::{DEEP, Key};

/// The kind of a token, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Between,
    Open,
    Close,
    Key,
    String,
    Text,
    EndString,
    Word,
}

impl Kind {
    pub(super) fn of(token: JsonToken) -> Kind {
        match token {
            JsonToken::Between => Kind::Between,
            JsonToken::Open(_) => Kind::Open,
            JsonToken::Close => Kind::Close,
            JsonToken::String { is_key: true } => Kind::Key,
            JsonToken::String { is_key: false } => Kind::String,
            JsonToken::Text(_) => Kind::Text,
            JsonToken::EndString => Kind::EndString,
            JsonToken::Word { .. } => Kind::Word,
        }
    }
}

/// The place of a token in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Field,
    Content,
    /// The content is this text, and not a list.
    ContentText,
    Part,
    /// A result, an error or parameters. Most of them are objects with their own fields.
    Whole,
    /// A value that is not part of a list: a field of an error, or a result in another form.
    Value,
    /// Within a part, or within such a value.
    InPart(PartField),
    Structured,
    InStructured,
    IsError,
    Elsewhere,
}

impl Place {
    pub(super) fn of(path: &[Key]) -> Place {
        match path {
            [Key::Result | Key::Error | Key::Params] => Place::Whole,
            [Key::Result | Key::Error | Key::Params, Key::Item, ..] => {
                Place::InPart(PartField::Other)
            }
            [Key::Error, Key::Message] => Place::InPart(PartField::Text),
            [Key::Error | Key::Params, _] | [Key::Result, Key::ToolResult] => Place::Value,
            [Key::Error | Key::Params, ..] | [Key::Result, Key::ToolResult, ..] => {
                Place::InPart(PartField::Other)
            }
            [Key::Result, Key::IsError] => Place::IsError,
            [Key::Result, Key::Structured] => Place::Structured,
            [Key::Result, Key::Structured, ..] => Place::InStructured,
            [Key::Result, Key::Content] => Place::Content,
            [Key::Result, _] => Place::Field,
            [Key::Result, Key::Content, Key::Item] => Place::Part,
            [Key::Result, Key::Content, Key::Item, within @ ..] => Place::in_part(within),
            // The content is one part, and not a list.
            [Key::Result, Key::Content, within @ ..] => Place::in_part(within),
            _ => Place::Elsewhere,
        }
    }

    fn in_part(within: &[Key]) -> Place {
        let mut names = [""; DEEP];
        for (name, key) in names.iter_mut().zip(within) {
            *name = key.name();
        }
        Place::InPart(PartField::at(&names[..within.len().min(DEEP)]))
    }
}
