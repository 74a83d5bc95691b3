//! The kinds of values of settings: reads a value from text, prints it, and describes the allowed
//! values.

use std::path::PathBuf;

use jiff::SignedDuration;
use overspill::internal::settings::{CallKind, CallValue, HttpAddress, KEEPS};
use overspill::{Limit, Profile, Redaction};
use serde_json::json;

use super::units::{duration_text, parse_duration, parse_limit, size_text};
use crate::bucket;
use crate::tokenizer::Tokenizer;

/// The kind of values that a setting has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A kind of settings of a call: a switch, a limit or a part to keep.
    Call(CallKind),
    /// The name of a profile.
    Profile,
    /// A directory.
    Directory,
    /// A time, or no limit.
    Duration,
    /// The name of a tokenizer.
    Tokenizer,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The start of a name.
    Prefix,
    /// A bucket.
    Bucket,
    /// A word.
    Text,
    /// A name that a folder can have.
    Name,
    /// The address of a server.
    Server,
    /// A regular expression.
    Pattern,
    /// The setting `redact`: a [`SettingValue::Choice`] of [`REDACT`], in any case, or true or false.
    Redact,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SettingValue {
    /// A switch, a limit or a part to keep.
    Call(CallValue),
    /// A word or a name of a fixed list.
    Choice(&'static str),
    /// A directory as the user wrote it. A `~` at its start stands for the home directory.
    Directory(PathBuf),
    /// A time. `None` means no limit.
    Duration(Option<SignedDuration>),
    Text(String),
}

/// The values of `redact`.
const REDACT: &[&str] = &["off", "store", "all"];

impl ValueKind {
    /// Reads a value.
    pub(crate) fn parse(self, text: &str) -> Option<SettingValue> {
        Some(match self {
            ValueKind::Call(kind) => SettingValue::Call(match kind {
                CallKind::Switch => CallValue::Switch(text.parse().ok()?),
                CallKind::Count | CallKind::Bytes => CallValue::Limit(parse_limit(text)?),
                CallKind::Keep => CallValue::keep_named(text)?,
                CallKind::Kind => CallValue::kind_named(text)?,
            }),
            ValueKind::Profile => SettingValue::Choice(Profile::named(text)?.name),
            ValueKind::Directory => {
                let path = PathBuf::from(text);
                let is_allowed = path.is_absolute() || path.starts_with("~");
                SettingValue::Directory(is_allowed.then_some(path)?)
            }
            ValueKind::Duration => SettingValue::Duration(match text {
                "none" => None,
                _ => Some(parse_duration(text)?.try_into().ok()?),
            }),
            ValueKind::Tokenizer => SettingValue::Choice(Tokenizer::named(text)?.name()),
            ValueKind::Choice(words) => {
                SettingValue::Choice(words.iter().find(|word| **word == text)?)
            }
            ValueKind::Redact => SettingValue::Choice(match &*text.trim().to_lowercase() {
                "true" => "all",
                "false" => "off",
                word => REDACT.iter().find(|known| **known == word)?,
            }),
            ValueKind::Prefix => {
                SettingValue::Text(text.chars().all(is_plain).then(|| text.to_owned())?)
            }
            ValueKind::Bucket => {
                SettingValue::Text(bucket::is_address(text).then(|| text.to_owned())?)
            }
            ValueKind::Name => {
                let fits = !text.is_empty() && text.chars().all(is_plain);
                SettingValue::Text(fits.then(|| text.to_owned())?)
            }
            ValueKind::Server => {
                // The scheme can be in any case.
                let (scheme, rest) = text.split_once("://")?;
                let text = format!("{}://{rest}", scheme.to_ascii_lowercase());
                HttpAddress::parse(&text)?;
                // Refuses a login.
                ValueKind::Text.parse(&text)?
            }
            ValueKind::Text => {
                let fits = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
                // A login in an address would be a credential in a file.
                SettingValue::Text((fits && !text.contains('@')).then(|| text.to_owned())?)
            }
            ValueKind::Pattern => {
                Redaction::new(Some(text)).ok()?;
                SettingValue::Text(text.to_owned())
            }
        })
    }

    /// Returns a description of the allowed values, for messages.
    pub(crate) fn allowed(self) -> String {
        match self {
            ValueKind::Call(CallKind::Switch) => "true or false".into(),
            ValueKind::Call(CallKind::Count) => "a whole number, 0 or more, or \"none\"".into(),
            ValueKind::Call(CallKind::Bytes) => {
                "a whole number, a size such as \"50KiB\", or \"none\"".into()
            }
            ValueKind::Call(CallKind::Keep) => one_of(KEEPS.iter().map(|(name, ..)| *name)),
            ValueKind::Call(CallKind::Kind) => one_of(CallValue::kind_names()),
            ValueKind::Profile => one_of(Profile::ALL.iter().map(|profile| profile.name)),
            ValueKind::Directory => "an absolute path, or a path that begins with \"~/\"".into(),
            ValueKind::Duration => "a time such as \"7d\" or \"12h\", or \"none\"".into(),
            ValueKind::Tokenizer => Tokenizer::allowed().into(),
            ValueKind::Choice(words) => one_of(words.iter().copied()),
            ValueKind::Redact => one_of(REDACT.iter().copied()),
            ValueKind::Bucket => "a bucket and a folder, such as \"s3://team/outputs\"".into(),
            ValueKind::Text => "a word, without blanks and \"@\"".into(),
            ValueKind::Prefix | ValueKind::Name => "letters, digits, \"_\" and \"-\"".into(),
            ValueKind::Server => "an address such as \"https://host:9000\", without \"@\"".into(),
            ValueKind::Pattern => "a regular expression".into(),
        }
    }

    /// Returns a valid value, for hints and for new settings files.
    pub(crate) fn example(self) -> &'static str {
        match self {
            ValueKind::Call(CallKind::Switch) => "true",
            ValueKind::Call(CallKind::Count) => "500",
            ValueKind::Call(CallKind::Bytes) => "50KiB",
            ValueKind::Call(CallKind::Keep) => "tail",
            ValueKind::Call(CallKind::Kind) => "auto",
            ValueKind::Profile => Profile::OWN.name,
            ValueKind::Directory => "'~/outputs'",
            ValueKind::Duration => "7d",
            ValueKind::Tokenizer => "estimate",
            ValueKind::Choice(words) => words.first().copied().unwrap_or_default(),
            ValueKind::Redact => "store",
            ValueKind::Bucket => "s3://team/outputs",
            ValueKind::Text => "eu-central-1",
            ValueKind::Prefix | ValueKind::Name => "team",
            ValueKind::Server => "https://host:9000",
            ValueKind::Pattern => "'tok_[a-z]+'",
        }
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

impl SettingValue {
    /// Returns the value as a settings file would have it.
    pub(crate) fn written(&self, kind: ValueKind) -> String {
        match self {
            SettingValue::Call(CallValue::Limit(Limit::AtMost(bytes)))
                if kind == ValueKind::Call(CallKind::Bytes) =>
            {
                size_text(*bytes)
            }
            SettingValue::Call(value) => value.to_string(),
            SettingValue::Duration(None) => "none".into(),
            SettingValue::Directory(path) => path.display().to_string(),
            SettingValue::Duration(Some(duration)) => duration_text(*duration),
            SettingValue::Choice(word) => (*word).into(),
            SettingValue::Text(text) => text.clone(),
        }
    }

    /// Returns the value for a program: sizes in bytes, times in seconds, `null` for none.
    pub(crate) fn json(&self, kind: ValueKind) -> serde_json::Value {
        match self {
            SettingValue::Call(CallValue::Switch(on)) => json!(on),
            SettingValue::Call(CallValue::Limit(limit)) => json!(Option::<u64>::from(*limit)),
            SettingValue::Duration(None) => json!(null),
            SettingValue::Duration(Some(duration)) if duration.subsec_nanos() == 0 => {
                json!(duration.as_secs())
            }
            SettingValue::Duration(Some(duration)) => json!(duration.as_secs_f64()),
            SettingValue::Call(CallValue::Keep(_) | CallValue::Kind(_))
            | SettingValue::Choice(_)
            | SettingValue::Directory(_)
            | SettingValue::Text(_) => json!(self.written(kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_value_is_read_back() {
        let check = |kind: ValueKind, text: &str| {
            let value = kind.parse(text).unwrap();
            let written = value.written(kind);
            assert_eq!(kind.parse(&written).as_ref(), Some(&value), "{written}");
            written
        };
        let bytes = ValueKind::Call(CallKind::Bytes);
        assert_eq!(check(bytes, "1024K"), "1MiB");
        assert_eq!(check(bytes, "1000"), "1000");
        assert_eq!(check(bytes, "0"), "0");
        assert_eq!(check(ValueKind::Call(CallKind::Count), "2048"), "2048");
        assert_eq!(check(ValueKind::Duration, "2w"), "14d");
        assert_eq!(check(ValueKind::Duration, "90m"), "90m");
        assert_eq!(check(ValueKind::Duration, "0d"), "0d");
        assert_eq!(check(ValueKind::Duration, "none"), "none");
        for (name, ..) in KEEPS {
            assert_eq!(check(ValueKind::Call(CallKind::Keep), name), *name);
        }
        for profile in Profile::ALL {
            assert_eq!(check(ValueKind::Profile, profile.name), profile.name);
        }
        assert_eq!(check(ValueKind::Directory, "~/x"), "~/x");
        assert_eq!(ValueKind::Directory.parse("x"), None);
        assert_eq!(ValueKind::Duration.parse("99999999999999999w"), None);
    }
}
