//! Watching a command that still runs: in the store, and at the end of its pipe.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{Done, Running, Test, id_of, numbered, outputs, program};

/// A shell loop that waits for a file of the test, as long as the test exists.
const WAIT: &str = "while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.02; done";

/// Starts a command that prints many lines, and waits until they are saved.
fn running(script: &str) -> (Running, String) {
    let running = Test::new(&["run", "--", "sh", "-c", script]).start();
    let store = running.test.dir.path().join("store");
    let is_saved = |path: &PathBuf| fs::read(path).is_ok_and(|text| text.ends_with(b"\n3000\n"));
    for _ in 0..2000 {
        if let Some(file) = outputs(&store).into_iter().find(is_saved) {
            return (running, id_of(&file));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("nothing is saved while the command runs");
}

fn ask(directory: &Path, words: &[&str]) -> (i32, String) {
    let output = program(directory).args(words).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn row(directory: &Path) -> serde_json::Value {
    let (_, json) = ask(directory, &["list", "--json"]);
    serde_json::from_str(json.lines().next().unwrap()).unwrap()
}

fn go(running: &Running) {
    fs::write(running.test.dir.path().join("go"), "").unwrap();
}

#[test]
fn output_of_a_running_command_can_be_listed_read_and_searched() {
    let script = format!("seq 1 3000; : > ready; {WAIT}; echo later; exit 3");
    let (running, id) = running(&script);
    let directory = running.test.dir.path().to_owned();
    let (_, list) = ask(&directory, &["list"]);
    assert!(list.contains(" running ") && list.contains("seq 1 3000"), "{list}");
    assert_eq!(row(&directory)["record"]["running"], true);
    let (code, page) = ask(&directory, &["read", &id, "--lines", "2998-3000"]);
    assert!(code == 0 && page.starts_with("2998\n2999\n3000\n"), "{page}");
    assert!(page.contains("the command still runs"), "{page}");
    let (code, found) = ask(&directory, &["grep", "^2999$", &id]);
    assert!(code == 0 && found.contains("2999"), "{found}");
    let (_, info) = ask(&directory, &["info", &id]);
    assert!(info.contains("the command still runs"), "{info}");
    let (_, stats) = ask(&directory, &["stats"]);
    assert!(!stats.contains("1 output"), "{stats}");
    go(&running);
    let done = running.end().code(3).saved(format!("{}later\n", numbered(3000)));
    assert_eq!(done.id(), id);
    let row = row(&directory);
    assert_eq!((&row["record"]["exit"], &row["record"]["running"]), (&3.into(), &().into()));
    let (_, info) = ask(&directory, &["info", &id]);
    assert!(info.contains("whole, as it was saved"), "{info}");
}

#[test]
fn output_of_a_running_command_is_removed_only_by_force() {
    let (running, id) = running(&format!("seq 1 3000; : > ready; {WAIT}"));
    let directory = running.test.dir.path().to_owned();
    let rm = |words: &[&str]| {
        let mut command = program(&directory);
        let output = command.arg("rm").args(words).current_dir(&directory).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = rm(&["last"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("still runs") && said.contains("hint: `overspill rm --force "), "{said}");
    let (code, said) = rm(&["--all"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("kept ") && said.contains("still runs"), "{said}");
    assert!(row(&directory)["id"].as_str().unwrap().contains(&id));
    assert_eq!(rm(&["--force", &id]).0, Some(0));
    go(&running);
    running.end().code(0);
}

#[test]
fn follow_prints_new_output_until_the_command_ends() {
    let script = format!("seq 1 3000; : > ready; {WAIT}; echo later");
    let (running, id) = running(&script);
    let directory = running.test.dir.path().to_owned();
    let follow = |words: &[&str]| {
        let mut command = program(&directory);
        command.args(["read", "--follow", &id]).args(words);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let (mut all, mut tail) = (follow(&[]), follow(&["--tail", "2"]));
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.by_ref().take(2).collect::<Vec<_>>(), ["2999", "3000"]);
    go(&running);
    assert_eq!(lines.collect::<Vec<_>>(), ["later"]);
    assert!(tail.wait().unwrap().success());
    let mut text = String::new();
    all.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, format!("{}later\n", numbered(3000)));
    assert!(all.wait().unwrap().success());
    running.end().code(0);
}

#[test]
fn output_of_a_killed_process_is_readable_and_cut_short() {
    let script = format!("trap '' PIPE; seq 1 3000; : > ready; {WAIT}");
    let (mut running, id) = running(&script);
    let directory = running.test.dir.path().to_owned();
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    let (_, list) = ask(&directory, &["list"]);
    assert!(list.contains(" cut short ") && !list.contains("running"), "{list}");
    let (_, page) = ask(&directory, &["read", &id, "--tail", "2"]);
    assert!(page.starts_with("2999\n3000\n") && page.contains("cut short"), "{page}");
    let mut follow = program(&directory);
    let output = follow.args(["read", "--follow", "--tail", "1", &id]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3000\n");
    go(&running);
}

#[test]
fn record_that_claims_to_run_is_not_believed() {
    let done = crate::program::saved_run();
    let directory = done.test.dir.path();
    let record = directory.join(format!("store/.overspill/records/{}.record", done.id()));
    let mut bytes = fs::read(&record).unwrap();
    bytes.extend_from_slice(b"\n{\"running\":true,\"cut_short\":true}\n");
    fs::write(&record, &bytes).unwrap();
    let row_of = || row(directory)["record"].clone();
    assert_eq!((&row_of()["running"], &row_of()["cut_short"]), (&().into(), &().into()));
    // The record has no seal, so it may be incomplete, and no process writes it.
    fs::write(&record, b"\n{\"running\":true}\n").unwrap();
    assert_eq!((&row_of()["running"], &row_of()["cut_short"]), (&().into(), &true.into()));
}

/// Starts a command in the shell slot of Codex, which reads a pipe.
fn slot(script: &str) -> (tempfile::TempDir, Child) {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.args(["sh", "-c", script]).env("CODEX_THREAD_ID", "1").current_dir(dir.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    (dir, child)
}

fn rest(child: &mut Child, reader: &mut impl Read) -> (String, Option<i32>) {
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    (text, child.wait().unwrap().code())
}

#[test]
fn start_of_a_large_output_and_its_id_are_shown_while_the_command_runs() {
    for words in [["sh", "-c"].as_slice(), &["run", "--", "sh", "-c"]] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = program(dir.path());
        let script = format!("seq 1 30000; {WAIT}; seq 30001 30100; exit 5");
        command.args(words).arg(script).env("CODEX_THREAD_ID", "1").current_dir(dir.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut shown = String::new();
        while !shown.contains("still running") {
            assert!(reader.read_line(&mut shown).unwrap() > 0, "{shown}");
        }
        assert!(shown.starts_with("1\n2\n3\n") && shown.len() < 51_200 / 4, "{shown}");
        let pointer = shown.lines().last().unwrap();
        let id = pointer.split_once("read ").unwrap().1.split(' ').next().unwrap();
        let (_, page) = ask(dir.path(), &["read", id, "--tail", "1"]);
        assert!(page.starts_with("30000\n"), "{page}");
        fs::write(dir.path().join("go"), "").unwrap();
        let (end, code) = rest(&mut child, &mut reader);
        assert_eq!(code, Some(5));
        assert!(end.starts_with("[overspill ") && end.ends_with("\n30100\n"), "{end}");
        // The start is not shown twice.
        assert!(!end.contains("\n1\n2\n3\n"), "{end}");
        let most = if words.len() == 2 { 9_500 } else { 51_200 };
        assert!(shown.len() + end.len() <= most, "{} and {}", shown.len(), end.len());
    }
}

#[test]
fn updates_of_a_running_command_come_at_intervals() {
    // The first output is short, so the rest of it comes without a mark. The second is long, so
    // only its newest lines come.
    let (small, mut small_child) = slot(&format!("seq -w 1 1000; {WAIT}; echo end"));
    let news = "while [ ! -e news ]; do sleep 0.02; done; seq 50001 50100";
    let (large, mut large_child) = slot(&format!("seq 1 30000; {news}; {WAIT}; echo end"));
    let mut reader = BufReader::new(small_child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with("\n1000\n") {
        assert!(reader.read_line(&mut text).unwrap() > 0, "{text}");
    }
    fs::write(small.path().join("go"), "").unwrap();
    text += &rest(&mut small_child, &mut reader).0;
    let expected: String = (1..=1000).map(|n| format!("{n:04}\n")).collect();
    assert_eq!(text, format!("{expected}end\n"));
    assert!(!small.path().join("store").exists());

    let mut reader = BufReader::new(large_child.stdout.take().unwrap());
    let mut text = String::new();
    for wanted in ["\n30000\n[overspill ", "\n50100\n[overspill "] {
        while !text.contains(wanted) {
            assert!(reader.read_line(&mut text).unwrap() > 0, "{text}");
        }
        fs::write(large.path().join("news"), "").unwrap();
    }
    assert!(text.contains("still running, 30,100 lines so far"), "{text}");
    fs::write(large.path().join("go"), "").unwrap();
    text += &rest(&mut large_child, &mut reader).0;
    assert!(text.ends_with("\n50100\nend\n") && text.len() <= 9_500, "{}", text.len());
}

#[test]
fn short_output_of_a_running_command_comes_as_it_is_written_to_both_streams() {
    let script = format!("echo one; echo two >&2; {WAIT}; echo three; echo four >&2; exit 6");
    let (dir, mut child) = slot(&script);
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let (mut out, mut err) = (String::new(), String::new());
    reader.read_line(&mut out).unwrap();
    errors.read_line(&mut err).unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("one\n", "two\n"));
    fs::write(dir.path().join("go"), "").unwrap();
    errors.read_to_string(&mut err).unwrap();
    let (out, code) = rest(&mut child, &mut reader);
    assert_eq!((out.as_str(), err.as_str(), code), ("three\n", "two\nfour\n", Some(6)));
    assert!(!dir.path().join("store").exists());
}

#[test]
fn command_in_the_background_adds_no_line_of_overspill() {
    for words in [["sh", "-c"].as_slice(), &["run", "--", "sh", "-c"]] {
        let words = [words, &["(sleep 20; echo late > late) & echo started"]].concat();
        let dir = tempfile::tempdir().unwrap();
        let mut command = program(dir.path());
        command.args(words).current_dir(dir.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"started\n"[..], &b""[..]));
    }
}

#[test]
fn output_so_far_is_shown_when_a_signal_asks_overspill_to_end() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let traps = "trap '' TERM INT HUP";
        let script = format!("{traps}; seq 1 3000; : > ready; {WAIT}; exit 4");
        let (dir, mut child) = slot(&script);
        while !dir.path().join("ready").exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut shown = String::new();
        // The command still runs, and waits for the file `go`.
        while !shown.ends_with("\n3000\n") {
            assert!(reader.read_line(&mut shown).unwrap() > 0, "{shown}");
        }
        fs::write(dir.path().join("go"), "").unwrap();
        assert_eq!(rest(&mut child, &mut reader), (String::new(), Some(4)));
        let record = row(dir.path())["record"].clone();
        assert_eq!((&record["exit"], &record["interrupted"]), (&4.into(), &true.into()));
    }
}

/// A task of Claude Code, which gives each command a file for its output.
struct Task {
    dir: tempfile::TempDir,
    child: Child,
}

const TASK: &str = "b1x2y3z4w";

impl Task {
    fn start(script: &str) -> Task {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join(format!("tmp/-work/session/tasks/{TASK}.output"));
        fs::create_dir_all(output.parent().unwrap()).unwrap();
        let file = fs::File::create(&output).unwrap();
        let link = dir.path().join("overspill-sh");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_overspill"), &link).unwrap();
        let mut command = Command::new(&link);
        for (name, value) in program(dir.path()).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let cwd = dir.path().join("cwd");
        let frame = format!("true && eval '{script}' && pwd -P >| {}", cwd.display());
        command.arg(frame).env("CLAUDECODE", "1").env_remove("CLAUDE_CONFIG_DIR");
        command.current_dir(dir.path()).stdin(Stdio::null());
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let child = command.spawn().unwrap();
        Task { dir, child }
    }

    fn output(&self) -> String {
        let path = self.dir.path().join(format!("tmp/-work/session/tasks/{TASK}.output"));
        fs::read_to_string(path).unwrap()
    }

    fn wait_for(&self, text: &str) {
        for _ in 0..2000 {
            if self.output().ends_with(text) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{text} never came: {:?}", self.output());
    }

    /// Notes, like the host, that the task is in the background.
    fn move_to_background(&self) {
        let log = self.dir.path().join(".claude/projects/-work/session.jsonl");
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(log, format!("{{\"content\":\"running in background with ID: {TASK}.\"}}\n"))
            .unwrap();
    }

    fn end(mut self) -> (String, Option<i32>) {
        fs::write(self.dir.path().join("go"), "").unwrap();
        let code = self.child.wait().unwrap().code();
        (self.output(), code)
    }
}

#[test]
fn file_of_a_task_that_a_host_waits_for_has_everything_and_then_the_preview() {
    let task = Task::start(&format!("seq 1 30000; {WAIT}; echo end >&2; (exit 3)"));
    task.wait_for("\n30000\n");
    assert_eq!(task.output(), numbered(30_000));
    let (text, code) = task.end();
    assert_eq!(code, Some(3));
    assert!(text.starts_with("[overspill ") && text.ends_with("\n30000\nend\n"), "{text}");
    assert!(text.len() <= 9_500, "{}", text.len());
    let task = Task::start("echo small; echo err >&2");
    assert_eq!(task.end(), ("small\nerr\n".into(), Some(0)));
}

#[test]
fn file_of_a_task_in_the_background_has_everything() {
    let task = Task::start(&format!("seq 1 30000; {WAIT}; echo ERROR: lost"));
    task.wait_for("\n30000\n");
    task.move_to_background();
    let (text, code) = task.end();
    assert_eq!((text, code), (format!("{}ERROR: lost\n", numbered(30_000)), Some(0)));
}

#[test]
fn file_of_a_task_gets_later_lines_of_a_background_job() {
    let mut task = Task::start(&format!("({WAIT}; echo late) & echo started"));
    task.wait_for("started\n");
    assert!(task.child.wait().unwrap().success());
    fs::write(task.dir.path().join("go"), "").unwrap();
    task.wait_for("started\nlate\n");
}

#[test]
fn file_of_a_task_that_is_stopped_keeps_everything() {
    let mut task = Task::start("seq 1 30000; exec sleep 60");
    task.wait_for("\n30000\n");
    kill_process(Pid::from_child(&task.child), Signal::TERM).unwrap();
    task.child.wait().unwrap();
    assert_eq!(task.output(), numbered(30_000));
}

#[test]
fn escape_shows_everything_once() {
    let run = |words: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        let mut command = program(dir.path());
        let output = command.args(words).env("CODEX_THREAD_ID", "1").output().unwrap();
        Done { test: Test { dir, args: vec![], stdin: vec![] }, output }
    };
    let all = numbered(30_000);
    let off = ["sh", "-c", "OVERSPILL=off seq 1 30000; exit 3"];
    run(&off).code(3).stdout(&all).nothing_saved();
    run(&["run", "--all", "--", "seq", "1", "30000"]).code(0).stdout(&all);
    // The same applies inside a slot: the slot leaves the line alone.
    let line = format!("{} run --all -- seq 1 30000", env!("CARGO_BIN_EXE_overspill"));
    run(&["sh", "-c", &line]).code(0).stdout(&all);
    let done = run(&["sh", "-c", "echo OVERSPILL=off; seq 1 30000"]).code(0);
    assert!(done.text().contains("[overspill "));
}
