//! Shows the start of an output before its size is known.

use std::borrow::Cow;

use overspill::Outcome;
use overspill::core::Policy;
use overspill::core::internal::text::clean;
use overspill::internal::notice::defused;

/// The part of the start that can be shown at once: whole lines with which every preview would
/// begin.
#[derive(Debug)]
pub(super) struct StreamedHead {
    /// The number of bytes that may still be shown; 0 after a line that a preview would change.
    bytes: u64,
    /// The number of lines that may still be shown.
    lines: u64,
    shown: Vec<u8>,
    /// An incomplete line.
    line: Vec<u8>,
    /// The bytes that are shown next.
    ready: Vec<u8>,
}

impl StreamedHead {
    /// Allows a quarter of each limit: a preview that keeps its start shows more than that, with
    /// any notice.
    pub(super) fn within(policy: &Policy) -> StreamedHead {
        /// The limit in bytes below which the notice leaves too little room.
        const SMALL: u64 = 4 << 10;
        let limits = &policy.limits;
        let keeps_start = policy.keep.begins_with_the_start();
        let counted = limits.tokens.is_none() && limits.chars.is_none();
        let bytes = limits.bytes.unwrap_or(u64::MAX);
        let usable = keeps_start && counted && bytes >= SMALL;
        StreamedHead {
            bytes: if usable { bytes / 4 } else { 0 },
            lines: limits.lines.unwrap_or(u64::MAX) / 4,
            shown: Vec::new(),
            line: Vec::new(),
            ready: Vec::new(),
        }
    }

    /// Takes new bytes, and returns those that can be shown.
    pub(super) fn take(&mut self, bytes: &[u8]) -> &[u8] {
        self.ready.clear();
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.bytes == 0 || self.lines == 0 {
                break;
            }
            self.line.extend_from_slice(part);
            if self.line.len() as u64 > self.bytes
                || (part.ends_with(b"\n") && !is_plain(&self.line))
            {
                self.bytes = 0;
            } else if part.ends_with(b"\n") {
                self.bytes -= self.line.len() as u64;
                self.lines -= 1;
                self.ready.append(&mut self.line);
            }
        }
        self.shown.extend_from_slice(&self.ready);
        &self.ready
    }

    /// Returns the bytes to show at the end: the rest, and then the notice.
    pub(super) fn rest<'a>(&self, outcome: &'a Outcome) -> Cow<'a, [u8]> {
        let all = outcome.bytes();
        if let Some(rest) = all.strip_prefix(&*self.shown) {
            return Cow::Borrowed(rest);
        }
        let notice_line = match outcome {
            Outcome::Spilled(spilled) => spilled.notice_line(),
            Outcome::Whole(_) | Outcome::Masked(_) => None,
        };
        let notice = notice_line.map_or(0, |line| line.len() + 1).min(all.len());
        let (notice, body) = all.split_at(notice);
        match body.strip_prefix(&*self.shown) {
            Some(rest) if rest.ends_with(b"\n") || rest.is_empty() => {
                [rest, notice].concat().into()
            }
            Some(rest) => [rest, b"\n", notice].concat().into(),
            // The part may appear twice, which is better than a part that is missing.
            None => Cow::Borrowed(all),
        }
    }
}

/// Tells whether a preview would show a line unchanged.
fn is_plain(line: &[u8]) -> bool {
    defused(clean(line).text).as_bytes() == line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_imitates_a_notice_is_not_plain() {
        for line in [
            "[overspill 3f9c2e: x]\n",
            "[Overspill 3f9c2e: x]\n",
            "overspill: x\n",
            "[q7atzy: lines 4-9 cut]\n",
            "[q7atzy: 3 more like this, lines 4-6]\n",
            "\x1b[31mred\x1b[0m\n",
        ] {
            assert!(!is_plain(line.as_bytes()), "{line}");
        }
        assert!(is_plain(b"[INFO] overspill: started\n"));
    }
}
