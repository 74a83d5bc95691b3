//! Reads an output that was saved in part. Lines and bytes have the numbers of the original output.

use std::ops::Range;

use overspill_core::Limits;

use super::page::{Page, Part, first_lines, fitting_end, fitting_page, line_start, tail_start};
use crate::Error;
use crate::notice::mark_line;
use crate::store::{KeptRange, KeptRanges, NotKept, OutputId, Store};

/// The lines of an output that were not saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLines {
    /// The first line with a missing part.
    pub first: u64,
    /// The last line with a missing part. Lines between the two may have been saved.
    pub last: u64,
    /// The number of missing bytes.
    pub bytes: u64,
    /// The first and last line of each hole.
    pub holes: Vec<(u64, u64)>,
}

impl MissingLines {
    /// The number of holes that a sentence names. It counts the others.
    pub const MAX_NAMED: usize = 3;

    pub(super) fn of(kept: &KeptRanges) -> Option<MissingLines> {
        let hole = kept.hole()?;
        let holes = kept.not_kept().iter().map(|gap| (gap.first_line, gap.last_line)).collect();
        let bytes = kept.missing();
        Some(MissingLines { first: hole.first_line, last: hole.last_line, bytes, holes })
    }
}

impl std::fmt::Display for MissingLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MissingLines { first, last, bytes, holes } = self;
        if first == last {
            return write!(f, "a part of line {first} ({bytes} bytes) was not kept");
        }
        let range = |(first, last): &(u64, u64)| match first < last {
            true => format!("{first}–{last}"),
            false => first.to_string(),
        };
        let named: Vec<String> = holes.iter().take(Self::MAX_NAMED).map(range).collect();
        let more = match holes.len().saturating_sub(Self::MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        write!(f, "lines {}{more} ({bytes} bytes) were not kept", named.join(", "))
    }
}

/// Returns the lines of an output that were not saved. `None` if all were saved, or if an earlier
/// version saved the output without these numbers.
pub fn missing_lines(store: &dyn Store, name: &OutputId) -> Result<Option<MissingLines>, Error> {
    Ok(store.kept_ranges(name)?.as_ref().and_then(MissingLines::of))
}

/// A range of the original output.
enum Stretch<'a> {
    Kept(&'a KeptRange),
    Missing(NotKept),
}

/// An output with holes.
pub(super) struct PartialOutput<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) name: &'a OutputId,
    pub(super) kept: &'a KeptRanges,
    /// The number of stored bytes.
    pub(super) stored: u64,
}

/// A page while it is filled.
struct Filling {
    text: String,
    limits: Limits,
    /// The end of the page in the original.
    end: u64,
    /// The last line of the page, whole or in part.
    last_line: u64,
    /// The page ends with a line or with a hole.
    ends_line: bool,
    /// The page is full.
    is_full: bool,
}

impl Filling {
    fn new(limits: &Limits, start: u64) -> Filling {
        let (text, limits) = (String::new(), *limits);
        Filling { text, limits, end: start, last_line: 0, ends_line: true, is_full: false }
    }

    fn bytes_left(&self) -> u64 {
        self.limits.bytes.map_or(u64::MAX, |most| most.saturating_sub(self.text.len() as u64))
    }

    fn lines_left(&self) -> u64 {
        let open = u64::from(!self.text.is_empty() && !self.text.ends_with('\n'));
        let shown = bytecount::count(self.text.as_bytes(), b'\n') as u64 + open;
        self.limits.lines.map_or(u64::MAX, |most| most.saturating_sub(shown))
    }

    /// Adds a mark, if the page has room for it.
    fn mark(&mut self, mark: &str) -> bool {
        let open = u64::from(!self.text.is_empty() && !self.text.ends_with('\n'));
        if self.lines_left() == 0 || self.bytes_left() < mark.len() as u64 + open {
            self.is_full = true;
            return false;
        }
        if open > 0 {
            self.text.push('\n');
        }
        self.text.push_str(mark);
        self.ends_line = true;
        true
    }
}

impl PartialOutput<'_> {
    pub(super) fn read(&self, part: &Part, limits: &Limits) -> Result<Page, Error> {
        match part {
            Part::Lines(from, to) => self.lines((*from).max(1), *to, limits),
            Part::Bytes(range) => self.bytes(range, limits),
            Part::Tail(count) => self.tail(*count, limits),
        }
    }

    fn stretches(&self) -> Vec<Stretch<'_>> {
        let mut missing = self.kept.not_kept().into_iter().peekable();
        let mut all = Vec::new();
        for range in &self.kept.ranges {
            while let Some(gap) = missing.next_if(|gap| gap.bytes.start < range.bytes.start) {
                all.push(Stretch::Missing(gap));
            }
            all.push(Stretch::Kept(range));
        }
        all.extend(missing.map(Stretch::Missing));
        all
    }

    fn page(&self, filling: Filling, start: u64, lines: Option<(u64, u64)>) -> Page {
        let Filling { text, end, .. } = filling;
        let (bytes, total) = (start.min(end)..end, self.kept.bytes);
        let (total_lines, next) = (Some(self.kept.lines), None);
        Page { text, bytes, lines, total, total_lines, next }
    }

    fn lines(&self, from: u64, to: u64, limits: &Limits) -> Result<Page, Error> {
        let last = to.min(self.kept.lines);
        if from > self.kept.lines {
            let nothing = Filling::new(limits, self.kept.bytes);
            return Ok(self.page(nothing, self.kept.bytes, Some((from, from.saturating_sub(1)))));
        }
        let mut filling = Filling::new(limits, 0);
        let mut start = None;
        for stretch in self.stretches() {
            match stretch {
                Stretch::Kept(range) if range.lines > 0 => {
                    if range.last_line() < from || range.first_line > last {
                        continue;
                    }
                    let at = self.stored_start(range, from)?;
                    let end = match range.last_line() > last {
                        true => self.stored_start(range, last + 1)?,
                        false => range.stored.end,
                    };
                    start.get_or_insert(original(range, at));
                    let first = from.max(range.first_line);
                    self.fill(&mut filling, range, at..end, first)?;
                }
                Stretch::Missing(gap) if gap.last_line >= from && gap.first_line <= last => {
                    start.get_or_insert(gap.bytes.start);
                    let (first, end) = (gap.first_line.max(from), gap.last_line.min(last));
                    if filling.mark(&self.mark_of_lines(first, end)) {
                        filling.last_line = end;
                        filling.end = gap.bytes.end;
                    }
                }
                _ => {}
            }
            if filling.is_full {
                break;
            }
        }
        let shown = filling.last_line.max(from);
        let next = self.next_lines(&filling, from, shown, limits);
        let page = self.page(filling, start.unwrap_or_default(), Some((from, shown)));
        Ok(Page { next, ..page })
    }

    /// Returns the part after a page of lines.
    fn next_lines(
        &self,
        filling: &Filling,
        from: u64,
        shown: u64,
        limits: &Limits,
    ) -> Option<Part> {
        if filling.end >= self.kept.bytes {
            return None;
        }
        if !filling.ends_line {
            // Inside a line, the next part is a range of bytes.
            let most = limits.bytes.unwrap_or(u64::MAX);
            let end = filling.end.saturating_add(most).min(self.kept.bytes);
            return Some(Part::Bytes(filling.end..end));
        }
        let gaps = self.kept.not_kept();
        // The next page begins after the hole. A mark on this page or on the next one reports the
        // hole.
        let gap = gaps.iter().find(|gap| gap.first_line <= shown && shown < gap.last_line);
        let next = gap.map_or(shown + 1, |gap| gap.last_line + 1);
        (next <= self.kept.lines).then(|| Part::Lines(next, next + (shown - from)))
    }

    fn bytes(&self, wanted: &Range<u64>, limits: &Limits) -> Result<Page, Error> {
        let total = self.kept.bytes;
        let start = wanted.start.min(total);
        let end = wanted.end.clamp(start, total);
        let mut filling = Filling::new(limits, start);
        for stretch in self.stretches() {
            match stretch {
                Stretch::Kept(range) if range.bytes.start < end && range.bytes.end > start => {
                    let at = stored(range, start.max(range.bytes.start));
                    let to = stored(range, end.min(range.bytes.end));
                    self.fill(&mut filling, range, at..to, 0)?;
                }
                Stretch::Missing(gap) if gap.bytes.start < end && gap.bytes.end > start => {
                    let (from, to) = (gap.bytes.start.max(start), gap.bytes.end.min(end));
                    let mark = self.mark(&format!("bytes {from}–{to} were"));
                    if filling.mark(&mark) {
                        filling.end = to;
                    }
                }
                _ => {}
            }
            if filling.is_full {
                break;
            }
        }
        let len = (wanted.end - wanted.start).max(1);
        // The next page begins after the hole. A mark on this page reports the hole.
        let gaps = self.kept.not_kept();
        let gap =
            gaps.iter().find(|gap| gap.bytes.start < filling.end && filling.end < gap.bytes.end);
        let from = gap.map_or(filling.end, |gap| gap.bytes.end);
        let next = (from < total).then(|| Part::Bytes(from..from.saturating_add(len).min(total)));
        Ok(Page { next, ..self.page(filling, start, None) })
    }

    fn tail(&self, count: u64, limits: &Limits) -> Result<Page, Error> {
        let count = count.min(limits.lines.unwrap_or(u64::MAX));
        let total = self.kept.bytes;
        let last = self.kept.ranges.last().filter(|range| range.bytes.end == total);
        let held = last.map_or(0, |range| range.lines - u64::from(!range.starts_line));
        if count > held {
            let from = (self.kept.lines + 1).saturating_sub(count).max(1);
            let page = self.lines(from, u64::MAX, limits)?;
            if page.next.is_none() || last.is_none() {
                return Ok(Page { lines: None, ..page });
            }
        }
        let Some(range) = last else {
            return Ok(self.page(Filling::new(limits, total), total, None));
        };
        let most = limits.bytes.unwrap_or(u64::MAX);
        let start = tail_start(self.store, self.name, count.min(held.max(1)), self.stored)?;
        let start = start.max(range.stored.start).max(self.stored.saturating_sub(most));
        let (text, shown) = fitting_end(self.store, self.name, start..self.stored, most)?;
        let (bytes, lines) = (original(range, shown.start)..total, Some(self.kept.lines));
        Ok(Page { text, bytes, lines: None, total, total_lines: lines, next: None })
    }

    /// Returns the place in the saved output where a line begins. If the beginning is missing,
    /// returns the start of the range with the rest of the line.
    fn stored_start(&self, range: &KeptRange, line: u64) -> Result<u64, Error> {
        if line <= range.first_line {
            return Ok(range.stored.start);
        }
        let first = self.kept.at_stored(range.stored.start).map_or(1, |(_, first)| first);
        let stored = first + (line - range.first_line);
        let start = line_start(self.store, self.name, stored, self.stored)?;
        Ok(start.unwrap_or(range.stored.end).min(range.stored.end))
    }

    /// Adds a range of the saved output, up to the limits.
    fn fill(
        &self,
        filling: &mut Filling,
        range: &KeptRange,
        place: Range<u64>,
        first_line: u64,
    ) -> Result<(), Error> {
        let (most, lines) = (filling.bytes_left(), filling.lines_left());
        let wanted = place.end - place.start;
        let raw = self.store.read(self.name, place.start..place.start + wanted.min(most))?;
        let mut raw = first_lines(&raw, lines);
        if (raw.len() as u64) < wanted
            && let Some(feed) = memchr::memrchr(b'\n', raw)
        {
            raw = &raw[..=feed];
        }
        let (text, shown) = fitting_page(raw, place.start, place.end, most);
        let shown_raw = &raw[..(shown.end - shown.start) as usize];
        filling.text.push_str(&text);
        filling.end = original(range, shown.end);
        filling.ends_line = shown_raw.ends_with(b"\n") || filling.end == self.kept.bytes;
        let feeds = bytecount::count(shown_raw, b'\n') as u64;
        if !shown_raw.is_empty() {
            filling.last_line = first_line + feeds - u64::from(shown_raw.ends_with(b"\n"));
        }
        filling.is_full = shown.end < place.end;
        Ok(())
    }

    fn mark_of_lines(&self, first: u64, last: u64) -> String {
        self.mark(&match (first, last) {
            (first, last) if first < last => format!("lines {first}–{last} were"),
            (line, _) => {
                let is_part = self.kept.ranges.iter().any(|range| {
                    range.lines > 0 && (range.first_line..=range.last_line()).contains(&line)
                });
                format!("{}line {line} was", if is_part { "a part of " } else { "" })
            }
        })
    }

    fn mark(&self, what: &str) -> String {
        mark_line(Some(self.name), &format!("{what} not kept (`store.max_output`)"))
    }
}

/// Converts a place in the saved output into a place in the original.
fn original(range: &KeptRange, place: u64) -> u64 {
    match place >= range.stored.end {
        true => range.bytes.end,
        false => (range.bytes.start + (place - range.stored.start)).min(range.bytes.end),
    }
}

/// Converts a byte of the original into a place in the saved output.
fn stored(range: &KeptRange, byte: u64) -> u64 {
    match byte >= range.bytes.end {
        true => range.stored.end,
        false => (range.stored.start + (byte - range.bytes.start)).min(range.stored.end),
    }
}
