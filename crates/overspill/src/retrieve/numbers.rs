//! The numbers of lines, found when they are asked for.
//!
//! A search that counts as it goes pays for every line; most searches show few.

use super::source::Source;
use crate::Error;
use crate::store::{OutputId, Store};

/// Over a longer way it is cheaper to look the number up, where the store has an index.
const FAR: u64 = 512 << 10;

/// Numbers lines from the beginning of one to the end.
pub(super) struct Numbers<'a> {
    store: &'a dyn Store,
    name: &'a OutputId,
    source: Source<'a>,
    /// A place, and the number of the line it is in.
    at: u64,
    number: u64,
}

impl<'a> Numbers<'a> {
    /// Begins with the line that begins at `at`, which is `number`, counted from 1.
    pub(super) fn new(
        store: &'a dyn Store,
        name: &'a OutputId,
        at: u64,
        number: u64,
    ) -> Result<Numbers<'a>, Error> {
        let source = Source::open(store, name)?;
        Ok(Numbers { store, name, source, at, number })
    }

    /// Returns the number of the line that `place` is in, which is not before the last one asked for.
    pub(super) fn of(&mut self, place: u64) -> Result<u64, Error> {
        if place.saturating_sub(self.at) > FAR
            && let Some(number) = self.store.line_at(self.name, place)?
        {
            (self.at, self.number) = (place, number);
        }
        while self.at < place {
            let block = self.source.range(self.at, place)?;
            if block.is_empty() {
                break;
            }
            self.at += block.len() as u64;
            self.number += bytecount::count(block, b'\n') as u64;
        }
        Ok(self.number)
    }
}
