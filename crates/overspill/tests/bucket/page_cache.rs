//! Tests of the page cache: fetched parts of other machines' outputs stay for a while.

use std::fs;
use std::path::PathBuf;

use overspill::Call;
use overspill::internal::store::Expiry;
use overspill::store::Store;
use overspill::store::bucket::Bucket;

use crate::server::Server;
use crate::store::{numbered, save};

const ALL: u64 = 1 << 30;
const STEP: u64 = 64 << 10;

/// Reads an output from start to end, as a search does.
fn whole(bucket: &Bucket, name: &overspill::store::OutputId) -> Vec<u8> {
    let total = bucket.entry(name).unwrap().bytes;
    let mut all = Vec::new();
    while (all.len() as u64) < total {
        let at = all.len() as u64;
        all.extend(bucket.read(name, at..at + (256 << 10)).unwrap());
    }
    all
}

#[test]
fn fetched_page_is_not_fetched_again() {
    let Some(server) = Server::find() else { return };
    let output = numbered(2_500_000);
    assert!(output.len() > 3 * (8 << 20), "several strides");
    let name = save(&server.machine("kept"), &Call::new("bash"), &output).id;
    let page = 5 * STEP..5 * STEP + 50_000;
    for turn in 0..2 {
        let there = server.machine_keeping("reader", "kept", ALL);
        let read = there.read(&name, page.clone()).unwrap();
        assert_eq!(read, output[page.start as usize..page.end as usize]);
        // The request that asks whether an output exists also fetches its start.
        let moved = there.traffic().received;
        assert!(if turn == 0 { moved > 2 * STEP } else { moved < STEP / 2 }, "{turn}: {moved}");
    }
    for turn in 0..2 {
        let there = server.machine_keeping("reader", "kept", ALL);
        assert_eq!(whole(&there, &name), output);
        let moved = there.traffic().received;
        let all = output.len() as u64;
        assert!(if turn == 0 { moved > all * 9 / 10 } else { moved < all / 10 }, "{turn}: {moved}");
    }
}

#[test]
fn page_cache_has_a_limit_and_can_be_off() {
    let Some(server) = Server::find() else { return };
    let output = numbered(600_000);
    let name = save(&server.machine("limit"), &Call::new("bash"), &output).id;
    let kept = |spool: &str| -> u64 {
        server.pages(spool).iter().map(|path| path.metadata().unwrap().len()).sum()
    };
    let room = 8 * STEP;
    let there = server.machine_keeping("limited", "limit", room);
    // The reads go backwards, so that no read continues another.
    for at in (0..60).rev() {
        there.read(&name, at * STEP..at * STEP + 10).unwrap();
    }
    assert!(kept("limited") > room);
    there.tidy().unwrap();
    let left = kept("limited");
    assert!(left <= room && left > room / 2, "{left}");
    // The page that was read last is still in the cache.
    let again = server.machine_keeping("limited", "limit", room);
    again.read(&name, STEP..STEP + 10).unwrap();
    assert!(again.traffic().received < 2 * STEP);

    let there = server.machine_keeping("none", "limit", 0);
    assert_eq!(whole(&there, &name), output);
    assert_eq!(kept("none"), 0);
}

#[test]
fn damaged_page_is_fetched_again_and_deleted_output_is_not_found() {
    let Some(server) = Server::find() else { return };
    let output = numbered(300_000);
    let here = server.machine("torn");
    let name = save(&here, &Call::new("bash"), &output).id;
    let read = |from: u64| {
        let there = server.machine_keeping("reader", "torn", ALL);
        there.read(&name, from..from + 100)
    };
    let (start, end) = (4 * STEP as usize, 4 * STEP as usize + 100);
    for turn in 0..3 {
        assert_eq!(read(4 * STEP).unwrap(), output[start..end], "{turn}");
        let pages = server.pages("reader");
        let is_it = |page: &&PathBuf| page.to_string_lossy().ends_with(&format!("-{start}"));
        let page = pages.iter().find(is_it).unwrap();
        let mut bytes = fs::read(page).unwrap();
        match turn {
            0 => bytes[10] ^= 1,
            1 => bytes.truncate(2),
            _ => {}
        }
        fs::write(page, bytes).unwrap();
    }
    here.delete(&name).unwrap();
    let error = read(4 * STEP).unwrap_err();
    assert!(matches!(error, overspill::Error::NotFound { .. }), "{error}");
}
