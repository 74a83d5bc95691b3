//! Receipts of `init` that are not as `init` wrote them.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{bare, links, well, write};

/// A host that was set up, and its receipt.
fn set_up() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "claude-code", "--force"]);
    let receipt = dir.path().join(".config/overspill/hosts/claude-code.json");
    assert!(receipt.exists() && links(dir.path()).exists());
    (dir, receipt)
}

/// Runs the program and ends it if it waits. Returns its exit code and what it says.
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
