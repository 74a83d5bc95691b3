//! Background jobs that outlive the shell of a command: overspill waits for them as long as the
//! host would.

use std::io::{ErrorKind, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{numbered, program};

/// The shell slot of a host.
fn slot(host: &str, script: &str, directory: &Path) -> Command {
    let mut command = program(directory);
    // The comment has the text by which overspill recognises the frame of some hosts.
    command.args(["sh", "-c", &format!("# _bgpids_file=\n{script}")]);
    command.env("OVERSPILL_HOST", host).current_dir(directory).stdin(Stdio::null());
    command
}

#[test]
fn job_left_behind_is_waited_for_if_the_host_waits() {
    let words = [["run", "--shell"].as_slice(), &["run", "--", "sh", "-c"]];
    for host in ["gemini", "opencode", "kilo", "continue"] {
        let dir = tempfile::tempdir().unwrap();
        let script = "(sleep 1; echo late; echo wrong >&2) & echo started; exit 4";
        let output = slot(host, script, dir.path()).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert_eq!(shown, "started\nlate\n", "{host}");
        assert_eq!((&output.stderr[..], output.status.code()), (&b"wrong\n"[..], Some(4)));
    }
    for words in words {
        let dir = tempfile::tempdir().unwrap();
        let mut command = program(dir.path());
        command.args(words).arg("(sleep 1; echo late) & echo started").env("OPENCODE", "1");
        assert_eq!(command.output().unwrap().stdout, b"started\nlate\n");
    }
}

#[test]
fn long_output_of_a_job_left_behind_is_shortened_and_saved() {
    let dir = tempfile::tempdir().unwrap();
    let output = slot("opencode", "(sleep 1; seq 1 40000) & echo started", dir.path()).output();
    let shown = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(shown.contains("[overspill ") && shown.ends_with("\n40000\n"), "{shown}");
    assert!(shown.len() <= 50_000 && shown.lines().count() <= 1_900);
    let mut read = program(dir.path());
    let read = read.args(["read", "--raw", "last"]).current_dir(dir.path()).output().unwrap();
    assert!(String::from_utf8(read.stdout).unwrap().ends_with(&numbered(40_000)));
}

#[test]
fn job_left_behind_does_not_delay_a_host_that_does_not_wait() {
    for host in ["claude-code", "codex", "pi", "qwen", "unknown"] {
        let dir = tempfile::tempdir().unwrap();
        // The job ends when the test removes the directory.
        let script = "(while [ -e \"$PWD\" ]; do sleep 0.05; done; echo late) & echo started";
        let output = slot(host, script, dir.path()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "started\n", "{host}");
    }
}

/// A job that starts to print a moment after the end of the shell, and never pauses.
const BUSY_JOB: &str = "(while kill -0 $$ 2>/dev/null; do sleep 0.02; done; sleep 0.15; \
                        while [ -e \"$PWD\" ]; do echo tick; sleep 0.02; done) & echo started";

#[test]
fn job_that_prints_without_a_pause_is_not_shown_if_the_host_does_not_wait() {
    for host in ["claude-code", "codex", "qwen"] {
        let dir = tempfile::tempdir().unwrap();
        let output = slot(host, BUSY_JOB, dir.path()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "started\n", "{host}");
    }
}

#[test]
fn signal_ends_the_wait_for_a_job_left_behind() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let dir = tempfile::tempdir().unwrap();
        let script = "(: > ready; while [ -e \"$PWD\" ]; do sleep 0.05; done) & echo started; \
                      while ! [ -e ready ]; do sleep 0.05; done; exit 4";
        let mut child =
            slot("opencode", script, dir.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        // The start is shown while the job runs.
        let mut start = [0; 8];
        stdout.read_exact(&mut start).unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!((&start, rest.as_str()), (b"started\n", ""));
        assert_eq!(child.wait().unwrap().code(), Some(4), "{signal:?}");
    }
}

#[test]
fn host_that_reads_on_for_a_moment_sees_that_a_job_is_left() {
    let dir = tempfile::tempdir().unwrap();
    // The name of the host is that of the process that starts the command.
    symlink("/bin/bash", dir.path().join("cline")).unwrap();
    let script = "(sleep 0.5; echo late; while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.05; done) & echo started";
    let own = env!("CARGO_BIN_EXE_overspill");
    let mut cline = Command::new(dir.path().join("cline"));
    let variables = program(dir.path());
    cline.envs(variables.get_envs().filter_map(|(name, value)| Some((name, value?))));
    cline.env("OVERSPILL_HOST", "cline").current_dir(dir.path());
    cline.args(["-c", &format!("{own} sh -c '{script}'; :")]);
    cline.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = cline.spawn().unwrap();
    assert!(child.wait().unwrap().success());
    let mut stdout = child.stdout.take().unwrap();
    rustix::io::ioctl_fionbio(&stdout, true).unwrap();
    let mut shown = Vec::new();
    // The output is still open, which the host reports to the model.
    let end = stdout.read_to_end(&mut shown).unwrap_err();
    assert_eq!(end.kind(), ErrorKind::WouldBlock, "{}", String::from_utf8_lossy(&shown));
    assert_eq!(String::from_utf8(shown).unwrap(), "started\nlate\n");
    std::fs::write(dir.path().join("go"), "").unwrap();
}

#[test]
fn command_that_the_host_moves_to_the_background_shows_everything() {
    let dir = tempfile::tempdir().unwrap();
    // The first part fits, and is more than the start of a command that still runs.
    let script = "seq -f %015.0f 1 1500; while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.05; done; seq 1 40000";
    let mut child = slot("gemini", script, dir.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let first: String = (1..=1_500).map(|n| format!("{n:015}\n")).collect();
    let mut start = vec![0; 100];
    stdout.read_exact(&mut start).unwrap();
    make_background_log(dir.path(), child.id());
    let mut rest = vec![0; first.len() - start.len()];
    stdout.read_exact(&mut rest).unwrap();
    std::fs::write(dir.path().join("go"), "").unwrap();
    let mut end = String::new();
    stdout.read_to_string(&mut end).unwrap();
    assert!(child.wait().unwrap().success());
    let shown = [start, rest].concat();
    assert_eq!(String::from_utf8(shown).unwrap(), first);
    assert!(end == numbered(40_000), "{} bytes: {}", end.len(), &end[..end.len().min(300)]);
}

#[test]
fn long_output_of_a_command_that_the_host_moves_to_the_background_shows_everything() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        "seq 1 40000; while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.05; done; echo done";
    let mut child = slot("gemini", script, dir.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // The output is already over the limit, and the rest is in the store.
    let mut shown = until("still running", &mut stdout);
    make_background_log(dir.path(), child.id());
    shown += &until("\n40000\n", &mut stdout);
    std::fs::write(dir.path().join("go"), "").unwrap();
    stdout.read_to_string(&mut shown).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(shown.starts_with(&numbered(100)));
    // The notice of a command that still runs stands before it.
    let rest: String = (5_000..=40_000).map(|n| format!("{n}\n")).collect();
    let end = &shown[shown.len().saturating_sub(300)..];
    assert!(shown.ends_with(&format!("{rest}done\n")), "{} bytes: {end}", shown.len());
}

/// Reads until a text appears.
fn until(text: &str, stdout: &mut impl Read) -> String {
    let mut shown = Vec::new();
    let mut chunk = [0; 4096];
    while !String::from_utf8_lossy(&shown).contains(text) {
        let len = stdout.read(&mut chunk).unwrap();
        assert!(len > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&chunk[..len]);
    }
    String::from_utf8(shown).unwrap()
}

/// Makes the log file of Gemini CLI for a command that it moves to the background.
pub(super) fn make_background_log(home: &Path, process: u32) {
    let logs = home.join(".gemini/tmp/background-processes");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join(format!("background-{process}.log")), "").unwrap();
}
