//! How much of an answer there is room for.

use overspill_core::Limits;

/// What is left of the limits of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) bytes: u64,
    pub(super) lines: u64,
}

impl Room {
    pub(super) fn of(limits: &Limits) -> Room {
        let all = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        Room { bytes: all(limits.bytes), lines: all(limits.lines) }
    }

    /// Takes room for so much, if there is enough of it.
    pub(super) fn take(&mut self, bytes: usize, lines: u64) -> bool {
        let (bytes, fits) = (bytes as u64, bytes as u64 <= self.bytes && lines <= self.lines);
        if fits {
            self.bytes -= bytes;
            self.lines -= lines;
        }
        fits
    }
}
