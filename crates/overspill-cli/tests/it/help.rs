//! Help, manual pages and completions, which all come from the same definitions.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::program::Test;

/// Runs a command, which must succeed, and returns its standard output.
fn help(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_overspill")).args(words).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = help(&["--help"]);
    let lists = help.split("\n\nExamples:").next().unwrap();
    let rows = lists.lines().filter_map(|line| line.strip_prefix("  "));
    let rows = rows.map(|row| row.strip_prefix("CMD …, ").unwrap_or(row));
    rows.filter_map(|row| row.split(' ').next().map(str::to_owned)).collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = commands();
    for name in
        ["read", "grep", "list", "info", "diff", "rm", "pin", "gc", "stats", "completions", "man"]
    {
        assert!(commands.iter().any(|command| command == name), "{name}");
    }
    for command in &commands {
        let help = help(&[command, "--help"]);
        assert!(help.contains(&format!("\n  overspill {command}")), "{command}: {help}");
    }
}

#[test]
fn manual_has_a_page_for_each_command() {
    let dir = tempfile::tempdir().unwrap();
    help(&["man", "--dir", dir.path().to_str().unwrap()]);
    for command in commands() {
        assert!(dir.path().join(format!("overspill-{command}.1")).is_file(), "{command}");
    }
    let files: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 30, "{files:?}");
    for file in files {
        let command = file.file_name().unwrap().to_string_lossy().into_owned();
        let page = fs::read_to_string(&file).unwrap();
        assert!(page.contains(".SH OPTIONS") || page.contains(".SH SYNOPSIS"), "{command}");
        for section in
            ["EXAMPLES", "\"EXIT STATUS\"", "\"ENVIRONMENT\"", "\"FILES\"", "\"SEE ALSO\""]
        {
            assert!(page.contains(&format!("\n.SH {section}\n")), "{command}: {section}\n{page}");
        }
        assert!(!page.contains(".SH EXTRA"), "{command}");
    }
    assert!(help(&["man"]).contains(".TH overspill 1"));
}

/// A row of docs/exit-codes.md: commands, and each code with its meaning.
#[derive(Debug)]
struct ExitCodeRow {
    commands: Vec<String>,
    codes: Vec<(String, String)>,
}

fn exit_codes() -> Vec<ExitCodeRow> {
    let page = include_str!("../../../../docs/exit-codes.md");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.contains("---")).skip(1);
    let row = |row: &str| {
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().replace('`', "")).collect();
        let commands = cells[1].split(", ").map(str::to_owned).collect();
        let mut codes: Vec<(String, String)> = Vec::new();
        for (code, meaning) in ["0", "1", "2"].into_iter().zip(&cells[2..5]) {
            codes.push((code.to_owned(), meaning.clone()));
        }
        let others = cells[5].split(". ").filter_map(|other| other.split_once(": "));
        codes.extend(others.map(|(code, meaning)| (code.to_owned(), meaning.to_owned())));
        codes.retain(|(_, meaning)| !meaning.is_empty());
        ExitCodeRow { commands, codes }
    };
    rows.map(row).collect()
}

#[test]
fn manual_and_help_have_the_exit_codes_of_the_documentation() {
    let dir = tempfile::tempdir().unwrap();
    help(&["man", "--dir", dir.path().to_str().unwrap()]);
    let page = |command: &str| {
        let file = dir.path().join(format!("overspill-{command}.1"));
        fs::read_to_string(file).unwrap().replace("\\-", "-")
    };
    let rows = exit_codes();
    assert!(rows.len() > 5, "{rows:?}");
    for ExitCodeRow { commands, codes } in &rows {
        let commands: &[String] =
            if commands[0] == "all others" { &["list".into()] } else { commands };
        for command in commands {
            for (code, meaning) in codes {
                let first = meaning[..1].to_uppercase();
                let row = format!(".TP\n\\fB{code}\\fR\n{first}{}.\n", &meaning[1..]);
                assert!(page(command).contains(&row), "{command}: {row:?}\n{}", page(command));
            }
        }
    }
    let run = help(&["run", "--help"]).replace('\n', " ");
    for (code, meaning) in rows[0].codes.iter().filter(|(code, _)| code.len() > 1) {
        assert!(run.contains(&format!("{code}: {meaning}.")), "{code}: {meaning}\n{run}");
    }
}

#[test]
fn first_examples_of_the_manual_are_those_of_the_help() {
    let help_text = help(&["--help"]);
    let (_, examples) = help_text.split_once("Examples:\n").unwrap();
    let (examples, _) = examples.split_once("\n\n").unwrap();
    let page = help(&["man"]).replace("\\-", "-");
    assert!(page.contains(&format!(".SH EXAMPLES\n.nf\n{examples}\n.fi\n")), "{page}");
}

#[test]
fn manual_pages_refer_only_to_pages_that_exist() {
    let dir = tempfile::tempdir().unwrap();
    help(&["man", "--dir", dir.path().to_str().unwrap()]);
    let mut references = 0;
    for file in fs::read_dir(dir.path()).unwrap() {
        let file = file.unwrap();
        let page = fs::read_to_string(file.path()).unwrap().replace("\\-", "-");
        let title = file.file_name().into_string().unwrap().replace(".1", " 1 ");
        let heading = format!(".TH {title} \"overspill {}\"", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&heading), "{title}: {page}");
        for (before, _) in page.match_indices("(1)").map(|(at, _)| page.split_at(at)) {
            let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap();
            assert!(dir.path().join(format!("{name}.1")).is_file(), "{title}: {name}(1)");
            references += 1;
        }
    }
    assert!(references > 25, "{references}");
    assert!(dir.path().join("overspill-config-get.1").is_file());
    assert!(dir.path().join("overspill-help.1").is_file());
}

/// Returns the words that bash offers for the last of these words.
fn offered(script: &str, words: &[&str]) -> Vec<String> {
    let ask = r#"source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));
        COMP_LINE="$*"; _overspill overspill "${@: -1}" "${@: -2:1}"; printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["-c", ask, "bash", "overspill"]).args(words);
    bash.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut bash = bash.spawn().unwrap();
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_hosts_settings_and_profiles() {
    let script = help(&["completions", "bash"]);
    assert_eq!(offered(&script, &["init", "cl"]), ["claude-code", "cline"]);
    assert_eq!(offered(&script, &["init", "codex", "--mcp", "opencod"]), ["opencode"]);
    assert_eq!(offered(&script, &["uninstall", "gem"]), ["gemini"]);
    assert_eq!(offered(&script, &["hook", "cop"]), ["copilot"]);
    for action in ["get", "set", "unset"] {
        let settings = offered(&script, &["config", action, "max_"]);
        assert_eq!(settings, ["max_lines", "max_bytes", "max_chars", "max_tokens"]);
        assert_eq!(offered(&script, &["config", action, "store.up"]), ["store.upload_wait"]);
    }
    assert_eq!(offered(&script, &["cut", "--profile", "k"]), ["klaude"]);
    assert_eq!(offered(&script, &["run", "--keep", "st"]), ["structure"]);
    assert_eq!(offered(&script, &["run", "--tokenizer", "e"]), ["estimate"]);
    let zsh = help(&["completions", "zsh"]);
    for name in ["claude-code", "windsurf", "store.upload_wait", "max_tokens"] {
        assert!(zsh.contains(&format!("{name}\\:\"")), "{name}");
    }
    let fish = help(&["completions", "fish"]);
    let line = |when: &str| {
        let start =
            format!("complete -c overspill -n \"__fish_overspill_using_subcommand {when}\"");
        let mut lines =
            fish.lines().filter_map(|line| line.strip_prefix(&format!("{start} -f -a ")));
        lines.next().unwrap_or_else(|| panic!("{when}")).to_owned()
    };
    assert!(line("init").starts_with("\"claude-code codex "), "{}", line("init"));
    let set = line("config; and __fish_seen_subcommand_from set");
    assert!(set.contains(" max_lines max_bytes ") && set.contains(" store.upload_wait "), "{set}");
    // The parser accepts other names as before.
    Test::new(&["config", "get", "tools.bash.max_lines"]).run().code(0).stdout("2000\n");
    Test::new(&["init", "no-such-host"]).run().code(2).stderr_contains("no-such-host");
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = help(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    Test::new(&["completions", "cmd.exe"])
        .run()
        .code(2)
        .stderr_contains("expected bash, elvish, fish, powershell, zsh");
}
