//! The program from outside: what is typed, what is printed, what is left behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A store of its own, and the program with it.
struct Test {
    dir: tempfile::TempDir,
    args: Vec<String>,
    stdin: Vec<u8>,
}

struct Done {
    test: Test,
    output: Output,
}

impl Test {
    fn new(args: &[&str]) -> Test {
        let dir = tempfile::tempdir().unwrap();
        Test { dir, args: args.iter().map(|arg| (*arg).to_owned()).collect(), stdin: Vec::new() }
    }

    fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Test {
        self.stdin = bytes.into();
        self
    }

    #[track_caller]
    fn run(self) -> Done {
        let mut child = Command::new(env!("CARGO_BIN_EXE_overspill"))
            .args(&self.args)
            .env("OVERSPILL_DIR", self.dir.path().join("store"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = self.stdin.clone();
        // A command that reads nothing closes the pipe on us.
        let feeder = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Done { test: self, output }
    }
}

impl Done {
    #[track_caller]
    fn code(self, code: i32) -> Done {
        assert_eq!(self.output.status.code(), Some(code), "{:?}", self.output);
        self
    }

    #[track_caller]
    fn stdout(self, expected: impl AsRef<[u8]>) -> Done {
        assert_eq!(self.text(), String::from_utf8_lossy(expected.as_ref()));
        self
    }

    #[track_caller]
    fn stderr_contains(self, expected: &str) -> Done {
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        assert!(stderr.contains(expected), "{stderr}");
        self
    }

    #[track_caller]
    fn saved(self, expected: impl AsRef<[u8]>) -> Done {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(fs::read(&files[0]).unwrap() == expected.as_ref(), "the copy differs");
        self
    }

    #[track_caller]
    fn nothing_saved(self) -> Done {
        assert_eq!(self.files(), [] as [PathBuf; 0]);
        self
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.test.dir.path().join("store")) else { return vec![] };
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }
}

fn numbered(lines: u32) -> String {
    (1..=lines).map(|n| format!("{n}\n")).collect()
}

#[test]
fn what_fits_passes_through() {
    Test::new(&["cut"])
        .stdin("a\0\x1b[31mb\r\n")
        .run()
        .code(0)
        .stdout("a\0\x1b[31mb\r\n")
        .nothing_saved();
    Test::new(&["cut"]).run().code(0).stdout("").nothing_saved();
    Test::new(&["run", "--", "printf", "x"]).run().code(0).stdout("x").nothing_saved();
}

#[test]
fn a_long_output_keeps_both_ends_and_is_saved() {
    let done = Test::new(&["cut", "--max-lines", "6"]).stdin(numbered(5000)).run().code(0);
    let text = done.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("[overspill "), "{text}");
    assert!(
        lines[0].contains(": 23,893 bytes in 5,000 lines; 4 lines shown. All of it: "),
        "{text}"
    );
    assert_eq!(lines[1..3], ["1", "2"]);
    assert!(lines[3].contains("lines 3–4,998 not shown (23,879 bytes)"), "{text}");
    assert_eq!(lines[4..], ["4999", "5000"]);
    done.saved(numbered(5000));
}

#[test]
fn every_limit_holds() {
    let cut = |flag: &str, most: u64| {
        let done = Test::new(&["cut", flag, &most.to_string()]).stdin(numbered(5000)).run();
        done.code(0).saved(numbered(5000)).text()
    };
    assert!(cut("--max-bytes", 300).len() <= 300);
    assert!(cut("--max-chars", 300).chars().count() <= 300);
    assert!(cut("--max-lines", 7).lines().count() <= 7);
    // A token of digits has at most three of them, and there is little else here.
    assert!(cut("--max-tokens", 150).len() <= 4 * 150);
    let done =
        Test::new(&["cut", "--keep", "tail", "--max-bytes", "1KiB"]).stdin(numbered(5000)).run();
    assert!(done.text().len() <= 1024 && done.text().ends_with("\n5000\n"));
    let none = Test::new(&["cut", "--max-lines", "none"]).stdin(numbered(5000)).run();
    none.stdout(numbered(5000)).nothing_saved();
}

#[test]
fn a_limit_of_zero_shows_nothing_and_loses_nothing() {
    Test::new(&["cut", "--max-bytes", "0"]).stdin("text").run().code(0).stdout("").saved("text");
}

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

/// Runs `args` in the store of another run.
impl Done {
    #[track_caller]
    fn then(&self, args: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_overspill"))
            .args(args)
            .env("OVERSPILL_DIR", self.test.dir.path().join("store"))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    fn id(&self) -> String {
        self.files()[0].file_stem().unwrap().to_str().unwrap().to_owned()
    }
}

fn saved_run() -> Done {
    Test::new(&["run", "--", "sh", "-c", "seq 1 5000; exit 3"]).run().code(3)
}

#[test]
fn read_shows_a_page_and_the_command_for_the_next() {
    let done = saved_run();
    let id = done.id();
    let (code, page, _) = done.then(&["read", &id, "--lines", "3:5"]);
    let token = id[20..].to_lowercase();
    let next = format!("{} read {id} --lines 6:8", env!("CARGO_BIN_EXE_overspill"));
    assert_eq!(page, format!("3\n4\n5\n[overspill {token}: lines 3–5 of 5000; next: {next}]\n"));
    assert_eq!(code, 0);
    let (_, first, _) = done.then(&["read", &id]);
    assert!(first.len() <= 51_200 && first.lines().count() <= 2000);
    assert!(first.ends_with(&format!(" read {id} --lines 2000:3998]\n")), "{first}");
    let (_, tail, _) = done.then(&["read", &id, "--tail", "2"]);
    assert!(tail.starts_with("4999\n5000\n["), "{tail}");
    let (_, beyond, _) = done.then(&["read", &id, "--lines", "9000:9001"]);
    assert_eq!(beyond, format!("[overspill {token}: there are 5000 lines]\n"));
    let (_, raw, _) = done.then(&["read", &id, "--raw"]);
    assert_eq!(raw, numbered(5000));
}

#[test]
fn an_output_is_named_by_id_beginning_or_path() {
    let done = saved_run();
    let path = done.files()[0].to_str().unwrap().to_owned();
    for name in [done.id(), done.id()[..12].to_lowercase(), path] {
        let (code, text, error) = done.then(&["read", &name, "--lines", "1:1"]);
        assert!(code == 0 && text.starts_with("1\n["), "{name}: {error}");
    }
    done.then(&["run", "--", "seq", "1", "5000"]);
    let (code, _, error) = done.then(&["read", "0"]);
    assert!(code == 1 && error.contains("0 is the beginning of 2 outputs: 0"), "{error}");
    let (code, _, error) = done.then(&["read", "no-such-id"]);
    assert!(code == 1 && error.contains("there is no output no-such-id"), "{error}");
    let (code, _, error) = done.then(&["read", &done.id(), "--lines", "5:1"]);
    assert!(code == 2 && error.contains("expected two numbers"), "{error}");
}

#[test]
fn list_info_pin_and_rm_speak_of_what_is_saved() {
    let done = saved_run();
    let id = done.id();
    let (_, list, _) = done.then(&["list"]);
    assert!(list.starts_with(&id) && list.contains("23.3 KiB") && list.contains("   3 "), "{list}");
    assert!(list.trim_end().ends_with("sh -c seq 1 5000; exit 3"), "{list}");
    let (_, info, _) = done.then(&["info", &id]);
    assert!(info.contains("state      whole, as it was saved"), "{info}");
    done.then(&["pin", &id]);
    let (_, json, _) = done.then(&["list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["pinned"], &json["record"]["exit"]), (&true.into(), &3.into()));
    assert_eq!(done.then(&["gc"]).1, "0 removed (0 B), 1 kept\n");
    assert_eq!(done.then(&["rm", &id]).0, 0);
    assert_eq!(done.then(&["list"]).1, "nothing is saved\n");
    assert_eq!(done.then(&["rm", &id]).0, 1);
}

#[test]
fn what_has_expired_is_remembered() {
    let done = saved_run();
    let id = done.id();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    fs::File::options().write(true).open(&done.files()[0]).unwrap().set_modified(old).unwrap();
    assert_eq!(done.then(&["gc"]).1, "1 removed (23.3 KiB), 0 kept\n");
    let (code, _, error) = done.then(&["read", &id]);
    assert!(code == 1 && error.contains(&format!("{id} expired on ")), "{error}");
    assert!(error.contains("it was 23.3 KiB of `sh -c seq 1 5000; exit 3`"), "{error}");
}

#[test]
fn the_commands_in_a_notice_work_as_printed() {
    let done = Test::new(&["run", "--max-lines", "8", "--", "seq", "1", "5000"]).run().code(0);
    let text = done.text();
    let gap = text.lines().find(|line| line.contains("not shown")).unwrap();
    let command = gap.split_once("): ").unwrap().1.trim_end_matches(']');
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], env!("CARGO_BIN_EXE_overspill"));
    let (code, page, error) = done.then(&words[1..]);
    assert!(code == 0 && page.starts_with("4\n5\n6\n"), "{command}: {error}");
}

#[test]
fn grep_finds_lines_as_ripgrep_shows_them() {
    let done = saved_run();
    let id = done.id();
    assert_eq!(done.then(&["grep", "^49[89]$", &id]).1, "498:498\n499:499\n");
    let around = done.then(&["grep", "-C", "1", "-F", "2500", &id]).1;
    assert_eq!(around, "2499-2499\n2500:2500\n2501-2501\n");
    assert_eq!(done.then(&["grep", "-c", "7", &id]).1, "1355\n");
    assert_eq!(done.then(&["grep", "-m", "2", "."]).1, "1:1\n2:2\n");
    let (code, text, _) = done.then(&["grep", "no such line", &id]);
    assert_eq!((code, text.as_str()), (1, ""));
    let (code, _, error) = done.then(&["grep", "a(b", &id]);
    assert!(code == 2 && error.contains("unclosed group"), "{error}");
}

#[test]
fn grep_is_bounded_and_its_last_line_leads_on() {
    let done = saved_run();
    let mut args: Vec<String> = vec!["grep".into(), "-i".into(), "[0-9]".into(), done.id()];
    let mut seen = 0;
    for _ in 0..9 {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, page, error) = done.then(&words);
        assert!(code == 0 && page.len() <= 51_200 && page.lines().count() <= 2000, "{error}");
        seen += page.lines().filter(|line| !line.starts_with('[')).count();
        let Some((_, next)) = page.split_once("; next: ") else { break };
        let next = next.trim_end().trim_end_matches(']').replace('\'', "");
        args = next.split(' ').skip(1).map(str::to_owned).collect();
    }
    assert_eq!(seen, 5000);
}

#[test]
fn grep_stays_bounded_with_a_long_pattern_and_many_outputs() {
    let done = saved_run();
    for _ in 0..3 {
        done.then(&["run", "--", "seq", "1", "5000"]);
    }
    let pattern = format!("[0-9]|{}", "x".repeat(20_000));
    let (code, page, error) = done.then(&["grep", &pattern]);
    assert!(code == 0 && page.len() <= 51_200 && page.lines().count() <= 2000, "{error}");
    assert!(page.contains("3 more outputs not searched; next: "), "{}", &page[page.len() - 200..]);
    let (_, counts, _) = done.then(&["grep", "-c", "7"]);
    assert_eq!(counts.lines().filter(|line| line.ends_with(":1355")).count(), 4);
    let (_, first, _) = done.then(&["grep", "-m", "3000", ".", &done.id()]);
    let next = first.lines().last().unwrap();
    let shown = first.lines().count() as u64 - 1;
    assert!(next.contains(&format!(" -m {} ", 3000 - shown)), "{next}");
}
