//! Other programs that shorten outputs before overspill sees them. rtk 0.42.4 itself wrote the test
//! files of rtk.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{bare, links, read, run, well, write};

/// Returns the text of a file that rtk wrote, or the answer of its hook.
fn recorded(name: &str) -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrappers/rtk-0.42.4").join(name))
}

/// Returns the row of `doctor` about rtk, on one line.
fn rtk_row(home: &Path) -> String {
    let text = String::from_utf8(run(home, &["doctor"]).stdout).unwrap().replace("\n    ", " ");
    text.lines().find(|line| line.contains(" rtk: ")).unwrap_or_default().to_owned()
}

#[test]
fn init_beside_the_hook_of_rtk_keeps_it_and_uninstall_restores_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let settings = home.join(".claude/settings.json");
    write(&settings, &recorded("settings.json"));
    well(home, &["init", "claude-code"]);
    let both: Value = serde_json::from_str(&read(&settings)).unwrap();
    let before: Value = serde_json::from_str(&recorded("settings.json")).unwrap();
    assert_eq!(both["hooks"]["PreToolUse"], before["hooks"]["PreToolUse"]);
    let prefix = both["env"]["CLAUDE_CODE_SHELL_PREFIX"].as_str().unwrap();
    assert!(prefix.ends_with("overspill-sh"), "{prefix}");
    well(home, &["uninstall", "claude-code"]);
    assert_eq!(read(&settings), recorded("settings.json"));
}

#[test]
fn doctor_names_rtk_and_says_which_raw_outputs_it_keeps() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let (settings, config) =
        (home.join(".claude/settings.json"), home.join(".config/rtk/config.toml"));
    let hook = recorded("settings.json");
    write(&settings, &hook.replace("rtk hook claude", "my-own-rtk-like-hook"));
    assert_eq!(rtk_row(home), "");
    // Older versions of rtk write a script.
    for command in ["~/.claude/hooks/rtk-rewrite.sh", "rtk hook claude"] {
        write(&settings, &hook.replace("rtk hook claude", command));
        let row = rtk_row(home);
        assert!(
            row.starts_with("! rtk: ~/.claude/settings.json runs commands through rtk"),
            "{row}"
        );
        let advice = "run `rtk config --create` and put `mode = \"always\"` below `[tee]` in ~/.config/rtk/config.toml";
        assert!(row.contains(advice), "{row}");
    }
    let whole = recorded("config.toml");
    write(&config, &whole);
    let row = rtk_row(home);
    assert!(row.contains("to keep raw ones, put `mode = \"always\"` below `[tee]`"), "{row}");
    write(&config, &whole.replace("\"failures\"", "\"always\""));
    let row = rtk_row(home);
    assert!(row.starts_with("✓ rtk: ") && row.contains("none of git, find, grep and ls"), "{row}");
    // rtk ignores such a file without a message.
    write(&config, "[tee]\nenabled = true\nmode = \"always\"\n");
    let row = rtk_row(home);
    assert!(row.starts_with("! rtk: ") && row.contains("lacks max_files, max_file_size"), "{row}");
}

#[test]
fn command_that_rtk_rewrote_is_shortened_and_saved() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    well(home, &["init", "claude-code", "--force"]);
    let programs = home.join("programs");
    let rtk = programs.join("rtk");
    write(&rtk, "#!/bin/sh\necho \"rtk $*\"\nseq 1 40000\n");
    std::fs::set_permissions(&rtk, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(home.join("work/sub")).unwrap();
    let calls = recorded("hook.jsonl");
    let calls: Vec<Value> = calls.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(calls.len(), 4);
    for call in &calls {
        let asked = call["input"]["tool_input"]["command"].as_str().unwrap();
        let changed = &call["output"]["hookSpecificOutput"]["updatedInput"]["command"];
        let line = changed.as_str().unwrap_or(asked);
        let mut command = Command::new(links(home).join("overspill-sh"));
        for (name, value) in bare(home).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("CLAUDECODE", "1").env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
        // The frame that Claude Code puts around a command.
        let cwd = home.join("cwd");
        let framed =
            format!("shopt -u extglob && eval '{line}' < /dev/null && pwd -P >| {}", cwd.display());
        command.arg(framed).stdin(Stdio::null()).current_dir(home.join("work"));
        let output = command.output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{line}: {shown}");
        // `rtk cargo test | tail -5` is short.
        if line.ends_with("tail -5") {
            assert!(shown.ends_with("39999\n40000\n"), "{line}: {shown}");
            continue;
        }
        assert!(shown.contains("[overspill "), "{line}: {shown}");
        let list = well(home, &["list", "--json"]);
        let is_listed = |row: &str| row.contains(&serde_json::to_string(line).unwrap());
        assert!(list.lines().any(is_listed), "{line}: {list}");
    }
}
