//! The rules for each kind of content in a tool result.

use std::sync::Arc;

use serde_json::Value;

/// The rule for structured content in a result that is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structured {
    /// It is removed. The reader sees it as text, unless the text says the same.
    #[default]
    Drop,
    /// It stays with shorter strings and lists, if its schema allows that. Otherwise it is removed.
    Shrink,
    /// It stays and is not counted.
    Keep,
}

/// The rules for content that is not text.
#[derive(Debug, Clone)]
pub struct ResultRules {
    /// The rule for structured content.
    pub structured: Structured,
    /// The schema of the structured content. [`Structured::Shrink`] needs one.
    pub schema: Option<Arc<Value>>,
    /// Larger images, sounds and blobs are saved to a file, in bytes.
    pub max_media: u64,
}

impl ResultRules {
    /// More than hosts send to their models as one image.
    pub const MAX_MEDIA: u64 = 5 << 20;

    /// Tells whether so many bytes of base64 are saved to a file.
    pub fn is_large(&self, base64: u64) -> bool {
        base64 / 4 * 3 > self.max_media
    }
}

impl Default for ResultRules {
    fn default() -> ResultRules {
        let max_media = ResultRules::MAX_MEDIA;
        ResultRules { structured: Structured::default(), schema: None, max_media }
    }
}

/// The role of a string in a part of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartField {
    /// Text for the model: of a text part, or of an embedded resource.
    Text,
    /// An image, a sound or a blob, in base64.
    Media,
    /// The type of the part.
    Kind,
    /// The media type.
    MimeType,
    /// The address of an embedded resource.
    Uri,
    /// Metadata that no model sees.
    Meta,
    /// Any other string.
    Other,
}

impl PartField {
    /// Other strings up to this length pass as they are, in bytes.
    pub const SHORT: usize = 1_000;

    /// Returns the role of the string at this path within a part.
    pub fn at(path: &[&str]) -> PartField {
        match path {
            ["text"] | ["resource", "text"] => PartField::Text,
            ["data"] | ["resource", "blob"] => PartField::Media,
            ["type"] => PartField::Kind,
            ["mimeType"] | ["resource", "mimeType"] => PartField::MimeType,
            ["resource", "uri"] => PartField::Uri,
            path if path.contains(&"_meta") => PartField::Meta,
            _ => PartField::Other,
        }
    }

    /// Tells whether a string is shortened as text; `start` is at least the first
    /// [`PartField::SHORT`] + 1 bytes of it, or all.
    ///
    /// Long descriptions and parts of unknown types reach the model too. Images of other APIs stand in
    /// such places as well: they are base64 or data URLs, and stay.
    pub fn is_text(self, start: &[u8]) -> bool {
        match self {
            PartField::Text => true,
            PartField::Media | PartField::Meta => false,
            _ => start.len() > PartField::SHORT && !is_encoded(&start[..PartField::SHORT]),
        }
    }
}

/// Tells whether a text begins as base64 or a data URL does.
fn is_encoded(start: &[u8]) -> bool {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(byte);
    start.starts_with(b"data:") || start.iter().all(is_base64)
}

/// Tells whether a part is removed if nothing of its text is shown.
///
/// A text part without text is useless. An embedded resource still has its address.
pub fn is_removed_without_text(kind: &[u8], texts: usize) -> bool {
    kind == b"text" && texts == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_field_follows_its_path() {
        for (path, field) in [
            (&["text"][..], PartField::Text),
            (&["resource", "text"], PartField::Text),
            (&["data"], PartField::Media),
            (&["resource", "blob"], PartField::Media),
            (&["_meta", "text"], PartField::Meta),
            (&["resource", "_meta", "a"], PartField::Meta),
            (&["description"], PartField::Other),
            (&["uri"], PartField::Other),
            (&["a", "text"], PartField::Other),
        ] {
            assert_eq!(PartField::at(path), field, "{path:?}");
        }
    }

    #[test]
    fn other_string_is_text_if_it_is_long_and_not_encoded() {
        let is_text = |text: &str| PartField::Other.is_text(text.as_bytes());
        assert!(is_text(&"a word ".repeat(200)));
        assert!(!is_text(&"a word ".repeat(100)));
        assert!(!is_text(&"TUFQ".repeat(1_000)));
        assert!(!is_text(&format!("data:image/svg+xml,{}", "<a b>".repeat(1_000))));
        assert!(PartField::Text.is_text(b""));
        assert!(!PartField::Media.is_text(&b"a word ".repeat(1_000)));
    }
}
