//! Connects to the server of a bucket. Each provider has a builder, which gets the variables that
//! the provider's own programs read.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, Checksum};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::list::PaginatedListStore;
use object_store::multipart::MultipartStore;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig, StaticCredentialProvider,
};

use super::address::{Address, Provider};
use super::failure::Failure;
use super::proxy::Proxies;
use super::remote::PATIENCE;
use super::watch::{Seen, Watching};
use crate::settings::HttpAddress;

/// The connect timeout of a server.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// The traits that a client for a server needs, in one trait: `dyn` takes only one.
pub(super) trait Server: ObjectStore + MultipartStore + PaginatedListStore {}
impl<T: ObjectStore + MultipartStore + PaginatedListStore> Server for T {}

/// Returns a client for the server of a bucket. This function sends no request.
pub(super) fn connect(
    address: &Address,
    variables: &[(String, String)],
    setting_names: &[(String, String)],
    seen: &Arc<Seen>,
) -> Result<Arc<dyn Server>, Failure> {
    // This fails if the process already has a TLS provider. Then overspill uses that provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let watching = Watching { seen: seen.clone(), proxies: Proxies::of(variables) };
    let variables: Vec<(String, String)> =
        variables.iter().map(|(name, value)| (name.clone(), small_scheme(name, value))).collect();
    let variables = small(&variables);
    let shown = |name: &str| {
        let set = setting_names.iter().find(|(variable, _)| variable.eq_ignore_ascii_case(name));
        set.map_or_else(|| name.to_ascii_uppercase(), |(_, setting)| setting.clone())
    };
    for (name, value) in &variables {
        let is_valid = || HttpAddress::parse(value).is_some_and(|it| it.login.is_none());
        if is_endpoint(name) && !is_valid() {
            let name = shown(name);
            return Err(Failure::Other(format!("{name} is not an address like https://host:9000")));
        }
    }
    let bucket = &address.bucket;
    let plain = Plain::of(address.provider, &variables);
    for (name, value) in variables.iter().filter(|(name, _)| is_endpoint(name)) {
        plain.check(&shown(name), value)?;
    }
    Ok(match address.provider {
        Provider::S3 => {
            let builder = s3(&variables).with_bucket_name(bucket).with_retry(retry());
            let builder = builder.with_client_options(options(s3_endpoint(&variables)));
            Arc::new(builder.with_http_connector(watching).build()?)
        }
        Provider::Azure => {
            let builder = azure(&variables).with_container_name(bucket).with_retry(retry());
            let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
            // A connection string can name an endpoint, too.
            plain.check("the endpoint", endpoint.as_deref().unwrap_or_default())?;
            let builder = builder.with_client_options(options(endpoint.as_deref()));
            Arc::new(builder.with_http_connector(watching).build()?)
        }
        Provider::Google => {
            let builder = google(&variables).with_bucket_name(bucket).with_retry(retry());
            let endpoint = builder.get_config_value(&GoogleConfigKey::BaseUrl);
            let builder = builder.with_client_options(options(endpoint.as_deref()));
            Arc::new(builder.with_http_connector(watching).build()?)
        }
    })
}

/// Returns the value of a variable. The scheme of an endpoint becomes lower case: `http://`.
fn small_scheme(name: &str, value: &str) -> String {
    match value.split_once("://").filter(|_| is_endpoint(&name.to_ascii_lowercase())) {
        Some((scheme, rest)) => format!("{}://{rest}", scheme.to_ascii_lowercase()),
        None => value.to_owned(),
    }
}

/// Tells whether a variable names an endpoint.
fn is_endpoint(name: &str) -> bool {
    let parts = ["endpoint_url", "storage_endpoint", "base_url", "emulator_host"];
    parts.iter().any(|part| name.contains(part))
}

/// The rule for endpoints without TLS.
struct Plain {
    /// The variable that allows such endpoints.
    variable: &'static str,
    is_allowed: bool,
}

impl Plain {
    fn of(provider: Provider, variables: &Variables) -> Plain {
        let variable = match provider {
            Provider::S3 => "AWS_ALLOW_HTTP",
            Provider::Azure => "AZURE_ALLOW_HTTP",
            Provider::Google => "GOOGLE_ALLOW_HTTP",
        };
        let is_yes = |value: &str| {
            ["true", "1", "yes", "on"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
        };
        let is_it = |name: &str| name.eq_ignore_ascii_case(variable);
        let is_allowed = variables.iter().any(|(name, value)| is_it(name) && is_yes(value));
        Plain { variable, is_allowed }
    }

    /// Refuses an endpoint without TLS, unless it is on this machine or the variable allows it.
    fn check(&self, name: &str, endpoint: &str) -> Result<(), Failure> {
        let start = endpoint.get(..7).unwrap_or_default();
        let is_plain = start.eq_ignore_ascii_case("http://");
        let is_here = || HttpAddress::parse(endpoint).is_some_and(|it| it.is_loopback());
        if self.is_allowed || !is_plain || is_here() {
            return Ok(());
        }
        let variable = self.variable;
        Err(Failure::Other(format!(
            "{name} begins with http://, so credentials and outputs would travel unencrypted; \
             use https://, or set {variable}=true to allow it"
        )))
    }
}

/// Variables. Their names are in lower case, as the builders expect them.
type Variables<'a> = [(String, &'a str)];

fn small(variables: &[(String, String)]) -> Vec<(String, &str)> {
    variables.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.as_str())).collect()
}

/// Returns the name of a server: its endpoint, and at Azure the account. It distinguishes servers
/// that have buckets of the same name. The provider's own server at S3 and Google has no name.
pub(super) fn server(provider: Provider, variables: &[(String, String)]) -> Option<String> {
    let variables = small(variables);
    let (account, endpoint) = match provider {
        Provider::S3 => (None, s3_endpoint(&variables).map(str::to_owned)),
        Provider::Azure => {
            let builder = azure(&variables);
            let of = |key| builder.get_config_value(&key);
            (of(AzureConfigKey::AccountName), of(AzureConfigKey::Endpoint))
        }
        Provider::Google => (None, google(&variables).get_config_value(&GoogleConfigKey::BaseUrl)),
    };
    let host = endpoint.as_deref().map(|endpoint| {
        let host = endpoint.split_once("://").map_or(endpoint, |(_, host)| host);
        host.trim_end_matches('/').to_owned()
    });
    match (account, host) {
        // Most endpoints of Azure already contain the account.
        (Some(account), Some(host)) if !host.contains(account.as_str()) => {
            Some(format!("{account}/{host}"))
        }
        (account, host) => host.or(account),
    }
}

fn s3(variables: &Variables) -> AmazonS3Builder {
    // The signature of a request already needs this hash. overspill also sends it as a checksum,
    // because some servers compare only the checksum. A variable can choose another algorithm.
    let mut builder = AmazonS3Builder::new().with_checksum_algorithm(Checksum::SHA256);
    for (name, value) in variables {
        if let Ok(key) = name.parse() {
            builder = builder.with_config(key, *value);
        }
    }
    builder
}

fn s3_endpoint<'a>(variables: &Variables<'a>) -> Option<&'a str> {
    let is_one = |name: &str| name.starts_with("aws_endpoint_url") && !name.ends_with("sts");
    variables.iter().rev().find(|(name, _)| is_one(name)).map(|(_, value)| *value)
}

fn azure(variables: &Variables) -> MicrosoftAzureBuilder {
    let mut builder = MicrosoftAzureBuilder::new();
    for (name, value) in variables {
        // Azure's own programs use other names than the builder for these variables.
        let key = match name.as_str() {
            "azure_storage_account" => Ok(AzureConfigKey::AccountName),
            "azure_storage_key" => Ok(AzureConfigKey::AccessKey),
            "identity_endpoint" => Ok(AzureConfigKey::MsiEndpoint),
            name => name.parse(),
        };
        if name == "azure_storage_connection_string" {
            for (key, value) in connection(value) {
                builder = builder.with_config(key, value);
            }
        } else if let Ok(key) = key {
            builder = builder.with_config(key, *value);
        }
    }
    builder
}

fn google(variables: &Variables) -> GoogleCloudStorageBuilder {
    let mut builder = GoogleCloudStorageBuilder::new();
    for (name, value) in variables {
        if name == "storage_emulator_host" {
            // Google's own programs send no credentials to an emulator.
            let nobody = GcpCredential { bearer: String::new() };
            let nobody = Arc::new(StaticCredentialProvider::new(nobody));
            builder = builder.with_base_url(value).with_credentials(nobody);
        } else if let Ok(key) = name.parse() {
            builder = builder.with_config(key, *value);
        }
    }
    builder
}

fn options(endpoint: Option<&str>) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")))
        .with_connect_timeout(CONNECT)
        // The caller limits the time of a whole request, and `Watching` the time without an answer.
        .with_timeout_disabled()
}

fn retry() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(5),
            base: 2.0,
        },
        max_retries: 8,
        retry_timeout: PATIENCE,
    }
}

/// Splits a connection string of Azure into its settings:
/// `AccountName=…;AccountKey=…;BlobEndpoint=…`.
fn connection(text: &str) -> Vec<(AzureConfigKey, String)> {
    let part = |wanted: &str| {
        let mut parts = text.split(';').filter_map(|part| part.split_once('='));
        parts.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim().to_owned())
    };
    let account = part("AccountName");
    let endpoint = part("BlobEndpoint").or_else(|| {
        let (account, suffix) = (account.as_ref()?, part("EndpointSuffix")?);
        let protocol = part("DefaultEndpointsProtocol").unwrap_or_else(|| "https".into());
        Some(format!("{protocol}://{account}.blob.{suffix}"))
    });
    [
        (AzureConfigKey::AccountName, account),
        (AzureConfigKey::AccessKey, part("AccountKey")),
        (AzureConfigKey::SasKey, part("SharedAccessSignature")),
        (AzureConfigKey::Endpoint, endpoint),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_string_has_account_key_and_endpoint() {
        let said = connection(
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=k==;EndpointSuffix=core.x",
        );
        let expected = [
            (AzureConfigKey::AccountName, "a"),
            (AzureConfigKey::AccessKey, "k=="),
            (AzureConfigKey::Endpoint, "https://a.blob.core.x"),
        ];
        assert_eq!(said, expected.map(|(key, value)| (key, value.to_owned())));
        let said =
            connection("BlobEndpoint=http://127.0.0.1:1/a;SharedAccessSignature=sv=1&sig=x%3D");
        let expected = [
            (AzureConfigKey::SasKey, "sv=1&sig=x%3D"),
            (AzureConfigKey::Endpoint, "http://127.0.0.1:1/a"),
        ];
        assert_eq!(said, expected.map(|(key, value)| (key, value.to_owned())));
    }

    #[test]
    fn every_provider_is_built_from_its_own_variables() {
        for (address, variables) in [
            ("s3://team", vec![("AWS_REGION", "eu-1")]),
            ("az://team", vec![("AZURE_STORAGE_ACCOUNT", "a"), ("AZURE_STORAGE_KEY", "a2V5")]),
            ("gs://team", vec![("STORAGE_EMULATOR_HOST", "http://127.0.0.1:1")]),
        ] {
            let address = Address::parse(address).unwrap();
            let variables: Vec<(String, String)> =
                variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
            let server = connect(&address, &variables, &[], &Arc::default());
            assert!(server.is_ok(), "{address}: {:?}", server.err());
        }
        for bad in ["localhost:8333", "nonsense", "http://", "http://münchen.example"] {
            let variables = [("AWS_ENDPOINT_URL".to_owned(), bad.to_owned())];
            let server =
                connect(&Address::parse("s3://team").unwrap(), &variables, &[], &Arc::default());
            let reason = server.err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(reason.starts_with("AWS_ENDPOINT_URL is not an address"), "{bad}: {reason}");
        }
        let account = connect(&Address::parse("az://team").unwrap(), &[], &[], &Arc::default());
        let reason = account.err().map(|failure| failure.to_string());
        assert_eq!(
            reason.as_deref(),
            Some("no storage account is named: neither AZURE_STORAGE_ACCOUNT nor store.account")
        );
    }

    /// Returns the error of `connect` for this address and these variables, if it fails.
    fn refused(address: &str, variables: &[(&str, &str)]) -> Option<String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Vec<_> = variables.iter().map(owned).collect();
        let server = connect(&Address::parse(address).unwrap(), &variables, &[], &Arc::default());
        server.err().map(|failure| failure.to_string())
    }

    #[test]
    fn endpoint_without_tls_is_refused_unless_it_is_here_or_allowed() {
        const SECRET: (&str, &str) = ("AZURE_STORAGE_KEY", "a2V5");
        const LAN: &str = "http://minio.lan:9000";
        let connection = "AccountName=a;AccountKey=a2V5;BlobEndpoint=http://blob.lan/a";
        let login = "AccountName=a;AccountKey=a2V5;BlobEndpoint=http://localhost:1@blob.lan/a";
        let protocol =
            "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;EndpointSuffix=core.x";
        for (address, allow, variables) in [
            ("s3://team", "AWS_ALLOW_HTTP", vec![("AWS_ENDPOINT_URL", LAN)]),
            ("s3://team", "AWS_ALLOW_HTTP", vec![("AWS_ENDPOINT_URL_S3", LAN)]),
            (
                "s3://team",
                "AWS_ALLOW_HTTP",
                vec![("AWS_ENDPOINT_URL", "http://127.0.0.1.evil.example")],
            ),
            (
                "s3://team",
                "AWS_ALLOW_HTTP",
                vec![("AWS_ENDPOINT_URL", "http://localhost.evil.example:80/")],
            ),
            ("s3://team", "AWS_ALLOW_HTTP", vec![("AWS_ENDPOINT_URL", "http://0.0.0.0:9000")]),
            ("s3://team", "AWS_ALLOW_HTTP", vec![("AWS_ENDPOINT_URL", "http://[fe80::1]:9000")]),
            (
                "az://team",
                "AZURE_ALLOW_HTTP",
                vec![("AZURE_STORAGE_ACCOUNT", "a"), SECRET, ("AZURE_STORAGE_ENDPOINT", LAN)],
            ),
            (
                "az://team",
                "AZURE_ALLOW_HTTP",
                vec![("AZURE_STORAGE_CONNECTION_STRING", connection)],
            ),
            ("az://team", "AZURE_ALLOW_HTTP", vec![("AZURE_STORAGE_CONNECTION_STRING", login)]),
            ("az://team", "AZURE_ALLOW_HTTP", vec![("AZURE_STORAGE_CONNECTION_STRING", protocol)]),
            ("gs://team", "GOOGLE_ALLOW_HTTP", vec![("STORAGE_EMULATOR_HOST", LAN)]),
        ] {
            let reason = refused(address, &variables).unwrap_or_default();
            assert!(
                reason.contains("unencrypted") && reason.contains(&format!("{allow}=true")),
                "{variables:?}: {reason}"
            );
            let mut allowed = variables.clone();
            allowed.push((allow, "true"));
            assert_eq!(refused(address, &allowed), None, "{variables:?}");
            let last = allowed.len() - 1;
            allowed[last].1 = "false";
            assert!(refused(address, &allowed).is_some(), "{variables:?}");
        }
        for here in [
            "http://127.0.0.1:9000",
            "http://127.9.9.9",
            "http://[::1]:9000/x",
            "http://localhost:1",
            "http://LOCALHOST",
            "http://s3.localhost:1",
            "https://minio.lan",
        ] {
            assert_eq!(refused("s3://team", &[("AWS_ENDPOINT_URL", here)]), None, "{here}");
        }
    }
}
