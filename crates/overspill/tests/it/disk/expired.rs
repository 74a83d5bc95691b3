//! Tests of the list of expired outputs.

use overspill::core::CutFailures;
use overspill::internal::store::{Catalog, ExpiredOutput, Expiry, Record};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::Store;
use overspill::{Call, Retention};

use super::*;

const NOW: &str = "2026-01-13T15:30:45Z";

#[test]
fn swept_output_is_remembered_and_deleted_output_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let clock = at(NOW);
    let store = disk(&directory, DiskOptions { clock: clock.clone(), ..options() });
    let [swept, bare, deleted] = [b"one\n", b"two\n", b"six\n"].map(|bytes| save(&store, bytes).id);
    let created = "2026-01-01T00:00:00Z".parse().unwrap();
    let call = Call { command: Some("é".repeat(5_000)), ..Call::new("bash") };
    let shown = vec![0..1, 2..4];
    let cut_failures = Some(CutFailures { lines: 3, first: vec![0, 2] });
    let (host, baseline) = (Some("codex".to_owned()), Some(2));
    let record = Record {
        call,
        created,
        bytes: 4,
        lines: 1,
        shown,
        cut_failures,
        host,
        baseline,
        ..Record::default()
    };
    store.describe(&swept, &record).unwrap();
    store.retrieved(&swept, 30, &[2..3, 5..6]).unwrap();
    store.retrieved(&swept, 10, &[]).unwrap();
    assert_eq!(
        store.record(&swept).unwrap(),
        Some(Record { retrieved: 40, read_later: vec![2..3, 5..6], ..record })
    );
    store.delete(&deleted).unwrap();

    let later = clock.now().timestamp() + jiff::SignedDuration::from_hours(8 * 24);
    let done = sweep(&store, &Retention::default(), SweepBudget::Whole, later).unwrap();
    assert_eq!((done.removed, done.bytes), (2, 8));

    let expired = clock.now().timestamp();
    let expected = ExpiredOutput {
        name: swept.clone(),
        expired,
        created: Some(created),
        tool: Some("bash".into()),
        command: Some("é".repeat(200)),
        bytes: 4,
        lines: Some(1),
        shown: Some(3),
        sent: None,
        on_terminal: false,
        retrieved: 40,
        host: Some("codex".into()),
        baseline: Some(2),
        unseen_failures: Some(2),
    };
    assert_eq!(store.expired(&swept).unwrap(), Some(expected));
    let known = store.expired(&bare).unwrap().unwrap();
    assert_eq!((known.bytes, known.lines, known.created), (4, None, None));
    assert_eq!(store.expired(&deleted).unwrap(), None);
    assert_eq!(mode(store.path().join(".overspill/gone.jsonl")), 0o600);
}

#[test]
fn list_of_expired_outputs_is_limited_to_the_newest() {
    let directory = tempfile::tempdir().unwrap();
    let store = disk(&directory, options());
    let mut names = Vec::new();
    for _ in 0..2_500 {
        let saved = save(&store, b"x").id;
        let call = Call { command: Some("\"".repeat(200)), ..Call::new("bash") };
        store.describe(&saved, &Record { call, ..Record::default() }).unwrap();
        assert!(store.expire(&[&store.entry(&saved).unwrap()]).remove(0).unwrap());
        names.push(saved);
    }
    let path = store.path().join(".overspill/gone.jsonl");
    assert!(fs::metadata(&path).unwrap().len() <= 1 << 20);
    assert!(store.expired(names.last().unwrap()).unwrap().is_some());
    assert!(store.expired(&names[1_800]).unwrap().is_some());
    assert_eq!(store.expired(&names[0]).unwrap(), None);

    fs::write(&path, b"{broken\n\0\0\n").unwrap();
    assert_eq!(store.expired(names.last().unwrap()).unwrap(), None);
}
