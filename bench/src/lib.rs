//! Creates the inputs of the benchmarks.

/// Returns `len` bytes of log-like lines of about 80 bytes.
#[must_use]
pub fn lines(len: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(len + 100);
    for n in 0.. {
        if text.len() >= len {
            break;
        }
        let words = &"compiling warning error note test running ok failed src lib main parse"
            [..60 - n % 40];
        text.extend_from_slice(format!("{n:07} {words}\n").as_bytes());
    }
    text.truncate(len);
    text
}
