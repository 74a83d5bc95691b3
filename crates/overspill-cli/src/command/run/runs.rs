//! Remembers which parts of an output went to which stream.

use crate::process::Stream;

/// The stream of each part of an output, if both streams are read as one.
#[derive(Debug, Default)]
pub(super) struct Runs(Vec<(Stream, usize)>);

impl Runs {
    pub(super) fn push(&mut self, stream: Stream, len: usize) {
        match self.0.last_mut() {
            Some((last, so_far)) if *last == stream => *so_far += len,
            _ => self.0.push((stream, len)),
        }
    }

    /// Splits the bytes from position `at` on by their streams. Text without a known part goes to
    /// standard output.
    pub(super) fn split<'a>(&self, at: usize, mut bytes: &'a [u8]) -> Vec<(Stream, &'a [u8])> {
        let mut parts = Vec::new();
        let mut skip = at;
        for &(stream, len) in &self.0 {
            let skipped = skip.min(len);
            skip -= skipped;
            let (part, rest) = bytes.split_at((len - skipped).min(bytes.len()));
            if !part.is_empty() {
                parts.push((stream, part));
            }
            bytes = rest;
        }
        if !bytes.is_empty() {
            parts.push((Stream::Out, bytes));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_go_to_the_streams_they_came_from() {
        let mut runs = Runs::default();
        for (stream, len) in
            [(Stream::Out, 2), (Stream::Out, 1), (Stream::Err, 2), (Stream::Out, 1)]
        {
            runs.push(stream, len);
        }
        let all: &[u8] = b"abcdef";
        let expected = [(Stream::Out, &b"abc"[..]), (Stream::Err, b"de"), (Stream::Out, b"f")];
        assert_eq!(runs.split(0, all), expected);
        assert_eq!(runs.split(4, &all[4..]), [(Stream::Err, &b"e"[..]), (Stream::Out, b"f")]);
        assert_eq!(runs.split(6, b"more"), [(Stream::Out, &b"more"[..])]);
    }
}
