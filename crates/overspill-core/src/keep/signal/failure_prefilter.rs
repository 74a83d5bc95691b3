//! Finds the lines of a long output that are worth reading, at the speed of memory.

use std::ops::Range;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;

/// Stems of words of failure. In three ways of writing these are as many as can be searched for at
/// once with SIMD.
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

/// Finds [`STEMS`], small, with a capital, and in capitals.
#[derive(Debug, Clone)]
pub(crate) struct FailurePrefilter(Option<Searcher>);

impl FailurePrefilter {
    pub(crate) fn new() -> FailurePrefilter {
        let capital = |stem: &str| [&stem[..1].to_ascii_uppercase(), &stem[1..]].concat();
        let ways = |stem: &&str| [(*stem).to_owned(), capital(stem), stem.to_ascii_uppercase()];
        FailurePrefilter(Searcher::new(STEMS.iter().flat_map(ways)))
    }

    /// Returns where the first stem in `text` begins.
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        self.0.as_ref()?.find(text).map(|found| found.start())
    }

    /// Searches `text` once, from its start to its end.
    pub(crate) fn search<'a>(&'a self, text: &'a [u8]) -> PrefilterSearch<'a> {
        PrefilterSearch { searcher: self.0.as_ref(), text, next: Next::Unknown }
    }
}

/// A search on its way.
pub(crate) struct PrefilterSearch<'a> {
    /// There may be none for this machine; then every line is read.
    searcher: Option<&'a Searcher>,
    text: &'a [u8],
    next: Next,
}

/// What is found next.
enum Next {
    Unknown,
    At(Range<usize>),
    Nothing,
}

impl PrefilterSearch<'_> {
    /// Tells whether something begins within `range`, which comes after those asked for before. What
    /// else there is within a range is not searched for, nor what lies between those asked for.
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
