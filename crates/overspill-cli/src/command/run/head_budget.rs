//! The start of an output, as it comes, as far as there is room for it.

use overspill::core::Limits;

/// Lets the start of an output pass, until there is no room for what comes next.
#[derive(Debug)]
pub(super) struct HeadBudget {
    bytes: u64,
    lines: u64,
    /// How much has passed.
    pub(super) len: usize,
}

impl HeadBudget {
    /// One part of `parts` of each limit.
    pub(super) fn within(limits: &Limits, parts: u64) -> HeadBudget {
        let lines = limits.lines.unwrap_or(u64::MAX);
        HeadBudget::of(HeadBudget::bytes_of(limits) / parts, lines / parts)
    }

    pub(super) fn of(bytes: u64, lines: u64) -> HeadBudget {
        HeadBudget { bytes, lines, len: 0 }
    }

    /// Returns how many bytes are within the limits, whatever they are.
    pub(super) fn bytes_of(limits: &Limits) -> u64 {
        // A byte is at most one character and one token.
        let most = [limits.bytes, limits.chars, limits.tokens].into_iter().flatten().min();
        most.unwrap_or(u64::MAX)
    }

    /// Returns how many bytes may still pass.
    pub(super) fn room(&self) -> u64 {
        self.bytes
    }

    /// Lets nothing pass any more.
    pub(super) fn close(&mut self) {
        (self.bytes, self.lines) = (0, 0);
    }

    /// Takes what came, and returns what passes: all of it, or as many whole lines as there is room for.
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
    fn what_fits_passes_and_then_whole_lines() {
        let bytes = |most| Limits::NONE.bytes(most);
        assert_eq!(passed(bytes(9), &["ab", "c\nd"]), ("abc\nd".into(), 5));
        assert_eq!(passed(bytes(9), &["ab\n", "cd\nef\ngh\n", "x"]), ("ab\ncd\nef\n".into(), 9));
        assert_eq!(passed(bytes(4), &["abcdef", "g"]), (String::new(), 0));
        assert_eq!(passed(Limits::NONE.lines(2), &["a\nb\nc\n", "d"]), ("a\nb\n".into(), 4));
        assert_eq!(passed(Limits::NONE.lines(2), &["a\nb\n", "c", "d\n"]), ("a\nb\nc".into(), 5));
        assert_eq!(passed(bytes(0), &["a"]), (String::new(), 0));
    }
}
