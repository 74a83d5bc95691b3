//! Reads the credentials and options of a provider: its variables, and the profiles of AWS in two
//! files.
//!
//! The values are passed on and not stored.

use std::ffi::OsString;
use std::path::PathBuf;

use overspill::internal::store::bucket::Provider;

use crate::env::Env;

/// The variables of a proxy, as curl reads them.
const PROXY: &[&str] = &[
    "http_proxy",
    "HTTP_PROXY",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
    "REQUEST_METHOD",
];

/// Returns the variables that the programs of a provider read, and those of a proxy.
pub(super) fn of(provider: Provider, env: &Env) -> Vec<(String, String)> {
    let mut all = match provider {
        Provider::S3 => aws(env),
        Provider::Azure => azure(env),
        Provider::Google => set(&["GOOGLE_", "STORAGE_EMULATOR_HOST"], env),
    };
    all.extend(set(PROXY, env));
    all
}

/// Returns the variables that begin with one of `beginnings`.
fn set(beginnings: &[&str], env: &Env) -> Vec<(String, String)> {
    let wanted = |name: &str| beginnings.iter().any(|beginning| name.starts_with(beginning));
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    env.variables().filter_map(text).filter(|(name, _)| wanted(name)).collect()
}

/// Returns the variables of Azure. A user without credentials in variables, but with a login of the
/// Azure CLI, gets `AZURE_USE_AZURE_CLI`.
fn azure(env: &Env) -> Vec<(String, String)> {
    let mut all = set(&["AZURE_", "IDENTITY_ENDPOINT"], env);
    let is_credential = |name: &str| {
        [
            "KEY",
            "TOKEN",
            "SECRET",
            "CONNECTION_STRING",
            "TOKEN_FILE",
            "IDENTITY_ENDPOINT",
            "EMULATOR",
        ]
        .iter()
        .any(|end| name.ends_with(end))
    };
    let has_any = all.iter().any(|(name, _)| is_credential(name));
    let profile = env.home().map(|home| home.join(".azure/azureProfile.json"));
    if !has_any && profile.is_some_and(|profile| profile.exists()) {
        all.push(("AZURE_USE_AZURE_CLI".into(), "true".into()));
    }
    all
}

/// Returns the values of a profile of AWS, and then the variables of AWS, which override them.
fn aws(env: &Env) -> Vec<(String, String)> {
    let set = set(&["AWS_"], env);
    let has = |wanted: &str| set.iter().any(|(name, _)| name == wanted);
    let profile = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]
        .iter()
        .find_map(|name| env.variable(name))
        .map_or_else(|| "default".into(), |name| name.to_string_lossy().into_owned());
    let mut all: Vec<(String, String)> = [
        ("AWS_CONFIG_FILE", "config", format!("profile {profile}")),
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile.clone()),
    ]
    .into_iter()
    .filter_map(|(variable, file, section)| {
        let path = env.variable(variable).map(PathBuf::from);
        let path = path.or_else(|| Some(env.home()?.join(".aws").join(file)))?;
        let text = std::fs::read_to_string(path).ok()?;
        // In one file the default profile has no word before its name.
        let found = section_of(&text, &section);
        Some(if found.is_empty() { section_of(&text, &profile) } else { found })
    })
    .flatten()
    // A key from one source does not fit the secret from another.
    .filter(|(name, _)| !(has("AWS_ACCESS_KEY_ID") && is_credential(name)))
    .collect();
    all.extend(set);
    all
}

fn is_credential(name: &str) -> bool {
    ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"].contains(&name)
}

/// Returns the values of a section of a settings file of AWS, under the names of variables.
fn section_of(text: &str, wanted: &str) -> Vec<(String, String)> {
    const KNOWN: &[(&str, &str)] = &[
        ("aws_access_key_id", "AWS_ACCESS_KEY_ID"),
        ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"),
        ("aws_session_token", "AWS_SESSION_TOKEN"),
        ("region", "AWS_REGION"),
        ("endpoint_url", "AWS_ENDPOINT_URL"),
        ("role_arn", "AWS_ROLE_ARN"),
        ("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE"),
    ];
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = name.trim() == wanted;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| inside) {
            let known = KNOWN.iter().find(|(name, _)| *name == key.trim());
            found.extend(known.map(|(_, name)| ((*name).to_owned(), value.trim().to_owned())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aws_profile_is_read_from_its_section() {
        let text = "# mine\n[default]\nregion = eu-1\n[profile ci]\nregion=us-2\n aws_access_key_id = k\n\
                    s3 =\n  max = 3\n[other]\nregion = no\n";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(section_of(text, "default"), [pair("AWS_REGION", "eu-1")]);
        let ci = [pair("AWS_REGION", "us-2"), pair("AWS_ACCESS_KEY_ID", "k")];
        assert_eq!(section_of(text, "profile ci"), ci);
        assert_eq!(section_of(text, "none"), []);
    }
}
