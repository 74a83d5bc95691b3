//! The profile `klaude`: characters, both ends, a buffer between what triggers and what is shown.

use std::borrow::Cow;

use overspill_core::{Grain, Keep, Limits, Policy, Unit};
use serde::{Deserialize, Serialize};

use super::{
    Accounting, Directory, NoticeStyle, OnSaveError, Profile, ResultField, ResultLayout,
    SOURCE_SYSTEM, Unmarked, WALK,
};
use crate::Outcome;
use crate::store::{Also, Missing, NamePart, NameStyle};
use crate::sweep::Retention;

impl Profile {
    /// Over 40,000 characters: the first 10,000 and the last 10,000.
    pub const KLAUDE: Profile = Profile {
        name: "klaude",
        policy: Policy {
            trigger: Limits::NONE.chars(40_000),
            limits: Limits::NONE.chars(20_000),
            keep: Keep::Ends { head: 10_000, tail: 10_000 },
            grain: Grain::Char,
            ..WALK
        },
        accounting: Accounting::Chars,
        words: NoticeStyle::BothEnds,
        on_save_error: OnSaveError::SimpleCut,
        // No gate: what another has cut is cut by this one as well.
        shape: ResultLayout {
            handled: ResultField::Nowhere,
            nothing: Unmarked::Unchanged,
            ..ResultLayout::OUTPUT
        },
        directory: Directory::Fixed(Cow::Borrowed("/tmp/klaude")),
        names: NameStyle {
            parts: &[
                NamePart::Tool(Missing::Unknown),
                NamePart::Text("-"),
                NamePart::CallId,
                NamePart::Text("-"),
                NamePart::Seconds,
            ],
            ending: ".txt",
            also: Also::No,
        },
        retention: Retention::FOREVER,
        ..SOURCE_SYSTEM
    };

    /// [`Profile::KLAUDE`] with numbers of your own.
    pub fn klaude(max_length: u64, head_chars: u32, tail_chars: u32) -> Profile {
        let shown = u64::from(head_chars) + u64::from(tail_chars);
        let policy = Policy {
            trigger: Limits::NONE.chars(max_length),
            limits: Limits::NONE.chars(shown),
            keep: Keep::Ends { head: head_chars, tail: tail_chars },
            ..Profile::KLAUDE.policy
        };
        Profile { policy, ..Profile::KLAUDE }
    }

    /// The simple strategy: the first `max_length` characters, and nothing is saved.
    pub fn klaude_simple(max_length: u64) -> Profile {
        let limits = Limits::NONE.chars(max_length);
        let policy = Policy { trigger: limits, limits, keep: Keep::Head, ..Profile::KLAUDE.policy };
        Profile { policy, words: NoticeStyle::StartOnly, saves: false, ..Profile::KLAUDE }
    }
}

/// The result record; lengths in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruncationResult {
    /// What the model gets.
    pub output: String,
    /// Whether anything is hidden.
    pub was_truncated: bool,
    /// Where the whole output is.
    pub saved_file_path: Option<String>,
    /// Length of the whole output.
    pub original_length: u64,
    /// How much of it is hidden.
    pub truncated_length: u64,
}

/// What the user is shown of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruncationUiExtra {
    /// Where the whole output is.
    pub saved_file_path: String,
    /// Length of the whole output.
    pub original_length: u64,
    /// How much of it is hidden.
    pub truncated_length: u64,
}

impl TruncationResult {
    /// Says what became of an output.
    pub fn of(outcome: &Outcome) -> TruncationResult {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match outcome {
            Outcome::Whole(_) | Outcome::Masked(_) => TruncationResult {
                output: text(outcome.bytes()),
                was_truncated: false,
                saved_file_path: None,
                original_length: text(outcome.bytes()).chars().count() as u64,
                truncated_length: 0,
            },
            Outcome::Spilled(spilled) => TruncationResult {
                output: spilled.text.clone(),
                was_truncated: true,
                saved_file_path: spilled.path().map(str::to_owned),
                original_length: spilled.total.chars,
                truncated_length: spilled.hidden(Unit::Chars),
            },
        }
    }

    /// What goes into the result's UI extra; there is one only when a file was saved.
    pub fn ui_extra(&self) -> Option<TruncationUiExtra> {
        Some(TruncationUiExtra {
            saved_file_path: self.saved_file_path.clone()?,
            original_length: self.original_length,
            truncated_length: self.truncated_length,
        })
    }
}

impl TruncationUiExtra {
    /// Returns the two lines for a terminal, without colour or indent.
    pub fn render(&self) -> String {
        let TruncationUiExtra { saved_file_path, original_length, truncated_length } = self;
        format!(
            "Output truncated: {original_length} chars total, {truncated_length} chars hidden\n\
             Full output saved to {saved_file_path}"
        )
    }
}
