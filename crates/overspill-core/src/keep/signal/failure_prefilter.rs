//! Finds the lines of a long output that may contain a failure word. A SIMD search for the stems of
//! failure words is much faster than reading every line.

use std::ops::Range;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;

/// The stems of failure words. A SIMD search cannot take more: each stem is searched for in three
/// spellings.
const STEMS: [&str; 20] = [
    "error",
    "fail",
    "fatal",
    "except",
    "panic",
    "traceb",
    "assert",
    "undefin",
    "denied",
    "refused",
    "cannot",
    "unable",
    "invalid",
    "missing",
    "timeout",
    "abort",
    "killed",
    "crash",
    "not found",
    "segfault",
];

/// A search for [`STEMS`] in lower case, in upper case and with a capital first letter.
#[derive(Debug, Clone)]
pub(crate) struct FailurePrefilter(Option<Searcher>);

impl FailurePrefilter {
    pub(crate) fn new() -> FailurePrefilter {
        let capital = |stem: &str| [&stem[..1].to_ascii_uppercase(), &stem[1..]].concat();
        let ways = |stem: &&str| [(*stem).to_owned(), capital(stem), stem.to_ascii_uppercase()];
        FailurePrefilter(Searcher::new(STEMS.iter().flat_map(ways)))
    }

    /// Returns the offset of the first stem in `text`.
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        self.0.as_ref()?.find(text).map(|found| found.start())
    }

    /// Searches `text` once, from its start to its end.
    pub(crate) fn search<'a>(&'a self, text: &'a [u8]) -> PrefilterSearch<'a> {
        PrefilterSearch { searcher: self.0.as_ref(), text, next: Next::Unknown }
    }
}

/// The state of a search through one text.
pub(crate) struct PrefilterSearch<'a> {
    /// The SIMD searcher. Without one for this machine, every line is read.
    searcher: Option<&'a Searcher>,
    text: &'a [u8],
    next: Next,
}

/// The next match of the search.
enum Next {
    Unknown,
    At(Range<usize>),
    Nothing,
}

impl PrefilterSearch<'_> {
    /// Tells whether a stem is in `range`. The ranges of successive calls must ascend.
    ///
    /// The search skips the rest of a range after its first match, and the text between ranges.
    pub(crate) fn finds(&mut self, range: Range<usize>) -> bool {
        let Some(searcher) = self.searcher else { return true };
        let is_known = match &self.next {
            Next::Unknown => false,
            Next::At(next) => next.start >= range.start,
            Next::Nothing => true,
        };
        if !is_known {
            let rest = Span { start: range.start, end: self.text.len() };
            let found = searcher.find_in(self.text, rest);
            self.next = found.map_or(Next::Nothing, |found| Next::At(found.range()));
        }
        matches!(&self.next, Next::At(next) if next.end <= range.end)
    }
}
