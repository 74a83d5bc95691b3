//! Counts how much of the start of an output may be shown live.

use overspill::core::Limits;

/// The room for the start of an output. It passes bytes until the room is used up.
#[derive(Debug)]
pub(super) struct HeadBudget {
    bytes: u64,
    lines: u64,
    /// The number of bytes that have passed.
    pub(super) len: usize,
}

impl HeadBudget {
    /// Returns a budget of one of `parts` equal parts of each limit.
    pub(super) fn within(limits: &Limits, parts: u64) -> HeadBudget {
        let lines = limits.lines.unwrap_or(u64::MAX);
        HeadBudget::of(HeadBudget::bytes_of(limits) / parts, lines / parts)
    }

    pub(super) fn of(bytes: u64, lines: u64) -> HeadBudget {
        HeadBudget { bytes, lines, len: 0 }
    }

    /// Returns the number of bytes that fit within every limit.
    pub(super) fn bytes_of(limits: &Limits) -> u64 {
        // A byte is at most one character and one token.
        let most = [limits.bytes, limits.chars, limits.tokens].into_iter().flatten().min();
        most.unwrap_or(u64::MAX)
    }

    /// Returns the number of bytes that may still be shown.
    pub(super) fn room(&self) -> u64 {
        self.bytes
    }

    /// Ends the budget: no further byte is shown.
    pub(super) fn close(&mut self) {
        (self.bytes, self.lines) = (0, 0);
    }

    /// Takes new bytes, and returns the bytes to show: all of them, or as many whole lines as fit.
    pub(super) fn take<'a>(&mut self, came: &'a [u8]) -> &'a [u8] {
        let room = came.len().min(usize::try_from(self.bytes).unwrap_or(usize::MAX));
        let mut ends = memchr::memchr_iter(b'\n', &came[..room]);
        let lines = ends.clone().count() as u64;
        if room == came.len() && lines <= self.lines {
            self.bytes -= came.len() as u64;
            self.lines -= lines;
            self.len += came.len();
            return came;
        }
        let last = match usize::try_from(self.lines.min(lines)) {
            Ok(count @ 1..) => ends.nth(count - 1),
            _ => None,
        };
        (self.bytes, self.lines) = (0, 0);
        let passes = last.map_or(&came[..0], |end| &came[..=end]);
        self.len += passes.len();
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(limits: Limits, chunks: &[&str]) -> (String, usize) {
        let mut start = HeadBudget::within(&limits, 1);
        let all = chunks.iter().map(|chunk| start.take(chunk.as_bytes())).collect::<Vec<_>>();
        (String::from_utf8(all.concat()).unwrap(), start.len)
    }

    #[test]
    fn head_budget_passes_short_output_and_then_whole_lines() {
        let bytes = |most| Limits::NONE.bytes(most);
        assert_eq!(passed(bytes(9), &["ab", "c\nd"]), ("abc\nd".into(), 5));
        assert_eq!(passed(bytes(9), &["ab\n", "cd\nef\ngh\n", "x"]), ("ab\ncd\nef\n".into(), 9));
        assert_eq!(passed(bytes(4), &["abcdef", "g"]), (String::new(), 0));
        assert_eq!(passed(Limits::NONE.lines(2), &["a\nb\nc\n", "d"]), ("a\nb\n".into(), 4));
        assert_eq!(passed(Limits::NONE.lines(2), &["a\nb\n", "c", "d\n"]), ("a\nb\nc".into(), 5));
        assert_eq!(passed(bytes(0), &["a"]), (String::new(), 0));
    }
}
