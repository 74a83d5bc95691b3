//! Chooses the part of a long output that is shown.
//!
//! Each way of keeping has a module: [`ends`] for the start, the end or both, [`signal`] for the lines
//! that matter, [`structure`] for JSON, tables, diffs and test reports.

pub(crate) mod ends;
pub(crate) mod kind;
mod names;
pub(crate) mod signal;
pub(crate) mod structure;

use crate::{Piece, Span};

/// Lines one after the other that are shown, their place, and why they were chosen.
#[derive(Debug, Clone)]
pub(crate) struct SelectedBlock {
    pub(crate) piece: Piece<'static>,
    pub(crate) span: Span,
    pub(crate) reason: Reason,
    /// The gap after it holds only lines like its last one.
    pub(crate) is_folded: bool,
    /// The mark of the gap after it says this about the lines in it.
    pub(crate) note: Option<String>,
}

/// The blocks that are shown.
#[derive(Debug, Clone)]
pub(crate) struct SelectedBlocks {
    pub(crate) blocks: Vec<SelectedBlock>,
    /// No other line is worth its room.
    pub(crate) is_enough: bool,
}

/// Which parts of an output are shown when it is too large: the set we ship.
///
/// For anything else there is [`Strategy`](crate::Strategy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The start.
    Head,
    /// The end.
    Tail,
    /// Both ends, the limits shared out in the ratio `head` to `tail`.
    ///
    /// What the head leaves of its share goes to the tail.
    Ends {
        /// Parts for the start.
        head: u32,
        /// Parts for the end.
        tail: u32,
    },
    /// The lines that matter, wherever they stand, with the last lines and what room is left for
    /// others.
    ///
    /// Lines that say what went wrong matter, those around them, and those that are rare in the
    /// output. Where none stands out, both ends are shown. It takes
    /// [`Grain::Line`](crate::Grain::Line) and [`LineRule::Terminated`](crate::LineRule::Terminated); with others it is [`Keep::ENDS`].
    Signal,
    /// What has a structure, by its structure; anything else as [`Keep::ENDS`].
    ///
    /// JSON is shown as shorter JSON, which says in place what it leaves out. Of lines of JSON,
    /// tables, markup, diffs and test reports, lines are shown: those that tell what the rest is,
    /// those that differ from the rest, and the last ones. It takes what [`Keep::Signal`] takes.
    Structure,
    /// What has a structure as [`Keep::Structure`], anything else as [`Keep::Signal`].
    Auto,
}

/// The ends of an output that a way of keeping shows, where nothing else decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndsKept {
    Head,
    Tail,
    /// Both, in the ratio `head` to `tail`.
    Both {
        head: u32,
        tail: u32,
    },
}

impl Keep {
    /// Both ends, alike.
    pub const ENDS: Keep = Keep::Ends { head: 1, tail: 1 };

    /// Returns which ends are shown, where nothing else decides.
    pub(crate) const fn ends(self) -> EndsKept {
        match self {
            Keep::Head => EndsKept::Head,
            Keep::Tail => EndsKept::Tail,
            Keep::Ends { head, tail } => EndsKept::Both { head, tail },
            Keep::Signal | Keep::Structure | Keep::Auto => EndsKept::Both { head: 1, tail: 1 },
        }
    }

    /// Tells whether the structure of an output decides.
    pub(crate) const fn reads_structure(self) -> bool {
        match self {
            Keep::Structure | Keep::Auto => true,
            Keep::Head | Keep::Tail | Keep::Ends { .. } | Keep::Signal => false,
        }
    }

    /// Tells whether lines are chosen by what they say, if no structure decides.
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
