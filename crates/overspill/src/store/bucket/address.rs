//! The address of a bucket, such as `s3://bucket/folder`, and the name of its local spool.

use std::fmt;

use super::connect;

/// The largest number of bytes that the name of a spool can have. All known file systems accept it.
const LONGEST_NAME: usize = 200;

/// The provider of an object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// S3 and compatible servers: `s3://bucket`.
    S3,
    /// Azure Blob Storage, where a bucket is called a container: `az://container`.
    Azure,
    /// Google Cloud Storage: `gs://bucket`.
    Google,
}

impl Provider {
    const ALL: [Provider; 3] = [Provider::S3, Provider::Azure, Provider::Google];

    /// Returns the scheme of the provider's addresses: the text before `://`.
    pub fn scheme(self) -> &'static str {
        match self {
            Provider::S3 => "s3",
            Provider::Azure => "az",
            Provider::Google => "gs",
        }
    }
}

/// The address of a bucket and a folder in it: `s3://bucket/folder`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The provider of the bucket.
    pub provider: Provider,
    /// The name of the bucket.
    pub bucket: String,
    /// The folder, without slashes at its ends. It is empty for the whole bucket.
    pub prefix: String,
}

impl Address {
    /// Returns the address for a text from outside, if the text is a valid address.
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

    /// Returns the name of the local folder for outputs that wait for this bucket, from the same
    /// variables as [`BucketOptions`](super::BucketOptions). No other bucket, server or tenant has
    /// the same name.
    pub fn spool(&self, tenant: &str, variables: &[(String, String)]) -> String {
        let server = connect::server(self.provider, variables);
        let server = server.map(|server| format!("@{}", plain(&server))).unwrap_or_default();
        // A slash becomes a plus sign, which no bucket, folder or tenant can contain.
        let folder = format!("{}/{}/{tenant}", self.bucket, self.prefix).replace("//", "/");
        let name = format!("{}{server}+{}", self.provider.scheme(), folder.replace('/', "+"));
        if name.len() <= LONGEST_NAME {
            return name;
        }
        let sum = xxhash_rust::xxh3::xxh3_128(name.as_bytes());
        format!("{}~{sum:032x}", &name[..LONGEST_NAME - 33])
    }

    /// Returns the address of an object in the bucket.
    pub(super) fn of(&self, key: &str) -> String {
        format!("{}://{}/{key}", self.provider.scheme(), self.bucket)
    }
}

/// Turns the name of a server into a name for a file on every system.
fn plain(server: &str) -> String {
    let plain = |c: char| match c {
        ':' => ',',
        c if c.is_ascii_alphanumeric() || c == '.' || c == '-' => c.to_ascii_lowercase(),
        _ => '~',
    };
    server.chars().map(plain).collect()
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
    fn address_is_a_bucket_and_a_folder() {
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
    #[test]
    fn spool_name_is_unique_to_bucket_server_and_tenant() {
        let spool = |address: &str, tenant: &str, variables: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).into(), (*value).into());
            let variables: Vec<(String, String)> = variables.iter().map(owned).collect();
            Address::parse(address).unwrap().spool(tenant, &variables)
        };
        assert_eq!(spool("s3://team/a/b", "all", &[]), "s3+team+a+b+all");
        assert_eq!(spool("s3://team", "all", &[("AWS_REGION", "eu-1")]), "s3+team+all");
        assert_ne!(spool("s3://fleet/t4", "a-b", &[]), spool("s3://fleet/t4-a", "b", &[]));
        assert_ne!(spool("s3://team", "x", &[]), spool("gs://team", "x", &[]));
        assert_ne!(spool("s3://team/a", "b", &[]), spool("s3://team/a/b", "b", &[]));
        let deep = |end: &str| spool(&format!("s3://team/{}{end}", "folder/".repeat(99)), "x", &[]);
        assert_eq!(deep("a").len(), LONGEST_NAME);
        assert_ne!(deep("a"), deep("b"));

        let at = |endpoint| spool("s3://team", "all", &[("AWS_ENDPOINT_URL", endpoint)]);
        assert_eq!(at("http://Minio.lan:9000/"), "s3@minio.lan,9000+team+all");
        assert_ne!(at("http://minio.lan:9000"), at("http://minio.lan:9001"));
        let of = |variable, value| spool("az://team", "all", &[(variable, value)]);
        assert_eq!(of("AZURE_STORAGE_ACCOUNT", "ours"), "az@ours+team+all");
        assert_ne!(of("AZURE_STORAGE_ACCOUNT", "ours"), of("AZURE_STORAGE_ACCOUNT", "theirs"));
        let connection = "AccountName=ours;AccountKey=aw==;BlobEndpoint=http://127.0.0.1:1/ours";
        let emulated = of("AZURE_STORAGE_CONNECTION_STRING", connection);
        assert_eq!(emulated, "az@127.0.0.1,1~ours+team+all");
        let google = spool("gs://team", "all", &[("STORAGE_EMULATOR_HOST", "http://[::1]:4")]);
        assert_eq!(google, "gs@~,,1~,4+team+all");
    }
}
