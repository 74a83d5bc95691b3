//! A wrapper for values in which secrets are masked, so that no code masks them twice.

use std::borrow::Cow;

use serde_json::Value;

use super::Redact;

/// A value that has passed the redaction of an engine.
///
/// Only [`Redact`] can make one, so that no caller can claim that a text is masked. Code that takes
/// such a value does not mask it again.
#[derive(Debug, Clone)]
pub(crate) struct Redacted<T> {
    value: T,
    /// The number of masked secrets, or `None` if the engine masks nothing in shown texts.
    masked: Option<u64>,
}

impl Redact {
    /// Masks an output that will be shown.
    pub(crate) fn output<'a>(&self, output: &'a [u8]) -> Redacted<Cow<'a, [u8]>> {
        let masked = self.shown().map(|rules| rules.bytes(output));
        Redacted::of(masked, || Cow::Borrowed(output))
    }

    /// Masks the joined texts of a value that was masked `before`: a secret may span two texts.
    pub(crate) fn joined<'a>(
        &self,
        before: &Redacted<()>,
        texts: &'a [u8],
    ) -> Redacted<Cow<'a, [u8]>> {
        let Redacted { value, masked } = self.output(texts);
        Redacted { value, masked: masked.map(|count| count + before.count()) }
    }

    /// Masks the strings of a JSON text that will be shown.
    pub(crate) fn json<'a>(&self, json: &'a str) -> Redacted<Cow<'a, str>> {
        let masked = self.shown().map(|rules| rules.json(json));
        Redacted::of(masked, || Cow::Borrowed(json))
    }

    /// Masks the strings of a value that will be shown.
    pub(crate) fn value<'a>(&self, value: &'a Value) -> Redacted<Cow<'a, Value>> {
        let masked = self.shown().map(|rules| {
            let mut masked = value.clone();
            let count = rules.value(&mut masked);
            (if count == 0 { Cow::Borrowed(value) } else { Cow::Owned(masked) }, count)
        });
        Redacted::of(masked, || Cow::Borrowed(value))
    }
}

impl<T> Redacted<T> {
    fn of(masked: Option<(T, u64)>, plain: impl FnOnce() -> T) -> Redacted<T> {
        match masked {
            Some((value, count)) => Redacted { value, masked: Some(count) },
            None => Redacted { value: plain(), masked: None },
        }
    }

    /// Returns the value.
    pub(crate) fn get(&self) -> &T {
        &self.value
    }

    /// Returns the value without the count.
    pub(crate) fn into_inner(self) -> T {
        self.value
    }

    /// Returns the number of masked secrets.
    pub(crate) fn count(&self) -> u64 {
        self.masked.unwrap_or(0)
    }

    /// Tells whether the rules were applied. If not, a store may still have to apply them.
    pub(crate) fn is_masked(&self) -> bool {
        self.masked.is_some()
    }

    /// Applies `take` to the value: it returns a part, or the same text in another form.
    pub(crate) fn part<'a, U>(&'a self, take: impl FnOnce(&'a T) -> U) -> Redacted<U> {
        Redacted { value: take(&self.value), masked: self.masked }
    }
}
