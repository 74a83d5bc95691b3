//! The fuzz target for records, lists and keys in a bucket.

use object_store::path::Path;

use super::bucket_record::BucketRecord;
use super::layout::Layout;
use crate::store::{ExpiredOutput, NameStyle};

/// Reads a record, a list of expired outputs, and a key that another machine may have written.
pub fn records(data: &[u8]) {
    let layout = Layout::new("prefix", "tenant");
    let Some(name) = NameStyle::OWN.name_of("01M7GH5D7NFTZKZ0ESDTQ7ATZY.txt") else { return };
    if let Some(Ok(record)) = BucketRecord::from_bytes(&layout, &name, data) {
        let key = record.key();
        let is_ours = key.as_ref().starts_with("prefix/tenant/v1/outputs/");
        assert!(is_ours && key.filename() == Some("01M7GH5D7NFTZKZ0ESDTQ7ATZY.txt"), "{key}");
        let _ = (record.kept(), record.record(None));
    }
    if let Some(seal) = BucketRecord::seal(data) {
        let _ = (seal.kept(), seal.to_bytes());
    }
    for line in data.split(|byte| *byte == b'\n') {
        let _ = serde_json::from_slice::<ExpiredOutput>(line);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let path = Path::from(text);
        assert!(!layout.makes(text, &name) || layout.key(&path).is_some());
        if let Some((first, last)) = layout.gone_range(&path) {
            assert!(first.time().is_some() && last.time().is_some());
        }
    }
}
