//! The parameters of an escape sequence, and its effect on the lines above.

use super::sink::CursorMotion;

/// The largest number of parameter bytes that a sequence can have. Longer text is not a sequence.
pub(super) const LONGEST_PARAMETERS: u8 = 64;

/// The parameters of a sequence so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parameters {
    /// The number of bytes so far.
    pub(super) len: u8,
    /// The current number.
    number: u8,
    /// An earlier number stands for red.
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

    /// Returns the effect of a sequence with these parameters on the lines above.
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

    /// Tells whether the parameters turn text red.
    pub(super) fn is_red(self) -> bool {
        self.red || matches!(self.number, 31 | 91)
    }
}
