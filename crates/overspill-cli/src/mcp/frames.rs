//! Splits a stream into frames, one per line, of any length.

use std::io::{self, ErrorKind, Read};

/// A frame, or the start of a long frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read1<'a> {
    /// A whole frame, with its line feed if it has one.
    Whole(&'a [u8]),
    /// The start of a frame that is too long for the buffer; [`Frames::more`] returns the rest.
    Long(&'a [u8]),
}

/// A reader of frames.
#[derive(Debug)]
pub(super) struct Frames<R> {
    from: R,
    memory: Vec<u8>,
    /// The first index of the buffer at a page boundary, where the kernel copies faster.
    base: usize,
    start: usize,
    end: usize,
    /// The end of the bytes that were searched for a line feed without success.
    looked: usize,
    /// Tells whether the current frame is long and has not ended.
    in_long: bool,
}

/// The size of a memory page, in bytes.
const PAGE: usize = 4 << 10;

impl<R: Read> Frames<R> {
    /// The largest number of bytes of a frame that is returned whole.
    pub(super) const HELD: usize = 256 << 10;
    /// The number of bytes that the buffer uses.
    const LEN: usize = 2 * Self::HELD;

    pub(super) fn new(from: R) -> Frames<R> {
        let memory = vec![0; Self::LEN + PAGE];
        let base = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Frames { from, memory, base, start: base, end: base, looked: base, in_long: false }
    }

    /// Tells whether the buffer contains a whole frame, so that reading it does not wait.
    pub(super) fn has_frame(&mut self) -> bool {
        self.line_end().is_some()
    }

    /// Returns the next frame, or `None` at the end of the stream.
    pub(super) fn next(&mut self) -> io::Result<Option<Read1<'_>>> {
        loop {
            let line_end = self.line_end();
            // The length alone decides, not how many bytes one read returned.
            if line_end.unwrap_or(self.end) - self.start > Self::HELD {
                self.in_long = true;
                let end = self.start + Self::HELD;
                let start = std::mem::replace(&mut self.start, end);
                return Ok(Some(Read1::Long(&self.memory[start..end])));
            }
            if let Some(end) = line_end {
                let start = std::mem::replace(&mut self.start, end);
                return Ok(Some(Read1::Whole(&self.memory[start..end])));
            }
            if self.fill()? == 0 {
                let start = std::mem::replace(&mut self.start, self.end);
                let rest = &self.memory[start..self.end];
                return Ok((!rest.is_empty()).then_some(Read1::Whole(rest)));
            }
        }
    }

    /// Returns more of a long frame, or `None` after its end. The last piece includes the line
    /// feed.
    pub(super) fn more(&mut self) -> io::Result<Option<&[u8]>> {
        if !self.in_long {
            return Ok(None);
        }
        if self.start == self.end && self.fill()? == 0 {
            self.in_long = false;
            return Ok(None);
        }
        let end = match self.line_end() {
            Some(end) => {
                self.in_long = false;
                end
            }
            None => self.end,
        };
        let start = std::mem::replace(&mut self.start, end);
        Ok(Some(&self.memory[start..end]))
    }

    /// Returns the end of the next frame, if its line feed is in the buffer.
    fn line_end(&mut self) -> Option<usize> {
        let from = self.looked.max(self.start);
        match memchr::memchr(b'\n', &self.memory[from..self.end]) {
            Some(at) => Some(from + at + 1),
            None => {
                self.looked = self.end;
                None
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.start == self.end {
            (self.start, self.end, self.looked) = (self.base, self.base, self.base);
        } else if self.end == self.base + Self::LEN {
            self.memory.copy_within(self.start..self.end, self.base);
            let moved = self.start - self.base;
            (self.start, self.end) = (self.base, self.end - moved);
            self.looked = self.looked.saturating_sub(moved).max(self.base);
        }
        loop {
            match self.from.read(&mut self.memory[self.end..self.base + Self::LEN]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(len) => {
                    self.end += len;
                    return Ok(len);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(self.1).min(into.len());
            into[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    #[test]
    fn frames_come_whole_and_long_ones_in_pieces() {
        let long = "x".repeat(3 * Frames::<&[u8]>::HELD);
        let fits = "y".repeat(Frames::<&[u8]>::HELD - 1);
        let all = format!("a\n\n{fits}\n{long}\nb\n{long}");
        for step in [1, 1000, 65_536, 1 << 20] {
            let mut frames = Frames::new(Slow(all.as_bytes(), step));
            let mut seen: Vec<(bool, String)> = Vec::new();
            loop {
                let (is_long, start) = match frames.next().unwrap() {
                    None => break,
                    Some(Read1::Whole(frame)) => (false, frame.to_vec()),
                    Some(Read1::Long(start)) => (true, start.to_vec()),
                };
                let mut frame = start;
                while let Some(more) = frames.more().unwrap() {
                    frame.extend_from_slice(more);
                }
                seen.push((is_long, String::from_utf8(frame).unwrap()));
            }
            let line = |is_long: bool, text: &str| (is_long, format!("{text}\n"));
            let mut expected = vec![
                line(false, "a"),
                line(false, ""),
                line(false, &fits),
                line(true, &long),
                line(false, "b"),
                (true, long.clone()),
            ];
            assert!(seen == expected, "by {step}");
            expected.clear();
        }
    }
}
