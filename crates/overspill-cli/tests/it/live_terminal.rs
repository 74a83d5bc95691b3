//! A person runs commands on a terminal, with and without a shell that controls jobs.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::program::{Test, numbered, program, skip};
use crate::terminal::{on_terminal, run_on_terminal, terminal};

/// A person in front of a shell with job control.
struct Person {
    test: Test,
    terminal: File,
    shell: Child,
    seen: String,
}

impl Person {
    /// Starts a shell on its own terminal; `None` if this system lacks the programs for it.
    fn new() -> Option<Person> {
        let has = |program: &str| {
            let found = Command::new(program).arg("--version").stdout(Stdio::null()).status();
            found.is_ok_and(|status| status.success())
        };
        if !has("setsid") || !has("bash") {
            skip("setsid or bash is missing");
            return None;
        }
        let test = Test::new(&[]);
        let (person, theirs) = terminal();
        let mut command = Command::new("setsid");
        command.args(["--ctty", "bash", "--norc", "--noprofile", "-i"]);
        for (name, value) in program(test.dir.path()).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let copy = || theirs.try_clone().unwrap();
        command
            .env("PS1", "ready> ")
            .env("TERM", "xterm")
            .env("O", env!("CARGO_BIN_EXE_overspill"));
        command.env_remove("PROMPT_COMMAND").current_dir(test.dir.path());
        let shell = command.stdin(copy()).stdout(copy()).stderr(copy()).spawn().unwrap();
        drop((command, theirs));
        let mut person = Person { test, terminal: person, shell, seen: String::new() };
        person.sees("ready> ");
        Some(person)
    }

    fn types(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text is on the screen, and forgets everything up to its end.
    #[track_caller]
    fn sees(&mut self, text: &str) {
        let started = Instant::now();
        let mut part = [0; 4096];
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(30), "{text:?} not in {:?}", self.seen);
            let wait = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            let poll = rustix::event::PollFd::new(&self.terminal, rustix::event::PollFlags::IN);
            if rustix::event::poll(&mut [poll], Some(&wait)).unwrap_or(0) > 0 {
                let len = self.terminal.read(&mut part).unwrap();
                self.seen.push_str(&String::from_utf8_lossy(&part[..len]));
            }
        }
    }

    /// Types a line, and waits for the next prompt.
    #[track_caller]
    fn runs(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
        self.sees("ready> ");
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn on_screen(args: &[&str]) -> (String, Option<i32>, Test) {
    let test = Test::new(args);
    let mut command = test.command();
    command.env("TERM", "xterm");
    let (text, code) = run_on_terminal(command, (33, 77));
    (text, code, test)
}

#[test]
fn command_on_a_terminal_gets_a_terminal_of_the_same_size() {
    let look = "test -t 0 && test -t 1 && test -t 2 && echo terminal; stty size; exit 6";
    let (text, code, _) = on_screen(&["run", "sh", "-c", look]);
    assert_eq!((text.as_str(), code), ("terminal\n33 77\n", Some(6)));
    let (text, code, _) = on_screen(&["run", "--no-pty", "sh", "-c", look]);
    assert_eq!((text.as_str(), code), ("33 77\n", Some(6)));
}

#[test]
fn terminal_of_a_command_has_the_modes_of_ours() {
    // `stty -g` prints all modes.
    let (own, _) = run_on_terminal(
        {
            let mut command = Command::new("stty");
            command.arg("-g");
            command
        },
        (33, 77),
    );
    let (text, ..) = on_screen(&["stty", "-g"]);
    assert_eq!(text, own);
}

#[test]
fn long_output_on_a_terminal_ends_with_one_line_for_a_person() {
    let (text, code, test) = on_screen(&["seq", "1", "5000"]);
    assert_eq!(code, Some(0));
    let line = text.strip_prefix(&numbered(5_000)).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words[..5].join(" "), "overspill: 23.3 KiB saved as", "{line}");
    assert_eq!(words[6..].join(" "), "· overspill read\n", "{line}");
    // The output is saved as the command wrote it, without carriage returns.
    let output = program(test.dir.path()).args(["read", words[5], "--raw"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), numbered(5_000));
    let stats = program(test.dir.path()).args(["stats", "--json"]).output().unwrap();
    assert!(String::from_utf8_lossy(&stats.stdout).contains("\"saved_bytes\":0,"));
}

#[test]
fn short_output_on_a_terminal_ends_without_a_line() {
    let (text, ..) = on_screen(&["echo", "short"]);
    assert_eq!(text, "short\n");
    let (text, code, _) = on_screen(&["run", "no-such-command"]);
    assert_eq!(
        (text.as_str(), code),
        (
            "error: no-such-command: command not found\nhint: check its name and PATH; \
             `overspill --help` lists the commands of overspill\n",
            Some(127)
        )
    );
}

#[test]
fn full_screen_program_leaves_nothing_in_the_store() {
    let draw = "printf '\\033[?1049h'; seq 1 5000; printf '\\033[?1049l'";
    let (text, _, test) = on_screen(&["run", "sh", "-c", draw]);
    assert_eq!(text, format!("\x1b[?1049h{}\x1b[?1049l", numbered(5_000)));
    let list = program(test.dir.path()).arg("list").output().unwrap();
    assert!(String::from_utf8(list.stdout).unwrap().starts_with("No saved outputs yet."));
}

#[test]
fn masked_output_on_a_terminal_comes_through_a_pipe() {
    let test =
        Test::new(&["run", "sh", "-c", "test -t 1 || echo pipe; echo password=hunter2hunter2"]);
    let mut command = test.command();
    command.env("TERM", "xterm").env("OVERSPILL_REDACT", "all");
    let text = on_terminal(command, (33, 77));
    assert!(text.starts_with("pipe\n") && !text.contains("hunter2"), "{text}");
}

#[test]
fn keys_interrupt_stop_and_continue_a_command() {
    let Some(mut person) = Person::new() else { return };
    let before = tcgetattr(person.terminal.as_fd()).unwrap();
    person.types("$O run sh -c 'echo began; exec sleep 600'\r");
    person.sees("began\r\n");
    person.types("\x1a");
    person.sees("Stopped");
    person.sees("ready> ");
    // The shell has its terminal back.
    person.runs("echo still $((40 + 2))");
    person.types("fg\r");
    person.sees("exec sleep 600'\r\n");
    person.types("\x03");
    person.sees("ready> ");
    person.types("echo code=$?\r");
    person.sees("code=130\r\n");
    // The shell has set its own modes when it shows its prompt.
    person.sees("ready> ");
    let after = tcgetattr(person.terminal.as_fd()).unwrap();
    assert_eq!(before.local_modes, after.local_modes);
    assert_eq!(before.output_modes, after.output_modes);
}

#[test]
fn key_typed_before_the_command_has_started_stops_it() {
    let Some(mut person) = Person::new() else { return };
    person.types("$O run sleep 600\r");
    // overspill takes the keys just before it starts the command. The shell never turns signals
    // off.
    let started = Instant::now();
    while tcgetattr(person.terminal.as_fd()).unwrap().local_modes.contains(LocalModes::ISIG) {
        assert!(started.elapsed() < Duration::from_secs(30), "nobody takes the keys");
        std::thread::sleep(Duration::from_millis(1));
    }
    person.types("\x1a");
    person.sees("Stopped");
    person.sees("ready> ");
}

#[test]
fn stopped_command_goes_on_in_the_background() {
    let Some(mut person) = Person::new() else { return };
    // The shell starts no process after "began". A shell that is stopped between `vfork` and `exec`
    // of a process waits for that process and never appears as stopped, also without overspill.
    let script = "mkfifo go; echo began; read line < go; echo went > went";
    person.types(&format!("$O run sh -c '{script}'\r"));
    person.sees("began\r\n");
    person.types("\x1a");
    person.sees("Stopped");
    person.sees("ready> ");
    person.runs("bg");
    // This line waits until the command reads.
    person.runs("echo > go");
    person.types("wait; cat went; echo ended\r");
    person.sees("went\r\nended");
}

#[test]
fn size_of_the_terminal_reaches_a_running_command() {
    let Some(mut person) = Person::new() else { return };
    // The command ends itself. Bash ignores Ctrl-C if the process that it waits for ends without a
    // signal.
    let script = "trap \"stty size; exit\" WINCH; echo began; while :; do sleep 0.05; done";
    person.types(&format!("$O run bash -c '{script}'\r"));
    person.sees("began\r\n");
    let size = Winsize { ws_row: 20, ws_col: 50, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&person.terminal, size).unwrap();
    person.sees("20 50\r\n");
    person.sees("ready> ");
}

#[test]
fn killed_run_gives_the_terminal_its_modes_back() {
    let Some(mut person) = Person::new() else { return };
    let before = tcgetattr(person.terminal.as_fd()).unwrap();
    // The parent of the leader of the session is overspill itself.
    let script = "ps -o ppid= -p $(ps -o ppid= -p $$) > pid; echo began; exec sleep 600";
    person.types(&format!("$O run sh -c '{script}'\r"));
    person.sees("began\r\n");
    let pid = std::fs::read_to_string(person.test.dir.path().join("pid")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    person.sees("ready> ");
    person.types("echo code=$?\r");
    person.sees("code=143\r\n");
    person.sees("ready> ");
    let after = tcgetattr(person.terminal.as_fd()).unwrap();
    assert_eq!(before.local_modes, after.local_modes);
    assert_eq!(before.input_modes, after.input_modes);
}

#[test]
fn run_started_in_the_background_leaves_the_keys_to_the_shell() {
    let Some(mut person) = Person::new() else { return };
    person.runs("$O run sh -c 'while [ ! -e go ]; do sleep 0.05; done; echo went > went' &");
    person.runs("echo typed > typed; touch go");
    person.types("wait; cat typed went; echo ended\r");
    person.sees("typed\r\nwent\r\nended");
}
