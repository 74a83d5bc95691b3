//! Kills at any time: each output in the store is whole, or marked as cut short.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::program::{Done, Test, numbered, saved_run, skip};

/// Checks that every entry is the whole output, or a marked start of it, and that only the copy of
/// a record is left beside it.
#[track_caller]
fn holds_honest_outputs_only(done: &Done, output: &str) {
    for file in done.files() {
        let bytes = fs::read(&file).unwrap();
        let (_, info, _) = done.then(&["info", file.to_str().unwrap()]);
        let is_whole = info.contains("whole, as it was saved") || info.contains("unknown");
        let is_start = info.contains("cut short") && output.as_bytes().starts_with(&bytes);
        assert!(is_start || is_whole && bytes == output.as_bytes(), "{}: {info}", file.display());
    }
    if cfg!(feature = "portable-unix") {
        return skip("without files without a name, a kill leaves a draft; gc removes it later");
    }
    let hidden = done.test.dir.path().join("store/.overspill/drafts");
    for draft in fs::read_dir(hidden).into_iter().flatten() {
        let bytes = fs::read(draft.unwrap().path()).unwrap();
        assert!(bytes.is_empty() || bytes.starts_with(b"ovrspil"), "an output is left");
    }
}

#[test]
fn kill_at_any_instant_leaves_whole_or_marked_entries() {
    let done = saved_run();
    for round in 0..300_u64 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overspill"));
        command.args(["run", "--", "seq", "1", "5000"]).envs(done.test.environment());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Some kills come before the command starts, some after it has ended.
        thread::sleep(Duration::from_micros(round * 7919 % 9000));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    holds_honest_outputs_only(&done, &numbered(5000));
}

/// The system calls that create an entry.
const CALLS: [&str; 8] =
    ["openat", "mkdirat", "write", "fsync", "linkat", "renameat", "renameat2", "unlinkat"];

#[test]
fn kill_before_each_call_leaves_whole_or_marked_entries() {
    let traced = |test: &Test, call: &str, nth: u32| {
        let inject = format!("inject={call}:signal=KILL:when={nth}");
        let mut command = Command::new("strace");
        command.args(["-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
        command.arg(env!("CARGO_BIN_EXE_overspill")).args(["run", "--", "seq", "1", "5000"]);
        command.envs(test.environment()).stdin(Stdio::null()).output()
    };
    let done = saved_run();
    let works = traced(&done.test, "openat", 60_000).is_ok_and(|output| output.status.success());
    if !works {
        skip("strace is not here, or must not trace");
        return;
    }
    let mut killed = BTreeMap::new();
    for call in CALLS {
        for nth in 1..40 {
            // Once with an existing store, once without.
            let fresh = Test::new(&[]);
            traced(&fresh, call, nth).unwrap();
            let fresh = fresh_done(fresh);
            holds_honest_outputs_only(&fresh, &numbered(5000));
            let output = traced(&done.test, call, nth).unwrap();
            holds_honest_outputs_only(&done, &numbered(5000));
            if output.status.success() {
                break;
            }
            *killed.entry(call).or_insert(0) += 1;
        }
    }
    assert!(killed["write"] > 0 && killed["linkat"] > 0 && killed["fsync"] > 0, "{killed:?}");
}

fn fresh_done(test: Test) -> Done {
    let output = Command::new("true").output().unwrap();
    Done { test, output }
}
