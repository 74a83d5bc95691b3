//! Finds outputs in a bucket by a part of their id, and lines in these outputs.

use super::Bucket;
use super::bucket_record::{BucketRecord, LINE};
use super::failure::Failure;
use super::found::OFFLINE;
use super::layout::Layout;
use super::listing::Marks;
use super::remote::PATIENCE;
use crate::Error;
use crate::store::seal::Seal;
use crate::store::{
    Entry, Integrity, Kept, KeptRanges, Lookup, OutputId, RecentQuery, Store, lines,
};

/// The number of days whose outputs are all searched for the end of an id. Earlier days are
/// searched until one has it.
const LATELY: usize = 3;

/// The largest number of bytes of a line index that are fetched: enough for an output of 256 GiB.
const LONGEST_INDEX: u64 = 64 << 20;

impl Lookup for Bucket {
    fn named(&self, start: &str) -> Result<Vec<Entry>, Error> {
        let is_wanted = |entry: &Entry| entry.name.as_str().starts_with(start);
        let (mut entries, mut copies) = self.0.spool.unsent_and_sent()?;
        entries.retain(is_wanted);
        copies.retain(is_wanted);
        let (notes, wanted) = (self.0.layout.notes(), start.to_owned());
        // If an output is on this machine, the bucket gets only a short time.
        let is_here = !entries.is_empty() || !copies.is_empty();
        let wait = if is_here { OFFLINE } else { PATIENCE };
        let found =
            self.0.remote.run(wait, |objects| async move { objects.named(&notes, &wanted).await });
        let found = match found {
            // Outputs on this machine can be read without the bucket.
            Err(_) if is_here => {
                entries.extend(copies);
                return Ok(entries);
            }
            found => found.map_err(|failure| self.failed(failure))?,
        };
        for name in found.iter().filter_map(Layout::named) {
            if entries.iter().any(|entry| entry.name == name) {
                continue;
            }
            match self.entry(&name) {
                Err(Error::NotFound { .. } | Error::Damaged { .. }) => {}
                entry => entries.push(entry?),
            }
        }
        Ok(entries)
    }

    fn ending(&self, end: &str) -> Result<Vec<OutputId>, Error> {
        let failed = |failure| self.failed(failure);
        let here = self.0.spool.ending(end)?;
        if !here.is_empty() {
            return Ok(here);
        }
        let mut names = Vec::new();
        for (index, day) in self.days().map_err(failed)?.iter().rev().enumerate() {
            if index >= LATELY && !names.is_empty() {
                break;
            }
            let listed =
                self.day(day, &RecentQuery::default(), &Marks::default()).map_err(failed)?;
            let listed = listed.into_iter().map(|(entry, _)| entry.name);
            names.extend(listed.filter(|name| name.ends_like(end)));
        }
        Ok(names)
    }

    fn place(&self, name: &OutputId) -> String {
        let place = |key: &str| self.address().of(key);
        let known = self.known().get(name).map(|known| known.found.key.clone());
        match known.or_else(|| self.places().get(name).cloned()) {
            Some(key) => place(key.as_ref()),
            None if self.is_unsent(name) => self.0.spool.place(name),
            None => place(self.0.layout.note(name).as_ref()),
        }
    }

    fn kept_ranges(&self, name: &OutputId) -> Result<Option<KeptRanges>, Error> {
        match self.0.spool.kept_ranges(name) {
            Err(Error::NotFound { .. }) => {}
            known => return known,
        }
        let found = self.found(name)?;
        let is_partial = found.note.as_ref().is_some_and(|note| note.kept() != Kept::Whole);
        let seal = if is_partial { self.seal(name)? } else { None };
        let seal = seal.filter(|seal| seal.bytes == found.entry.bytes);
        Ok(seal.and_then(|seal| seal.ranges))
    }

    fn line_start(&self, name: &OutputId, line: u64) -> Result<Option<u64>, Error> {
        match self.0.spool.line_start(name, line) {
            Err(Error::NotFound { .. }) => {}
            known => return known,
        }
        let found = self.found(name)?;
        let read = |range| self.read_found(&found, range);
        lines::line_start(line, found.entry.bytes, || self.seal(name), read)
    }

    fn line_at(&self, name: &OutputId, place: u64) -> Result<Option<u64>, Error> {
        match self.0.spool.line_at(name, place) {
            Err(Error::NotFound { .. }) => {}
            known => return known,
        }
        let read = |range| self.read_found(&self.found(name)?, range);
        lines::line_at(place, || self.seal(name), read)
    }

    fn check(&self, name: &OutputId) -> Result<Integrity, Error> {
        if self.is_unsent(name) {
            return self.0.spool.check(name);
        }
        let found = match self.found(name) {
            // Without the bucket only the local copy can be checked.
            Err(Error::Bucket { .. }) if self.0.spool.entry(name).is_ok() => {
                return self.0.spool.check(name);
            }
            found => found?,
        };
        if found.is_damaged {
            return Ok(Integrity::Damaged);
        }
        let Some(note) = &found.note else { return Ok(Integrity::Unknown) };
        let mut sum = crc32fast::Hasher::new();
        let mut at = 0;
        while at < found.entry.bytes {
            let end = found.entry.bytes.min(at + (256 << 10));
            sum.update(&self.read_found(&found, at..end)?);
            at = end;
        }
        let same = note.bytes == found.entry.bytes && u64::from(sum.finalize()) == note.sum;
        Ok(Integrity::of(&note.kept(), same))
    }

    fn warnings(&self) -> Vec<String> {
        self.0.damage.sentences()
    }
}

impl Bucket {
    /// Returns the seal of an output, with its line positions.
    fn seal(&self, name: &OutputId) -> Result<Option<Seal>, Error> {
        let found = self.found(name)?;
        if let Some(seal) = &found.seal {
            return Ok(Some(seal.clone()));
        }
        let path = self.0.layout.note(name);
        let longest = LINE + Seal::longest(found.entry.bytes).min(LONGEST_INDEX);
        let seal = match self.0.remote.get(&path, Some(0..longest)) {
            Ok(got) => {
                BucketRecord::seal(&got.bytes).filter(|seal| seal.bytes == found.entry.bytes)
            }
            Err(Failure::NotFound) => None,
            Err(failure) => return Err(self.failed(failure)),
        };
        if let (Some(known), Some(seal)) = (self.known().get_mut(name), &seal) {
            known.found.seal = Some(seal.clone());
        }
        Ok(seal)
    }
}
