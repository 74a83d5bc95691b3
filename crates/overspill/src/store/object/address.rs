//! Which bucket.

use std::fmt;

/// A bucket, and a folder in it: `s3://bucket/folder`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The bucket.
    pub bucket: String,
    /// The folder, without slashes at its ends; empty for the whole bucket.
    pub prefix: String,
}

impl Address {
    /// Takes an address that comes from outside, if it is one.
    pub fn parse(text: &str) -> Option<Address> {
        let rest = text.strip_prefix("s3://")?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c);
        let is_bucket = bucket.len() >= 3 && bucket.len() <= 63 && bucket.chars().all(plain);
        let prefix = prefix.trim_matches('/');
        let is_prefix = prefix.is_empty()
            || prefix.split('/').all(|part| {
                let fits = |c: char| c.is_ascii_alphanumeric() || "-_.=".contains(c);
                !part.is_empty() && part != "." && part != ".." && part.chars().all(fits)
            });
        let sound = is_bucket && is_prefix;
        sound.then(|| Address { bucket: bucket.into(), prefix: prefix.into() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "s3://{}{slash}{}", self.bucket, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_bucket_and_a_folder() {
        for (text, shown) in [
            ("s3://team", "s3://team"),
            ("s3://team/", "s3://team"),
            ("s3://team/a/b=1/", "s3://team/a/b=1"),
        ] {
            assert_eq!(Address::parse(text).map(|address| address.to_string()), Some(shown.into()));
        }
        for bad in [
            "team",
            "s3://",
            "s3://A/b",
            "s3://key:secret@team/x",
            "s3://team/../x",
            "s3://team/a//b",
        ] {
            assert_eq!(Address::parse(bad), None, "{bad}");
        }
    }
}
