//! Reads an output, complete or as it streams by, and keeps the parts that a preview may show.

pub(crate) mod binary;
pub(crate) mod collected;
pub(crate) mod collector;
pub(crate) mod ends;
pub(crate) mod selection;
pub(crate) mod window;

pub use binary::binary_label;
