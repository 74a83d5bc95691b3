//! Tests of a bucket behind redaction.

use std::sync::Arc;

use super::super::{Address, Bucket, BucketOptions};
use super::save;
use crate::redact::{Redact, Redaction};
use crate::store::{Disk, DiskOptions, Durability, Store};

/// The server of this bucket must not be contacted, so that outputs stay in the spool.
#[test]
fn unsent_output_behind_redaction_is_found_by_the_ending_of_its_id() {
    let spool = tempfile::tempdir().unwrap();
    let disk = DiskOptions { durability: Durability::None, keep_free: 0, ..DiskOptions::default() };
    let options = BucketOptions { blocked: Some("offline".into()), ..BucketOptions::default() };
    let address = Address::parse("s3://team/outputs").unwrap();
    let bucket = Bucket::new(Disk::new(spool.path().join("spool"), disk), address, options);
    let name = save(&bucket, b"line\n");
    let ending = &name.as_str()[name.as_str().len() - 6..];

    let store: Arc<dyn Store> = Arc::new(bucket);
    assert_eq!(store.ending(ending).unwrap(), std::slice::from_ref(&name));
    let redact = Redact::All(Arc::new(Redaction::new(None).unwrap()));
    assert_eq!(redact.shown_store(&store).ending(ending).unwrap(), [name]);
}
