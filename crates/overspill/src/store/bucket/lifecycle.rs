//! Writes lifecycle rules, with which the provider removes old objects automatically.

use serde_json::{Value, json};

use super::Bucket;
use super::address::Provider;

/// The folders with a rule, each with the number of days that it stays longer than the outputs.
const FOLDERS: [(&str, u32); 3] = [
    ("outputs", 0),
    // Records stay longer than outputs, so that a reader of an output still finds its record.
    ("records", 1),
    ("used", 1),
];
/// The folder of the lists of expired outputs, with the number of days that a list stays.
const GONE: (&str, u32) = ("gone", 30);

impl Bucket {
    /// Returns a lifecycle rule for the provider. With it the bucket removes outputs that are older
    /// than this number of days, and uploads that were never completed.
    pub fn lifecycle(&self, days: u32) -> String {
        let folder = self.folder();
        let below = FOLDERS.iter().map(|(below, more)| (*below, days + more)).chain([GONE]);
        let rules = match self.address().provider {
            Provider::S3 => s3(&folder, below),
            Provider::Azure => azure(&self.address().bucket, &folder, below),
            Provider::Google => google(&folder, below),
        };
        format!("{rules:#}\n")
    }
}

fn s3(folder: &str, below: impl Iterator<Item = (&'static str, u32)>) -> Value {
    let rule = |(below, days): (&str, u32)| {
        json!({
            "ID": format!("overspill-{below}"),
            "Status": "Enabled",
            "Filter": { "Prefix": format!("{folder}/{below}/") },
            "Expiration": { "Days": days },
        })
    };
    let uploads = json!({
        "ID": "overspill-uploads",
        "Status": "Enabled",
        "Filter": { "Prefix": format!("{folder}/") },
        "AbortIncompleteMultipartUpload": { "DaysAfterInitiation": 1 },
    });
    json!({ "Rules": below.map(rule).chain([uploads]).collect::<Vec<_>>() })
}

/// Returns the rules for Azure, which removes the parts of incomplete uploads after a week without
/// a rule.
fn azure(container: &str, folder: &str, below: impl Iterator<Item = (&'static str, u32)>) -> Value {
    let rule = |(below, days): (&str, u32)| {
        json!({
            "name": format!("overspill-{below}"),
            "enabled": true,
            "type": "Lifecycle",
            "definition": {
                "filters": {
                    "blobTypes": ["blockBlob"],
                    "prefixMatch": [format!("{container}/{folder}/{below}/")],
                },
                "actions": { "baseBlob": { "delete": { "daysAfterModificationGreaterThan": days } } },
            },
        })
    };
    json!({ "rules": below.map(rule).collect::<Vec<_>>() })
}

fn google(folder: &str, below: impl Iterator<Item = (&'static str, u32)>) -> Value {
    let rule = |(below, days): (&str, u32)| {
        json!({
            "action": { "type": "Delete" },
            "condition": { "age": days, "matchesPrefix": [format!("{folder}/{below}/")] },
        })
    };
    let uploads = json!({
        "action": { "type": "AbortIncompleteMultipartUpload" },
        "condition": { "age": 1, "matchesPrefix": [format!("{folder}/")] },
    });
    json!({ "lifecycle": { "rule": below.map(rule).chain([uploads]).collect::<Vec<_>>() } })
}
