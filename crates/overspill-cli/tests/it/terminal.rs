//! Terminals: the terminal of overspill, and the terminal of a command.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::{Test, numbered};

/// Opens a terminal: the end of a person, and the end of programs.
pub(crate) fn terminal() -> (File, OwnedFd) {
    terminal_of(33, 77)
}

/// Opens a terminal of this size.
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

/// Reads the text that a person sees until the program ends.
pub(crate) fn seen(mut person: File) -> String {
    let mut all = Vec::new();
    // At its end a terminal returns an error.
    let mut part = [0; 4096];
    while let Ok(len @ 1..) = person.read(&mut part) {
        all.extend_from_slice(&part[..len]);
    }
    String::from_utf8(all).unwrap().replace("\r\n", "\n")
}

/// Runs a program whose three streams are a terminal, and returns the text that a person sees.
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
    // A reader waits until all copies are closed.
    drop((command, program));
    let text = seen(person);
    (text, child.wait().unwrap().code())
}

#[test]
fn terminal_shows_everything_and_one_line_names_the_saved_output() {
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
fn command_gets_a_terminal_with_pty() {
    let look = "test -t 1 && test -t 2 && echo terminal; stty size <&1; seq 1 3";
    let done = Test::new(&["run", "--pty", "--", "sh", "-c", look]).run().code(0);
    assert_eq!(done.text(), "terminal\n24 80\n1\n2\n3\n");
    let done = Test::new(&["run", "--pty", "--", "sh", "-c", "seq 1 5000; exit 6"]).run().code(6);
    done.saved(numbered(5000));
    // The command still has the input of overspill.
    Test::new(&["run", "--pty", "--", "cat"]).stdin("typed\n").run().code(0).stdout("typed\n");
}

#[test]
fn typed_text_reaches_a_command_with_a_terminal() {
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
fn interrupt_key_reaches_a_command_with_a_terminal() {
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
