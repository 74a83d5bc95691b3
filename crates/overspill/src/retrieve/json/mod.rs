//! Reads values of a JSON output by a path, in one pass and with little memory.
//!
//! A value is a range of the output, so numbers, the order of keys and everything else are shown as
//! in the output.

mod filter;
mod path;
mod scan;
#[cfg(test)]
mod tests;
mod walk;

use std::fmt;

use overspill_core::Limits;

use self::scan::{Place, Scan, Stop};
use self::walk::{Listener, walk};
use super::page::{Room, fitting};
use super::partial::MissingLines;
use super::source::Source;
use crate::Error;
use crate::store::{OutputId, Store};

pub use path::{BadPath, JsonPath};
pub use scan::BadJson;

/// The beginning of a page: a value and an offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FromValue {
    /// The number of the value, counted from 1.
    pub value: u64,
    /// The number of bytes of the value that earlier pages showed.
    pub byte: u64,
}

impl FromValue {
    /// The first page.
    pub const START: FromValue = FromValue { value: 1, byte: 0 };
}

impl fmt::Display for FromValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.byte {
            0 => write!(f, "{}", self.value),
            byte => write!(f, "{}:{byte}", self.value),
        }
    }
}

/// The values at a path, up to the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// Each value as in the output, on lines of its own. If each line of the output is a JSON text,
    /// the number of the line and a colon come first.
    pub text: String,
    /// The number of the first value of this page, counted from 1.
    pub first: u64,
    /// The number of shown values, including one that is shown in part.
    pub shown: u64,
    /// The beginning of the next page.
    pub next: Option<FromValue>,
    /// The first place that is not JSON. Values that are not JSON are left out.
    pub bad: Option<BadJson>,
    /// The lines that were not saved, and so not read.
    pub missing: Option<MissingLines>,
}

/// The reason why a read of values failed.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The output could not be read.
    #[error(transparent)]
    Store(#[from] Error),
    /// The output is not JSON.
    #[error("{}: {bad}", id.short_id())]
    NotJson {
        /// The id of the output.
        id: OutputId,
        /// The first place that is not JSON.
        bad: BadJson,
    },
    /// A part of the output was not saved, and the rest is not JSON.
    #[error("{}: {missing} (`store.max_output`), so it is not whole JSON", id.short_id())]
    NotWhole {
        /// The id of the output.
        id: OutputId,
        /// The part that was not saved.
        missing: MissingLines,
    },
}

/// Reads the values of a JSON text at `path`, in order, up to `limits`.
///
/// If the output has several texts, such as one on each line, all of them are read.
pub fn values(
    store: &dyn Store,
    name: &OutputId,
    path: &JsonPath,
    from: FromValue,
    limits: &Limits,
) -> Result<Values, JsonError> {
    let source = Source::open(store, name)?;
    // A store that cannot record the use of the output can still be read.
    let _ = store.touch(name);
    let kept = source.kept.clone();
    let line_of = |line: u64| kept.as_ref().map_or(line, |kept| kept.original_line(line));
    let mut scan = Scan::new(source);
    let has_lines = has_a_text_a_line(&mut scan)?;
    scan.rewind();
    let mut page = Page::new(from, Room::of(limits));
    // After the only value of the only text, reading can stop.
    page.is_single = path.is_single() && !has_lines;
    let bad = collect(&mut scan, path, &mut page)?;
    let bad = bad.map(|bad| BadJson { line: line_of(bad.line), ..bad });
    page.values.iter_mut().for_each(|value| value.text_line = line_of(value.text_line));
    let values = page.show(store, name, has_lines)?;
    let (id, missing) = (name.clone(), kept.as_deref().and_then(MissingLines::of));
    match (bad, missing) {
        (Some(_), Some(missing)) if values.shown == 0 => Err(JsonError::NotWhole { id, missing }),
        (Some(bad), None) if values.shown == 0 => Err(JsonError::NotJson { id, bad }),
        (bad, missing) => Ok(Values { bad, missing, ..values }),
    }
}

/// Finds the values of the page. Returns the first place that is not JSON.
fn collect(
    scan: &mut Scan<'_>,
    path: &JsonPath,
    page: &mut Page,
) -> Result<Option<BadJson>, Error> {
    let mut bad = None;
    let mut first = true;
    loop {
        match scan.begin_text() {
            Ok(None) => return Ok(bad),
            Ok(Some(_)) => page.text_line = scan.place().line,
            Err(Stop::Store(error)) => return Err(error),
            Err(Stop::Bad(_)) => {}
        }
        match walk(scan, Some(path), page) {
            Ok(true) => {}
            Ok(false) => return Ok(bad),
            Err(Stop::Store(error)) => return Err(error),
            Err(Stop::Bad(met)) => {
                page.values.retain(|value| value.end.is_some());
                page.open.clear();
                bad.get_or_insert(met);
                // JSON lines may have other lines between them. After a broken text, reading stops.
                if first || !matches!(scan.skip_line(), Ok(true)) {
                    return Ok(bad);
                }
            }
        }
        first = false;
    }
}

/// The number of bytes that are read to find out whether each line is a text.
const FIRST_LINE: u64 = 1 << 20;

/// Returns whether the first line is a complete JSON text and others follow.
fn has_a_text_a_line(scan: &mut Scan<'_>) -> Result<bool, Error> {
    struct OneLine;
    impl Listener for OneLine {
        fn begins(&mut self, _: Place) -> Option<usize> {
            None
        }
        fn ends(&mut self, _: usize, _: Place) {}
        fn is_done(&self, at: Place) -> bool {
            at.line > 1 || at.byte > FIRST_LINE
        }
    }
    let answer = match walk(scan, None, &mut OneLine) {
        Ok(true) if scan.place().line == 1 => scan.begin_text().map(|next| next.is_some()),
        Ok(_) => Ok(false),
        Err(stop) => Err(stop),
    };
    match answer {
        Err(Stop::Store(error)) => Err(error),
        Err(Stop::Bad(_)) => Ok(false),
        Ok(answer) => Ok(answer),
    }
}

/// A value that is to be shown.
struct Value {
    start: u64,
    end: Option<u64>,
    /// The line on which its JSON text begins.
    text_line: u64,
}

/// The values of a page, as ranges.
struct Page {
    from: FromValue,
    room: Room,
    /// The number of values so far.
    met: u64,
    values: Vec<Value>,
    /// The indexes of the values that have not ended, the outermost first.
    open: Vec<usize>,
    /// The number of bytes that are certainly shown.
    bytes: u64,
    text_line: u64,
    /// More values were found than the page has room for.
    full: bool,
    /// The path leads to at most one value.
    is_single: bool,
}

impl Listener for Page {
    fn begins(&mut self, at: Place) -> Option<usize> {
        self.met += 1;
        if self.met < self.from.value {
            return None;
        }
        if self.values.len() as u64 >= self.room.lines || self.bytes > self.room.bytes {
            self.full = true;
            return None;
        }
        self.open.push(self.values.len());
        self.values.push(Value { start: at.byte, end: None, text_line: self.text_line });
        Some(self.values.len() - 1)
    }

    fn ends(&mut self, number: usize, at: Place) {
        self.open.pop();
        if let Some(value) = self.values.get_mut(number) {
            value.end = Some(at.byte);
            self.bytes += (at.byte - value.start).saturating_sub(self.from.byte) + 1;
        }
    }

    fn is_done(&self, at: Place) -> bool {
        match self.open.first() {
            None => self.full || (self.is_single && self.met > 0),
            // A value that fills the page before it has ended need not be read to its end.
            Some(&outermost) => {
                let read = at.byte - self.values[outermost].start;
                read > self.room.bytes.saturating_add(self.from.byte)
            }
        }
    }
}

impl Page {
    fn new(from: FromValue, room: Room) -> Page {
        let from = FromValue { value: from.value.max(1), ..from };
        let (values, open) = (Vec::new(), Vec::new());
        let (full, is_single) = (false, false);
        Page { from, room, met: 0, values, open, bytes: 0, text_line: 1, full, is_single }
    }

    /// Reads the values and shows as many as the page has room for.
    fn show(
        mut self,
        store: &dyn Store,
        name: &OutputId,
        has_lines: bool,
    ) -> Result<Values, Error> {
        let (text, first) = (String::new(), self.from.value);
        let mut shown = Values { text, first, shown: 0, next: None, bad: None, missing: None };
        for (index, value) in self.values.iter().enumerate() {
            let number = self.from.value + index as u64;
            let skipped = if index == 0 { self.from.byte } else { 0 };
            let label = match has_lines && skipped == 0 {
                true => format!("{}:", value.text_line),
                false => String::new(),
            };
            let start = value.start.saturating_add(skipped);
            let end = value.end.unwrap_or(u64::MAX);
            let most = self.room.bytes.saturating_sub(label.len() as u64 + 1);
            let raw = store.read(name, start..end.min(start.saturating_add(most)).max(start))?;
            let lines = usize::try_from(self.room.lines).unwrap_or(usize::MAX);
            let raw = match memchr::memchr_iter(b'\n', &raw).nth(lines.saturating_sub(1)) {
                Some(feed) => &raw[..=feed],
                None => &raw,
            };
            let (text, range) = fitting(raw, start, end, most);
            let is_whole = range.end == end;
            let is_first = shown.shown == 0;
            if self.room.lines == 0 || (!is_whole && !is_first) {
                shown.next = Some(FromValue { value: number, byte: 0 });
                return Ok(shown);
            }
            shown.text.push_str(&label);
            shown.text.push_str(&text);
            shown.shown += 1;
            if !is_whole {
                let byte = skipped + (range.end - range.start);
                shown.next = Some(FromValue { value: number, byte });
                return Ok(shown);
            }
            shown.text.push('\n');
            let breaks = bytecount::count(text.as_bytes(), b'\n') as u64;
            self.room.take(label.len() + text.len() + 1, breaks + 1);
        }
        if self.full {
            let value = self.from.value + self.values.len() as u64;
            shown.next = Some(FromValue { value, byte: 0 });
        }
        Ok(shown)
    }
}
