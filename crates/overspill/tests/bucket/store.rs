//! Tests of the bucket as a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use overspill::core::Limits;
use overspill::internal::retrieve::{grep, read};
use overspill::internal::store::bucket::{Finding, Provider};
use overspill::internal::store::{
    Availability, Catalog, Expiry, Integrity, Lookup, RecentQuery, Record, partial_conformance,
};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::retrieve::Query;
use overspill::store::bucket::{Bucket, BucketOptions};
use overspill::store::{DiskOptions, OutputId, SpillRef, Store, conformance};
use overspill::{Call, Part, Retention};

use crate::server::Server;

pub(crate) fn save(bucket: &Bucket, call: &Call, bytes: &[u8]) -> SpillRef {
    let mut draft = bucket.create(call).unwrap();
    draft.append(bytes).unwrap();
    let saved = draft.publish().unwrap();
    let record =
        Record { call: call.clone(), bytes: bytes.len() as u64, lines: 7, ..Record::default() };
    bucket.describe(&saved.id, &record).unwrap();
    saved
}

pub(crate) fn numbered(lines: u64) -> Vec<u8> {
    (1..=lines).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
}

#[test]
fn bucket_conforms() {
    for server in Server::all() {
        let next = AtomicU32::new(0);
        conformance(|| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            Arc::new(server.machine(&format!("suite-{number}")))
        });
    }
}

/// Returns a machine that keeps 64 KiB of an output.
fn capped(server: &Server, spool: &str, folder: &str) -> Bucket {
    let disk = DiskOptions { most_per_output: 64 << 10, ..DiskOptions::default() };
    server.machine_capped(spool, &server.endpoint, folder, BucketOptions::default(), disk)
}

#[test]
fn bucket_records_the_kept_ranges_of_a_large_output() {
    for server in Server::all() {
        let next = AtomicU32::new(0);
        partial_conformance(|| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            Arc::new(capped(&server, &format!("capped-{number}"), &format!("capped-{number}")))
        });
    }
}

#[test]
fn partial_output_has_original_line_numbers_on_another_machine() {
    for server in Server::all() {
        let here = capped(&server, "partial", "partial");
        let there = server.machine("partial");
        let saved = save(&here, &Call::new("bash"), &numbered(40_000));
        assert_eq!(saved.within, Availability::Shared);
        let limits = Limits::NONE.bytes(1_000);
        let page = read(&there, &saved.id, &Part::Lines(39_999, 40_000), &limits).unwrap();
        assert_eq!(page.text, "line 39999\nline 40000\n");
        let query = Query { pattern: "line 39999".into(), ..Query::default() };
        let found = grep(&there, &saved.id, &query, &Limits::NONE).unwrap();
        assert_eq!(found.text(), "39999:line 39999\n");
        assert!(found.not_searched.is_some());
        assert_eq!(there.check(&saved.id).unwrap(), Integrity::Partial);
    }
}

#[test]
fn output_of_one_machine_is_read_on_another() {
    for server in Server::all() {
        let here = server.machine("shared");
        let there = server.machine("shared");
        let output = numbered(200_000);
        let call = Call { session: Some("s1".into()), ..Call::new("bash") };
        let saved = save(&here, &call, &output);
        assert_eq!(saved.within, Availability::Shared);
        let name = &saved.id;
        assert_eq!(there.read(name, 0..u64::MAX).unwrap(), output);
        let record = there.record(name).unwrap().unwrap();
        assert_eq!((record.call, record.lines), (call, 7));
        assert_eq!(there.check(name).unwrap(), Integrity::Whole);
        let limits = Limits::NONE.bytes(100);
        let page = read(&there, name, &Part::Lines(150_000, 150_001), &limits).unwrap();
        assert_eq!(page.text, "line 150000\nline 150001\n");
        let query = Query { pattern: "line 19999[89]".into(), ..Query::default() };
        let found = grep(&there, name, &query, &Limits::NONE).unwrap();
        assert_eq!(found.text(), "199998:line 199998\n199999:line 199999\n");
        assert_eq!(there.named(&name.as_str()[..20]).unwrap(), [there.entry(name).unwrap()]);
    }
}

#[test]
fn large_output_is_sent_in_parts_and_a_page_moves_little() {
    for server in Server::all() {
        let (here, there) = (server.machine("large"), server.machine("large"));
        let output = numbered(3_000_000);
        assert!(output.len() > 32 << 20);
        let saved = save(&here, &Call::new("bash"), &output);
        assert_eq!(saved.within, Availability::Shared, "{}", here.address());
        let name = saved.id;
        let limits = Limits::NONE.lines(2000).bytes(51_200);
        for (part, first) in [
            (Part::Lines(1, 2000), "line 1\n"),
            (Part::Lines(2_500_000, 2_500_500), "line 2500000\n"),
            (Part::Tail(100), "line 2999901\n"),
        ] {
            let machine = server.machine("large");
            let page = read(&machine, &name, &part, &limits).unwrap();
            assert!(page.text.starts_with(first), "{part:?}: {:?}", &page.text[..40]);
            let moved = machine.traffic();
            assert!(moved.received < 1 << 20 && moved.requests <= 8, "{part:?}: {moved:?}");
        }
        assert_eq!(there.check(&name).unwrap(), Integrity::Whole);
    }
}

#[test]
fn bucket_lists_by_day_session_and_tool() {
    for server in Server::all() {
        let (here, there) = (server.machine("listed"), server.machine("listed"));
        let mut names: Vec<OutputId> = Vec::new();
        for number in 0..12 {
            let session = Some(format!("session {}", number % 3));
            let tool = if number % 2 == 0 { "bash" } else { "read/file" };
            names.push(save(&here, &Call { session, ..Call::new(tool) }, b"output\n").id);
        }
        let found = |wanted: RecentQuery| -> Vec<OutputId> {
            let newest = there.newest(&RecentQuery { most: 50, ..wanted }).unwrap();
            newest.entries.into_iter().map(|(entry, _)| entry.name).collect()
        };
        let some = |keep: &dyn Fn(usize) -> bool| -> Vec<OutputId> {
            let kept = names.iter().enumerate().filter(|(number, _)| keep(*number));
            kept.map(|(_, name)| name.clone()).rev().collect()
        };
        assert_eq!(found(RecentQuery::default()), some(&|_| true));
        let tool = Some("read/file".into());
        assert_eq!(
            found(RecentQuery { tool: tool.clone(), ..RecentQuery::default() }),
            some(&|n| n % 2 == 1)
        );
        let session = Some("session 1".into());
        assert_eq!(
            found(RecentQuery { session, tool, ..RecentQuery::default() }),
            some(&|n| n % 6 == 1)
        );
        assert_eq!(
            found(RecentQuery { day: Some("2020-01-01".into()), ..RecentQuery::default() }),
            []
        );
        let two = there.newest(&RecentQuery { most: 2, ..RecentQuery::default() }).unwrap();
        assert_eq!((two.entries.len(), two.more), (2, 10));
        assert_eq!(two.entries[0].1.call.session.as_deref(), Some("session 2"));
    }
}

#[test]
fn parallel_bucket_sweeps_keep_pinned_and_fresh_outputs() {
    for server in Server::all() {
        let here = server.machine("swept");
        let names: Vec<OutputId> =
            (0..20).map(|_| save(&here, &Call::new("bash"), b"output\n").id).collect();
        here.pin(&names[3], true).unwrap();
        let now = here.time().unwrap().unwrap();
        let fresh = sweep(&here, &Retention::default(), SweepBudget::Whole, now).unwrap();
        assert_eq!((fresh.removed, fresh.kept), (0, 20));
        std::thread::sleep(Duration::from_millis(2100));
        let all = Retention {
            unused_for: Some(jiff::SignedDuration::from_secs(1)),
            quota: None,
            spare_younger_than: jiff::SignedDuration::ZERO,
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let machine = server.machine("swept");
                scope.spawn(move || sweep(&machine, &all, SweepBudget::Whole, now).unwrap());
            }
        });
        let there = server.machine("swept");
        let left: Vec<OutputId> =
            there.list().unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(left, [names[3].clone()]);
        let gone = there.expired(&names[5]).unwrap().unwrap();
        assert_eq!(
            (gone.name, gone.bytes, gone.tool.as_deref()),
            (names[5].clone(), 7, Some("bash"))
        );
        assert_eq!(there.expired(&names[3]).unwrap(), None);
    }
}

#[test]
fn rights_check_of_a_working_bucket_passes() {
    for server in Server::all() {
        let bucket = server.machine("rights");
        for check in bucket.check_rights() {
            assert_eq!(check.finding, Finding::Works, "{check:?}");
        }
        assert_eq!(bucket.list().unwrap(), []);
        let rule: serde_json::Value = serde_json::from_str(&bucket.lifecycle(7)).unwrap();
        let (days, folder) = match bucket.address().provider {
            Provider::S3 => ("/Rules/0/Expiration/Days", "/Rules/0/Filter/Prefix"),
            Provider::Azure => (
                "/rules/0/definition/actions/baseBlob/delete/daysAfterModificationGreaterThan",
                "/rules/0/definition/filters/prefixMatch/0",
            ),
            Provider::Google => {
                ("/lifecycle/rule/0/condition/age", "/lifecycle/rule/0/condition/matchesPrefix/0")
            }
        };
        assert_eq!(rule.pointer(days), Some(&7.into()), "{rule:#}");
        let folder = rule.pointer(folder).and_then(|folder| folder.as_str()).unwrap();
        assert!(folder.ends_with("/v1/outputs/"), "{folder}");
    }
}
