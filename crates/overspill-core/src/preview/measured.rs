//! Measures the text of a preview, so that limits in tokens give the same preview for every id.
//!
//! The id of an output is random, and one id has more tokens than another. So text is measured with
//! a stand-in for the id, which has nearly as many tokens as an id of its length can have.

use std::borrow::Cow;

use super::Wording;
use crate::Policy;
use crate::measure::limits::Cost;

/// Returns the cost of a text with the words of this wording.
pub(super) fn cost_of(text: &str, wording: &Wording, policy: &Policy) -> Cost {
    let text = match policy.limits.tokens {
        Some(_) => with_stand_ins(text, wording),
        None => Cow::Borrowed(text),
    };
    Cost::of(text.as_bytes(), &policy.limits, policy.lines, &policy.tokens)
}

/// Tells whether a text with the words of this wording is within the limits.
pub(super) fn fits(text: &str, wording: &Wording, policy: &Policy) -> bool {
    // An exact counter may count fewer tokens for the stand-in than for the id.
    let with_id = is_within(text, policy);
    with_id && (policy.limits.tokens.is_none() || is_within(&with_stand_ins(text, wording), policy))
}

/// Tells whether a text is within the limits.
pub(super) fn is_within(text: &str, policy: &Policy) -> bool {
    policy.limits.exceeded_by(text.as_bytes(), policy.lines, &policy.tokens).is_none()
}

/// Replaces the short id, and longer words that end with it, such as the name of the saved file.
fn with_stand_ins<'a>(text: &'a str, wording: &Wording) -> Cow<'a, str> {
    let short_id = &wording.short_id;
    if short_id.is_empty() {
        return Cow::Borrowed(text);
    }
    let words = |text: &'a str| text.split(|c: char| !c.is_ascii_alphanumeric());
    let ends = |word: &&str| {
        let from = word.len().checked_sub(short_id.len());
        from.is_some_and(|from| word[from..].eq_ignore_ascii_case(short_id))
    };
    let mut replaced = text.to_owned();
    for word in words(text).filter(|word| word.len() > short_id.len()).filter(ends) {
        replaced = replaced.replace(word, &stand_in(word.len()));
    }
    Cow::Owned(replaced.replace(short_id.as_str(), &stand_in(short_id.len())))
}

/// Returns digits and letters in turn. Each of them is a piece of its own in the estimate.
fn stand_in(len: usize) -> String {
    "0a".chars().cycle().take(len).collect()
}
