//! Decides whether overspill may upload outputs. A mistake in a setting of the destination stops
//! uploads: the provider's own server may have a bucket of the same name that belongs to others.

use overspill::internal::settings::Warning;

use super::SettingSources;
use super::keys::{Key, last_part, meant};
use super::redact::FaultKind;

/// An invalid setting of the destination of uploads.
#[derive(Debug)]
pub(crate) struct DestinationFault {
    /// The setting, or the setting that the user likely meant.
    pub(crate) key: Key,
    /// The value, as the user wrote it.
    pub(crate) written: String,
    /// Whether the value comes from a variable.
    pub(crate) in_variable: bool,
    pub(crate) warning: Warning,
}

/// Returns the setting of the destination that a key of the user's file names, or likely means.
pub(super) fn destination_of(typed: &str) -> Option<Key> {
    let own = last_part(typed);
    // A longer name is not a typing mistake, and comparing would take long.
    if own.chars().nth(60).is_some() {
        return None;
    }
    let names = || Key::all().flat_map(|key| key.names().map(move |name| (last_part(name), key)));
    let name = meant(own, names().map(|(name, _)| name))?;
    names().find(|(known, _)| *known == name).map(|(_, key)| key).filter(|key| key.is_destination())
}

/// Returns the variable of the bucket's provider that is stronger than a setting.
pub(crate) fn provider_variable(bucket: &str, key: Key) -> Option<&'static str> {
    let (scheme, _) = bucket.split_once("://")?;
    Some(match (scheme, key) {
        ("s3", Key::StoreRegion) => "AWS_REGION",
        ("s3", Key::StoreEndpoint) => "AWS_ENDPOINT_URL",
        ("az", Key::StoreAccount) => "AZURE_STORAGE_ACCOUNT",
        ("az", Key::StoreEndpoint) => "AZURE_STORAGE_ENDPOINT",
        ("gs", Key::StoreEndpoint) => "GOOGLE_BASE_URL",
        _ => return None,
    })
}

impl SettingSources {
    /// Returns the mistakes that matter, because no stronger source has a valid value.
    pub(crate) fn destination_faults(&self) -> impl Iterator<Item = &DestinationFault> {
        self.destination.iter().filter(|fault| self.counts(fault))
    }

    fn counts(&self, fault: &DestinationFault) -> bool {
        let variable = self.bucket().and_then(|bucket| provider_variable(bucket, fault.key));
        let is_overridden = variable.is_some_and(|name| self.env.variable(name).is_some());
        !is_overridden && (fault.in_variable || !self.environment.contains_key(&fault.key))
    }

    /// Tells whether the variable of a setting has an invalid value, so that the file does not count.
    pub(super) fn is_hidden(&self, key: Key) -> bool {
        self.destination.iter().any(|fault| fault.in_variable && fault.key == key)
    }

    /// Returns the reason why overspill must not upload; `None` if uploads are allowed.
    pub(crate) fn upload_block(&self) -> Option<String> {
        let mut faults = self.destination_faults();
        if let Some(fault) = faults.next() {
            return Some(format!("{} is invalid", crate::ui::escaped(&fault.warning.key, 60)));
        }
        let is_file = |kind: FaultKind| matches!(kind, FaultKind::File | FaultKind::Closed);
        let is_broken = self.faults.iter().any(|fault| is_file(fault.kind));
        is_broken.then(|| "the settings file is invalid".into())
    }

    /// Returns the warnings about invalid destinations, with their consequences.
    pub(super) fn destination_warnings(&self) -> Vec<Warning> {
        let bucket = self.bucket();
        let with_consequence = |fault: &DestinationFault| {
            let mut warning = fault.warning.clone();
            let consequence = match bucket {
                _ if !self.counts(fault) => return warning,
                Some(_) => "no output is uploaded until this is fixed",
                None if fault.key == Key::StoreBucket => {
                    "outputs are saved on this machine until this is fixed"
                }
                None => return warning,
            };
            warning.message = format!("{}; {consequence}", warning.message);
            warning
        };
        self.destination.iter().map(with_consequence).collect()
    }

    /// Returns the name under which the user has set a setting: a variable, or the setting itself.
    pub(crate) fn set_as(&self, key: Key) -> String {
        let is_set = |variable: &String| self.env.variable(variable).is_some();
        let in_variable = self.environment.contains_key(&key);
        let variable = key.variables().find(|variable| in_variable && is_set(variable));
        variable.unwrap_or_else(|| key.name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_that_was_likely_meant_to_be_a_destination_is_found() {
        for (key, expected) in [
            ("store.endpoint", "store.endpoint"),
            ("store.endpont", "store.endpoint"),
            ("endpoint_url", "store.endpoint"),
            ("store.Region", "store.region"),
            ("store", "store.bucket"),
            ("tenant", "store.tenant"),
        ] {
            assert_eq!(destination_of(key).map(Key::name), Some(expected), "{key}");
        }
        for key in ["store.quota", "redact", "max_lines", "store.retention", "store.cache", "x"] {
            assert_eq!(destination_of(key), None, "{key}");
        }
    }
}
