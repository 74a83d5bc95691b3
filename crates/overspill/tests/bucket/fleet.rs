//! Tests of machines with different clocks and different versions of overspill.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use overspill::internal::store::{Catalog, Expiry, Record};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::Store;
use overspill::store::bucket::BucketOptions;
use overspill::{Call, Clock, Retention};

use crate::raw::Raw;
use crate::server::Server;
use crate::store::save;

#[test]
fn clock_that_is_weeks_wrong_expires_no_output_early() {
    let Some(server) = Server::find() else { return };
    for weeks in [-5, 5] {
        let off = SignedDuration::from_hours(weeks * 7 * 24);
        let clock = Clock::from_fn(move || (Timestamp::now() + off).to_zoned(TimeZone::UTC));
        let options = BucketOptions { clock, ..BucketOptions::default() };
        let wrong = server.machine_with("wrong", &server.endpoint, "clock", options);
        let right = server.machine("clock");
        let saved =
            [&wrong, &right].map(|machine| save(machine, &Call::new("bash"), b"output\n").id);
        for machine in [&wrong, &right] {
            let now = machine.time().unwrap().unwrap();
            assert!(now.duration_since(Timestamp::now()).abs() < SignedDuration::from_mins(5));
            let swept = sweep(machine, &Retention::default(), SweepBudget::Whole, now).unwrap();
            assert_eq!(swept.removed, 0);
        }
        for name in saved {
            right.delete(&name).unwrap();
        }
    }
}

#[test]
fn objects_of_a_later_version_are_refused_and_kept() {
    let Some(server) = Server::find() else { return };
    let (here, raw) = (server.machine("versions"), Raw::of(&server));
    let name = save(&here, &Call::new("bash"), b"output\n").id;
    let record = Raw::record(&here, &name);
    // The line of JSON. The seal after it can be lost.
    let note = String::from_utf8_lossy(&raw.get(&record).unwrap()).into_owned();
    let note = format!("{}\n", note.lines().next().unwrap());
    let there = || server.machine("versions");

    // The record has fields that this version does not know.
    raw.put(&record, note.replacen('{', "{\"later\":[1,2],", 1));
    assert_eq!(there().read(&name, 0..99).unwrap(), b"output\n");
    let known: Record = there().record(&name).unwrap().unwrap();
    assert_eq!(known.call, Call::new("bash"));

    // The record has another format.
    raw.put(&record, note.replacen("\"overspill\":1", "\"overspill\":2", 1));
    let error = there().read(&name, 0..99).unwrap_err().to_string();
    assert!(error.contains("a later version of overspill"), "{error}");

    // Another layout stands beside this one.
    let later = here.folder().replace("/v1", "/v2");
    let later = format!("{later}/outputs/2020-01-01/s/bash/{name}.txt");
    raw.put(&later, "later\n");
    assert_eq!(there().list().unwrap().len(), 1);
    let all = Retention { unused_for: Some(SignedDuration::ZERO), ..Retention::default() };
    let all = Retention { spare_younger_than: SignedDuration::ZERO, ..all };
    let machine = there();
    let now = machine.time().unwrap().unwrap() + SignedDuration::from_hours(1);
    sweep(&machine, &all, SweepBudget::Whole, now).unwrap();
    machine.tidy().unwrap();
    assert_eq!(raw.get(&later).as_deref(), Some(&b"later\n"[..]));
}
