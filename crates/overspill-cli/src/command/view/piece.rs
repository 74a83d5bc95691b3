//! Returns a piece of an output as rows, so that the page can scroll through an output of any size.
//!
//! A row is a line, or a part of a long line. Offsets are offsets in the saved output, and line
//! numbers are line numbers of the original. They do not match if the output was not saved whole.

use overspill::internal::store::{KeptRange, KeptRanges};
use overspill::store::{OutputId, Store};
use serde_json::{Value, json};

/// The largest number of bytes that are read for a piece.
pub(super) const PIECE: u64 = 64 << 10;
/// The largest number of rows of a piece. Each row is an element of the page.
const MOST_ROWS: usize = 400;
/// The largest number of bytes of a row.
const ROW: usize = 2_000;
/// The number of bytes before a place that are searched for the start of its line.
const BACK: u64 = 4 << 10;
/// overspill counts the lines of an output with at most this many bytes. In a larger output without
/// an index, lines have no numbers.
const COUNTED: u64 = 4 << 20;

/// The place of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "the server asks for more"))]
pub(super) enum Anchor {
    /// The piece begins at this byte, which is the end of another piece.
    From(u64),
    /// The piece ends before this byte, which is the start of another piece.
    To(u64),
    /// The piece begins with the line at this byte, or with a character near this byte.
    Near(u64),
    /// The piece begins with this line of the original, counted from 1.
    Line(u64),
}

/// A line, or a part of a long line.
struct Row {
    /// The offset in the saved output.
    at: u64,
    text: String,
    /// Tells whether the row begins a line.
    starts_line: bool,
}

/// Returns a piece of an output as JSON.
///
/// `most` is the largest number of rows. The default fills a few screens.
pub(super) fn piece(
    store: &dyn Store,
    name: &OutputId,
    anchor: Anchor,
    most: Option<usize>,
) -> anyhow::Result<Value> {
    let most = most.unwrap_or(MOST_ROWS).clamp(1, MOST_ROWS);
    let total = store.entry(name)?.bytes;
    let (start, rows, end) = match anchor {
        Anchor::To(end) => {
            let end = end.min(total);
            let from = end.saturating_sub(PIECE);
            let raw = store.read(name, from..end)?;
            let skip = if from == 0 { 0 } else { first_start(&raw) };
            let mut rows = rows(
                &raw[skip..],
                from + skip as u64,
                from == 0 || raw.get(skip.wrapping_sub(1)) == Some(&b'\n'),
            );
            rows.drain(..rows.len().saturating_sub(most));
            (rows.first().map_or(end, |row| row.at), rows, end)
        }
        Anchor::From(from) => forwards(store, name, from.min(total), total, most)?,
        Anchor::Near(near) => {
            let near = near.min(total.saturating_sub(1));
            let back = store.read(name, near.saturating_sub(BACK)..near + 1)?;
            let start = line_start_before(&back, near);
            forwards(store, name, start, total, most)?
        }
        Anchor::Line(line) => {
            let kept = store.kept_ranges(name)?;
            let start = place_of_line(store, name, kept.as_ref(), line, total)?;
            forwards(store, name, start, total, most)?
        }
    };
    let kept = store.kept_ranges(name)?;
    let mut line = line_at(store, name, start, total)?;
    let mut of_original = Original { kept: kept.as_ref(), store, name, total };
    let mut shown = Vec::with_capacity(rows.len());
    let mut is_first = true;
    for row in &rows {
        if row.starts_line && !is_first {
            line = line.map(|line| line + 1);
        }
        is_first = false;
        let number = line.filter(|_| row.starts_line);
        let mut json = json!({ "at": row.at, "text": row.text, "line": number });
        of_original.add(&mut json, row.at, number)?;
        shown.push(json);
    }
    Ok(json!({ "id": name, "bytes": [start, end], "total": total, "rows": shown }))
}

/// Reads the rows from a byte on. Returns the start, the rows and the end of the piece.
fn forwards(
    store: &dyn Store,
    name: &OutputId,
    start: u64,
    total: u64,
    most: usize,
) -> anyhow::Result<(u64, Vec<Row>, u64)> {
    let raw = store.read(name, start..total.min(start + PIECE))?;
    let before = if start == 0 { Vec::new() } else { store.read(name, start - 1..start)? };
    let starts_line = start == 0 || before == b"\n";
    let is_rest = start + raw.len() as u64 >= total;
    // An incomplete line or character belongs to the next piece.
    let whole = match memchr::memrchr(b'\n', &raw) {
        _ if is_rest => raw.len(),
        Some(feed) if raw.len() - feed < ROW => feed + 1,
        _ => floor_char(&raw, raw.len()),
    };
    let mut rows = rows(&raw[..whole], start, starts_line);
    let mut end = start + whole as u64;
    if let Some(next) = rows.get(most) {
        end = next.at;
        rows.truncate(most);
    }
    Ok((start, rows, end))
}

/// Splits bytes into rows.
fn rows(raw: &[u8], start: u64, starts_line: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at = 0;
    let mut begins = starts_line;
    while at < raw.len() {
        let feed = memchr::memchr(b'\n', &raw[at..]).map(|feed| at + feed);
        let mut end = feed.unwrap_or(raw.len());
        if end - at > ROW {
            end = at + floor_char(&raw[at..], ROW).max(1);
        }
        let text = String::from_utf8_lossy(&raw[at..end]).into_owned();
        rows.push(Row { at: start + at as u64, text, starts_line: begins });
        begins = feed == Some(end);
        at = end + usize::from(begins);
    }
    rows
}

/// Returns the largest place up to `at` where no character is split.
fn floor_char(raw: &[u8], at: usize) -> usize {
    let at = at.min(raw.len());
    let is_start = |place: usize| raw.get(place).is_none_or(|byte| byte & 0xC0 != 0x80);
    if is_start(at) && at < raw.len() {
        return at;
    }
    // Broken UTF-8 may have no start of a character nearby.
    let start = (at.saturating_sub(3)..at).rev().find(|&place| is_start(place));
    match start {
        Some(start) if at == raw.len() => {
            let len = match raw[start] {
                0xF0.. => 4,
                0xE0.. => 3,
                0xC0.. => 2,
                _ => 1,
            };
            if start + len > at { start } else { at }
        }
        Some(start) => start,
        None => at,
    }
}

/// Returns the offset of the first complete row. The bytes may start in the middle of a line.
fn first_start(raw: &[u8]) -> usize {
    match memchr::memchr(b'\n', raw) {
        Some(feed) if feed + 1 < raw.len() => feed + 1,
        _ => (0..raw.len().min(4)).find(|&at| raw[at] & 0xC0 != 0x80).unwrap_or(0),
    }
}

/// Returns the start of the line at `near`, or the start of the character if the line is too long.
/// `back` ends with the byte at `near`.
fn line_start_before(back: &[u8], near: u64) -> u64 {
    let from = (near + 1).saturating_sub(back.len() as u64);
    let before = &back[..back.len().saturating_sub(1)];
    match memchr::memrchr(b'\n', before) {
        Some(feed) => from + feed as u64 + 1,
        None if from == 0 => 0,
        None => from + floor_char(back, back.len() - 1) as u64,
    }
}

/// Returns the line number of a byte in the saved output.
fn line_at(store: &dyn Store, name: &OutputId, at: u64, total: u64) -> anyhow::Result<Option<u64>> {
    if at == 0 {
        return Ok(Some(1));
    }
    if let Some(line) = store.line_at(name, at)? {
        return Ok(Some(line));
    }
    if total > COUNTED {
        return Ok(None);
    }
    let before = store.read(name, 0..at)?;
    Ok(Some(memchr::memchr_iter(b'\n', &before).count() as u64 + 1))
}

/// Returns the offset in the saved output at which a line of the original begins, or the nearest
/// saved place before the line.
fn place_of_line(
    store: &dyn Store,
    name: &OutputId,
    kept: Option<&KeptRanges>,
    line: u64,
    total: u64,
) -> anyhow::Result<u64> {
    let (line, floor) =
        match kept.and_then(|kept| kept.ranges.iter().rfind(|it| it.first_line <= line)) {
            Some(range) => {
                let first = line_at(store, name, range.stored.start, total)?.unwrap_or(1);
                let within = (line - range.first_line).min(range.lines.saturating_sub(1));
                (first + within, range.stored.start)
            }
            None => (line, 0),
        };
    if let Some(start) = store.line_start(name, line)? {
        return Ok(start);
    }
    let head = store.read(name, 0..COUNTED)?;
    let nth = usize::try_from(line.saturating_sub(2)).unwrap_or(usize::MAX);
    let feed = memchr::memchr_iter(b'\n', &head).nth(nth).filter(|_| line > 1);
    Ok(feed.map_or(floor, |feed| feed as u64 + 1))
}

/// Converts line numbers of the saved output to line numbers of the original.
struct Original<'a> {
    /// The saved parts, if the output was not saved whole.
    kept: Option<&'a KeptRanges>,
    store: &'a dyn Store,
    name: &'a OutputId,
    total: u64,
}

impl Original<'_> {
    /// Changes the line number of a row to the number in the original. A row after a part that was
    /// not saved gets `missing`, the number of bytes of this part.
    fn add(&mut self, json: &mut Value, at: u64, line: Option<u64>) -> anyhow::Result<()> {
        let Some(kept) = self.kept else { return Ok(()) };
        let Some(nth) = kept.ranges.iter().rposition(|it| it.stored.start <= at) else {
            return Ok(());
        };
        let range: &KeptRange = &kept.ranges[nth];
        if let Some(line) = line {
            let first =
                line_at(self.store, self.name, range.stored.start, self.total)?.unwrap_or(1);
            json["line"] = (range.first_line + line.saturating_sub(first)).into();
        }
        let before = nth.checked_sub(1).map_or(0, |nth| kept.ranges[nth].bytes.end);
        if at == range.stored.start && range.bytes.start > before {
            json["missing"] = (range.bytes.start - before).into();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overspill::Call;
    use overspill::store::Memory;

    fn stored(bytes: &[u8]) -> (Memory, OutputId) {
        let store = Memory::default();
        let mut draft = store.create(&Call::default()).unwrap();
        draft.append(bytes).unwrap();
        let name = draft.publish().unwrap().id;
        (store, name)
    }

    /// The place of a row, its line and its text.
    type PlainRow = (u64, Option<u64>, String);

    fn of(piece: &Value) -> (u64, u64, Vec<PlainRow>) {
        let number = |value: &Value| value.as_u64().unwrap();
        let rows = piece["rows"].as_array().unwrap().iter().map(|row| {
            (number(&row["at"]), row["line"].as_u64(), row["text"].as_str().unwrap().to_owned())
        });
        (number(&piece["bytes"][0]), number(&piece["bytes"][1]), rows.collect())
    }

    /// Returns the rows of all pieces, read in one direction.
    fn walk(bytes: &[u8], backwards: bool) -> Vec<PlainRow> {
        let (store, name) = stored(bytes);
        let mut all = Vec::new();
        let mut at = if backwards { bytes.len() as u64 } else { 0 };
        for _ in 0..2_000 {
            let anchor = if backwards { Anchor::To(at) } else { Anchor::From(at) };
            let (start, end, rows) = of(&piece(&store, &name, anchor, None).unwrap());
            assert!(rows.len() <= MOST_ROWS && rows.iter().all(|row| row.2.len() <= 3 * ROW));
            assert_eq!(if backwards { end } else { start }, at);
            at = if backwards { start } else { end };
            if backwards {
                all.splice(0..0, rows);
            } else {
                all.extend(rows);
            }
            if at == if backwards { 0 } else { bytes.len() as u64 } {
                break;
            }
        }
        all
    }

    #[test]
    fn pieces_in_both_directions_are_all_lines() {
        let text: String = (1..=20_000).map(|n| format!("line {n} é\n")).collect();
        for all in [walk(text.as_bytes(), false), walk(text.as_bytes(), true)] {
            let lines: Vec<&str> = all.iter().map(|row| row.2.as_str()).collect();
            assert_eq!(lines, text.lines().collect::<Vec<_>>());
            assert!(all.iter().zip(1..).all(|(row, line)| row.1 == Some(line)));
        }
    }

    #[test]
    fn long_line_and_broken_text_come_in_pieces() {
        let long = "x→é".repeat(60_000);
        let broken =
            [b"a\n\n\xff\xfe\x80".as_slice(), long.as_bytes(), b"\n\0end", &[0x80; 9_000]].concat();
        for bytes in [long.as_bytes(), &broken, b"", b"\n", b"one"] {
            for all in [walk(bytes, false), walk(bytes, true)] {
                let text: String = all.iter().map(|row| row.2.as_str()).collect();
                let expected = String::from_utf8_lossy(bytes).replace('\n', "");
                assert_eq!(text.replace('\u{fffd}', ""), expected.replace('\u{fffd}', ""));
            }
        }
        let rows = walk(long.as_bytes(), false);
        assert!(rows[0].1 == Some(1) && rows[1..].iter().all(|row| row.1.is_none()));
    }

    #[test]
    fn piece_near_a_byte_begins_with_its_line() {
        let text: String = (1..=20_000).map(|n| format!("line {n}\n")).collect();
        let (store, name) = stored(text.as_bytes());
        let place = text.find("line 777\n").unwrap() as u64;
        for anchor in [Anchor::Near(place), Anchor::Near(place + 4), Anchor::Line(777)] {
            let (start, _, rows) = of(&piece(&store, &name, anchor, None).unwrap());
            assert_eq!((start, rows[0].clone()), (place, (place, Some(777), "line 777".into())));
        }
        let (start, end, rows) = of(&piece(&store, &name, Anchor::Near(u64::MAX), None).unwrap());
        assert_eq!((end, rows.len()), (text.len() as u64, 1), "{start}");
    }
}
