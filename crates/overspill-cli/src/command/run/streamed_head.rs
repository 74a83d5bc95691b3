//! The start of an output, shown before anybody knows how much there is.

use std::borrow::Cow;

use overspill::Outcome;
use overspill::core::Policy;
use overspill::core::internal::text::clean;
use overspill::internal::notice::defused;

/// What of the start can be shown at once: whole lines that every preview would begin with.
#[derive(Debug)]
pub(super) struct StreamedHead {
    /// How many bytes and lines may still be shown; none once something else must come first.
    bytes: u64,
    lines: u64,
    shown: Vec<u8>,
    /// A line that is not complete.
    line: Vec<u8>,
    /// What is shown next.
    ready: Vec<u8>,
}

impl StreamedHead {
    /// A quarter of each limit: a preview that keeps its start shows more than that, whatever the
    /// notice takes.
    pub(super) fn within(policy: &Policy) -> StreamedHead {
        /// Below this the notice decides what there is room for.
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

    /// Takes what came and returns what can be shown of it.
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

    /// Returns what is shown after that: the rest, and the notice last.
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
            // Shown twice is better than not at all.
            None => Cow::Borrowed(all),
        }
    }
}

/// Tells whether a preview would show a line as it is.
fn is_plain(line: &[u8]) -> bool {
    defused(clean(line).text).as_bytes() == line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_imitates_us_is_not_plain() {
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
