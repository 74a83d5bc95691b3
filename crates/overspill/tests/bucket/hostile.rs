//! Tests with hostile records on real servers.

use overspill::internal::store::{Catalog, Expiry, Integrity, Lookup};
use overspill::internal::sweep::{SweepBudget, sweep};
use overspill::store::Store;
use overspill::{Call, Error, Retention};

use crate::raw::Raw;
use crate::server::Server;
use crate::store::save;

fn record(key: &str) -> String {
    format!(
        "{{\"overspill\":1,\"key\":\"{key}\",\"bytes\":8,\"sum\":0,\"produced\":8,\"first\":8}}\n"
    )
}

#[test]
fn record_with_key_outside_the_tenant_reaches_no_foreign_object() {
    let Some(server) = Server::find() else { return };
    let (here, raw) = (server.machine("hostile"), Raw::of(&server));
    let secret = format!("{}/../secret", here.folder()).replace("/../", "-");
    raw.put(&secret, "precious");

    let name = save(&here, &Call::new("bash"), b"ours....").id;
    raw.put(&Raw::record(&here, &name), record(&secret));
    let there = server.machine("hostile");
    assert_eq!(there.read(&name, 0..99).unwrap(), b"ours....");
    assert_eq!(there.check(&name).unwrap(), Integrity::Damaged);
    assert!(there.warnings()[0].contains(name.as_str()), "{:?}", there.warnings());
    there.delete(&name).unwrap();
    assert_eq!(raw.get(&Raw::key(&here, &name)), None);

    // Now only the record exists.
    raw.put(&Raw::record(&here, &name), record(&secret));
    let there = server.machine("hostile");
    let error = there.read(&name, 0..99).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    there.delete(&name).unwrap();
    assert_eq!(raw.get(&Raw::record(&here, &name)), None);
    assert_eq!(raw.get(&secret).as_deref(), Some(&b"precious"[..]));
}

#[test]
fn empty_record_hides_no_output() {
    let Some(server) = Server::find() else { return };
    let (here, raw) = (server.machine("empty"), Raw::of(&server));
    let name = save(&here, &Call::new("bash"), b"ours....").id;
    raw.put(&Raw::record(&here, &name), "");
    let there = server.machine("empty");
    assert_eq!(there.read(&name, 0..99).unwrap(), b"ours....");
    assert_eq!(there.records(std::slice::from_ref(&name)).unwrap(), [None]);
    let all = Retention {
        unused_for: Some(jiff::SignedDuration::ZERO),
        quota: Some(0),
        spare_younger_than: jiff::SignedDuration::ZERO,
    };
    let now = there.time().unwrap().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(sweep(&there, &all, SweepBudget::Whole, now).unwrap().removed, 1);
    assert_eq!(raw.get(&Raw::key(&here, &name)), None);
}
