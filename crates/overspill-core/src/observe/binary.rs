//! Tells binary data from text, and names its format.

use crate::Kind;
use crate::text::clean;

/// The first bytes of well-known formats.
const FORMATS: [(&[u8], &str); 20] = [
    (b"\x7fELF", "ELF"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"%PDF", "PDF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\0asm", "WebAssembly"),
    (b"\xca\xfe\xba\xbe", "Java class"),
    (b"SQLite format 3\0", "SQLite"),
    (b"MZ", "Windows program"),
    (b"RIFF", "RIFF"),
    (b"OggS", "Ogg"),
    (b"ID3", "MP3"),
    (b"!<arch>\n", "ar archive"),
    (b"PAR1", "Parquet"),
];

/// A sample that ends with this many printable characters and a line feed ends with text. Binary
/// data seldom ends like this by chance.
const SHORTEST_TEXT: usize = 3;

/// The number of bytes at each end of an output that decide whether it is text.
const SAMPLE: usize = 1024;

/// Returns the label for an output that is not text, such as `binary (ELF)`, and `None` for text.
/// `start` and `end` are the first and last bytes; `end` is empty if `start` is the whole output.
pub fn binary_label(start: &[u8], end: &[u8]) -> Option<String> {
    is_binary_output(clean(start).text.as_bytes(), clean(end).text.as_bytes())
        .then(|| label(format(start)))
}

/// Returns the label for binary data of a format.
pub(crate) fn label(format: Option<&str>) -> String {
    let kind = Kind::Binary.name();
    format.map_or_else(|| kind.to_owned(), |format| format!("{kind} ({format})"))
}

/// Tells whether an output is not text, by its cleaned start and end. A program may print text
/// after binary data.
pub(super) fn is_binary_output(start: &[u8], end: &[u8]) -> bool {
    let start = &start[..start.len().min(SAMPLE)];
    let end = &end[end.len().saturating_sub(SAMPLE)..];
    let ends_as_text = !end.is_empty() && (!is_binary(end) || ends_with_text(end));
    is_binary(start) && !ends_as_text
}

/// Tells whether a sample is not text. In the sample, U+FFFD stands for bytes that are not UTF-8,
/// and a picture such as U+2400 for a control character.
///
/// In binary data, over a quarter of the characters are unprintable and over a twentieth are
/// control characters. Text in an old encoding, such as Latin-1, has almost no control characters.
/// UTF-16 has a zero byte at every second place, so UTF-16 does not count as binary.
fn is_binary(sample: &[u8]) -> bool {
    let text = String::from_utf8_lossy(sample);
    let is_control = |c: &char| matches!(c, '\u{2400}'..='\u{241f}');
    let (mut all, mut strange, mut controls, mut alternating) = (0, 0, 0, 0);
    let mut last = None;
    for c in text.chars() {
        all += 1;
        strange += usize::from(c == '\u{fffd}' || is_control(&c));
        controls += usize::from(is_control(&c));
        alternating +=
            usize::from(last.is_some_and(|last| (last == '\u{2400}') != (c == '\u{2400}')));
        last = Some(c);
    }
    let is_utf16 = alternating * 10 >= all * 9;
    strange * 4 > all && controls * 20 > all && !is_utf16
}

/// Tells whether a sample ends with a line of text, as a program may print after binary data.
fn ends_with_text(sample: &[u8]) -> bool {
    let Some(line) = sample.strip_suffix(b"\n") else { return false };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let printable = line.iter().rev().take_while(|byte| byte.is_ascii_graphic() || **byte == b' ');
    printable.count() >= SHORTEST_TEXT
}

/// Returns the name of the format that the first bytes of an output show.
pub(super) fn format(output: &[u8]) -> Option<&'static str> {
    FORMATS.iter().find(|(start, _)| output.starts_with(start)).map(|(_, name)| *name)
}
