//! How the source systems word what they cut. Their texts are kept to the letter.

use std::borrow::Cow;

use overspill_core::{Keep, LeftOut, Size};

use crate::Error;
use crate::store::SpillRef;

/// How a profile words its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Our own notice and marks, inside the limits.
    Own,
    /// A header, the start, a mark, the end under a label; characters are counted.
    BothEnds,
    /// The start, and right behind it how much is missing.
    StartOnly,
    /// A preview, a marker and a hint, in the order of the kept end.
    Walk(WalkWords),
    /// Two lines beside the fields of an envelope.
    Envelope,
}

/// The sentences of [`Words::Walk`]; `{PATH}` is the saved file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkWords {
    /// That it is saved.
    pub saved: &'static str,
    /// How to look at it.
    pub look: &'static str,
    /// How to look at it through a sub-agent.
    pub delegate: Option<&'static str>,
    /// That it is not saved.
    pub failed: &'static str,
}

/// What is to be worded.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) pieces: Vec<Cow<'a, str>>,
    pub(crate) total: Size,
    pub(crate) shown: Size,
    pub(crate) left_out: LeftOut,
    pub(crate) keep: Keep,
    pub(crate) saved: &'a Result<SpillRef, Error>,
    pub(crate) delegate: bool,
}

/// Words, on their own and in their place.
#[derive(Debug)]
pub(crate) struct Worded {
    /// What is said.
    pub(crate) notice: String,
    /// All of the answer.
    pub(crate) text: String,
}

/// Words `facts`.
pub(crate) fn word(words: &Words, facts: &Facts) -> Worded {
    match words {
        // Our own notice is the core's business.
        Words::Own => Worded { notice: String::new(), text: facts.pieces.concat() },
        Words::BothEnds => both_ends(facts),
        Words::StartOnly => start_only(facts),
        Words::Walk(words) => walk(words, facts),
        Words::Envelope => envelope(facts),
    }
}

fn both_ends(facts: &Facts) -> Worded {
    let path = facts.saved.as_ref().map_or("", |saved| &saved.path);
    let hidden = facts.total.chars.saturating_sub(facts.shown.chars);
    let piece = |index: usize| facts.pieces.get(index).map_or("", |piece| piece);
    let (head, tail) = (piece(0).chars().count(), piece(1).chars().count());
    let notice = format!(
        "[Output truncated: {hidden} chars hidden, full output saved to {path}. \
         Use Read tool or rg to get details. \
         Showing first {head} and last {tail} chars below.]"
    );
    let text = format!(
        "{notice}\n\n{}\n\n... ({hidden} characters truncated) ...\n\n[Last {tail} chars below]\n{}",
        piece(0),
        piece(1)
    );
    Worded { notice, text }
}

fn start_only(facts: &Facts) -> Worded {
    let hidden = facts.total.chars.saturating_sub(facts.shown.chars);
    let notice = format!("... (truncated {hidden} characters)");
    Worded { text: format!("{}{notice}", facts.pieces.concat()), notice }
}

fn walk(words: &WalkWords, facts: &Facts) -> Worded {
    let marker = match facts.left_out {
        LeftOut::Lines(n) => format!("...{n} lines truncated..."),
        LeftOut::Bytes(n) => format!("...{n} bytes truncated..."),
    };
    let hint = match facts.saved {
        Err(_) => words.failed.to_owned(),
        Ok(saved) => {
            let delegate = words.delegate.filter(|_| facts.delegate);
            let look = delegate.unwrap_or(words.look);
            format!("{}\n{look}", words.saved.replace("{PATH}", &saved.path))
        }
    };
    let preview = facts.pieces.concat();
    let notice = format!("{marker}\n\n{hint}");
    let text = match facts.keep {
        Keep::Tail => format!("{notice}\n\n{preview}"),
        Keep::Head => format!("{preview}\n\n{notice}"),
        Keep::Ends { .. } | Keep::Signal | Keep::Structure | Keep::Auto => {
            let both = facts.pieces.join(&format!("\n\n{marker}\n\n"));
            format!("{both}\n\n{hint}")
        }
    };
    Worded { notice, text }
}

fn envelope(facts: &Facts) -> Worded {
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
    Worded { text: format!("{}\n\n{notice}", facts.pieces.concat()), notice }
}
