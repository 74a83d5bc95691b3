//! Chooses the parts of a long output that the preview shows.
//!
//! [`ends`] shows the start, the end or both, [`signal`] shows the lines that matter, and
//! [`structure`] reads JSON, tables, diffs and test reports.

pub(crate) mod ends;
pub(crate) mod kind;
mod names;
pub(crate) mod signal;
pub(crate) mod structure;

use crate::{Piece, Span};

/// Consecutive lines that are shown, with their place and the reason for the choice.
#[derive(Debug, Clone)]
pub(crate) struct SelectedBlock {
    pub(crate) piece: Piece<'static>,
    pub(crate) span: Span,
    pub(crate) reason: Reason,
    /// The gap after the block contains only lines that look like its last line.
    pub(crate) is_folded: bool,
    /// The note about the hidden lines in the mark of the gap after the block.
    pub(crate) note: Option<String>,
}

/// The blocks that the preview shows.
#[derive(Debug, Clone)]
pub(crate) struct SelectedBlocks {
    pub(crate) blocks: Vec<SelectedBlock>,
    /// No other line is worth showing, even if room is left.
    pub(crate) is_enough: bool,
}

/// The built-in ways to choose the shown parts of a long output.
///
/// Implement [`Strategy`](crate::Strategy) to choose in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The start.
    Head,
    /// The end.
    Tail,
    /// Both ends. The limits are divided in the ratio `head` to `tail`.
    ///
    /// The tail also gets the room that the head does not use.
    Ends {
        /// The share of the start.
        head: u32,
        /// The share of the end.
        tail: u32,
    },
    /// The lines that matter, at any place in the output, and the last lines. Other lines fill the
    /// room that is left.
    ///
    /// Lines that report a failure matter, also the lines around them and lines that are rare in
    /// the output. If no line stands out, both ends are shown. `Signal` needs
    /// [`Grain::Line`](crate::Grain::Line) and
    /// [`LineRule::Terminated`](crate::LineRule::Terminated). With another grain or line rule it
    /// works like [`Keep::ENDS`].
    Signal,
    /// Structured outputs by their structure, other outputs like [`Keep::ENDS`].
    ///
    /// JSON becomes shorter JSON, which says at each gap how many values are missing. For JSON
    /// lines, tables, markup, diffs and test reports, the preview shows the headings, the lines
    /// that differ from the rest, and the last lines. `Structure` needs the same grain and line
    /// rule as [`Keep::Signal`].
    Structure,
    /// Structured outputs like [`Keep::Structure`], other outputs like [`Keep::Signal`].
    Auto,
}

/// The ends of an output that are shown if neither lines nor structure decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndsKept {
    Head,
    Tail,
    /// Both ends, in the ratio `head` to `tail`.
    Both {
        head: u32,
        tail: u32,
    },
}

impl Keep {
    /// Both ends, with equal shares.
    pub const ENDS: Keep = Keep::Ends { head: 1, tail: 1 };

    /// Returns the ends that are shown if neither lines nor structure decide.
    pub(crate) const fn ends(self) -> EndsKept {
        match self {
            Keep::Head => EndsKept::Head,
            Keep::Tail => EndsKept::Tail,
            Keep::Ends { head, tail } => EndsKept::Both { head, tail },
            Keep::Signal | Keep::Structure | Keep::Auto => EndsKept::Both { head: 1, tail: 1 },
        }
    }

    /// Tells whether the structure of an output decides which parts are shown.
    pub(crate) const fn reads_structure(self) -> bool {
        match self {
            Keep::Structure | Keep::Auto => true,
            Keep::Head | Keep::Tail | Keep::Ends { .. } | Keep::Signal => false,
        }
    }

    /// Tells whether the text of lines decides which lines are shown, if no structure decides.
    pub(crate) const fn reads_lines(self) -> bool {
        match self {
            Keep::Signal | Keep::Auto => true,
            Keep::Head | Keep::Tail | Keep::Ends { .. } | Keep::Structure => false,
        }
    }

    /// Tells whether every preview begins with the start of the output.
    pub const fn begins_with_the_start(self) -> bool {
        match self {
            Keep::Head | Keep::Ends { .. } => true,
            Keep::Tail | Keep::Signal | Keep::Structure | Keep::Auto => false,
        }
    }

    /// Tells whether only the end of the output is shown.
    pub const fn shows_only_the_end(self) -> bool {
        match self {
            Keep::Tail => true,
            Keep::Head | Keep::Ends { .. } | Keep::Signal | Keep::Structure | Keep::Auto => false,
        }
    }
}

/// The reason for which a part of an output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The part is the start of the output.
    First,
    /// The part is the end of the output.
    Last,
    /// The part contains a failure word.
    Failure,
    /// The part names a place in a file.
    Place,
    /// The words of the part, or the words around it, are likely to matter.
    Words,
    /// The part is a heading, such as a table header or the name of a file.
    Heading,
    /// The part differs from the text around it.
    Differs,
    /// The part begins a section of the output, such as a hunk of a diff.
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

/// The reason for a chosen piece, taken from the line with the highest score in the piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The reason why the line was chosen.
    pub why: Why,
    /// The number of the line, counted from 1.
    pub line: u64,
    /// The score of the line. A score that is 32 higher makes the line count e times as much.
    pub score: i32,
}
