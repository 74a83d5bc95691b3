//! Blocks of lines that are shown, and why.

use std::borrow::Cow;
use std::ops::Range;

use super::line::ScoredLines;
use crate::keep::SelectedBlock;
use crate::{Piece, Span};

/// Why a part of an output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// It is the start of the output.
    First,
    /// It is the end of the output.
    Last,
    /// It holds a word of failure.
    Failure,
    /// It names a place in a file.
    Place,
    /// Its words, or those around it, are such as matter.
    Words,
    /// It says what follows: a header, the name of a file.
    Heading,
    /// It differs from what is around it.
    Differs,
    /// It is the start of a part of the output.
    Part,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Why::First => "first lines",
            Why::Last => "last lines",
            Why::Failure => "error word",
            Why::Place => "place in a file",
            Why::Words => "telling words",
            Why::Heading => "heading",
            Why::Differs => "differs from the rest",
            Why::Part => "start of a part",
        })
    }
}

/// Why a piece was chosen: what is said of the line in it that counted most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// What made it count.
    pub why: Why,
    /// The number of that line, counted from 1.
    pub line: u64,
    /// Its score; thirty-two more make it count e times as much.
    pub score: i32,
}

/// Lines one after the other that are shown.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Their indices among the lines that are held.
    pub(crate) lines: Range<usize>,
    pub(crate) reason: Reason,
    /// The gap after it holds only lines like its last one.
    pub(crate) is_folded: bool,
    /// The mark of the gap after it says this about the lines in it.
    pub(crate) note: Option<String>,
}

impl ScoredLines {
    /// Returns a block with what is shown of it, in an output of `len` bytes.
    pub(crate) fn selected(&self, block: &Block, len: u64) -> SelectedBlock {
        let (piece, span) = (self.piece(block), self.span(block, len));
        let (is_folded, note) = (block.is_folded, block.note.clone());
        SelectedBlock { piece, span, reason: block.reason, is_folded, note }
    }

    /// Returns what is shown of a block.
    fn piece(&self, block: &Block) -> Piece<'static> {
        let lines = &self.lines[block.lines.clone()];
        let bytes = self.bytes(block);
        let text: Vec<&[u8]> = lines.iter().map(|line| self.text(line)).collect();
        let unchanged: u64 = lines.iter().map(|line| u64::from(line.unchanged)).sum();
        let altered = bytes.end - bytes.start - unchanged;
        Piece { bytes, text: Cow::Owned(text.concat()), altered }
    }

    /// Returns where a block stands in an output of `len` bytes.
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

    /// Returns where a block begins and ends.
    pub(crate) fn bytes(&self, block: &Block) -> Range<u64> {
        self.lines[block.lines.start].start..self.lines[block.lines.end - 1].end
    }
}
