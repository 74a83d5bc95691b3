//! Terminals: ours, and the one that a command is given.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::{Test, numbered};

/// A terminal: the end that a person has, and the end that programs have.
pub(crate) fn terminal() -> (File, OwnedFd) {
    terminal_of(33, 77)
}

/// A terminal of this size.
pub(crate) fn terminal_of(rows: u16, columns: u16) -> (File, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let person = openpt(flags).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&person, size).unwrap();
    let program = ioctl_tiocgptpeer(&person, flags).unwrap();
    (File::from(person), program)
}

/// Reads what a person sees until the program is gone.
pub(crate) fn seen(mut person: File) -> String {
    let mut all = Vec::new();
    // At the end a terminal gives an error.
    let mut part = [0; 4096];
    while let Ok(len @ 1..) = person.read(&mut part) {
        all.extend_from_slice(&part[..len]);
    }
    String::from_utf8(all).unwrap().replace("\r\n", "\n")
}

/// Runs a program whose three streams are a terminal, and returns what a person sees.
pub(crate) fn on_terminal(command: Command, size: (u16, u16)) -> String {
    run_on_terminal(command, size).0
}

/// Like [`on_terminal`], with the exit code.
pub(crate) fn run_on_terminal(
    mut command: Command,
    (rows, columns): (u16, u16),
) -> (String, Option<i32>) {
    let (person, program) = terminal_of(rows, columns);
    let copy = || program.try_clone().unwrap();
    let mut child = command.stdin(copy()).stdout(copy()).stderr(copy()).spawn().unwrap();
    // A reader waits for all copies.
    drop((command, program));
    let text = seen(person);
    (text, child.wait().unwrap().code())
}

#[test]
fn on_a_terminal_everything_is_shown_and_one_line_says_where_it_is() {
    let (person, program) = terminal();
    let test = Test::new(&["run", "--", "seq", "1", "5000"]);
    let mut command = test.command();
    let child = command.stdout(program).stderr(Stdio::piped()).stdin(Stdio::null()).spawn();
    drop(command);
    assert_eq!(seen(person), numbered(5000));
    let output = child.unwrap().wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.lines().count() == 1 && told.contains("23.3 KiB saved as "), "{told}");

    let (person, program) = terminal();
    let test = Test::new(&["run", "--", "echo", "short"]);
    let mut command = test.command();
    let child = command.stdout(program).stderr(Stdio::piped()).stdin(Stdio::null()).spawn();
    drop(command);
    assert_eq!(seen(person), "short\n");
    assert_eq!(child.unwrap().wait_with_output().unwrap().stderr, b"");
}

#[test]
fn a_command_can_be_given_a_terminal() {
    let look = "test -t 1 && test -t 2 && echo terminal; stty size <&1; seq 1 3";
    let done = Test::new(&["run", "--pty", "--", "sh", "-c", look]).run().code(0);
    assert_eq!(done.text(), "terminal\n24 80\n1\n2\n3\n");
    let done = Test::new(&["run", "--pty", "--", "sh", "-c", "seq 1 5000; exit 6"]).run().code(6);
    done.saved(numbered(5000));
    // Its input is still ours.
    Test::new(&["run", "--pty", "--", "cat"]).stdin("typed\n").run().code(0).stdout("typed\n");
}

#[test]
fn what_is_typed_reaches_a_command_with_a_terminal() {
    let (person, program) = terminal();
    let test = Test::new(&["run", "--pty", "--", "sh", "-c", "stty size; read x; echo got $x"]);
    let mut command = test.command();
    command.stdin(program.try_clone().unwrap()).stdout(program).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut typing = person.try_clone().unwrap();
    std::io::Write::write_all(&mut typing, b"keys\r").unwrap();
    let text = seen(person);
    assert!(text.contains("33 77\n") && text.ends_with("got keys\n"), "{text:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_key_that_interrupts_reaches_a_command_with_a_terminal() {
    let (person, program) = terminal();
    let script = "trap 'echo interrupted; exit 3' INT; echo ready; while :; do sleep 0.02; done";
    let test = Test::new(&["run", "--pty", "--", "sh", "-c", script]);
    let mut command = test.command();
    command.stdin(program.try_clone().unwrap()).stdout(program).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut typing = person.try_clone().unwrap();
    let mut reading = person.try_clone().unwrap();
    let mut start = [0; 5];
    reading.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"ready");
    std::io::Write::write_all(&mut typing, b"\x03").unwrap();
    assert!(seen(person).ends_with("interrupted\n"));
    assert_eq!(child.wait().unwrap().code(), Some(3));
}
