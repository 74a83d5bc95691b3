//! The parameters of an escape sequence, and what it does to the lines above it.

use super::sink::CursorMotion;

/// How many parameter bytes a sequence can have; with more it was never one.
pub(super) const LONGEST_PARAMETERS: u8 = 64;

/// The parameters of a sequence so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parameters {
    /// How many bytes there are.
    pub(super) len: u8,
    /// The number at hand.
    number: u8,
    /// A number before that stands for red.
    red: bool,
}

impl Parameters {
    pub(super) fn push(&mut self, byte: u8) {
        self.len += 1;
        match byte {
            b'0'..=b'9' => {
                self.number = self.number.saturating_mul(10).saturating_add(byte - b'0');
            }
            _ => {
                self.red = self.is_red();
                self.number = 0;
            }
        }
    }

    /// Returns what a sequence with these parameters does to the lines above it.
    pub(super) fn motion(self, last: u8) -> Option<CursorMotion> {
        let lines = self.number.max(1);
        match last {
            b'A' | b'F' => Some(CursorMotion::Up(lines)),
            b'B' | b'E' => Some(CursorMotion::Down(lines)),
            b'K' if self.number != 1 => Some(CursorMotion::EraseLine),
            b'J' if self.number == 0 => Some(CursorMotion::EraseBelow),
            _ => None,
        }
    }

    /// Tells whether they turn text red.
    pub(super) fn is_red(self) -> bool {
        self.red || matches!(self.number, 31 | 91)
    }
}
