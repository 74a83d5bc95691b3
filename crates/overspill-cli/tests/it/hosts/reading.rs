//! `init --allow-read`, and the tool that a notice names in a host that asks before commands.

use std::process::Command;

use super::{bare, links, read, well, write};

/// A host, the file of its rules, the text of the file before `init`, and the form of a rule for a
/// command.
const RULES: [(&str, &str, Option<&str>, &str); 3] = [
    ("claude-code", ".claude/settings.json", Some("{}\n"), "\"Bash(COMMAND:*)\""),
    ("gemini", ".gemini/policies/overspill.toml", None, "\"COMMAND\""),
    (
        "opencode",
        ".config/opencode/opencode.json",
        Some("{\n  \"permission\": {\"bash\": {\"*\": \"ask\"}}\n}\n"),
        "\"COMMAND *\": \"allow\"",
    ),
];

#[test]
fn allow_read_adds_rules_for_three_commands_and_uninstall_removes_them() {
    for (host, file, text, rule) in RULES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        if let Some(text) = text {
            write(&path, text);
        }
        let has = |command: &str| {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            text.contains(&rule.replace("COMMAND", command))
        };
        let link = links(dir.path()).join("overspill").display().to_string();
        well(dir.path(), &["init", host, "--force"]);
        assert!(!has("overspill read"), "{host}");
        let said = well(dir.path(), &["init", host, "--force", "--allow-read"]);
        assert!(said.contains("`overspill read`, `grep` and `list` without asking you"), "{said}");
        for program in ["overspill", &link] {
            for command in ["read", "grep", "list"] {
                assert!(has(&format!("{program} {command}")), "{host}: {}", read(&path));
            }
        }
        let allowed = read(&path);
        for command in ["rm", "gc", "run", "config", "uninstall", "mcp"] {
            assert!(!has(&format!("overspill {command}")), "{host}: {allowed}");
        }
        assert!(!has("overspill") && !has(&link), "{host}: {allowed}");
        // A later `init` keeps the rules.
        well(dir.path(), &["init", host, "--force"]);
        assert_eq!(read(&path), allowed, "{host}");
        well(dir.path(), &["uninstall", host]);
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), text, "{host}");
    }
}

#[test]
fn allow_read_says_why_there_is_no_rule() {
    let dir = tempfile::tempdir().unwrap();
    for (host, why) in [
        ("codex", "in its sandbox without asking"),
        ("pi", "it asks for no command"),
        ("qwen", "overspill knows no rules of this agent"),
        ("opencode", "with your settings the agent never asks before a command"),
    ] {
        let said = well(dir.path(), &["init", host, "--force", "--allow-read"]);
        assert!(said.contains("--allow-read adds no rule: ") && said.contains(why), "{said}");
        assert!(!said.contains("overspill read"), "{said}");
    }
    let settings = dir.path().join(".config/opencode/opencode.json");
    assert!(!read(&settings).contains("permission"), "{}", read(&settings));
}

/// Runs a command in the environment of a host.
fn run_in(mark: &str, line: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let programs = dir.path().join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let link = std::os::unix::fs::symlink;
    link(env!("CARGO_BIN_EXE_overspill"), programs.join("overspill")).unwrap();
    let mut command: Command = bare(dir.path());
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display())).env(mark, "1");
    command.args(["run", "--shell", line]).current_dir(dir.path());
    let shown = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let notice = shown.lines().next().unwrap();
    notice.replace(&dir.path().display().to_string(), "~")
}

#[test]
fn notice_names_the_tool_that_needs_no_permission() {
    let notice = run_in("CLAUDECODE", "seq 1 40000");
    let way = notice.split_once(" shown; ").unwrap().1;
    assert!(way.starts_with("Read ~/.local/state/overspill/"), "{notice}");
    assert!(way.contains(".txt offset A limit N; overspill grep RE "), "{notice}");
    // The tool of the host cannot show a part of a line.
    let notice = run_in("CLAUDECODE", "seq -s, 1 40000");
    assert!(notice.contains("; overspill read "), "{notice}");
    // The tools of other hosts ask the user, or cannot open files outside of the project.
    for mark in ["GEMINI_CLI", "OPENCODE", "PI_CODING_AGENT"] {
        let notice = run_in(mark, "seq 1 40000");
        assert!(notice.contains("; overspill read "), "{mark}: {notice}");
    }
}
