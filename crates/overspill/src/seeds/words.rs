//! The notices of the source systems, word for word.

use std::borrow::Cow;

use overspill_core::{Cut, Keep, LeftOut, Size};

use crate::Error;
use crate::profile::NoticeStyle;
use crate::store::SpillRef;

/// The sentences of [`NoticeStyle::Walk`]; `{PATH}` is the saved file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkWords {
    /// The sentence that the output is saved.
    pub saved: &'static str,
    /// The sentence about reading the saved output.
    pub look: &'static str,
    /// The sentence about reading it by a sub-agent.
    pub delegate: Option<&'static str>,
    /// The sentence that the output is not saved.
    pub failed: &'static str,
}

/// The facts for a notice.
#[derive(Debug)]
pub(crate) struct NoticeFacts<'a> {
    pub(crate) pieces: Vec<Cow<'a, str>>,
    pub(crate) total: Size,
    pub(crate) shown: Size,
    pub(crate) left_out: LeftOut,
    pub(crate) direction: Direction,
    pub(crate) saved: &'a Result<SpillRef, Error>,
    pub(crate) delegate: bool,
}

/// The part of the output that the pieces come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Head,
    Tail,
    /// Two or more pieces with a gap between them.
    Ends,
}

impl Direction {
    /// Returns the direction by `keep`, or by the pieces if `keep` does not name one end. A text
    /// that a strategy wrote has no pieces.
    pub(crate) fn of(keep: Keep, cut: Option<&Cut>) -> Direction {
        let pieces = cut.map_or(&[][..], |cut| &cut.pieces);
        let has_gap = pieces.windows(2).any(|two| two[0].bytes.end < two[1].bytes.start);
        match (keep, pieces) {
            _ if has_gap => Direction::Ends,
            (Keep::Head, _) => Direction::Head,
            (Keep::Tail, _) => Direction::Tail,
            (_, [first, ..]) if first.bytes.start > 0 => Direction::Tail,
            _ => Direction::Head,
        }
    }

    /// Returns the value of `direction` in an envelope. The document allows `head` and `tail`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Direction::Head => "head",
            Direction::Tail => "tail",
            Direction::Ends => "ends",
        }
    }
}

/// The length in bytes of the longest text that [`preview`] puts between two pieces.
pub(crate) const LONGEST_MARK: usize = "\n...18446744073709551615 lines truncated...\n".len();

/// The mark for one of several gaps, of which only the total is known.
const GAP: &str = "...";

/// Joins the texts of pieces, with a mark on a line of its own between them.
pub(crate) fn preview(pieces: &[Cow<str>], left_out: LeftOut) -> String {
    match pieces.iter().filter(|piece| !piece.is_empty()).count() {
        2 => joined(pieces, &amount(left_out)),
        _ => joined(pieces, GAP),
    }
}

fn joined(pieces: &[Cow<str>], mark: &str) -> String {
    let mut text = String::new();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        if !text.is_empty() {
            let feed = if text.ends_with('\n') { "" } else { "\n" };
            text.extend([feed, mark, "\n"]);
        }
        text.push_str(piece);
    }
    text
}

/// Returns the mark of [`NoticeStyle::Walk`].
fn amount(left_out: LeftOut) -> String {
    match left_out {
        LeftOut::Lines(n) => format!("...{n} lines truncated..."),
        LeftOut::Bytes(n) => format!("...{n} bytes truncated..."),
        LeftOut::Chars(n) => format!("...{n} chars truncated..."),
    }
}

/// A notice, and the preview that contains it.
#[derive(Debug)]
pub(crate) struct WordedNotice {
    /// The notice.
    pub(crate) notice: String,
    /// The preview with the notice.
    pub(crate) text: String,
}

impl NoticeFacts<'_> {
    /// Returns the shown part of the output.
    fn preview(&self) -> String {
        preview(&self.pieces, self.left_out)
    }
}

/// Returns the notice of a source system.
pub(crate) fn word(words: &NoticeStyle, facts: &NoticeFacts) -> WordedNotice {
    match words {
        // The core makes our own notice.
        NoticeStyle::Own => WordedNotice { notice: String::new(), text: facts.preview() },
        NoticeStyle::BothEnds => both_ends(facts),
        NoticeStyle::StartOnly => start_only(facts),
        NoticeStyle::Walk(words) => walk(words, facts),
        NoticeStyle::Envelope => envelope(facts),
    }
}

fn both_ends(facts: &NoticeFacts) -> WordedNotice {
    let path = facts.saved.as_ref().map_or("", |saved| &saved.path);
    let hidden = facts.total.chars.saturating_sub(facts.shown.chars);
    let (first, last): (&[Cow<str>], &str) = match (&facts.pieces[..], facts.direction) {
        ([tail], Direction::Tail) => (&[], tail),
        ([head @ .., tail], Direction::Ends) => (head, tail),
        (pieces, _) => (pieces, ""),
    };
    let chars = |text: &str| text.chars().count();
    let (head, tail) = (first.iter().map(|piece| chars(piece)).sum::<usize>(), chars(last));
    let notice = format!(
        "[Output truncated: {hidden} chars hidden, full output saved to {path}. \
         Use Read tool or rg to get details. \
         Showing first {head} and last {tail} chars below.]"
    );
    let text = format!(
        "{notice}\n\n{}\n\n... ({hidden} characters truncated) ...\n\n[Last {tail} chars below]\n{last}",
        joined(first, GAP),
    );
    WordedNotice { notice, text }
}

fn start_only(facts: &NoticeFacts) -> WordedNotice {
    let hidden = facts.total.chars.saturating_sub(facts.shown.chars);
    let notice = format!("... (truncated {hidden} characters)");
    WordedNotice { text: format!("{}{notice}", facts.preview()), notice }
}

fn walk(words: &WalkWords, facts: &NoticeFacts) -> WordedNotice {
    let marker = amount(facts.left_out);
    let hint = match facts.saved {
        Err(_) => words.failed.to_owned(),
        Ok(saved) => {
            let delegate = words.delegate.filter(|_| facts.delegate);
            let look = delegate.unwrap_or(words.look);
            format!("{}\n{look}", words.saved.replace("{PATH}", &saved.path))
        }
    };
    let notice = format!("{marker}\n\n{hint}");
    let text = match (facts.direction, &facts.pieces[..]) {
        (Direction::Tail, _) => format!("{notice}\n\n{}", facts.preview()),
        (Direction::Ends, [head, tail]) => format!("{head}\n\n{marker}\n\n{tail}\n\n{hint}"),
        (Direction::Head | Direction::Ends, _) => format!("{}\n\n{notice}", facts.preview()),
    };
    WordedNotice { notice, text }
}

fn envelope(facts: &NoticeFacts) -> WordedNotice {
    let notice = match facts.saved {
        Ok(SpillRef { path, .. }) => {
            let hint = if facts.delegate {
                "Use Task to have a subagent process the full output file"
            } else {
                "Use Read with pagination or Grep to search the full output file"
            };
            format!("⚠️ 输出过大已截断，完整内容见 {path}\n{hint} {path}")
        }
        Err(_) => {
            let kilobytes = facts.total.bytes as f64 / 1024.0;
            format!("⚠️ 输出过大已截断 ({} 行, {kilobytes:.1}KB)", facts.total.lines)
        }
    };
    WordedNotice { text: format!("{}\n\n{notice}", facts.preview()), notice }
}
