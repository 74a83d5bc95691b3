//! Finds the lines of a long output that are worth reading, at the speed of memory.

use std::iter::Peekable;
use std::ops::Range;

use aho_corasick::packed::{FindIter, Searcher};

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
pub(crate) struct Alarm(Option<Searcher>);

impl Alarm {
    pub(crate) fn new() -> Alarm {
        let capital = |stem: &str| [&stem[..1].to_ascii_uppercase(), &stem[1..]].concat();
        let ways = |stem: &&str| [(*stem).to_owned(), capital(stem), stem.to_ascii_uppercase()];
        Alarm(Searcher::new(STEMS.iter().flat_map(ways)))
    }

    /// Searches `text` once, from its start to its end.
    pub(crate) fn search<'a>(&'a self, text: &'a [u8]) -> Search<'a> {
        Search {
            all: self.0.is_none(),
            found: self.0.as_ref().map(|it| it.find_iter(text).peekable()),
        }
    }
}

/// A search on its way.
pub(crate) struct Search<'a> {
    /// There is no searcher for this machine; every line is read.
    all: bool,
    found: Option<Peekable<FindIter<'a, 'a>>>,
}

impl Search<'_> {
    /// Tells whether something begins within `range`, which comes after those asked for before.
    pub(crate) fn finds(&mut self, range: Range<usize>) -> bool {
        let Some(found) = &mut self.found else { return self.all };
        while found.next_if(|found| found.start() < range.start).is_some() {}
        found.peek().is_some_and(|found| found.end() <= range.end)
    }
}
