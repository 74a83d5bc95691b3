//! Tests with a server that accepts connections and never answers.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Instant;

use super::*;
use crate::store::bucket::BucketOptions;
use crate::store::{Catalog, RecentQuery};
use crate::sweep::{Retention, SweepBudget, sweep};

/// Returns a machine for a server that is silent while the test runs, and the server's socket.
fn machine(spools: &std::path::Path) -> (Bucket, TcpListener) {
    // Connections wait in the queue of the socket. Nothing accepts them.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let variables = [
        ("AWS_ENDPOINT_URL", format!("http://{}", listener.local_addr().unwrap())),
        ("AWS_ACCESS_KEY_ID", "key".into()),
        ("AWS_SECRET_ACCESS_KEY", "secret".into()),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
    let upload_wait = Duration::from_millis(200);
    let options = BucketOptions { variables, upload_wait, ..BucketOptions::default() };
    let disk = DiskOptions { durability: Durability::None, keep_free: 0, ..DiskOptions::default() };
    let spool = Disk::new(spools.join("spool"), disk);
    (Bucket::new(spool, Address::parse("s3://team/outputs").unwrap(), options), listener)
}

/// Answers every request with the beginning of a body, and never sends the rest.
fn stall(listener: TcpListener) {
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            let _ = client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n<Lis");
            held.push(client);
        }
    });
}

#[test]
fn server_that_stalls_in_an_answer_fails_after_the_idle_time() {
    let spools = tempfile::tempdir().unwrap();
    let (bucket, listener) = machine(spools.path());
    stall(listener);
    let started = Instant::now();
    let error = bucket.list().unwrap_err().to_string();
    assert_eq!(error, "s3://team/outputs: no answer within 1 s");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// Checks that a call fails soon because the server is silent.
#[track_caller]
fn fails_soon<T>(what: &str, work: impl FnOnce() -> Result<T, crate::Error>) {
    let started = Instant::now();
    let error = work().err().map(|error| error.to_string()).unwrap_or_default();
    let took = started.elapsed();
    assert!(error.contains("s3://team/outputs: no answer within 1 s"), "{what}: {error}");
    // The limit is 1 s in tests. The rest is for a busy machine.
    assert!(took < Duration::from_secs(8), "{what}: {took:?}");
}

#[test]
fn silent_server_fails_every_request_after_the_idle_time() {
    let spools = tempfile::tempdir().unwrap();
    let (bucket, _silent) = machine(spools.path());
    let name = unused_name();
    fails_soon("newest", || bucket.newest(&RecentQuery { most: 1, ..RecentQuery::default() }));
    fails_soon("list", || bucket.list());
    fails_soon("read", || bucket.read(&name, 0..9));
    fails_soon("all_expired", || bucket.all_expired());
    fails_soon("gc", || {
        sweep(&bucket, &Retention::default(), SweepBudget::Whole, jiff::Timestamp::now())
    });
}

#[test]
fn push_to_silent_server_gives_up_after_first_output() {
    let spools = tempfile::tempdir().unwrap();
    let (bucket, _silent) = machine(spools.path());
    for _ in 0..3 {
        save(&bucket, b"ours\n");
    }
    let started = Instant::now();
    let pushed = bucket.push(Duration::from_secs(60)).unwrap();
    assert_eq!((pushed.left, pushed.reason.as_deref()), (3, Some("no answer within 1 s")));
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}
