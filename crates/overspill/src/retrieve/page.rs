//! Reads a part of a saved output, a page at a time.

use std::ops::Range;

use overspill_core::Limits;
use overspill_core::internal::text::{clean, whole_chars};

use super::partial::PartialOutput;
use crate::Error;
use crate::notice::defused;
use crate::store::{OutputId, Store};

/// The part of an output to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// From one line to another, both included, counted from 1.
    Lines(u64, u64),
    /// From one offset up to another.
    Bytes(Range<u64>),
    /// The last lines, of this number.
    Tail(u64),
}

/// Returns the label for an output that is not text, such as `binary (ELF)`, and `None` for text.
pub fn binary_label(store: &dyn Store, id: &OutputId) -> Result<Option<String>, Error> {
    /// The number of bytes of a sample: enough also after escape sequences are removed.
    const SAMPLE: u64 = 8 << 10;
    let total = store.entry(id)?.bytes;
    let start = store.read(id, 0..SAMPLE)?;
    let end = match total > SAMPLE {
        true => store.read(id, total.saturating_sub(SAMPLE).max(SAMPLE)..total)?,
        false => Default::default(),
    };
    Ok(overspill_core::internal::binary_label(&start, &end))
}

/// A part of an output, up to the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Readable text, within the limits.
    pub text: String,
    /// The bytes of the output that the text shows.
    pub bytes: Range<u64>,
    /// The first and last line, if the request was for lines.
    pub lines: Option<(u64, u64)>,
    /// The size of the output in bytes.
    pub total: u64,
    /// The number of lines, if a part of the output was not saved.
    pub total_lines: Option<u64>,
    /// The next part.
    pub next: Option<Part>,
}

/// The number of bytes that are read at a time to find a line.
const BLOCK: u64 = 64 * 1024;

/// Reads `part` of an output, up to `limits`, and marks the output as used.
///
/// Forged marks in the text are defused, see [`defused`].
pub fn read(
    store: &dyn Store,
    name: &OutputId,
    part: &Part,
    limits: &Limits,
) -> Result<Page, Error> {
    let total = store.entry(name)?.bytes;
    // A store that cannot record the use of the output can still be read.
    let _ = store.touch(name);
    if let Some(kept) = store.kept_ranges(name)? {
        return PartialOutput { store, name, kept: &kept, stored: total }.read(part, limits);
    }
    let most = limits.bytes.unwrap_or(u64::MAX).min(usize::MAX as u64);
    match part {
        Part::Lines(from, to) => lines(store, name, *from, *to, limits, total),
        Part::Bytes(range) => {
            let start = range.start.min(total);
            let end = range.end.clamp(start, total);
            let raw = store.read(name, start..end.min(start.saturating_add(most)))?;
            let raw = first_lines(&raw, limits.lines.unwrap_or(u64::MAX));
            let (text, shown) = fitting_page(raw, start, total, most);
            let next = (shown.end < total).then(|| {
                let len = (range.end - range.start).max(1);
                Part::Bytes(shown.end..shown.end.saturating_add(len).min(total))
            });
            Ok(Page { text, bytes: shown, lines: None, total, total_lines: None, next })
        }
        Part::Tail(count) => {
            let count = (*count).min(limits.lines.unwrap_or(u64::MAX));
            let start = tail_start(store, name, count, total)?.max(total.saturating_sub(most));
            let (text, shown) = fitting_end(store, name, start..total, most)?;
            Ok(Page { text, bytes: shown, lines: None, total, total_lines: None, next: None })
        }
    }
}

fn lines(
    store: &dyn Store,
    name: &OutputId,
    from: u64,
    to: u64,
    limits: &Limits,
    total: u64,
) -> Result<Page, Error> {
    let from = from.max(1);
    let count = to.saturating_sub(from).saturating_add(1);
    let wanted = count.min(limits.lines.unwrap_or(u64::MAX));
    let most = limits.bytes.unwrap_or(u64::MAX);
    let Some(start) = line_start(store, name, from, total)? else {
        let (bytes, lines) = (total..total, Some((from, from.saturating_sub(1))));
        let text = String::new();
        return Ok(Page { text, bytes, lines, total, total_lines: None, next: None });
    };
    let room = store.read(name, start..total.min(start.saturating_add(most)))?;
    // Whole lines, up to the wanted number and the limits. A single line that is too long is cut.
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let feeds: Vec<usize> = memchr::memchr_iter(b'\n', &room).take(wanted).collect();
    let is_rest = start + room.len() as u64 == total;
    let end = match feeds.last() {
        Some(feed) if feeds.len() == wanted || !is_rest => feed + 1,
        _ => room.len(),
    };
    let (text, shown) = fitting_page(&room[..end], start, total, most);
    let shown_bytes = &room[..(shown.end - start) as usize];
    let ends_line = shown_bytes.ends_with(b"\n");
    let breaks = bytecount::count(shown_bytes, b'\n') as u64;
    let last = from + breaks - u64::from(ends_line);
    let whole = ends_line || shown.end == total;
    let next = (shown.end < total).then(|| {
        if whole {
            // The next page has as many lines as this one.
            Part::Lines(last + 1, last + (last - from + 1))
        } else {
            // Inside a line, the next part is a range of bytes.
            Part::Bytes(shown.end..shown.end.saturating_add(most).min(total))
        }
    });
    let lines = Some((from, last));
    Ok(Page { text, bytes: shown, lines, total, total_lines: None, next })
}

/// Returns the first lines, at most this number.
pub(super) fn first_lines(raw: &[u8], most: u64) -> &[u8] {
    let Some(last) = usize::try_from(most).ok().and_then(|most| most.checked_sub(1)) else {
        return &[];
    };
    memchr::memchr_iter(b'\n', raw).nth(last).map_or(raw, |feed| &raw[..=feed])
}

/// Like [`fitting`], with forged marks defused.
pub(super) fn fitting_page(raw: &[u8], start: u64, total: u64, most: u64) -> (String, Range<u64>) {
    let (text, shown) = fitting(raw, start, total, most);
    (defused(text), shown)
}

/// Returns the beginning of `raw` as readable text of at most `most` bytes, and the range it shows.
pub(super) fn fitting(raw: &[u8], start: u64, total: u64, most: u64) -> (String, Range<u64>) {
    // A character that is cut off belongs to the next page.
    let is_rest = start + raw.len() as u64 == total;
    let mut raw = match whole_chars(raw) {
        whole if !is_rest && !whole.is_empty() => whole,
        _ => raw,
    };
    loop {
        let text = clean(raw).text;
        if text.len() as u64 <= most {
            return (text, start..start + raw.len() as u64);
        }
        // Control bytes take more room after they are made visible.
        let half = &raw[..raw.len() / 2];
        raw = memchr::memrchr(b'\n', half).map_or(whole_chars(half), |feed| &half[..=feed]);
    }
}

/// Like [`fitting_page`], but shortens the text at its start.
pub(super) fn fitting_end(
    store: &dyn Store,
    name: &OutputId,
    range: Range<u64>,
    most: u64,
) -> Result<(String, Range<u64>), Error> {
    let raw = store.read(name, range.clone())?;
    let mut from = 0;
    loop {
        let text = defused(clean(&raw[from..]).text);
        if text.len() as u64 <= most {
            return Ok((text, range.start + from as u64..range.start + raw.len() as u64));
        }
        let half = from + (raw.len() - from).div_ceil(2);
        from = memchr::memchr(b'\n', &raw[half..]).map_or(half, |feed| half + feed + 1);
    }
}

/// Returns the beginning of a line, counted from 1. `None` if the output has fewer lines.
pub(super) fn line_start(
    store: &dyn Store,
    name: &OutputId,
    line: u64,
    total: u64,
) -> Result<Option<u64>, Error> {
    if line <= 1 {
        return Ok((total > 0).then_some(0));
    }
    if let Some(start) = store.line_start(name, line)? {
        return Ok(Some(start));
    }
    let (mut at, mut left) = (0, line - 1);
    while at < total {
        let block = store.read(name, at..total.min(at + BLOCK))?;
        if block.is_empty() {
            break;
        }
        let feeds = bytecount::count(&block, b'\n') as u64;
        if feeds >= left {
            let feed = memchr::memchr_iter(b'\n', &block).nth(left as usize - 1);
            let start = at + feed.map_or(0, |feed| feed as u64 + 1);
            return Ok((start < total).then_some(start));
        }
        left -= feeds;
        at += block.len() as u64;
    }
    Ok(None)
}

/// Returns the beginning of the last `count` lines.
pub(super) fn tail_start(
    store: &dyn Store,
    name: &OutputId,
    count: u64,
    total: u64,
) -> Result<u64, Error> {
    if count == 0 {
        return Ok(total);
    }
    let (mut end, mut left) = (total, count);
    while end > 0 {
        let from = end.saturating_sub(BLOCK);
        let mut block = store.read(name, from..end)?;
        // The final line feed does not begin a line.
        if end == total && block.last() == Some(&b'\n') {
            block.pop();
        }
        for feed in memchr::memrchr_iter(b'\n', &block) {
            left -= 1;
            if left == 0 {
                return Ok(from + feed as u64 + 1);
            }
        }
        end = from;
    }
    Ok(0)
}

/// The room that is left on a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) bytes: u64,
    pub(super) lines: u64,
}

impl Room {
    pub(super) fn of(limits: &Limits) -> Room {
        let all = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        Room { bytes: all(limits.bytes), lines: all(limits.lines) }
    }

    /// Takes room for this number of bytes and lines. Returns false if the room is too small.
    pub(super) fn take(&mut self, bytes: usize, lines: u64) -> bool {
        let (bytes, fits) = (bytes as u64, bytes as u64 <= self.bytes && lines <= self.lines);
        if fits {
            self.bytes -= bytes;
            self.lines -= lines;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Call;
    use crate::store::Memory;

    fn stored(bytes: &[u8]) -> (Memory, OutputId) {
        let store = Memory::default();
        let mut draft = store.create(&Call::default()).unwrap();
        draft.append(bytes).unwrap();
        let name = draft.publish().unwrap().id;
        (store, name)
    }

    fn numbered(lines: u64) -> Vec<u8> {
        (1..=lines).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
    }

    fn page(bytes: &[u8], part: Part, limits: Limits) -> Page {
        let (store, name) = stored(bytes);
        read(&store, &name, &part, &limits).unwrap()
    }

    #[test]
    fn lines_are_read_by_number_with_a_next_page() {
        let limits = Limits::NONE.lines(2000).bytes(51_200);
        let first = page(&numbered(1000), Part::Lines(3, 5), limits);
        assert_eq!(first.text, "line 3\nline 4\nline 5\n");
        assert_eq!((first.lines, first.next), (Some((3, 5)), Some(Part::Lines(6, 8))));
        let last = page(&numbered(1000), Part::Lines(999, 2000), limits);
        assert_eq!((last.text.as_str(), last.next), ("line 999\nline 1000\n", None));
        let beyond = page(&numbered(1000), Part::Lines(5000, 5001), limits);
        assert_eq!((beyond.text.as_str(), beyond.next), ("", None));
    }

    #[test]
    fn pages_are_within_limits_and_together_the_whole_output() {
        let long = "x→é".repeat(900).into_bytes();
        let output = [numbered(300), long, b"\n\0\0\0last".to_vec()].concat();
        let (store, name) = stored(&output);
        let limits = Limits::NONE.lines(50).bytes(400);
        let mut part = Part::Lines(1, 100);
        let (mut seen, mut at) = (String::new(), 0);
        for _ in 0..200 {
            let page = read(&store, &name, &part, &limits).unwrap();
            assert!(page.text.len() <= 400 && page.text.lines().count() <= 50);
            assert_eq!(page.bytes.start, at, "{part:?}");
            at = page.bytes.end;
            seen.push_str(&page.text);
            match page.next {
                Some(next) => part = next,
                None => break,
            }
        }
        assert_eq!(at, output.len() as u64);
        assert_eq!(seen, overspill_core::internal::text::clean(&output).text);
    }

    #[test]
    fn tail_has_the_last_lines() {
        let limits = Limits::NONE.bytes(51_200);
        assert_eq!(page(&numbered(1000), Part::Tail(2), limits).text, "line 999\nline 1000\n");
        assert_eq!(page(b"one\ntwo", Part::Tail(1), limits).text, "two");
        assert_eq!(page(&numbered(3), Part::Tail(9), limits).text, "line 1\nline 2\nline 3\n");
        let tight = page(&numbered(1000), Part::Tail(900), Limits::NONE.bytes(30));
        assert!(tight.text.len() <= 30 && tight.text.ends_with("line 1000\n"), "{}", tight.text);
    }

    #[test]
    fn bytes_are_clamped() {
        let limits = Limits::NONE.bytes(51_200);
        assert_eq!(page(b"0123456789", Part::Bytes(3..5), limits).text, "34");
        assert_eq!(page(b"0123456789", Part::Bytes(8..100), limits).text, "89");
        assert_eq!(page(b"0123456789", Part::Bytes(50..100), limits).text, "");
        let few = page(b"0\n1\n2\n3\n", Part::Bytes(1..7), limits.lines(2));
        assert_eq!((few.text.as_str(), few.next), ("\n1\n", Some(Part::Bytes(4..8))));
    }
}
