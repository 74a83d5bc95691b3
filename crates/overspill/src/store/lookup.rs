//! The trait for stores that find outputs by a part of their id, and lines by their number,
//! without reading everything.

use std::path::Path;

use super::name::SHORT_ID;
use super::{Entry, Integrity, KeptRanges, OutputId, Store};
use crate::Error;

/// A store that finds outputs by a part of their id, and lines by their number.
///
/// No method returns text of an output or a command, so a store that masks text can return the
/// lookup of the store behind it. A method that returns such text belongs into
/// [`Catalog`](super::Catalog).
pub trait Lookup: Store {
    /// Returns the outputs whose ids begin with `start`, in no particular order.
    fn named(&self, start: &str) -> Result<Vec<Entry>, Error> {
        Ok(named_in(self.list()?, start))
    }

    /// Returns the ids that end with `end` (see [`OutputId::ends_like`]), in no particular order.
    ///
    /// A bucket looks first at outputs that are on this machine or were saved lately.
    fn ending(&self, end: &str) -> Result<Vec<OutputId>, Error> {
        Ok(ending_in(self.list()?, end))
    }

    /// Returns the place of an output as notices show it: a path or an address.
    fn place(&self, name: &OutputId) -> String;

    /// Returns the directory of this store if `path` leads into another directory. A store without
    /// a directory returns `None`.
    fn directory_other_than(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Returns the ranges of an output that were saved. `None` means that all of the output was
    /// saved, or that the store did not record the ranges.
    fn kept_ranges(&self, name: &OutputId) -> Result<Option<KeptRanges>, Error>;

    /// Returns the position of line `line`, counted from 1, if the store knows it without reading
    /// the whole output.
    ///
    /// If only a part of the output was saved, the lines of the saved output count.
    fn line_start(&self, name: &OutputId, line: u64) -> Result<Option<u64>, Error>;

    /// Returns the number of the line at byte `place`, counted from 1, if the store knows it
    /// without reading the whole output.
    fn line_at(&self, name: &OutputId, place: u64) -> Result<Option<u64>, Error>;

    /// Compares an output with the checksum that was recorded when the output was published.
    fn check(&self, name: &OutputId) -> Result<Integrity, Error>;

    /// Returns the damage that this store has met so far, one sentence for each damaged object.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The outputs that a part of an id can mean, the last saved first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdMatches {
    /// The ids of the outputs.
    pub ids: Vec<OutputId>,
    /// The part of these ids that was given: `whole`, `beginning` or `end`.
    pub part: &'static str,
}

/// The smallest number of characters at the start of a short id that can name an output.
const SHORTEST: usize = 4;

/// The methods of [`Lookup`], for every store. A store without a lookup is searched through its
/// list, and returns no line positions.
impl dyn Store + '_ {
    /// Finds an output of this store by its path, its address, or its id: the whole id, its
    /// beginning or end, or at least the first 4 characters of the short id.
    ///
    /// The last part of a path is the id, so a path never leads out of the store. A path into
    /// another directory is an error, even if the store has an output of that name.
    pub fn find(&self, text: &str) -> Result<OutputId, Error> {
        let path = Some(Path::new(text)).filter(|_| !text.contains("://"));
        let other = path.zip(self.lookup()).and_then(|(path, it)| it.directory_other_than(path));
        if let Some(store) = other {
            return Err(Error::OutsideStore { path: text.to_owned(), store });
        }
        let ids = OutputId::candidates(text);
        for id in &ids {
            match self.entry(id) {
                Ok(_) => return Ok(id.clone()),
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // The last candidate has neither a directory nor an ending.
        let Some(name) = ids.into_iter().next_back() else {
            return Err(Error::BadId { text: text.to_owned() });
        };
        let is_long = name.as_str().len() >= SHORTEST;
        let matches = if is_long { self.matching(name.as_str()).ok() } else { None };
        let mut ids = matches.map_or_else(Vec::new, |matches| matches.ids);
        match ids.len() {
            0 => Err(Error::NotFound { name }),
            1 => Ok(ids.remove(0)),
            _ => {
                ids.sort();
                Err(Error::Ambiguous { text: text.to_owned(), names: ids })
            }
        }
    }

    /// Returns the outputs that `stem` can mean: an id, the beginning or the end of an id, or the
    /// beginning of a short id. An id that overspill made is found in lower case as well.
    pub fn matching(&self, stem: &str) -> Result<IdMatches, Error> {
        let upper = stem.to_ascii_uppercase();
        let stems = if upper == stem { vec![stem] } else { vec![stem, &*upper] };
        for id in stems.iter().filter_map(|stem| OutputId::parse(stem)) {
            match self.entry(&id) {
                Ok(_) => return Ok(IdMatches { ids: vec![id], part: "whole" }),
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let ids_of = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.name).collect();
        let mut matches = IdMatches { ids: Vec::new(), part: "beginning" };
        for stem in stems.iter().filter(|stem| !stem.is_empty()) {
            match self.named(stem) {
                Ok(entries) if matches.ids.is_empty() => matches.ids = ids_of(entries),
                Ok(_) => {}
                Err(error) if !may_be_end(stem) => return Err(error),
                // The end of an id is found on this machine even if the bucket cannot be reached.
                Err(_) => {}
            }
        }
        // The id in a notice is the end of an id.
        if matches.ids.is_empty() && may_be_end(stem) {
            matches = IdMatches { ids: self.ending(stem)?, part: "end" };
        }
        if matches.ids.is_empty() && may_begin_short_id(stem) {
            let mut ids: Vec<OutputId> = ids_of(self.list()?);
            ids.retain(|id| id.short_id().starts_with(&stem.to_ascii_lowercase()));
            matches = IdMatches { ids, part: "beginning" };
        }
        matches.ids.sort_by(|a, b| b.cmp(a));
        Ok(matches)
    }

    /// See [`Lookup::named`].
    pub fn named(&self, start: &str) -> Result<Vec<Entry>, Error> {
        self.lookup().map_or_else(|| Ok(named_in(self.list()?, start)), |it| it.named(start))
    }

    /// See [`Lookup::ending`].
    pub fn ending(&self, end: &str) -> Result<Vec<OutputId>, Error> {
        self.lookup().map_or_else(|| Ok(ending_in(self.list()?, end)), |it| it.ending(end))
    }

    /// See [`Lookup::place`].
    pub fn place(&self, name: &OutputId) -> String {
        self.lookup().map_or_else(|| name.to_string(), |it| it.place(name))
    }

    /// See [`Lookup::kept_ranges`].
    pub fn kept_ranges(&self, name: &OutputId) -> Result<Option<KeptRanges>, Error> {
        self.lookup().map_or(Ok(None), |it| it.kept_ranges(name))
    }

    /// See [`Lookup::line_start`].
    pub fn line_start(&self, name: &OutputId, line: u64) -> Result<Option<u64>, Error> {
        self.lookup().map_or(Ok(None), |it| it.line_start(name, line))
    }

    /// See [`Lookup::line_at`].
    pub fn line_at(&self, name: &OutputId, place: u64) -> Result<Option<u64>, Error> {
        self.lookup().map_or(Ok(None), |it| it.line_at(name, place))
    }

    /// See [`Lookup::check`].
    pub fn check(&self, name: &OutputId) -> Result<Integrity, Error> {
        self.lookup().map_or(Ok(Integrity::Unknown), |it| it.check(name))
    }

    /// See [`Lookup::warnings`].
    pub fn warnings(&self) -> Vec<String> {
        self.lookup().map_or_else(Vec::new, |it| it.warnings())
    }
}

/// Tells whether `stem` can be the end of an id and is not itself an id that overspill made.
fn may_be_end(stem: &str) -> bool {
    stem.len() >= SHORT_ID && OutputId::parse(stem).is_some_and(|id| id.time().is_none())
}

/// Tells whether `stem` can be the beginning of a short id.
fn may_begin_short_id(stem: &str) -> bool {
    (SHORTEST..SHORT_ID).contains(&stem.len())
        && stem.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn named_in(mut entries: Vec<Entry>, start: &str) -> Vec<Entry> {
    entries.retain(|entry| entry.name.as_str().starts_with(start));
    entries
}

fn ending_in(entries: Vec<Entry>, end: &str) -> Vec<OutputId> {
    entries.into_iter().map(|entry| entry.name).filter(|name| name.ends_like(end)).collect()
}
