//! Who takes what the cleaner lets through.

/// A change of the lines above that a terminal makes, besides showing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorMotion {
    /// The cursor goes up by so many lines. The next text overwrites the text there.
    Up(u8),
    /// The cursor goes down by so many lines.
    Down(u8),
    /// The text in the line of the cursor is gone.
    EraseLine,
    /// The text in the line of the cursor and below it is gone.
    EraseBelow,
}

/// Takes what the [`Cleaner`](super::Cleaner) lets through. Bytes it does not mention were dropped.
pub(crate) trait Sink {
    /// `text` stands at `at` in the original, byte for byte.
    fn keep(&mut self, at: u64, text: &[u8]);
    /// `len` bytes at `at` in the original are shown as the one character `text`, which may be a
    /// line feed.
    fn replace(&mut self, at: u64, len: u64, text: &str);
    /// What was shown of the current line is overwritten by what comes next.
    fn restart_line(&mut self);
    /// The last `chars` characters of the current line are overwritten by what comes next.
    fn erase(&mut self, chars: u64);
    /// What comes next is red; the sequence that says so is dropped.
    fn red(&mut self) {}
    /// The cursor moves, or lines are erased; the sequence that says so is dropped.
    fn cursor(&mut self, motion: CursorMotion) {
        let _ = motion;
    }
}

/// Shows the same to two.
pub(crate) struct TeeSink<'a, A, B>(pub(crate) &'a mut A, pub(crate) &'a mut B);

impl<A: Sink, B: Sink> Sink for TeeSink<'_, A, B> {
    fn keep(&mut self, at: u64, text: &[u8]) {
        self.0.keep(at, text);
        self.1.keep(at, text);
    }

    fn replace(&mut self, at: u64, len: u64, text: &str) {
        self.0.replace(at, len, text);
        self.1.replace(at, len, text);
    }

    fn restart_line(&mut self) {
        self.0.restart_line();
        self.1.restart_line();
    }

    fn erase(&mut self, chars: u64) {
        self.0.erase(chars);
        self.1.erase(chars);
    }

    fn red(&mut self) {
        self.0.red();
        self.1.red();
    }

    fn cursor(&mut self, motion: CursorMotion) {
        self.0.cursor(motion);
        self.1.cursor(motion);
    }
}
