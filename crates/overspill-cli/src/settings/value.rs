//! What a setting can be, and how it is written.

use std::path::PathBuf;

use jiff::SignedDuration;
use overspill::core::Keep;
use overspill::redact::Redaction;
use overspill::store::Durability;
use overspill::{KEEPS, Limit, Profile, is_http_address};
use serde_json::json;

use crate::bucket;
use crate::tokenizer::Tokenizer;

/// What a setting can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// On or off.
    Switch,
    /// How many of something.
    Count,
    /// How many bytes.
    Bytes,
    /// Which part is shown.
    Keep,
    /// The name of a profile.
    Profile,
    /// A directory.
    Directory,
    /// How long.
    Age,
    /// What a power loss may cost.
    Durability,
    /// Whose tokens are counted.
    Tokenizer,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// How a name begins.
    Prefix,
    /// A bucket.
    Bucket,
    /// A word.
    Text,
    /// The name of something that a folder is named after.
    Name,
    /// The address of a server.
    Server,
    /// A regular expression.
    Pattern,
    /// What is masked: a [`Value::Choice`] of [`REDACT`], in any case, or true or false.
    Redact,
}

/// A setting's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Switch(bool),
    Most(Limit),
    Keep(Keep),
    /// Its name.
    Profile(&'static str),
    /// As written: a `~` at its start stands for the home directory.
    Directory(PathBuf),
    /// For ever, if it is none.
    Age(Option<SignedDuration>),
    Durability(Durability),
    Tokenizer(Tokenizer),
    Choice(&'static str),
    Prefix(String),
    Text(String),
}

const DURABILITIES: &[(&str, Durability)] =
    &[("full", Durability::Full), ("none", Durability::None)];

/// What `redact` can be.
const REDACT: &[&str] = &["off", "store", "all"];

const UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("B", 1),
    ("K", 1 << 10),
    ("KiB", 1 << 10),
    ("M", 1 << 20),
    ("MiB", 1 << 20),
    ("G", 1 << 30),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

const SPANS: &[(&str, u64)] = &[("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];

impl Kind {
    /// Turns what is written into what it means.
    pub(crate) fn parse(self, text: &str) -> Option<Value> {
        Some(match self {
            Kind::Switch => Value::Switch(text.parse().ok()?),
            Kind::Count | Kind::Bytes => Value::Most(most(text)?),
            Kind::Keep => Value::Keep(KEEPS.iter().find(|(name, ..)| *name == text)?.1),
            Kind::Profile => Value::Profile(Profile::named(text)?.name),
            Kind::Directory => {
                let path = PathBuf::from(text);
                let is_allowed = path.is_absolute() || path.starts_with("~");
                Value::Directory(is_allowed.then_some(path)?)
            }
            Kind::Age => Value::Age(match text {
                "none" => None,
                _ => {
                    let seconds = i64::try_from(scaled(text, SPANS)?).ok()?;
                    Some(SignedDuration::from_secs(seconds))
                }
            }),
            Kind::Durability => {
                Value::Durability(DURABILITIES.iter().find(|(name, _)| *name == text)?.1)
            }
            Kind::Tokenizer => Value::Tokenizer(Tokenizer::named(text)?),
            Kind::Choice(words) => Value::Choice(words.iter().find(|word| **word == text)?),
            Kind::Redact => Value::Choice(match &*text.trim().to_lowercase() {
                "true" => "all",
                "false" => "off",
                word => REDACT.iter().find(|known| **known == word)?,
            }),
            Kind::Prefix => Value::Prefix(text.chars().all(is_plain).then(|| text.to_owned())?),
            Kind::Bucket => Value::Text(bucket::is_address(text).then(|| text.to_owned())?),
            Kind::Name => {
                let fits = !text.is_empty() && text.chars().all(is_plain);
                Value::Text(fits.then(|| text.to_owned())?)
            }
            Kind::Server => is_http_address(text).then(|| Kind::Text.parse(text))??,
            Kind::Text => {
                let fits = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
                // A login in an address would be a credential in a file.
                Value::Text((fits && !text.contains('@')).then(|| text.to_owned())?)
            }
            Kind::Pattern => {
                Redaction::new(Some(text)).ok()?;
                Value::Text(text.to_owned())
            }
        })
    }

    /// Says what is allowed.
    pub(crate) fn allowed(self) -> String {
        match self {
            Kind::Switch => "true or false".into(),
            Kind::Count => "a whole number, 0 or more, or \"none\"".into(),
            Kind::Bytes => "a whole number, a size such as \"50KiB\", or \"none\"".into(),
            Kind::Keep => one_of(KEEPS.iter().map(|(name, ..)| *name)),
            Kind::Profile => one_of(Profile::ALL.iter().map(|profile| profile.name)),
            Kind::Directory => "a whole path, or one that begins with \"~/\"".into(),
            Kind::Age => "a time such as \"7d\" or \"12h\", or \"none\"".into(),
            Kind::Durability => one_of(DURABILITIES.iter().map(|(name, _)| *name)),
            Kind::Tokenizer => Tokenizer::allowed().into(),
            Kind::Choice(words) => one_of(words.iter().copied()),
            Kind::Redact => one_of(REDACT.iter().copied()),
            Kind::Bucket => "a bucket and a folder, such as \"s3://team/outputs\"".into(),
            Kind::Text => "a word, without blanks and \"@\"".into(),
            Kind::Prefix | Kind::Name => "letters, digits, \"_\" and \"-\"".into(),
            Kind::Server => "an address such as \"https://host:9000\", without \"@\"".into(),
            Kind::Pattern => "a regular expression".into(),
        }
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Reads a number, a size such as `50KiB`, or `none`.
pub(crate) fn most(text: &str) -> Option<Limit> {
    if text == "none" { Some(Limit::Unlimited) } else { scaled(text, UNITS).map(Limit::AtMost) }
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*scale)
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

impl Value {
    /// Returns how it is written where nobody has written it.
    pub(crate) fn written(&self, kind: Kind) -> String {
        match self {
            Value::Switch(on) => on.to_string(),
            Value::Most(Limit::Unlimited) | Value::Age(None) => "none".into(),
            Value::Most(Limit::AtMost(number)) if kind == Kind::Bytes && *number > 0 => {
                let even = |(_, scale): &&(&str, u64)| *scale > 1 && number % scale == 0;
                let binary = UNITS.iter().filter(|(unit, _)| unit.ends_with("iB"));
                match binary.rev().find(even) {
                    Some((unit, scale)) => format!("{}{unit}", number / scale),
                    None => number.to_string(),
                }
            }
            Value::Most(Limit::AtMost(number)) => number.to_string(),
            Value::Keep(keep) => {
                let known = KEEPS.iter().find(|(_, one, _)| one == keep);
                known.map_or_else(|| "ends".into(), |(name, ..)| (*name).into())
            }
            Value::Profile(name) => (*name).into(),
            Value::Directory(path) => path.display().to_string(),
            Value::Age(Some(age)) => {
                let seconds = age.as_secs().unsigned_abs();
                let even = |(_, scale): &&(&str, u64)| seconds % scale == 0;
                // Weeks are for writing; days are what everybody counts in.
                match SPANS[..4].iter().rev().find(even) {
                    Some((unit, scale)) => format!("{}{unit}", seconds / scale),
                    None => format!("{seconds}s"),
                }
            }
            Value::Durability(durability) => {
                let known = DURABILITIES.iter().find(|(_, one)| one == durability);
                known.map_or_else(String::new, |(name, _)| (*name).into())
            }
            Value::Tokenizer(tokenizer) => tokenizer.name().into(),
            Value::Choice(word) => (*word).into(),
            Value::Prefix(text) => text.clone(),
            Value::Text(text) => text.clone(),
        }
    }

    /// Returns it for a program: sizes in bytes, times in seconds, `null` for none.
    pub(crate) fn json(&self, kind: Kind) -> serde_json::Value {
        match self {
            Value::Switch(on) => json!(on),
            Value::Most(most) => json!(Option::<u64>::from(*most)),
            Value::Age(age) => json!(age.map(|age| age.as_secs())),
            _ => json!(self.written(kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_numbers_sizes_or_none() {
        let of = |text: &str| most(text);
        assert_eq!(of("0"), Some(Limit::AtMost(0)));
        assert_eq!(of("50KiB"), Some(Limit::AtMost(51_200)));
        assert_eq!(of("50 kB"), Some(Limit::AtMost(50_000)));
        assert_eq!(of("none"), Some(Limit::Unlimited));
        for bad in ["", " ", "-1", "+1", "1.5", "KiB", "1 XB", "1e3", "20000000000GiB", "١"] {
            assert_eq!(of(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn what_we_write_we_read() {
        let check = |kind: Kind, text: &str| {
            let value = kind.parse(text).unwrap();
            let written = value.written(kind);
            assert_eq!(kind.parse(&written).as_ref(), Some(&value), "{written}");
            written
        };
        assert_eq!(check(Kind::Bytes, "1024K"), "1MiB");
        assert_eq!(check(Kind::Bytes, "1000"), "1000");
        assert_eq!(check(Kind::Bytes, "0"), "0");
        assert_eq!(check(Kind::Count, "2048"), "2048");
        assert_eq!(check(Kind::Age, "2w"), "14d");
        assert_eq!(check(Kind::Age, "90m"), "90m");
        assert_eq!(check(Kind::Age, "0d"), "0d");
        assert_eq!(check(Kind::Age, "none"), "none");
        for (name, ..) in KEEPS {
            assert_eq!(check(Kind::Keep, name), *name);
        }
        for profile in Profile::ALL {
            assert_eq!(check(Kind::Profile, profile.name), profile.name);
        }
        assert_eq!(check(Kind::Directory, "~/x"), "~/x");
        assert_eq!(Kind::Directory.parse("x"), None);
        assert_eq!(Kind::Age.parse("99999999999999999w"), None);
    }
}
