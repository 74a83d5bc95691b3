//! Failures that a pipe hides, with a real bash.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::program::{outputs, program};

mod capture;
mod ctrl_c;
mod random;
mod reported;
mod zsh;

const BASH: &str = "/bin/bash";

/// Runs a line in its own directory, without overspill.
fn plain(line: &str) -> Seen {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(BASH);
    command.args(["-c", line]);
    Seen::of(&mut command, dir.path())
}

/// Runs the same line through `overspill sh`, with a setting.
fn ours(line: &str, mode: &str) -> Seen {
    let dir = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.args(["sh", "--shell", BASH, "-c", line]).env("OVERSPILL_PIPELINES", mode);
    let mut seen = Seen::of(&mut command, dir.path());
    seen.saved = saved(home.path());
    seen
}

/// Returns the saved outputs.
fn saved(home: &Path) -> Vec<Vec<u8>> {
    outputs(&home.join("store")).iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// The visible results of a line.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    code: Option<i32>,
    signal: Option<i32>,
    stdout: String,
    stderr: String,
    files: Vec<String>,
    notice: Option<String>,
    saved: Vec<Vec<u8>>,
}

impl Seen {
    fn of(command: &mut Command, dir: &Path) -> Seen {
        use std::os::unix::process::ExitStatusExt;
        let output: Output = command
            .current_dir(dir)
            .env("TZ", "UTC")
            .env_remove("BASH_ENV")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_notice = |line: &&str| line.starts_with("[overspill: ");
        let notice = stdout.lines().find(is_notice).map(str::to_owned);
        let stdout = stdout.split_inclusive('\n').filter(|line| !is_notice(line)).collect();
        let mut files: Vec<String> = std::fs::read_dir(dir)
            .unwrap()
            .flatten()
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .collect();
        files.sort();
        Seen {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout,
            stderr: without_numbers_of_processes(&String::from_utf8_lossy(&output.stderr)),
            files,
            notice,
            saved: Vec::new(),
        }
    }

    /// Returns the result without a notice, and without the line break that may stand before it.
    fn without_notice(self, plain: &Seen) -> Seen {
        let stdout = match self.stdout.strip_suffix('\n') {
            Some(stdout) if self.notice.is_some() && plain.stdout == stdout => stdout.to_owned(),
            _ => self.stdout,
        };
        Seen { notice: None, saved: Vec::new(), stdout, ..self }
    }

    /// Returns the exit code that the notice reports.
    fn reported(&self) -> Option<i32> {
        let (_, rest) = self.notice.as_ref()?.split_once("exited with code ")?;
        rest.split(';').next()?.parse().ok()
    }
}

/// Replaces times and process ids, which differ between two runs.
fn without_numbers_of_processes(text: &str) -> String {
    let is_time = |word: &str| word.ends_with('s') && word.contains('.') && word.contains('m');
    text.lines()
        .map(|line| match line.split_whitespace().last() {
            // zsh words its times in this way.
            Some("total") if line.contains("% cpu") => "TIME\n".to_owned(),
            Some(word) if is_time(word) => "TIME\n".to_owned(),
            _ => {
                let words = line.split(' ').map(|word| {
                    if word.len() > 2 && word.chars().all(|char| char.is_ascii_digit()) {
                        "N"
                    } else {
                        word
                    }
                });
                words.collect::<Vec<_>>().join(" ") + "\n"
            }
        })
        .collect()
}

#[test]
fn early_reader_is_told_from_a_failure_by_the_capture() {
    // Everything had arrived when the reader left.
    let line = "sh -c 'seq 9; exit 3' | head -3";
    assert_eq!(ours(line, "status").reported(), None);
    let seen = ours("sh -c 'seq 9; exit 3' | (sleep 0.3; head -3)", "full");
    assert_eq!(seen.reported(), Some(3), "{seen:?}");
    // Python turns the broken pipe into its own error.
    let line = "python3 -c 'for i in range(300000): print(i)' 2>&1 | head -2";
    assert_eq!(ours(line, "full").reported(), None);
}

#[test]
fn lines_behave_as_without_overspill() {
    let lines = include_str!("../../data/pipelines/lines.txt");
    let lines: Vec<String> = lines.split("\n%%\n").map(|line| line.trim_end().to_owned()).collect();
    assert!(lines.len() > 80, "{}", lines.len());
    let long = format!("x=\"{}\"; echo ${{#x}} | cat; false | cat", "a".repeat(90_000));
    let mut differences = Vec::new();
    for line in lines.iter().chain([&long]) {
        let expected = plain(line);
        for mode in ["status", "full"] {
            let seen = ours(line, mode).without_notice(&expected);
            if seen != expected {
                let short: String = line.chars().take(200).collect();
                differences.push(format!("{mode}: {short}\n{seen:?}\n{expected:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn first_stage_is_saved_and_the_command_in_the_notice_reads_it() {
    let seen = ours("sh -c 'seq 1 5000; echo error: bad >&2; exit 101' 2>&1 | tail -2", "full");
    let expected: String =
        (1..=5000).map(|at| format!("{at}\n")).chain(["error: bad\n".into()]).collect();
    assert_eq!(seen.saved, [expected.into_bytes()]);
    let notice = seen.notice.unwrap();
    assert!(
        notice.contains(
            "exited with code 101; the exit code 0 is `tail`'s. Its 5,001 lines are saved: "
        ),
        "{notice}"
    );
    assert!(notice.ends_with(']') && notice.contains(" read "), "{notice}");
    assert_eq!(seen.stdout, "5000\nerror: bad\n");
}

#[test]
fn successful_short_line_saves_nothing() {
    for line in ["seq 1 100000 | tail -1", "seq 1 100000 | head -1", "true | cat"] {
        let seen = ours(line, "full");
        assert_eq!((seen.notice, seen.saved.len()), (None, 0), "{line}");
    }
}

#[test]
fn long_first_stage_is_saved_although_nothing_failed() {
    let seen = ours("(sleep 2.1; seq 1 20000) | tail -1", "full");
    assert_eq!(seen.saved.len(), 1);
    let notice = seen.notice.unwrap();
    assert!(
        notice
            .starts_with("[overspill: all 20,000 lines of `(sleep 2.1; seq 1 20000)` are saved: "),
        "{notice}"
    );
}

#[test]
fn writer_ends_when_its_reader_leaves() {
    for line in ["yes | head -1", "touch f; echo x > f; tail -f f | head -1"] {
        let seen = ours(line, "full");
        assert_eq!((seen.code, seen.stdout.len()), (Some(0), 2), "{line}");
    }
}

#[test]
fn capture_stops_at_the_largest_output_and_passes_everything_on() {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.args(["sh", "--shell", BASH, "-c", "sh -c 'seq 1 200000; exit 2' | tail -1"]);
    command.env("OVERSPILL_PIPELINES", "full").env("OVERSPILL_MAX_OUTPUT", "100000");
    let seen = Seen::of(&mut command, home.path());
    assert_eq!((seen.stdout.as_str(), seen.reported()), ("200000\n", Some(2)));
    assert!(saved(home.path())[0].len() <= 300_000);
}

#[test]
fn notice_is_within_the_limits() {
    for size in [9_350, 9_450, 9_500, 20_000] {
        let line = format!("head -c {size} /dev/zero | tr '\\0' 'x'; sh -c 'exit 101' | tail -1");
        let home = tempfile::tempdir().unwrap();
        let mut command = program(home.path());
        command
            .args(["sh", "--shell", BASH, "-c", &line])
            .current_dir(home.path())
            .stdin(Stdio::null());
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(text.chars().count() <= 9_500, "{size}: {}", text.chars().count());
        assert!(text.contains("exited with code 101"), "{size}: {text}");
    }
}

#[test]
fn frames_of_hosts_are_watched() {
    let claude = "eval 'false | tail -5' < /dev/null && pwd -P >| cwd";
    let gemini = "_bgpids_file=pids\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nfalse | tail -5\n)\n__code=$?\nexit $__code";
    let codex =
        "__CODEX_SNAPSHOT_A=\"${BASH_ENV+x}\"\nexec '/bin/bash' -c 'false | tail -5' /bin/bash ";
    for line in [claude, gemini, codex] {
        for mode in ["status", "full"] {
            let seen = ours(line, mode);
            assert_eq!(seen.reported(), Some(1), "{mode}: {line}: {seen:?}");
            let expected = plain(line);
            assert_eq!(seen.without_notice(&expected), expected, "{mode}: {line}");
        }
    }
    for (inner, code) in [
        ("seq 3 | grep zzz", 1),
        ("false | cat; exit 4", 4),
        ("echo a | cat; nosuch", 127),
        ("IFS=0; false | tail -1; echo x", 0),
    ] {
        let line = format!("eval '{inner}' < /dev/null && pwd -P >| cwd");
        let expected = plain(&line);
        let seen = ours(&line, "full").without_notice(&expected);
        assert_eq!(seen.code, Some(code));
        assert_eq!(seen, expected, "{line}");
    }
}

#[test]
fn escaped_line_break_between_words_is_understood() {
    let line = "eval 'sh -c \"exit 3\" \\\n -x | tail -5' < /dev/null && pwd -P >| cwd";
    for mode in ["status", "full"] {
        let seen = ours(line, mode);
        assert_eq!(seen.reported(), Some(3), "{mode}: {seen:?}");
        assert!(seen.notice.as_ref().unwrap().contains("`sh -c \"exit 3\" -x`"), "{seen:?}");
        let expected = plain(line);
        assert_eq!(seen.without_notice(&expected), expected, "{mode}");
    }
}

#[test]
fn empty_variable_that_changes_bash_is_noticed() {
    for name in ["POSIXLY_CORRECT", "BASH_ENV"] {
        let home = tempfile::tempdir().unwrap();
        let mut command = program(home.path());
        command.args(["sh", "--shell", BASH, "-c", "env | grep ^BASH_EN | cat"]);
        command.env("OVERSPILL_PIPELINES", "full").env_remove("BASH_ENV").env(name, "");
        let output = command.current_dir(home.path()).stdin(Stdio::null()).output().unwrap();
        let expected = if name == "BASH_ENV" { "BASH_ENV=\n" } else { "" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}");
    }
}

#[test]
fn few_file_descriptors_are_left_to_the_command() {
    for most in 7..14 {
        let home = tempfile::tempdir().unwrap();
        let inner = program(home.path());
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {most}; exec \"$@\""), "sh"]);
        command.arg(inner.get_program()).args([
            "sh",
            "--shell",
            BASH,
            "-c",
            "echo a | cat; false | cat",
        ]);
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let full = Seen::of(command.env("OVERSPILL_PIPELINES", "full"), home.path());
        let off = Seen::of(command.env("OVERSPILL_PIPELINES", "off"), home.path());
        assert_eq!((&full.code, &full.stdout), (&off.code, &off.stdout), "{most}: {full:?}");
    }
}

#[test]
fn line_with_a_start_file_of_the_user_is_not_watched() {
    let home = tempfile::tempdir().unwrap();
    let start = home.path().join("start.sh");
    std::fs::write(&start, "mine=yes\n").unwrap();
    let line = "echo $mine | cat; bash -c 'echo $mine' | cat; env | grep start.sh; false | cat";
    let mut seen = Vec::new();
    for is_ours in [false, true] {
        let mut command = match is_ours {
            true => program(home.path()),
            false => Command::new(BASH),
        };
        if is_ours {
            command.args(["sh", "--shell", BASH]).env("OVERSPILL_PIPELINES", "full");
        }
        command
            .args(["-c", line])
            .env("BASH_ENV", &start)
            .current_dir(home.path())
            .stdin(Stdio::null());
        seen.push(String::from_utf8(command.output().unwrap().stdout).unwrap());
    }
    let (without, with) = (&seen[0], &seen[1]);
    // The file may set its own traps, so the line is not watched.
    assert_eq!(with, without);
}

#[test]
fn lines_of_other_shells_are_not_watched() {
    for shell in ["/bin/dash", "/bin/sh"] {
        if !Path::new(shell).exists() {
            println!("skipped: {shell} is not installed");
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        let mut command = program(home.path());
        command.args(["sh", "--shell", shell, "-c", "false | cat; echo ${BASH_ENV-unset}"]);
        let seen = Seen::of(&mut command, home.path());
        assert_eq!((seen.stdout.as_str(), seen.notice), ("unset\n", None), "{shell}");
    }
}

#[test]
fn record_contains_the_exit_codes_of_the_stages() {
    let home = tempfile::tempdir().unwrap();
    let overspill = |args: &[&str]| {
        let mut command = program(home.path());
        let output =
            command.args(args).current_dir(home.path()).stdin(Stdio::null()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    overspill(&["sh", "--shell", BASH, "-c", "sh -c 'seq 1 20000; exit 3' | cat"]);
    let listed = overspill(&["list", "--json"]);
    assert!(listed.contains(r#""pipelines":[{"stages":[{"command":"sh -c 'seq 1 20000; exit 3'","exit":3},{"command":"cat","exit":0}]}]"#), "{listed}");
    let table = overspill(&["list"]);
    assert!(table.contains("0 (3|0)"), "{table}");
}
