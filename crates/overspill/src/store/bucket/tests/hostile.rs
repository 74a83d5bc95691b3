//! Tests with hostile records and lists in the bucket, which a peer may have written.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::*;
use crate::store::{Catalog, Expiry, Integrity, Lookup};
use crate::sweep::{Retention, SweepBudget, Swept, sweep};

const SECRET: &str = "prod/terraform.tfstate";

/// Returns a record of an output of 8 bytes with this key.
fn record(key: &str) -> Value {
    json!({
        "overspill": 1, "key": key, "bytes": 8, "sum": 0, "produced": 8, "first": 8,
        "record": { "call": { "tool": "bash" }, "bytes": 8, "lines": 1 },
    })
}

fn line(record: &Value) -> Vec<u8> {
    format!("{record}\n").into_bytes()
}

/// Sweeps with a clock that is 30 days ahead.
fn gc(fleet: &Fleet) -> Swept {
    let machine = fleet.machine_days_later(30);
    sweep(&machine, &Retention::default(), SweepBudget::Whole, jiff::Timestamp::now()).unwrap()
}

/// Returns keys that the record of an output of this name must not contain.
fn foreign_keys(name: &OutputId) -> Vec<String> {
    let (day, other) = (day_of(name), unused_name());
    let ours = format!("outputs/all/v1/outputs/{day}");
    vec![
        SECRET.into(),
        String::new(),
        "/".into(),
        "..".into(),
        format!("{ours}/s/t/../../../../../../../{SECRET}"),
        format!("{ours}/s/t/{other}.txt"),
        format!("{ours}/s/t/{name}.json"),
        format!("{ours}/s/{name}.txt"),
        format!("{ours}/s/t/u/{name}.txt"),
        format!("{ours}/s//{name}.txt"),
        format!("/{ours}/s/t/{name}.txt"),
        format!("{ours}/s/t/{name}.txt/"),
        format!("{ours}/s /t/{name}.txt"),
        format!("{ours}/{}/t/{name}.txt", "s".repeat(81)),
        format!("outputs/all/v1/outputs/2020-01-01/s/t/{name}.txt"),
        format!("outputs/other/v1/outputs/{day}/s/t/{name}.txt"),
        format!("elsewhere/all/v1/outputs/{day}/s/t/{name}.txt"),
        format!("all/v1/outputs/{day}/s/t/{name}.txt"),
        format!("outputs/all/v1/records/{name}"),
        format!("outputs/all/v2/outputs/{day}/s/t/{name}.txt"),
    ]
}

#[test]
fn record_with_foreign_key_reads_and_deletes_nothing_but_itself() {
    let layout = Layout::new("outputs", "all");
    for at in 0..foreign_keys(&unused_name()).len() {
        let fleet = Fleet::new();
        let name = unused_name();
        let key = foreign_keys(&name).remove(at);
        let record_key = record_key(&name);
        let object = Path::from(key.as_str());
        let output = layout.key(&object);
        // Some of the keys, once normalised, name an output of that name. That output does not
        // exist.
        let is_put =
            !object.as_ref().is_empty() && output.as_ref().is_none_or(|it| it.name != name);
        let put_all = || {
            [SECRET, key.as_str()].iter().take(1 + usize::from(is_put)).for_each(|key| {
                fleet.put(key, "precious");
            });
            fleet.put(&record_key, line(&record(&key)));
        };
        put_all();
        let before = fleet.keys();
        let without_record: Vec<&String> =
            before.iter().filter(|one| **one != record_key).collect();

        let there = fleet.machine();
        fleet.forget_gets();
        for refused in [
            there.read(&name, 0..99).map(drop),
            there.entry(&name).map(drop),
            there.touch(&name),
            there.pin(&name, true),
        ] {
            assert!(matches!(refused, Err(crate::Error::Damaged { .. })), "{key:?}: {refused:?}");
        }
        let read = fleet.gets();
        assert!(read.iter().all(|read| *read == record_key), "{key:?}: {read:?}");
        assert_eq!(fleet.keys(), before, "{key:?}");

        fleet.machine().delete(&name).unwrap();
        assert_eq!(fleet.keys().iter().collect::<Vec<_>>(), without_record, "{key:?}");

        put_all();
        gc(&fleet);
        // An object that is an output of its own is 30 days old and expires.
        let left = without_record
            .iter()
            .filter(|one| is_put && output.is_some() && one.as_str() == object.as_ref());
        let expired = left.count();
        let kept = fleet.keys().into_iter().filter(|key| !key.contains("/gone/")).count();
        assert_eq!(kept, without_record.len() - expired, "{key:?}: {:?}", fleet.keys());
        assert!(fleet.has(SECRET), "{key:?}");
    }
}

#[test]
fn record_with_foreign_key_beside_its_output_leads_to_the_output_only() {
    let fleet = Fleet::new();
    let here = fleet.machine();
    for key in [SECRET, "", "outputs/other/v1/outputs/x"] {
        let name = save(&here, b"ours....");
        fleet.put(SECRET, "precious");
        fleet.put(&record_key(&name), line(&record(key)));
        let there = fleet.machine();
        assert_eq!(there.read(&name, 0..99).unwrap(), b"ours....", "{key:?}");
        assert_eq!(there.check(&name).unwrap(), Integrity::Damaged, "{key:?}");
        let warnings = there.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains(name.as_str()), "{warnings:?}");
        assert_eq!(there.list().unwrap().len(), 1, "{key:?}");
        assert_eq!(gc(&fleet).removed, 1, "{key:?}");
        assert!(!fleet.has(&output_key(&name)) && !fleet.has(&record_key(&name)), "{key:?}");
        assert!(fleet.has(SECRET), "{key:?}");

        let name = save(&here, b"ours....");
        fleet.put(&record_key(&name), line(&record(key)));
        fleet.machine().delete(&name).unwrap();
        assert!(!fleet.has(&output_key(&name)) && fleet.has(SECRET), "{key:?}");
    }
}

#[test]
fn record_with_foreign_key_aborts_no_upload() {
    let fleet = Fleet::new();
    for key in [SECRET, "", "outputs/other/v1/outputs/x"] {
        let mut record = record(key);
        record["upload"] = "upload-of-another".into();
        fleet.put(&record_key(&unused_name()), line(&record));
    }
    let ours = unused_name();
    let mut record = record(&output_key(&ours));
    record["upload"] = "upload-of-ours".into();
    fleet.put(&record_key(&ours), line(&record));
    gc(&fleet);
    let aborted = fleet.server.aborted.lock().unwrap().clone();
    assert_eq!(aborted, [(output_key(&ours), "upload-of-ours".to_owned())]);
    assert_eq!(fleet.keys(), [""; 0], "every record was days old and had no output");
}

#[test]
fn hostile_record_hides_no_other_output() {
    let hostile: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("no line feed", b"{".repeat(40_000)),
        ("not JSON", b"\xff\xfe\0\n".to_vec()),
        ("another type", b"[1,2,3]\n".to_vec()),
        ("negative size", line(&json!({"overspill": 1, "key": "", "bytes": -1}))),
        ("huge", vec![b' '; 6 << 20]),
    ];
    for (what, bytes) in hostile {
        let fleet = Fleet::new();
        let here = fleet.machine();
        let (sound, harmed) = (save(&here, b"sound..."), save(&here, b"harmed.."));
        fleet.put(&record_key(&harmed), bytes.clone());
        fleet.put(&record_key(&unused_name()), bytes);
        let there = fleet.machine();
        assert_eq!(there.read(&sound, 0..99).unwrap(), b"sound...", "{what}");
        assert_eq!(there.read(&harmed, 0..99).unwrap(), b"harmed..", "{what}");
        let wanted = crate::store::RecentQuery { most: 9, ..Default::default() };
        assert_eq!(there.newest(&wanted).unwrap().entries.len(), 2, "{what}");
        assert_eq!(there.named("0").unwrap().len(), 2, "{what}");
        assert_eq!(gc(&fleet).removed, 2, "{what}");
        let left: Vec<String> =
            fleet.keys().into_iter().filter(|key| !key.contains("/gone/")).collect();
        assert_eq!(left, [""; 0], "{what}");
    }
}

#[test]
fn output_without_record_matches_no_filter_that_needs_a_record() {
    let fleet = Fleet::new();
    let here = fleet.machine();
    let (_, harmed) = (save(&here, b"sound..."), save(&here, b"harmed.."));
    fleet.put(&record_key(&harmed), Vec::new());
    let there = fleet.machine();
    let any = crate::store::RecentQuery { most: 1, ..Default::default() };
    for (query, found) in [
        (any.clone(), (1, 1)),
        (crate::store::RecentQuery { failed: true, ..any.clone() }, (0, 0)),
        (crate::store::RecentQuery { host: Some("codex".into()), ..any.clone() }, (0, 0)),
        (crate::store::RecentQuery { larger: Some(8), ..any.clone() }, (0, 0)),
        (crate::store::RecentQuery { larger: Some(7), ..any.clone() }, (1, 1)),
    ] {
        let newest = there.newest(&query).unwrap();
        assert_eq!((newest.entries.len(), newest.more), found, "{query:?}");
    }
}

#[test]
fn numbers_of_hostile_record_are_limited() {
    let fleet = Fleet::new();
    let name = save(&fleet.machine(), b"ours....");
    let mut hostile = record(&output_key(&name));
    hostile["bytes"] = u64::MAX.into();
    hostile["produced"] = u64::MAX.into();
    hostile["first"] = u64::MAX.into();
    hostile["record"] = json!({
        "call": { "tool": "bash" },
        "created": "9999-12-30T00:00:00Z",
        "bytes": u64::MAX, "lines": u64::MAX, "chars": u64::MAX, "retrieved": u64::MAX,
        "signal": i32::MAX,
        "shown": [{"start": 0, "end": u64::MAX}, {"start": 0, "end": u64::MAX}, {"start": 9, "end": 1}],
        "kept": {"ends": {"first": u64::MAX, "last": u64::MAX}},
    });
    fleet.put(&record_key(&name), line(&hostile));
    let there = fleet.machine();
    assert_eq!(there.read(&name, 0..99).unwrap(), b"ours....");
    assert_eq!(there.check(&name).unwrap(), Integrity::Damaged);
    let record = there.record(&name).unwrap().unwrap_or_default();
    assert!(record.bytes < 1 << 50 && record.lines < 1 << 50 && record.retrieved < 1 << 50);
    assert!(record.shown_bytes() <= record.bytes);
    assert!(record.signal.is_none_or(|signal| (1..=127).contains(&signal)));
    assert_eq!(record.kept, None);
    // Ages come from the server, so a record cannot protect its output for ever.
    assert_eq!(gc(&fleet).removed, 1);
}

#[test]
fn hostile_line_index_shows_no_other_line() {
    let fleet = Fleet::new();
    let output: Vec<u8> = (1..=20_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let here = fleet.machine();
    for marks in [
        vec![u64::MAX; 7],
        vec![9, 8, 7, 6, 5, 4, 3],
        vec![1_000_000; 7],
        vec![5; 100_000],
        vec![5],
    ] {
        let name = save(&here, &output);
        let mut hostile = record(&output_key(&name));
        hostile["bytes"] = output.len().into();
        let seal = crate::store::seal::Seal {
            bytes: output.len() as u64,
            sum: 0,
            produced: output.len() as u64,
            first: output.len() as u64,
            marks: marks.clone(),
            ranges: None,
        };
        fleet.put(&record_key(&name), [line(&hostile), seal.to_bytes()].concat());
        let there = fleet.machine();
        let marks = &marks[..marks.len().min(7)];
        assert_eq!(there.line_start(&name, 15_000).unwrap(), None, "{marks:?}");
        assert_eq!(there.line_at(&name, 150_000).unwrap(), None, "{marks:?}");
    }
}

#[test]
fn large_object_in_gone_is_not_fetched() {
    let fleet = Fleet::new();
    let there = fleet.machine();
    let name = unused_name();
    let wide = "outputs/all/v1/gone/00000000000000000000000000-3ZZZZZZZZZZZZZZZZZZZZZZZZZ-evil";
    fleet.put(wide, vec![b'x'; 8 << 20]);
    let list = json!({"name": name, "expired": "2026-01-01T00:00:00Z", "bytes": 7});
    fleet.put(&format!("outputs/all/v1/gone/{name}-{name}-abcdefgh"), line(&list));
    fleet.forget_gets();
    assert_eq!(there.expired(&name).unwrap().map(|gone| gone.bytes), Some(7));
    assert_eq!(there.all_expired().unwrap().len(), 1);
    assert!(!fleet.gets().contains(&wide.to_owned()), "{:?}", fleet.gets());
    let warnings = there.warnings();
    assert!(warnings.iter().any(|warning| warning.contains("ZZZ-evil")), "{warnings:?}");
}

#[test]
fn fields_of_hostile_gone_entry_are_limited() {
    let fleet = Fleet::new();
    let name = unused_name();
    let list = json!({
        "name": name, "expired": "2026-01-01T00:00:00Z", "bytes": u64::MAX, "lines": u64::MAX,
        "shown": u64::MAX, "retrieved": u64::MAX, "tool": "t".repeat(9_000), "command": "c".repeat(9_000),
    });
    fleet.put(&format!("outputs/all/v1/gone/{name}-{name}-abcdefgh"), line(&list));
    let gone = fleet.machine().expired(&name).unwrap().unwrap();
    assert!(gone.bytes < 1 << 50 && gone.lines < Some(1 << 50) && gone.retrieved < 1 << 50);
    assert!(gone.shown < Some(1 << 50));
    assert!(gone.tool.unwrap().len() <= 200 && gone.command.unwrap().len() <= 200);
}

#[test]
fn large_record_is_read_up_to_a_cap() {
    let fleet = Fleet::new();
    let name = save(&fleet.machine(), b"ours....");
    fleet.put(&record_key(&name), vec![b'x'; 64 << 20]);
    let there = fleet.machine();
    fleet.forget_gets();
    assert_eq!(there.read(&name, 0..99).unwrap(), b"ours....");
    assert_eq!(there.line_start(&name, 2).unwrap(), None);
    let gets = fleet.server.gets.lock().unwrap().clone();
    let most = gets
        .iter()
        .filter(|(key, _)| *key == record_key(&name))
        .map(|(_, range)| range.as_ref().map_or(u64::MAX, |range| range.end - range.start));
    assert!(most.max() <= Some(5 << 20), "{gets:?}");
}

#[test]
fn tidy_leaves_foreign_objects_in_our_folders() {
    let fleet = Fleet::new();
    let name = unused_name();
    let foreign = [
        format!("outputs/all/v1/records/backup/{name}"),
        format!("outputs/all/v1/pins/backup/{name}"),
        "outputs/all/v1/gone/notes.txt".to_owned(),
    ];
    foreign.iter().for_each(|key| fleet.put(key, "foreign"));
    let machine = fleet.machine_days_later(90);
    let retention =
        Retention { unused_for: Some(SignedDuration::from_hours(1)), ..Retention::default() };
    sweep(&machine, &retention, SweepBudget::Whole, jiff::Timestamp::now()).unwrap();
    let mut expected = foreign.to_vec();
    expected.sort();
    assert_eq!(fleet.keys(), expected);
}
