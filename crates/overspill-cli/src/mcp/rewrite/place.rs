//! The place of a token in a message.

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
    /// The content is this text, and no list.
    ContentText,
    Part,
    /// The value of an error's data.
    ErrorData,
    /// Within a part, or within an error.
    InPart(PartField),
    Structured,
    InStructured,
    IsError,
    Elsewhere,
}

impl Place {
    pub(super) fn of(path: &[Key]) -> Place {
        match path {
            [Key::Error, Key::Message] => Place::InPart(PartField::Text),
            [Key::Error, Key::Data] => Place::ErrorData,
            [Key::Error, Key::Data, ..] => Place::InPart(PartField::Other),
            [Key::Result, Key::IsError] => Place::IsError,
            [Key::Result, Key::Structured] => Place::Structured,
            [Key::Result, Key::Structured, ..] => Place::InStructured,
            [Key::Result, Key::Content] => Place::Content,
            [Key::Result, _] => Place::Field,
            [Key::Result, Key::Content, Key::Item] => Place::Part,
            [Key::Result, Key::Content, Key::Item, within @ ..] => Place::in_part(within),
            // The content is one part, and no list.
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
