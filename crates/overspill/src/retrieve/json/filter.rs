//! Filters of a JSONPath: `?@.error`. `serde_json_path` parses and evaluates them.
//!
//! Our own code walks through the output. Only the value under a filter is in memory.

use serde_json::Value;

/// The size in bytes up to which values are filtered.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// A filter, as a path from a list to the values that match.
#[cfg(feature = "filter")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Filter(Box<serde_json_path::JsonPath>);

#[cfg(feature = "filter")]
impl Filter {
    /// Parses the text after `?`. The error has the number of characters before the mistake.
    pub(super) fn parse(text: &str) -> Result<Filter, (&'static str, usize)> {
        const BEFORE: &str = "$[?";
        let path = serde_json_path::JsonPath::parse(&format!("{BEFORE}{text}]"));
        path.map(|path| Filter(Box::new(path))).map_err(|error| {
            ("the filter is invalid", error.position().saturating_sub(BEFORE.len()))
        })
    }

    /// Tells whether the only value of `list` matches.
    pub(super) fn takes(&self, list: &Value) -> bool {
        !self.0.query(list).is_empty()
    }
}

/// The type of filters in a build without them.
#[cfg(not(feature = "filter"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Filter {}

#[cfg(not(feature = "filter"))]
impl Filter {
    pub(super) fn parse(_: &str) -> Result<Filter, (&'static str, usize)> {
        Err(("this build has no filters", 0))
    }

    pub(super) fn takes(&self, _: &Value) -> bool {
        match *self {}
    }
}
