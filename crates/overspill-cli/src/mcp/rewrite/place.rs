//! Where in a result something stands, and what it is.

use super::super::walk::Key;
use overspill::json::JsonToken;

/// A token, without what is in it.
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
            JsonToken::Word => Kind::Word,
        }
    }
}

/// Where in a result something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Field,
    Content,
    Part,
    Text,
    Media,
    Note(Key),
    Structured,
    InStructured,
    IsError,
    Elsewhere,
}

impl Place {
    pub(super) fn of(path: &[Key]) -> Place {
        if path == [Key::Error, Key::Message] {
            return Place::Text;
        }
        let [Key::Result, path @ ..] = path else { return Place::Elsewhere };
        match path {
            [Key::IsError] => Place::IsError,
            [Key::Structured] => Place::Structured,
            [Key::Structured, ..] => Place::InStructured,
            [Key::Content] => Place::Content,
            [_] => Place::Field,
            [Key::Content, Key::Item] => Place::Part,
            [Key::Content, Key::Item, within @ ..] => match within {
                [Key::Text] | [Key::Resource, Key::Text] => Place::Text,
                [Key::Data] | [Key::Resource, Key::Blob] => Place::Media,
                [key @ (Key::Type | Key::MimeType)]
                | [Key::Resource, key @ (Key::MimeType | Key::Uri)] => Place::Note(*key),
                _ => Place::Elsewhere,
            },
            _ => Place::Elsewhere,
        }
    }
}
