//! Bytes of a saved output in the form of `hexdump -C`.

use std::fmt::Write;
use std::ops::Range;

use overspill::store::{OutputId, Store};
use overspill::{Page, Part};

/// The number of bytes that a line shows.
const WIDTH: u64 = 16;
/// The largest number of bytes that the text of a line can have.
const LINE_BYTES: u64 = 80;

/// Returns `range` of an output as hexadecimal numbers and characters. The page ends early if its
/// lines would have more than `most` bytes.
pub(super) fn read(
    store: &dyn Store,
    name: &OutputId,
    range: &Range<u64>,
    most: u64,
) -> Result<Page, overspill::Error> {
    let kept = store.kept_ranges(name)?;
    let stored = store.entry(name)?.bytes;
    let total = kept.as_ref().map_or(stored, |kept| kept.bytes);
    let start = range.start.min(total);
    let room = (most / LINE_BYTES).max(1) * WIDTH;
    let end = range.end.clamp(start, total).min(start.saturating_add(room));
    let parts = match &kept {
        None => vec![(0..total, 0)],
        Some(kept) => {
            let verbatim = kept.ranges.iter().filter(|range| range.verbatim);
            verbatim.map(|range| (range.bytes.clone(), range.stored.start)).collect()
        }
    };
    let mut text = String::new();
    let mut at = start;
    for (original, stored) in parts {
        let (from, to) = (original.start.max(at), original.end.min(end));
        if from >= to {
            continue;
        }
        say_missing(&mut text, at..from);
        let first = stored + (from - original.start);
        let bytes = store.read(name, first..first + (to - from))?;
        lines(&mut text, from, &bytes);
        at = to;
    }
    say_missing(&mut text, at..end);
    let to = end.saturating_add((end - start).max(1)).min(total);
    let next = (end < total).then_some(Part::Bytes(end..to));
    Ok(Page { text, bytes: start..end, lines: None, total, total_lines: None, next })
}

fn say_missing(text: &mut String, missing: Range<u64>) {
    if !missing.is_empty() {
        let _ = writeln!(text, "bytes {}–{} were not kept", missing.start, missing.end);
    }
}

fn lines(text: &mut String, first: u64, bytes: &[u8]) {
    for (line, at) in bytes.chunks(WIDTH as usize).zip((first..).step_by(WIDTH as usize)) {
        let _ = write!(text, "{at:08x} ");
        for place in 0..WIDTH as usize {
            let gap = if place % 8 == 0 { " " } else { "" };
            match line.get(place) {
                Some(byte) => drop(write!(text, "{gap}{byte:02x} ")),
                None => drop(write!(text, "{gap}   ")),
            }
        }
        let visible = |byte: &u8| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => '.',
        };
        let shown: String = line.iter().map(visible).collect();
        let _ = writeln!(text, " |{shown}|");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_lines_are_those_of_hexdump() {
        let mut text = String::new();
        lines(&mut text, 256, b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0a|\n");
        let expected = "\
00000100  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|
00000110  61 7c 0a                                          |a|.|
";
        assert_eq!(text, expected);
    }
}
