//! Rules by which a bucket removes by itself what is old, in the words of its provider.

use serde_json::{Value, json};

use super::Bucket;
use super::address::Provider;

/// What each rule is about: a folder, and for how many days longer than outputs it stays.
const FOLDERS: [(&str, u32); 3] = [
    ("outputs", 0),
    // After the outputs, so that whoever reads one still knows what it is.
    ("records", 1),
    ("used", 1),
];
/// For so many days it is remembered what has expired.
const GONE: (&str, u32) = ("gone", 30);

impl Bucket {
    /// Returns a lifecycle rule that has the bucket itself remove what is older than so many days, and
    /// uploads that were never completed.
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

/// Parts that were never completed Azure forgets by itself, after a week.
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
