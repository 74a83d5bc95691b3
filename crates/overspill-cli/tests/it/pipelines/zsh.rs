//! Failures that a pipe hides, with a real zsh. There overspill watches only the exit codes.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::Seen;
use crate::program::{program, skip};

const ZSH: &str = "/usr/bin/zsh";

fn has_zsh() -> bool {
    let is_there = Path::new(ZSH).exists();
    if !is_there {
        skip("zsh is not installed");
    }
    is_there
}

/// Runs a line with zsh alone, or through `overspill sh`. Both have the same home directory.
fn seen(line: &str, mode: Option<&str>, home: &Path) -> Seen {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(home);
    if let Some(mode) = mode {
        command.args(["sh", "--shell", ZSH]).env("OVERSPILL_PIPELINES", mode);
    } else {
        let inner = command;
        command = Command::new(ZSH);
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }
    command.args(["-c", line]).env("HOME", home);
    Seen::of(&mut command, dir.path())
}

/// The lines, and the exit code that overspill must report.
const REPORTED: &[(&str, Option<i32>)] = &[
    ("sh -c 'seq 9; exit 101' 2>&1 | tail -5", Some(101)),
    ("false | cat", Some(1)),
    ("true | cat", None),
    ("yes | head -1", None),
    ("cd / && sh -c 'exit 6' | cat", Some(6)),
    ("sh -c 'exit 3' | cat || exit 5", Some(3)),
    ("sh -c 'exit 3' | cat || true", None),
    ("sh -c 'exit 3' | cat; exit 4", Some(3)),
    ("false | cat; echo $?", Some(1)),
    ("false |& cat", Some(1)),
    ("seq 1 10 | grep zzz | cat", None),
    ("! false | true", None),
    ("false | false", None),
    ("grep zzz /dev/null | wc -l; sh -c 'exit 1' | tail -1", Some(1)),
    ("grep zzz /dev/null | wc -l; true | cat", None),
    ("setopt pipefail; false | cat", None),
    ("(false | cat)", None),
    ("x=$(false | cat); echo $x | cat", None),
    ("g() { false | cat; echo x; }; g | cat", None),
    ("sh -c 'exit 3' | cat & wait", None),
    ("for i in 1 2; do false | cat; done; echo x", None),
    // The first 300 commands are watched.
    ("sh -c 'exit 3' | cat; repeat 400 :; sh -c 'exit 4' | cat", Some(3)),
    ("repeat 400 :; sh -c 'exit 4' | cat", None),
    // The function is from another file.
    ("echo 'chk() { grep zzz /dev/null; }' > lib.sh; . ./lib.sh; chk | cat", None),
    ("chk() { grep zzz /dev/null; }; \"chk\" | cat", None),
    // zsh would replace itself by a last command that is not a builtin.
    ("false | cat; ls /", None),
];

#[test]
fn zsh_hidden_failures_are_reported_as_in_the_table() {
    if !has_zsh() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (line, expected) in REPORTED {
        for mode in ["status", "full"] {
            let seen = seen(line, Some(mode), home.path());
            if seen.reported() != *expected {
                wrong.push(format!("{mode}: {line}: {seen:?}"));
            }
        }
        assert_eq!(seen(line, Some("off"), home.path()).notice, None, "{line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn zsh_with_traps_in_its_start_file_is_not_watched() {
    if !has_zsh() {
        return;
    }
    for start in ["trap 'echo BYE' EXIT", "TRAPDEBUG() { : }", "setopt xtrace"] {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".zshenv"), format!("{start}\n")).unwrap();
        let line = "sh -c 'exit 3' | tail -1";
        let [ours, plain] = [Some("full"), None].map(|mode| {
            let mut seen = seen(line, mode, home.path());
            // Two stages may write their traces in any order.
            let mut traces: Vec<&str> = seen.stderr.lines().collect();
            traces.sort_unstable();
            seen.stderr = traces.join("\n");
            seen
        });
        assert_eq!(ours, plain, "{start}");
    }
}

#[test]
fn zsh_lines_behave_as_without_overspill() {
    if !has_zsh() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let lines = [
        include_str!("../../data/pipelines/zsh.txt"),
        include_str!("../../data/pipelines/lines.txt"),
    ];
    let lines = lines.iter().flat_map(|lines| lines.split("\n%%\n"));
    let mut differences = Vec::new();
    for line in lines.map(str::trim_end) {
        let claude = format!(
            "true && eval '{}' < /dev/null && pwd -P >| cwd",
            line.replace('\'', r#"'"'"'"#)
        );
        for line in [line, &claude] {
            // Two stages may write their messages in another order, and `jobs` of zsh may show a
            // process that has just ended. So a difference counts only if every run shows it.
            let mut pairs = Vec::new();
            while pairs.len() < 5 && pairs.last().is_none_or(|(seen, expected)| seen != expected) {
                let expected = seen(line, None, home.path());
                pairs.push((
                    seen(line, Some("full"), home.path()).without_notice(&expected),
                    expected,
                ));
            }
            if pairs.iter().all(|(seen, expected)| seen != expected) {
                differences.push(format!("{line}\n{:?}", pairs.first()));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn zsh_reads_the_start_files_of_the_user() {
    if !has_zsh() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let other = home.path().join("other");
    std::fs::create_dir(&other).unwrap();
    for (directory, name) in [(home.path(), "home"), (&other, "other")] {
        for file in [".zshenv", ".zprofile", ".zshrc"] {
            let text = format!("echo {name}{file} ${{ZDOTDIR-unset}} $0\n");
            std::fs::write(directory.join(file), text).unwrap();
        }
    }
    let line = "echo ${ZDOTDIR-unset} | cat; sh -c 'exit 3' | cat";
    for directory in [None, Some(&other)] {
        let run = |mode| {
            let ours = program(home.path());
            let mut command = match mode {
                Some(_) => program(home.path()),
                None => Command::new(ZSH),
            };
            if mode.is_none() {
                for (name, value) in
                    ours.get_envs().filter_map(|(name, value)| Some((name, value?)))
                {
                    command.env(name, value);
                }
            } else {
                command.args(["sh", "--shell", ZSH]);
            }
            command.args(["-l", "-c", line]).env("HOME", home.path()).env_remove("ZDOTDIR");
            if let Some(directory) = directory {
                command.env("ZDOTDIR", directory);
            }
            Seen::of(&mut command, home.path())
        };
        let (expected, seen) = (run(None), run(Some("status")));
        assert_eq!(seen.reported(), Some(3), "{seen:?}");
        assert!(expected.stdout.contains(".zprofile"), "{expected:?}");
        assert_eq!(seen.stdout, expected.stdout);
    }
}

#[test]
fn line_of_run_is_watched_in_zsh() {
    if !has_zsh() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.args(["run", "--shell", "sh -c 'exit 3' | cat"]).env("SHELL", ZSH);
    assert_eq!(Seen::of(&mut command, home.path()).reported(), Some(3));
}

#[test]
fn zsh_prints_no_error_when_overspill_is_gone() {
    if !has_zsh() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let line = "exec 2>errors; kill -9 $PPID; sleep 0.2; false | cat; : > over; echo x | cat";
    let mut command = program(home.path());
    command.args(["sh", "--shell", ZSH, "-c", line]).env("OVERSPILL_PIPELINES", "full");
    assert_eq!(Seen::of(&mut command, home.path()).signal, Some(9));
    while !home.path().join("over").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(std::fs::read_to_string(home.path().join("errors")).unwrap(), "");
}

#[test]
fn frame_of_claude_code_is_watched_in_zsh() {
    if !has_zsh() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    for inner in ["false | tail -5", "false | tail -5; ls", "cd / && false | tail -5; f() { : }"] {
        let line = format!(
            "source /nowhere 2>/dev/null || true && setopt NO_EXTENDED_GLOB 2>/dev/null || true && eval '{inner}' < /dev/null && pwd -P >| cwd"
        );
        let expected = seen(&line, None, home.path());
        let seen = seen(&line, Some("full"), home.path());
        let reported = if inner.contains('{') { None } else { Some(1) };
        assert_eq!(seen.reported(), reported, "{inner}: {seen:?}");
        assert_eq!(seen.without_notice(&expected), expected, "{inner}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn zsh_random_lines_differ_only_in_the_notice(line in super::random::line()) {
        if Path::new(ZSH).exists() {
            let home = tempfile::tempdir().unwrap();
            let expected = seen(&line, None, home.path());
            let seen = seen(&line, Some("status"), home.path()).without_notice(&expected);
            prop_assert_eq!(seen, expected, "{}", line);
        }
    }
}
