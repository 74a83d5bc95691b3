//! Ctrl-C ends a line with a capturing stage like any other line.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::BASH;
use crate::program::program;

/// The end of a line after SIGINT from a terminal: its output, its exit code and its signal.
type End = (String, Option<i32>, Option<i32>);

/// Runs a line in its own process group, and sends the signal when the file `ready` exists.
fn interrupted(mut command: Command, line: &str, dir: &Path) -> End {
    command.args(["-c", line]).current_dir(dir).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap());
    while !dir.join("ready").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killpg(group, Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    (stdout, output.status.code(), output.status.signal())
}

#[test]
fn ctrl_c_ends_the_line_as_without_overspill() {
    for line in [
        "sh -c 'touch ready; exec sleep 20' | cat; echo after",
        "sh -c 'touch ready; exec sleep 20' | tail -1; echo after",
        "sh -c 'touch ready; exec sleep 20' | cat && echo after",
        "python3 -c 'import time; open(\"ready\", \"w\"); time.sleep(20)' 2>&1 | tail -1; echo after",
    ] {
        for mode in ["off", "status", "full"] {
            for _ in 0..6 {
                let [dir, plain_dir, home] = [(); 3].map(|()| tempfile::tempdir().unwrap());
                let plain = interrupted(Command::new(BASH), line, plain_dir.path());
                let mut command = program(home.path());
                command.args(["sh", "--shell", BASH]).env("OVERSPILL_PIPELINES", mode);
                let ours = interrupted(command, line, dir.path());
                assert_eq!(ours, plain, "{mode}: {line}");
            }
        }
    }
}

/// Sends SIGINT to a capturing stage, ends its input, and returns its signal.
fn signal_of_stage(reader_stays: bool) -> Option<i32> {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.args(["tee", "1:0:0:0:0:0"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut stage = command.spawn().unwrap();
    let (mut input, mut output) = (stage.stdin.take().unwrap(), stage.stdout.take().unwrap());
    // The stage has blocked the signal before it passes the first byte on.
    input.write_all(b"x").unwrap();
    output.read_exact(&mut [0]).unwrap();
    kill(Pid::from_raw(i32::try_from(stage.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = Some(output).filter(|_| reader_stays);
    drop(input);
    let end = stage.wait().unwrap();
    drop(output);
    end.signal()
}

#[test]
fn ctrl_c_ends_a_capturing_stage_only_if_its_reader_is_gone() {
    assert_eq!(signal_of_stage(false), Some(Signal::SIGINT as i32));
    assert_eq!(signal_of_stage(true), None);
}
