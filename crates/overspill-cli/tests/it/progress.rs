//! The progress line of long work.

use std::fs::File;
use std::process::Stdio;

use crate::program::Test;
use crate::terminal::{seen, terminal};

/// Runs a command whose standard error is a terminal. Returns the text that a person sees, and
/// standard output.
fn watched(args: &[&str], stdin: Stdio) -> (String, String) {
    let (person, theirs) = terminal();
    let test = Test::new(args);
    let file = test.dir.path().join("out");
    let mut command = test.command();
    command.env("TERM", "xterm").stdin(stdin).stdout(File::create(&file).unwrap()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    drop(command);
    let text = seen(person);
    assert!(child.wait().unwrap().success());
    (text, std::fs::read_to_string(file).unwrap())
}

#[test]
fn long_run_into_a_file_shows_time_and_bytes() {
    let (screen, out) = watched(&["run", "sh", "-c", "echo one; sleep 1.5"], Stdio::null());
    assert_eq!(out, "one\n");
    assert!(screen.starts_with("\n\r\u{1b}[Krunning, 1 s, 4 B\r"), "{screen:?}");
    assert!(screen.ends_with("\r\u{1b}[K\u{1b}[A\u{1b}[J"), "{screen:?}");
}

#[test]
fn short_run_into_a_file_shows_nothing() {
    let (screen, _) = watched(&["run", "echo", "one"], Stdio::null());
    assert_eq!(screen, "");
}

#[test]
fn long_cut_of_a_pipe_shows_time_and_bytes() {
    let script = "echo one; exec sleep 1.5";
    let mut before = std::process::Command::new("sh");
    let mut before = before.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let (screen, out) = watched(&["cut"], before.stdout.take().unwrap().into());
    before.wait().unwrap();
    assert_eq!(out, "one\n");
    assert!(screen.contains("\r\u{1b}[Kreading, 1 s"), "{screen:?}");
}
