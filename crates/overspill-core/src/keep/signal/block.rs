//! Turns blocks of chosen lines into the text and the places that a preview needs.

use std::borrow::Cow;
use std::ops::Range;

use super::line::ScoredLines;
use crate::keep::SelectedBlock;
use crate::{Piece, Reason, Span};

/// Consecutive lines that are shown.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The indices of the lines in [`ScoredLines::lines`].
    pub(crate) lines: Range<usize>,
    pub(crate) reason: Reason,
    /// The gap after the block contains only lines that look like its last line.
    pub(crate) is_folded: bool,
    /// The note about the hidden lines in the mark of the gap after the block.
    pub(crate) note: Option<String>,
}

impl ScoredLines {
    /// Returns a block with its text and its place in an output of `len` bytes.
    pub(crate) fn selected(&self, block: &Block, len: u64) -> SelectedBlock {
        let (piece, span) = (self.piece(block), self.span(block, len));
        let (is_folded, note) = (block.is_folded, block.note.clone());
        SelectedBlock { piece, span, reason: block.reason, is_folded, note }
    }

    /// Returns the shown text of a block.
    fn piece(&self, block: &Block) -> Piece<'static> {
        let lines = &self.lines[block.lines.clone()];
        let bytes = self.bytes(block);
        let text: Vec<&[u8]> = lines.iter().map(|line| self.text(line)).collect();
        let unchanged: u64 = lines.iter().map(|line| u64::from(line.unchanged)).sum();
        let altered = bytes.end - bytes.start - unchanged;
        Piece { bytes, text: Cow::Owned(text.concat()), altered }
    }

    /// Returns the place of a block in an output of `len` bytes.
    pub(crate) fn span(&self, block: &Block, len: u64) -> Span {
        let bytes = self.bytes(block);
        let last = &self.lines[block.lines.end - 1];
        Span {
            first_line: self.lines[block.lines.start].number + 1,
            last_line: last.number + 1,
            starts_line: true,
            ends_line: !last.clipped || bytes.end == len,
            bytes,
        }
    }

    /// Returns the byte range of a block in the original.
    pub(crate) fn bytes(&self, block: &Block) -> Range<u64> {
        self.lines[block.lines.start].start..self.lines[block.lines.end - 1].end
    }
}
