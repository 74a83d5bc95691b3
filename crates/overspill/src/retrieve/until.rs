//! A search that ends when it is told to.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::pieces::Pieces;

/// Searches until `sink` wants nothing more; tells whether it wants more.
pub(super) fn search<S: Sink<Error = io::Error>>(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    pieces: Pieces<'_, '_>,
    sink: S,
) -> io::Result<bool> {
    let stopped = pieces.stopped();
    let until = Until { sink, stopped: stopped.clone() };
    searcher.search_reader(matcher, pieces, until)?;
    Ok(!stopped.get())
}

/// Asks a sink nothing once it has said no, and ends what is read.
///
/// The engine takes a no for the rest of what it holds: where lines are wanted that do not match, it
/// reads on and asks again.
struct Until<S> {
    sink: S,
    stopped: Rc<Cell<bool>>,
}

impl<S> Until<S> {
    fn ask(&mut self, ask: impl FnOnce(&mut S) -> io::Result<bool>) -> io::Result<bool> {
        if !self.stopped.get() {
            self.stopped.set(!ask(&mut self.sink)?);
        }
        Ok(!self.stopped.get())
    }
}

impl<S: Sink<Error = io::Error>> Sink for Until<S> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.ask(|sink| sink.matched(searcher, found))
    }

    fn context(&mut self, searcher: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        self.ask(|sink| sink.context(searcher, near))
    }
}
