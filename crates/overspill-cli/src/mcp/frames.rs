//! Reads frames, one a line, of any length.

use std::io::{self, ErrorKind, Read};

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read1<'a> {
    /// A whole frame, with its line feed if it has one.
    Whole(&'a [u8]),
    /// The start of a frame that is too long to be held; [`Frames::more`] has the rest.
    Long(&'a [u8]),
}

/// Reads frames.
#[derive(Debug)]
pub(super) struct Frames<R> {
    from: R,
    memory: Vec<u8>,
    /// Where memory begins that the kernel likes: at a page.
    base: usize,
    start: usize,
    end: usize,
    /// Up to here there is no line feed.
    looked: usize,
    in_long: bool,
}

const PAGE: usize = 4 << 10;

impl<R: Read> Frames<R> {
    /// A frame up to this length comes whole.
    pub(super) const HELD: usize = 256 << 10;
    const LEN: usize = 2 * Self::HELD;

    pub(super) fn new(from: R) -> Frames<R> {
        let memory = vec![0; Self::LEN + PAGE];
        let base = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Frames { from, memory, base, start: base, end: base, looked: base, in_long: false }
    }

    /// Tells whether a whole frame is at hand, so that reading it does not wait.
    pub(super) fn has_frame(&mut self) -> bool {
        self.line_end().is_some()
    }

    /// Returns the next frame; nothing at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Read1<'_>>> {
        loop {
            let line_end = self.line_end();
            // By its length alone, and not by how much of it came at once.
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

    /// Returns more of a long frame, the last of it with its line feed; nothing once it is over.
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

    /// Returns where the frame ends that is next, if that is known.
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

    /// Gives few bytes at a time.
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
