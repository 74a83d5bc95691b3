//! Tests of uploads that fail: the call goes on, a notice never claims an upload that did not
//! happen, and this machine keeps the bytes until they are in the bucket.

use std::time::Duration;

use overspill::internal::store::bucket::Finding;
use overspill::internal::store::{Availability, Catalog, Expiry, RecentQuery};
use overspill::store::bucket::{Address, Bucket, BucketOptions};
use overspill::store::{Disk, DiskOptions, Store};
use overspill::{Call, Error};

use crate::fault::{BUSY_DAY, Fault, FaultServer, busy_name};
use crate::raw::Raw;
use crate::server::{Server, variables};
use crate::store::{numbered, save};

const SHORT: Duration = Duration::from_millis(700);

/// Saves an output under a fault and returns the reason of the pending upload. Then checks that the
/// output arrives without the fault.
#[track_caller]
fn pending(server: &Server, fault: Fault, output: &[u8]) -> String {
    let between = FaultServer::before(&server.endpoint, fault);
    let here = server.machine_by(&between.endpoint, "faults", SHORT);
    let saved = save(&here, &Call::new("bash"), output);
    let Availability::UploadPending(reason) = saved.within else {
        panic!("{fault:?}: the output claims to be in the bucket")
    };
    assert_eq!(here.read(&saved.id, 0..u64::MAX).unwrap(), output, "{fault:?}");
    between.now(Fault::Pass);
    let pushed = here.push(Duration::from_secs(60)).unwrap();
    assert_eq!((pushed.sent, pushed.left), (1, 0), "{fault:?}: {pushed:?}");
    let there = server.machine("faults");
    assert_eq!(there.read(&saved.id, 0..u64::MAX).unwrap(), output, "{fault:?}");
    reason
}

#[test]
fn refused_upload_stays_on_this_machine() {
    let Some(server) = Server::find() else { return };
    let output = numbered(10_000);
    for (status, code, expected) in [
        (403, "AccessDenied", "access denied (AccessDenied)"),
        (403, "RequestTimeTooSkewed", "the clock of this machine is wrong"),
        (403, "InvalidAccessKeyId", "the access key is not known there"),
        (403, "SignatureDoesNotMatch", "the secret key does not fit"),
        (404, "NoSuchBucket", "there is no such bucket"),
        (400, "AuthorizationHeaderMalformed", "the bucket is in another region"),
        (301, "PermanentRedirect", "the bucket is in another region"),
        (400, "BadDigest", "the bytes arrived damaged"),
    ] {
        let reason = pending(&server, Fault::Answer(status, code), &output);
        assert!(reason.contains(expected), "{code}: {reason}");
    }
    for (fault, expected) in [
        (Fault::Answer(503, "SlowDown"), "the server is overloaded, status 503"),
        (Fault::Answer(500, "InternalError"), "the server failed, status 500"),
    ] {
        assert_eq!(pending(&server, fault, &output), expected);
    }
}

#[test]
fn upload_that_the_network_breaks_stays_on_this_machine() {
    let Some(server) = Server::find() else { return };
    let output = numbered(20_000);
    for fault in [Fault::Hang, Fault::Slow, Fault::Reset] {
        let reason = pending(&server, fault, &output);
        assert!(reason.contains("no answer") || reason.contains("connection"), "{reason}");
    }
    let reason = pending(&server, Fault::Damage, &output);
    assert!(!reason.is_empty(), "{reason}");
}

#[test]
fn request_to_overloaded_server_is_repeated() {
    let Some(server) = Server::find() else { return };
    let fault = Fault::AnswerTimes(3, 503, "SlowDown");
    let between = FaultServer::before(&server.endpoint, fault);
    let here = server.machine_by(&between.endpoint, "again", Duration::from_secs(30));
    let saved = save(&here, &Call::new("bash"), &numbered(100));
    assert_eq!(saved.within, Availability::Shared);
    assert_eq!(server.machine("again").read(&saved.id, 0..6).unwrap(), b"line 1");
}

#[test]
fn lost_answer_makes_no_second_output() {
    let Some(server) = Server::find() else { return };
    let output = numbered(1_000);
    pending(&server, Fault::LoseAnswer, &output);
    let there = server.machine("faults");
    let mine = there.list().unwrap().into_iter().filter(|entry| entry.bytes == output.len() as u64);
    assert_eq!(mine.count(), 1);
}

#[test]
fn interrupted_large_upload_is_aborted_and_repeated() {
    let Some(server) = Server::find() else { return };
    let output = numbered(1_500_000);
    assert!(output.len() > 16 << 20);
    let reason = pending(&server, Fault::FailCompletion, &output);
    assert!(!reason.is_empty());
    let reason = pending(&server, Fault::HangParts, &output);
    assert!(reason.contains("no answer within"), "{reason}");
}

#[test]
fn upload_of_dead_writer_is_aborted_by_another_machine_after_a_day() {
    let Some(server) = Server::find() else { return };
    let between = FaultServer::before(&server.endpoint, Fault::HangParts);
    let here = server.machine_by(&between.endpoint, "dead", SHORT);
    let saved = save(&here, &Call::new("bash"), &numbered(1_500_000));
    assert!(matches!(saved.within, Availability::UploadPending(_)), "{saved:?}");
    let raw = Raw::of(&server);
    let upload = raw.upload(&here, &saved.id).expect("the record names the upload");
    assert!(raw.is_open(&upload));

    let soon = server.machine("dead");
    assert_eq!(soon.list().unwrap(), []);
    soon.tidy().unwrap();
    assert!(raw.is_open(&upload), "it is only minutes old");

    let later = FaultServer::before(&server.endpoint, Fault::Later);
    let there = server.machine_by(&later.endpoint, "dead", SHORT);
    assert_eq!(there.list().unwrap(), []);
    there.tidy().unwrap();
    assert!(!raw.is_open(&upload), "nobody will complete it");
    assert_eq!(raw.upload(&here, &saved.id), None, "its record is gone as well");

    // The writer's machine has the bytes, and can send them again.
    between.now(Fault::Pass);
    assert_eq!(here.push(Duration::from_secs(60)).unwrap().left, 0);
    assert_eq!(server.machine("dead").read(&saved.id, 0..6).unwrap(), b"line 1");
}

#[test]
fn foreign_object_under_the_key_is_not_taken_for_the_output() {
    let Some(server) = Server::find() else { return };
    let between = FaultServer::before(&server.endpoint, Fault::Hang);
    let here = server.machine_by(&between.endpoint, "other", SHORT);
    let saved = save(&here, &Call::new("bash"), b"ours\n");
    Raw::of(&server).put(&Raw::key(&here, &saved.id), "else\n");
    between.now(Fault::Pass);
    let pushed = here.push(Duration::from_secs(20)).unwrap();
    assert_eq!(pushed.reason.as_deref(), Some("another object has that name"));
    assert_eq!(pushed.left, 1);
    assert_eq!(here.read(&saved.id, 0..9).unwrap(), b"ours\n");
}

#[test]
fn output_of_interrupted_upload_is_sent_by_the_next_call() {
    let Some(server) = Server::find() else { return };
    let between = FaultServer::before(&server.endpoint, Fault::Hang);
    let wait = Duration::from_secs(20);
    let first = {
        let here = server.machine_at("died", &between.endpoint, "died", SHORT);
        save(&here, &Call::new("bash"), b"first\n")
    };
    assert!(matches!(first.within, Availability::UploadPending(_)));
    between.now(Fault::Pass);
    let here = server.machine_at("died", &between.endpoint, "died", wait);
    save(&here, &Call::new("bash"), b"second\n");
    assert_eq!(server.machine("died").read(&first.id, 0..9).unwrap(), b"first\n");
}

#[test]
fn output_deleted_while_it_is_read_is_reported_as_missing() {
    let Some(server) = Server::find() else { return };
    let output = numbered(3_000_000);
    let name = save(&server.machine("vanish"), &Call::new("bash"), &output).id;
    let between = FaultServer::before(&server.endpoint, Fault::Vanish);
    let there = server.machine_by(&between.endpoint, "vanish", SHORT);
    let mut at = 0;
    let error = loop {
        match there.read(&name, at..at + (1 << 20)) {
            Ok(bytes) => at += bytes.len() as u64,
            Err(error) => break error,
        }
        assert!(at < output.len() as u64, "it was read to the end");
    };
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

#[test]
fn listing_skips_a_hundred_thousand_foreign_objects() {
    let Some(server) = Server::find() else { return };
    let between = FaultServer::before(&server.endpoint, Fault::Crowd);
    let there = server.machine_by(&between.endpoint, "crowd", SHORT);
    let names: Vec<String> =
        there.list().unwrap().into_iter().map(|entry| entry.name.to_string()).collect();
    assert_eq!(names, ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]);
    assert!(there.traffic().requests >= 100, "page by page");
}

#[test]
fn day_with_a_hundred_thousand_outputs_is_listed_page_by_page() {
    let Some(server) = Server::find() else { return };
    let between = FaultServer::before(&server.endpoint, Fault::Busy);
    let there = server.machine_by(&between.endpoint, "busy", SHORT);
    assert_eq!(there.list().unwrap().len(), 100_000);
    let before = there.traffic().requests;
    let newest = there.newest(&RecentQuery { most: 3, ..RecentQuery::default() }).unwrap();
    let names = newest.entries.iter().map(|(entry, _)| entry.name.to_string());
    let expected = [99_999, 99_998, 99_997].map(busy_name);
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert_eq!(newest.more, 99_997);
    // Requests for the days, the pins, the use marks, a hundred pages, and each shown record.
    let requests = there.traffic().requests - before;
    assert!((100..=110).contains(&requests), "{requests}");
    let day = RecentQuery {
        day: Some(BUSY_DAY.into()),
        tool: Some("read".into()),
        most: 3,
        ..RecentQuery::default()
    };
    assert_eq!(there.newest(&day).unwrap().entries.len(), 0);
}

#[test]
fn missing_rights_are_named() {
    let Some(server) = Server::find() else { return };
    let with = |key: &str, secret: &str| {
        let spool = Disk::new(std::env::temp_dir().join("never-made"), DiskOptions::default());
        let mut variables = variables(&server.endpoint);
        variables[1].1 = key.into();
        variables[2].1 = secret.into();
        let address = Address::parse("s3://fleet/rights").unwrap();
        Bucket::new(spool, address, BucketOptions { variables, ..BucketOptions::default() })
    };
    let found = |bucket: &Bucket| -> Vec<(&'static str, bool)> {
        let rows = bucket.check_rights().into_iter();
        rows.map(|check| (check.what, check.finding == Finding::Works)).collect()
    };
    let all = found(&with("fleetkey", "fleetsecret"));
    assert!(all.iter().all(|(_, works)| *works), "{all:?}");
    let reader = with("readkey", "readsecret").check_rights();
    let put = reader.iter().find(|check| check.what == "put").unwrap();
    assert_eq!(put.finding, Finding::Fails("access denied (AccessDenied)".into()));
    let reads = |what: &str| {
        reader.iter().any(|check| check.what == what && check.finding == Finding::Works)
    };
    assert!(reads("get") && reads("list") && !reads("delete"), "{reader:?}");
    let writer = found(&with("writekey", "writesecret"));
    assert!(writer.contains(&("put", true)) && writer.contains(&("list", false)), "{writer:?}");
    let wrong = with("fleetkey", "wrong").check_rights();
    let Finding::Fails(reason) = &wrong[0].finding else { panic!("{wrong:?}") };
    assert!(reason.contains("secret key") && !reason.contains("fleetkey"), "{reason}");
    let nobody = with("nobody", "nothing").list().unwrap_err().to_string();
    assert!(nobody.contains("access key") && !nobody.contains("nobody"), "{nobody}");
}
