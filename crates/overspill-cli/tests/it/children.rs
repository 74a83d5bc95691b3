//! Processes that a command starts and leaves behind, and timeouts.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Done, Test, numbered};

#[test]
fn child_that_keeps_the_pipe_open_does_not_delay_overspill() {
    for line in ["sleep 20 & seq 1 3000", "setsid sleep 20 & seq 1 3000"] {
        let started = Instant::now();
        let done = Test::new(&["run", "--", "sh", "-c", line]).run().code(0).saved(numbered(3000));
        assert!(started.elapsed() < Duration::from_secs(20));
        // A model reads our standard error as part of the output of its command.
        assert_eq!(String::from_utf8_lossy(&done.output.stderr), "");
    }
}

#[test]
fn output_of_a_child_shortly_after_the_end_is_kept() {
    let line = "(sleep 0.1; echo later) & echo now";
    Test::new(&["run", "--", "sh", "-c", line]).run().code(0).stdout("now\nlater\n");
}

#[test]
fn child_that_never_stops_printing_is_left_after_a_while() {
    // The child ends with the test's directory.
    let line = "(while [ -e \"$PWD\" ] && echo more; do sleep 0.05; done) & echo now; : > ready";
    let done = Test::new(&["run", "--", "sh", "-c", line]).start().end().code(0);
    assert!(done.text().starts_with("now\n") || done.text().starts_with("more\n"));
}

/// Claude Code does not wait for background processes, so the output is complete when the command
/// ends.
#[test]
fn command_that_ends_is_interrupted_only_if_a_child_holds_its_output() {
    for (line, interrupted) in [("seq 1 3000", Value::Null), ("sleep 20 & seq 1 3000", true.into())]
    {
        let test = Test::new(&["run", "--", "sh", "-c", line]);
        let output = test.command().env("CLAUDECODE", "1").output().unwrap();
        let done = Done { test, output }.code(0).saved(numbered(3000));
        let (_, json, _) = done.then(&["info", "--json", &done.id()]);
        let info: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(info["record"]["interrupted"], interrupted, "{line}");
    }
}

#[test]
fn output_on_a_terminal_is_whole_in_a_host_that_does_not_wait() {
    let test = Test::new(&["run", "--pty", "--", "seq", "1", "60000"]);
    let output = test.command().env("CLAUDECODE", "1").output().unwrap();
    Done { test, output }.code(0).saved(numbered(60_000));
}

#[test]
fn background_server_survives_its_next_line() {
    let line = "(trap 'echo dead > died' PIPE; while [ ! -e go ]; do sleep 0.02; done; \
                 echo line; echo line; echo alive > lived) & : > ready";
    let running = Test::new(&["run", "--", "sh", "-c", line]).start();
    let directory = running.test.dir.path().to_owned();
    let done = running.end().code(0);
    std::fs::write(directory.join("go"), "").unwrap();
    for _ in 0..1000 {
        if directory.join("lived").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(directory.join("lived").exists() && !directory.join("died").exists());
    drop(done);
}

#[test]
fn timeout_ends_the_whole_process_group() {
    let line = "sleep 60 & echo $! > child; seq 1 3000; : > ready; wait";
    let started = Instant::now();
    let running = Test::new(&["run", "--timeout", "500ms", "--", "sh", "-c", line]).start();
    let child = running.wait_for("child");
    let done = running.end().code(124).saved(numbered(3000));
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(!alive(child.trim()), "the child is still there");
    done.stderr_contains("it ran longer than --timeout 500ms");

    // A command that ignores SIGTERM is killed.
    let line = "trap '' TERM; : > ready; while :; do sleep 0.1; done";
    Test::new(&["run", "--timeout", "300ms", "--", "sh", "-c", line]).start().end().code(124);
    Test::new(&["run", "--timeout", "1m", "--", "true"]).run().code(0);
    Test::new(&["run", "--timeout", "soon", "--", "true"])
        .run()
        .code(125)
        .stderr_contains("expected a time such as");
}

/// Tells whether a process runs, and is not a zombie.
fn alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
