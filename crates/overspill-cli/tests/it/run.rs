//! `overspill run`

use std::fs;
use std::process::{Command, Stdio};

use crate::program::{Test, numbered};

#[test]
fn run_shows_both_streams_in_order() {
    let script = "echo one; echo two >&2; echo three";
    Test::new(&["run", "--", "sh", "-c", script]).run().code(0).stdout("one\ntwo\nthree\n");
}

#[test]
fn run_hands_its_input_on() {
    Test::new(&["run", "--", "cat"]).stdin("through\n").run().code(0).stdout("through\n");
}

#[test]
fn exit_codes_are_the_commands() {
    for code in [0, 1, 7, 125, 255] {
        let script = format!("seq 1 5000; exit {code}");
        Test::new(&["run", "--", "sh", "-c", &script]).run().code(code).saved(numbered(5000));
    }
    Test::new(&["run", "--", "sh", "-c", "kill -TERM $$"]).run().code(128 + 15);
}

#[test]
fn a_command_that_cannot_be_run_is_what_a_shell_says() {
    Test::new(&["run", "--", "no-such-command"])
        .run()
        .code(127)
        .stdout("")
        .stderr_contains("no-such-command: command not found");
    Test::new(&["run", "--", "/"]).run().code(126).stderr_contains("overspill: /: ");
}

#[test]
fn misuse_is_told_apart_from_the_commands_own_codes() {
    Test::new(&["run", "--no-such-flag", "--", "true"])
        .run()
        .code(125)
        .stderr_contains("--no-such-flag");
    Test::new(&["cut", "--max-lines", "many"]).run().code(2).stderr_contains("expected a number");
    Test::new(&["cut", "/no/such/file"]).run().code(1).stderr_contains("/no/such/file");
}

#[test]
fn a_reader_that_goes_away_is_no_mistake() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!(
        "seq 1 100000 | {} cut --max-bytes 900000 | head -n 1; echo done",
        env!("CARGO_BIN_EXE_overspill")
    );
    let output = Command::new("sh")
        .args(["-c", &line])
        .env("OVERSPILL_DIR", dir.path().join("store"))
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("done\n"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn without_a_home_the_command_runs_and_the_preview_says_so() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done; exit 3";
    let output = Command::new(env!("CARGO_BIN_EXE_overspill"))
        .args(["run", "--", "/bin/sh", "-c", script])
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("It could not be saved: there is no home directory"), "{text}");
    assert!(text.ends_with("2999\n"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_shown_does_not_change_the_exit_code() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_overspill"))
        .args(["run", "--", "sh", "-c", "echo x; exit 3"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_command_without_dashes_before_it_gets_a_hint() {
    Test::new(&["run", "seq", "1", "3"])
        .run()
        .code(125)
        .stderr_contains("hint: the command stands after");
    Test::new(&["cut", "--max-lines", "-1"]).run().code(2).stderr_contains("expected a number");
}
