//! Splits JSON into tokens. Every reader of JSON in overspill uses this tokenizer.
//!
//! The tokenizer is as strict as RFC 8259, takes a text in chunks of any size, and needs one byte
//! of memory for each open bracket.
//!
//! The tokenizer decodes escapes. The grammar allows half of a surrogate pair, such as `\ud83d`,
//! and the tokenizer replaces it by U+FFFD. The tokenizer does not check UTF-8: a string may have
//! any bytes from 0x20 on, and readers replace broken UTF-8.

mod number;
mod string;
#[cfg(test)]
mod tests;
mod tokens;

pub use tokens::JsonTokens;

/// The kind of the bytes that the tokenizer just took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonToken<'a> {
    /// White space, commas and colons.
    Between,
    /// The bracket that begins an object or an array.
    Open(u8),
    /// The bracket that ends an object or an array.
    Close,
    /// The quote that begins a string.
    String {
        /// The string is the name of a member.
        is_key: bool,
    },
    /// A part of the text of a string, with its escapes decoded. Can be empty inside an escape.
    Text(&'a [u8]),
    /// The quote that ends a string.
    EndString,
    /// A part of a number, or of `true`, `false` or `null`.
    Word {
        /// The word ends here. Only the next byte shows where a number ends, so this token can be
        /// empty. A number at the very end of a text has no such token.
        ends: bool,
    },
}

/// The first mistake in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedJson {
    /// The mistake, such as "expected a value".
    pub what: &'static str,
    /// The number of bytes before the wrong byte, among the bytes of this call.
    pub at: usize,
}
