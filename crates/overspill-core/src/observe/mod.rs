//! Looks at an output, whole or as it streams by, and holds what may be shown of it.

pub(crate) mod binary;
pub(crate) mod collected;
pub(crate) mod collector;
pub(crate) mod ends;
pub(crate) mod selection;
pub(crate) mod window;

pub use binary::binary_words;
