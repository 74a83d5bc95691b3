//! The rules for each kind of content in a tool result.

use std::sync::Arc;

use overspill_core::Limits;
use serde_json::Value;

/// The rule for structured content in a result that is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structured {
    /// Structured content is removed. The reader sees it as text, unless the text says the same.
    #[default]
    Drop,
    /// Structured content stays with shorter strings and lists, if its schema allows that.
    /// Otherwise it is removed.
    Shrink,
    /// Structured content stays and does not count.
    Keep,
}

/// The rules for content that is not text.
#[derive(Debug, Clone)]
pub struct ResultRules {
    /// The rule for structured content.
    pub structured: Structured,
    /// The schema of the structured content. [`Structured::Shrink`] needs one.
    pub schema: Option<Arc<Value>>,
    /// The size in bytes over which images, sounds and blobs are saved to a file.
    pub max_media: u64,
}

impl ResultRules {
    /// The default of `max_media`, in bytes: more than hosts send to their models as one image.
    pub const MAX_MEDIA: u64 = 5 << 20;

    /// Tells whether media of this many bytes of base64 are saved to a file.
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
    /// A place in which other APIs have their media.
    ForeignMedia,
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
    /// The length in bytes up to which other strings pass unchanged.
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
            [.., "data" | "blob" | "url" | "image_url" | "file_data"] => PartField::ForeignMedia,
            _ => PartField::Other,
        }
    }

    /// Tells whether a string is shortened as text. `start` is the whole string, or at least its
    /// first [`PartField::SHORT`] + 1 bytes.
    ///
    /// Long descriptions and parts of unknown types reach the model too. Media pass only in places
    /// for media, and only if they are base64 or a data URL of media in base64.
    /// [`PartField::is_base64`] checks the rest of a string that streams by.
    pub fn is_text(self, start: &[u8]) -> bool {
        let is_long = start.len() > PartField::SHORT;
        match self {
            PartField::Text => true,
            PartField::Meta => false,
            PartField::Media | PartField::ForeignMedia => is_long && !is_encoded(start),
            _ => is_long,
        }
    }

    /// Tells whether all of these bytes may be base64.
    pub fn is_base64(bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(byte))
    }
}

/// Counts the bytes of parts that are not text. Together these parts have as much room as the
/// texts.
///
/// Many small strings reach the model just as one long text does.
#[derive(Debug, Clone, Copy)]
pub struct PartRoom {
    left: u64,
}

impl PartRoom {
    /// Begins with the room that the limits of a result leave.
    pub fn of(limits: &Limits) -> PartRoom {
        /// A token has about four bytes.
        const TOKEN: u64 = 4;
        let tokens = limits.tokens.map(|tokens| tokens.saturating_mul(TOKEN));
        let most = [limits.bytes, limits.chars, tokens].into_iter().flatten().min();
        PartRoom { left: most.unwrap_or(u64::MAX) }
    }

    /// Counts a part. Returns true if the room is too small for it, so that its JSON counts as
    /// text.
    ///
    /// `json` is the length of its JSON without texts and metadata, `media` the length of the media
    /// in it.
    pub fn is_full_after(&mut self, kind: &[u8], json: u64, media: u64) -> bool {
        let skeleton = match kind {
            b"text" => br#"{"type":"text","text":""}"#.len() as u64,
            kind if MEDIA_KINDS.contains(&kind) => 64 + media,
            _ => 0,
        };
        let weight = json.saturating_sub(skeleton);
        let is_full = weight > self.left;
        self.left = self.left.saturating_sub(weight);
        is_full
    }
}

/// The types of parts that have media.
const MEDIA_KINDS: [&[u8]; 11] = [
    b"image",
    b"audio",
    b"video",
    b"resource",
    b"image_url",
    b"input_image",
    b"input_audio",
    b"input_file",
    b"file",
    b"document",
    b"media",
];

/// Tells whether a text is base64, or a data URL of media in base64.
fn is_encoded(text: &[u8]) -> bool {
    const MARK: &[u8] = b";base64,";
    let kinds: [&[u8]; 4] = [b"data:image/", b"data:audio/", b"data:video/", b"data:application/"];
    let base64 = match kinds.iter().any(|kind| text.starts_with(kind)) {
        true => {
            let head = &text[..text.len().min(PartField::SHORT)];
            memchr::memmem::find(head, MARK).map(|at| &text[at + MARK.len()..])
        }
        false => Some(text),
    };
    base64.is_some_and(PartField::is_base64)
}

/// Tells whether a part is removed if no part of its text is shown.
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
            (&["source", "data"], PartField::ForeignMedia),
            (&["image_url", "url"], PartField::ForeignMedia),
            (&["_meta", "data"], PartField::Meta),
        ] {
            assert_eq!(PartField::at(path), field, "{path:?}");
        }
    }

    #[test]
    fn long_string_is_text_unless_it_is_media_in_a_place_for_media() {
        let words = "a word ".repeat(200);
        let base64 = "TUFQ".repeat(1_000);
        let picture = format!("data:image/png;base64,{}", "TUFQ".repeat(1_000));
        let drawing = format!("data:image/svg+xml,{}", "<a b>".repeat(1_000));
        let late = format!("{base64} and words");
        let page = format!("data:text/html,{}", "<a b>".repeat(1_000));
        for (text, is_other, is_media) in [
            (&words, true, true),
            (&base64, true, false),
            (&picture, true, false),
            (&drawing, true, true),
            (&late, true, true),
            (&page, true, true),
        ] {
            assert_eq!(PartField::Other.is_text(text.as_bytes()), is_other, "{text:.20}");
            assert_eq!(PartField::Media.is_text(text.as_bytes()), is_media, "{text:.20}");
            assert_eq!(PartField::ForeignMedia.is_text(text.as_bytes()), is_media, "{text:.20}");
        }
        assert!(!PartField::Other.is_text(&words.as_bytes()[..PartField::SHORT]));
        assert!(PartField::Text.is_text(b""));
        assert!(!PartField::Meta.is_text(words.as_bytes()));
    }

    #[test]
    fn part_room_counts_bytes_besides_text_and_media() {
        let mut room = PartRoom::of(&Limits::NONE.bytes(500).chars(100));
        assert!(!room.is_full_after(b"text", 25, 0));
        assert!(!room.is_full_after(b"image", 5_050, 5_000));
        assert!(!room.is_full_after(b"news", 100, 0));
        assert!(!room.is_full_after(b"text", 25, 0));
        assert!(room.is_full_after(b"news", 1, 0));
        assert!(PartRoom::of(&Limits::NONE.tokens(10)).is_full_after(b"news", 5_000, 4_990));
        assert!(!PartRoom::of(&Limits::NONE).is_full_after(b"news", u64::MAX, 0));
    }
}
