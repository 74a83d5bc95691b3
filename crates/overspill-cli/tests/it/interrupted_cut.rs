//! `overspill cut` that a signal asks to end before its input ends, or whose input breaks off.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use serde_json::Value;

use crate::program::{Done, Running, Test, numbered};
use crate::terminal::terminal;

/// Starts `cut` with these arguments and an input that does not end, and waits until the input is
/// read.
fn reading(words: &[&str], input: &str) -> (Running, ChildStdin) {
    let test = Test::new(&[&["cut"], words].concat());
    let mut command = test.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    wait_until_read(&pipe);
    (Running { test, child }, pipe)
}

fn wait_until_read(pipe: &ChildStdin) {
    for _ in 0..2000 {
        if rustix::io::ioctl_fionread(pipe).unwrap() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("nobody reads");
}

/// Sends a signal to `cut` with these arguments and this input, which does not end.
fn asked(signal: Signal, words: &[&str], input: &str) -> Done {
    let (running, pipe) = reading(words, input);
    running.send(signal);
    let done = running.end();
    drop(pipe);
    done
}

fn record(done: &Done) -> Value {
    let (_, json, _) = done.then(&["info", "--json", &done.id()]);
    serde_json::from_str::<Value>(&json).unwrap()["record"].clone()
}

#[test]
fn signal_ends_the_input_of_cut() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let done = asked(signal, &[], &numbered(3000)).signal(signal).saved(numbered(3000));
        let text = done.text();
        assert!(text.starts_with("[overspill ") && text.ends_with("\n3000\n"), "{text}");
        assert_eq!(String::from_utf8_lossy(&done.output.stderr), "");
        assert_eq!(record(&done)["interrupted"], true);
        asked(signal, &[], "a\nb").signal(signal).stdout("a\nb").nothing_saved();
        asked(signal, &[], "").signal(signal).stdout("").nothing_saved();
    }
}

#[test]
fn input_written_before_the_signal_is_read() {
    // `cut` is stopped, so that it reads nothing before the signal.
    let (running, mut pipe) = reading(&[], "1\n");
    running.send(Signal::STOP);
    let rest = numbered(3000).split_off(2);
    pipe.write_all(rest.as_bytes()).unwrap();
    running.send(Signal::TERM);
    running.send(Signal::CONT);
    running.end().signal(Signal::TERM).saved(numbered(3000));
}

#[test]
fn endless_input_is_left_at_a_signal() {
    let test = Test::new(&["cut"]);
    let mut yes = Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
    let mut command = test.command();
    command.stdin(yes.stdout.take().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = Running { child: command.spawn().unwrap(), test };
    // The command also has the pipe open.
    drop(command);
    // The store exists, so `cut` already collects signals.
    let store = running.test.dir.path().join("store");
    for _ in 0..2000 {
        if store.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    running.send(Signal::INT);
    let done = running.end().signal(Signal::INT);
    assert!(done.text().starts_with("[overspill ") && done.text().ends_with("\ny\n"));
    assert_eq!(record(&done)["interrupted"], true);
    assert_eq!(yes.wait().unwrap().signal(), Some(Signal::PIPE.as_raw()));
}

#[test]
fn every_form_of_the_answer_is_complete_at_a_signal() {
    let done = asked(Signal::TERM, &["--json"], &numbered(3000)).signal(Signal::TERM);
    let json: Value = serde_json::from_str(&done.text()).unwrap();
    assert_eq!((&json["spilled"], &json["total"]["lines"]), (&true.into(), &3000.into()));
    assert_eq!(record(&done)["interrupted"], true);

    // The rest of the JSON is missing, so it is invalid; overspill shortens and saves it as text.
    let start = format!(r#"{{"status":"success","text":"{}"#, "word ".repeat(20_000));
    let done = asked(Signal::TERM, &["--envelope"], &start).signal(Signal::TERM).saved(&start);
    let done = done.stderr_contains("standard input: not JSON at line ");
    let answer: Value = serde_json::from_str(&done.text()).unwrap();
    assert_eq!(answer["status"], "partial");
    assert_eq!(record(&done)["interrupted"], true);

    let done = asked(Signal::TERM, &["--profile", "klaude"], &numbered(20_000));
    let files: Vec<_> = walk(done.test.dir.path());
    assert!(files.iter().any(|text| *text == numbered(20_000)), "{}", done.text());
    done.signal(Signal::TERM);
}

/// Returns the texts of all files below a directory.
fn walk(directory: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => walk(&path),
            false => vec![String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()],
        })
        .collect()
}

#[test]
fn signal_ends_the_input_of_a_named_pipe() {
    let test = Test::new(&["cut"]);
    let fifo = test.dir.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut command = test.command();
    command.arg(&fifo).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The other end is not open: `cut` ends by the signal, with nothing to lose.
    let mut alone: Child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    rustix::process::kill_process(rustix::process::Pid::from_child(&alone), Signal::TERM).unwrap();
    assert_eq!(alone.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));

    let running = Running { child: command.spawn().unwrap(), test };
    let mut other = fs::File::options().write(true).open(&fifo).unwrap();
    other.write_all(numbered(3000).as_bytes()).unwrap();
    for _ in 0..2000 {
        if rustix::io::ioctl_fionread(&other).unwrap() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    running.send(Signal::HUP);
    running.end().signal(Signal::HUP).saved(numbered(3000));
}

#[test]
fn ignored_signal_stays_ignored() {
    let test = Test::new(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP INT; exec \"$0\" cut", env!("CARGO_BIN_EXE_overspill")]);
    command.envs(test.environment());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"one\n").unwrap();
    wait_until_read(&pipe);
    let running = Running { test, child };
    running.send(Signal::HUP);
    running.send(Signal::INT);
    pipe.write_all(b"two\n").unwrap();
    wait_until_read(&pipe);
    drop(pipe);
    running.end().code(0).stdout("one\ntwo\n");
}

#[test]
fn second_signal_ends_cut_at_once() {
    // The test does not read the output, so `cut` cannot end before the signal.
    let words = ["--max-bytes", "none", "--max-lines", "none"];
    let text = "line\n".repeat(100_000);
    let (mut running, pipe) = reading(&words, &text);
    let mut stdout = running.child.stdout.take().unwrap();
    running.send(Signal::TERM);
    let mut first = [0; 5];
    stdout.read_exact(&mut first).unwrap();
    running.send(Signal::INT);
    running.end().signal(Signal::INT);
    drop((pipe, stdout));
}

#[test]
fn input_before_a_read_error_is_shown_and_saved() {
    // The other side of the terminal is gone: `cut` reads the written bytes, and then gets an
    // error.
    let broken = |lines: u32| {
        let (here, there) = terminal();
        let mut modes = tcgetattr(&there).unwrap();
        modes.make_raw();
        tcsetattr(&there, OptionalActions::Now, &modes).unwrap();
        fs::File::from(there).write_all(numbered(lines).as_bytes()).unwrap();
        Stdio::from(here)
    };
    let cut = |words: &[&str], lines: u32| {
        let test = Test::new(&[&["cut"], words].concat());
        let output = test.command().stdin(broken(lines)).output().unwrap();
        Done { test, output }.code(1).stderr_contains("standard input: input/output error")
    };
    cut(&[], 300).stdout(numbered(300)).nothing_saved();
    let done = cut(&["--max-lines", "10"], 300).saved(numbered(300));
    assert!(done.text().ends_with("\n300\n"), "{}", done.text());
    assert_eq!(record(&done)["interrupted"], true);
    cut(&["--profile", "klaude"], 300).stdout(numbered(300));
    cut(&["--envelope"], 300).stdout(numbered(300));
}
