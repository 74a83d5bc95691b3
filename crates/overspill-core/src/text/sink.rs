//! The receiver of the text that the cleaner lets through.

/// A change of the lines above that a terminal makes, besides showing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorMotion {
    /// The cursor goes up by this number of lines. The next text overwrites the text there.
    Up(u8),
    /// The cursor goes down by this number of lines.
    Down(u8),
    /// The text in the line of the cursor is gone.
    EraseLine,
    /// The text in the line of the cursor and below it is gone.
    EraseBelow,
}

/// Receives the text that the [`Cleaner`](super::Cleaner) lets through. Bytes without a call were
/// dropped.
pub(crate) trait Sink {
    /// Shows `text`, which stands unchanged at `at` in the original.
    fn keep(&mut self, at: u64, text: &[u8]);
    /// Shows `len` bytes at `at` in the original as the one character `text`, which may be a line
    /// feed.
    fn replace(&mut self, at: u64, len: u64, text: &str);
    /// Drops the shown text of the current line, because the next text overwrites it.
    fn restart_line(&mut self);
    /// Drops the last `chars` characters of the current line, because the next text overwrites
    /// them.
    fn erase(&mut self, chars: u64);
    /// Reports that the next text is red. The sequence itself is dropped.
    fn red(&mut self) {}
    /// Reports that the cursor moves or that lines are erased. The sequence itself is dropped.
    fn cursor(&mut self, motion: CursorMotion) {
        let _ = motion;
    }
}

/// Passes the same text to two sinks.
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
