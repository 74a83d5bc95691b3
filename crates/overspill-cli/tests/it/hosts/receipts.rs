//! Receipts that were damaged, replaced or lost after `init`.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{bare, links, read, well, write, wrong};

/// Sets up a host, and returns its home and its receipt.
fn set_up() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "claude-code", "--force"]);
    let receipt = dir.path().join(".config/overspill/hosts/claude-code.json");
    assert!(receipt.exists() && links(dir.path()).exists());
    (dir, receipt)
}

/// Runs the program, and kills it if it hangs. Returns the exit code and the text of both streams.
fn ended(home: &std::path::Path, words: &[&str]) -> (Option<i32>, String) {
    let said = home.join("said");
    std::fs::create_dir_all(home.join("work")).unwrap();
    let mut command = bare(home);
    command.args(words).current_dir(home.join("work"));
    command.stdout(std::process::Stdio::null()).stderr(std::fs::File::create(&said).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if start.elapsed() > Duration::from_secs(20) => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    (code, std::fs::read_to_string(said).unwrap())
}

#[test]
fn receipt_that_is_no_regular_file_is_refused() {
    for kind in ["fifo", "link"] {
        let (dir, receipt) = set_up();
        std::fs::remove_file(&receipt).unwrap();
        match kind {
            "fifo" => assert!(Command::new("mkfifo").arg(&receipt).status().unwrap().success()),
            _ => std::os::unix::fs::symlink("/dev/zero", &receipt).unwrap(),
        }
        for words in [&["uninstall", "claude-code"][..], &["uninstall", "--all"]] {
            let (code, said) = ended(dir.path(), words);
            assert_eq!(code, Some(1), "{kind}: {said}");
            assert!(said.contains("claude-code.json") && said.contains("hint:"), "{kind}: {said}");
        }
        let (code, said) = ended(dir.path(), &["init", "claude-code", "--force"]);
        assert_eq!(code, Some(1), "{kind}: {said}");
        assert!(ended(dir.path(), &["doctor"]).0.is_some(), "{kind}");
    }
}

#[test]
fn receipt_that_cannot_be_read_is_an_error() {
    let huge = format!("{{\"files\":[]{}}}", " ".repeat(2 << 20));
    for text in
        ["", "{", "[]", "{}", "{\"files\":7}", "{\"files\":[{}]}", &"[".repeat(100_000), &huge]
    {
        let (dir, receipt) = set_up();
        let settings = dir.path().join(".claude/settings.json");
        let before = std::fs::read(&settings).unwrap();
        write(&receipt, text);
        let (code, said) = ended(dir.path(), &["uninstall", "claude-code"]);
        assert_eq!(code, Some(1), "{text:.40}: {said}");
        assert!(said.contains("claude-code.json") && said.contains("hint:"), "{text:.40}: {said}");
        assert_eq!(std::fs::read(&settings).unwrap(), before);
        assert!(receipt.exists());
    }
}

#[test]
fn settings_too_large_for_a_receipt_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".claude.json");
    let text = format!(
        "{{\"history\": \"{}\", \"mcpServers\": {{\"a\": {{\"command\": \"x\"}}}}}}",
        "x".repeat(600_000)
    );
    write(&path, &text);
    let (code, said) = ended(dir.path(), &["init", "claude-code", "--mcp", "--force"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("too large for a receipt") && said.contains("hint:"), "{said}");
    assert!(std::fs::read_to_string(&path).unwrap() == text);
    assert!(!dir.path().join(".claude/settings.json").exists());
}

#[test]
fn uninstall_without_a_receipt_removes_pieces_of_exact_shape() {
    const FILES: [(&str, &str, &str); 5] = [
        ("claude-code", ".claude/settings.json", "{\"model\": \"x\"}\n"),
        ("codex", ".codex/config.toml", "model = \"x\"\n"),
        ("gemini", ".gemini/.env", "A=1\n"),
        ("opencode", ".config/opencode/opencode.json", "{\"shell\": \"/bin/sh\"}\n"),
        ("cursor", ".cursor/hooks.json", "{\"version\": 1}\n"),
    ];
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    for (host, file, text) in FILES {
        for words in [&["uninstall", host][..], &["uninstall", "--all"]] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(file);
            write(&path, text);
            well(dir.path(), &["init", host, "--force"]);
            let with = super::read(&path);
            std::fs::remove_dir_all(dir.path().join(".config/overspill/hosts")).unwrap();
            let said = well(dir.path(), &[words, &["--dry-run"]].concat());
            assert!(said.contains("removed the entries of overspill"), "{host}: {said}");
            assert_eq!(super::read(&path), with, "{host}");
            let said = well(dir.path(), words);
            assert!(said.contains("removed the entries of overspill"), "{host}: {said}");
            assert_eq!(squeezed(&super::read(&path)), squeezed(text), "{host}");
            assert!(!links(dir.path()).exists(), "{host}");
            let said = well(dir.path(), &["uninstall", host]);
            assert!(said.contains("not set up"), "{host}: {said}");
        }
    }
}

#[test]
fn uninstall_without_a_receipt_leaves_a_proxy_of_the_user() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".codex/config.toml");
    write(&path, "[mcp_servers.a]\ncommand = \"overspill\"\nargs = [\"mcp\", \"--\", \"npx\"]\n");
    let before = super::read(&path);
    let said = well(dir.path(), &["uninstall", "codex"]);
    assert!(said.contains("not set up"), "{said}");
    assert_eq!(super::read(&path), before);
}

#[test]
fn directory_that_has_files_of_others_stays() {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "copilot", "--force"]);
    write(&dir.path().join(".copilot/mine"), "x");
    well(dir.path(), &["uninstall", "copilot"]);
    assert!(dir.path().join(".copilot/mine").exists());
    assert!(!dir.path().join(".copilot/hooks").exists());
    // A directory that existed before stays, even if it is empty.
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".copilot/hooks")).unwrap();
    well(dir.path(), &["init", "copilot"]);
    well(dir.path(), &["uninstall", "copilot"]);
    assert!(dir.path().join(".copilot/hooks").exists());
}

#[test]
fn receipt_names_no_directory_that_is_not_above_our_files() {
    let (dir, receipt) = set_up();
    let other = dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let text = std::fs::read_to_string(&receipt).unwrap();
    let mut noted: serde_json::Value = serde_json::from_str(&text).unwrap();
    noted["made"].as_array_mut().unwrap().push(other.to_str().unwrap().into());
    write(&receipt, &noted.to_string());
    well(dir.path(), &["uninstall", "claude-code"]);
    assert!(other.exists());
}

#[test]
fn settings_that_a_variable_moves_are_changed_where_the_host_reads_them() {
    for (host, variable, file) in [
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/.env"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let moved = dir.path().join("moved");
        let run = |words: &[&str]| {
            let mut command = bare(dir.path());
            command.args(words).env(variable, &moved).current_dir(dir.path());
            command.output().unwrap()
        };
        assert!(run(&["init", host, "--force"]).status.success());
        let settings = moved.join(file);
        assert!(read(&settings).contains("/overspill/bin/"), "{host}");
        assert!(run(&["doctor"]).status.success());
        // Another shell may not have the variable.
        let said = wrong(dir.path(), &["uninstall", host], 1);
        assert!(said.contains(&format!("set {variable} as it was when `init` ran")), "{said}");
        assert!(run(&["uninstall", host]).status.success());
        assert!(!settings.exists(), "{host}");
    }
}
