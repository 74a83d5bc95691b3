//! Tests that a record names the user and machine that saved the output.

use super::{Fleet, save};
use crate::store::{Catalog, RecentQuery};

#[test]
fn record_of_another_user_or_machine_is_saved_elsewhere() {
    let fleet = Fleet::new();
    let here = fleet.machine_of("me@here");
    let name = save(&here, b"line\n");
    // The last machine has the writer's name but not its spool.
    for (machine, elsewhere) in [
        (here, false),
        (fleet.machine_of("me@there"), true),
        (fleet.machine_of("you@here"), true),
        (fleet.machine_of("me@here"), false),
    ] {
        let query = RecentQuery { most: 9, ..RecentQuery::default() };
        let records = [
            machine.record(&name).unwrap().unwrap(),
            machine.records(std::slice::from_ref(&name)).unwrap().remove(0).unwrap(),
            machine.newest(&query).unwrap().entries.remove(0).1,
        ];
        assert_eq!(
            records.map(|record| record.saved_elsewhere),
            [elsewhere; 3],
            "{:?}",
            machine.writer()
        );
    }
}

#[test]
fn record_without_writer_is_saved_elsewhere() {
    let fleet = Fleet::new();
    let name = save(&fleet.machine_of("me"), b"line\n");
    let key = super::record_key(&name);
    let bytes = fleet.get(&key);
    let text = String::from_utf8_lossy(&bytes).replacen("\"writer\":\"me\",", "", 1);
    assert_ne!(text.len(), bytes.len());
    fleet.put(&key, text);
    let record = fleet.machine_of("me").record(&name).unwrap().unwrap();
    assert!(record.saved_elsewhere);
}
