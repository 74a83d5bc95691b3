//! Which bucket, and of whom.

use std::fmt;

/// Whose object store it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// S3, and what speaks it: `s3://bucket`.
    S3,
    /// Azure's blobs, where a bucket is called a container: `az://container`.
    Azure,
    /// Google's cloud storage: `gs://bucket`.
    Google,
}

impl Provider {
    const ALL: [Provider; 3] = [Provider::S3, Provider::Azure, Provider::Google];

    /// Returns what its addresses begin with, before `://`.
    pub fn scheme(self) -> &'static str {
        match self {
            Provider::S3 => "s3",
            Provider::Azure => "az",
            Provider::Google => "gs",
        }
    }
}

/// A bucket, and a folder in it: `s3://bucket/folder`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Whose it is.
    pub provider: Provider,
    /// The bucket.
    pub bucket: String,
    /// The folder, without slashes at its ends; empty for the whole bucket.
    pub prefix: String,
}

impl Address {
    /// Takes an address that comes from outside, if it is one.
    pub fn parse(text: &str) -> Option<Address> {
        let (scheme, rest) = text.split_once("://")?;
        let provider = Provider::ALL.into_iter().find(|provider| provider.scheme() == scheme)?;
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
        sound.then(|| Address { provider, bucket: bucket.into(), prefix: prefix.into() })
    }

    /// Returns where something stands in the bucket, as an address.
    pub(super) fn of(&self, key: &str) -> String {
        format!("{}://{}/{key}", self.provider.scheme(), self.bucket)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "{}://{}{slash}{}", self.provider.scheme(), self.bucket, self.prefix)
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
            ("az://team/a", "az://team/a"),
            ("gs://team", "gs://team"),
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
            "ftp://team/x",
        ] {
            assert_eq!(Address::parse(bad), None, "{bad}");
        }
    }
}
