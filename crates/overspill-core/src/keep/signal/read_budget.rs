//! Decides which lines of a long output are read.
//!
//! Reading the words of a line takes much longer than passing the line on. While lines with a
//! failure word are a small part of a long output, all of them are read. If they are many, only
//! lines that differ from the lines before are read. If these are many, too, only some are read.

/// On average, one byte out of this many bytes of output may be read.
const SHARE: i64 = 32;

/// The largest number of bytes that the budget can save up.
const SAVED: i64 = 1 << 20;

/// The number of bytes of new lines that may be read after the budget is used up.
const DEBT: i64 = 1 << 18;

/// The number of kinds of lines that are remembered.
const KINDS: usize = 1 << 12;

/// The number of bytes of a line that determine its kind.
const START: usize = 64;

/// A budget of bytes that decides which lines are read.
#[derive(Debug, Clone)]
pub(crate) struct ReadBudget {
    left: i64,
    /// No line is read until the budget has recovered.
    spent: bool,
    seen: Vec<u32>,
}

impl ReadBudget {
    pub(crate) fn new() -> ReadBudget {
        ReadBudget { left: SAVED, spent: false, seen: vec![0; KINDS] }
    }

    /// Counts a line of `len` bytes, which was read or not.
    pub(crate) fn passed(&mut self, len: usize, read: bool) {
        self.left = (self.left + len as i64 / SHARE).min(SAVED);
        if read {
            self.left -= len as i64;
            self.spent |= self.left < -DEBT;
        }
        self.spent &= self.left < 0;
    }

    /// Tells whether no line is read for now.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent
    }

    /// Tells whether a line that contains a failure word is read.
    pub(crate) fn allows(&mut self, line: &[u8]) -> bool {
        if self.spent {
            return false;
        }
        let kind = kind(line);
        let seen = &mut self.seen[kind as usize % KINDS];
        let new = *seen != kind;
        *seen = kind;
        self.left > 0 || new
    }
}

/// Returns a hash that is usually equal for lines that differ only in digits.
fn kind(line: &[u8]) -> u32 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let start = &line[..line.len().min(START)];
    let mut hash = 0_u64;
    for part in start.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*part);
        // The high half of a digit is 3.
        let other = (word ^ 0x3030_3030_3030_3030) & 0xF0F0_F0F0_F0F0_F0F0;
        let other = ((other & LOW).wrapping_add(LOW) | other) >> 7 & 0x0101_0101_0101_0101;
        hash = (hash.rotate_left(23) ^ word & ((other * 0x0F) | 0xF0F0_F0F0_F0F0_F0F0))
            .wrapping_mul(0x9FB2_1C65_1E98_DF25);
    }
    (hash >> 32) as u32 | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_in_digits_have_one_kind() {
        let line = |number: u32| kind(format!("[{number}] error: request failed again").as_bytes());
        assert_eq!(line(1234), line(5678));
        assert_ne!(line(1234), kind(b"[1234] error: out of memory, again"));
    }

    #[test]
    fn new_line_among_equal_lines_is_read() {
        let mut budget = ReadBudget::new();
        let mut read = 0;
        for _ in 0..1_000_000 {
            let line = b"error: the same again and again, as ever, and nothing new under the sun";
            let allowed = budget.allows(line);
            budget.passed(line.len(), allowed);
            read += u64::from(allowed);
        }
        assert!((20_000..100_000).contains(&read), "{read}");
        budget.left = budget.left.min(-1);
        assert!(budget.allows(b"fatal: something else is the matter, and only here it is said"));
    }

    #[test]
    fn read_budget_reads_a_part_if_all_lines_are_new() {
        let (mut budget, mut read, mut all) = (ReadBudget::new(), 0, 0);
        for number in 0_u64..400_000 {
            let text: String =
                (0..8).map(|at| (b'a' + (number >> (3 * at) & 7) as u8) as char).collect();
            let line = format!("error: {text}{text}{text}{text}{text}{text}");
            let allowed = budget.allows(line.as_bytes());
            budget.passed(line.len(), allowed);
            (read, all) = (read + if allowed { line.len() } else { 0 }, all + line.len());
        }
        assert!(read < all / 8 && read > all / 20, "{read} of {all}");
    }
}
