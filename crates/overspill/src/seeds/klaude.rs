//! The profile `klaude`: cuts outputs over 40,000 characters, and shows 20,000 of them from both
//! ends.

use std::borrow::Cow;

use overspill_core::{Grain, Keep, Limits, Policy};

use super::{SOURCE_SYSTEM, WALK};
use crate::profile::{
    Accounting, Directory, NoticeStyle, OnSaveError, Profile, ResultField, ResultLayout, Unmarked,
};
use crate::store::{Also, Missing, NamePart, NameStyle};
use crate::sweep::Retention;

impl Profile {
    /// The profile: outputs over 40,000 characters show the first 10,000 and the last 10,000.
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
        // No field marks a handled result, so a result that another system cut is cut again.
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

    /// Returns [`Profile::KLAUDE`] with numbers of your own.
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

    /// Returns the simple strategy: the first `max_length` characters, without saving.
    pub fn klaude_simple(max_length: u64) -> Profile {
        let limits = Limits::NONE.chars(max_length);
        let policy = Policy { trigger: limits, limits, keep: Keep::Head, ..Profile::KLAUDE.policy };
        Profile { policy, words: NoticeStyle::StartOnly, saves: false, ..Profile::KLAUDE }
    }
}
