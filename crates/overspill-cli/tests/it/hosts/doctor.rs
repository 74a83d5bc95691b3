//! `overspill doctor` with hosts that are set up, broken or overridden.

use super::{run, well, write};

fn said(home: &std::path::Path, code: i32) -> String {
    let output = run(home, &["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

#[test]
fn doctor_counts_the_saved_outputs() {
    let dir = tempfile::tempdir().unwrap();
    for expected in ["✓ store: 1 output, ", "✓ store: 2 outputs, "] {
        well(dir.path(), &["run", "--", "seq", "1", "20000"]);
        let text = said(dir.path(), 0);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn doctor_tries_every_host_that_is_set_up() {
    let dir = tempfile::tempdir().unwrap();
    assert!(said(dir.path(), 0).contains("! agents: no agent is set up"));
    let all = [
        "claude-code",
        "codex",
        "gemini",
        "opencode",
        "kilo",
        "goose",
        "continue",
        "kimi-code",
        "qwen",
        "copilot",
        "pi",
        "cursor",
        "cline",
        "neovate",
        "qoder",
    ];
    well(dir.path(), &[&["init", "--force"], &all[..]].concat());
    let text = said(dir.path(), 0);
    for host in all {
        let tried = text.lines().filter(|line| line.starts_with(&format!("✓ {host}: a ")));
        assert!(tried.count() > 0, "{host}: {text}");
    }
    assert!(
        text.contains("store: ~/.local/state/overspill: a trial output was saved and removed"),
        "{text}"
    );
    assert!(crate::program::outputs(&dir.path().join(".local/state/overspill")).is_empty());
    let json = well(dir.path(), &["doctor", "--json"]);
    let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    assert!(json.lines().map(row).all(|row| row["state"] == "ok" || row["state"] == "note"));
}

#[test]
fn doctor_names_problems_and_fixes() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    well(home, &["init", "claude-code", "opencode", "gemini", "--force"]);
    std::fs::create_dir_all(home.join("work/.git")).unwrap();
    // A file of the project overrides the user's.
    write(
        &home.join("work/.claude/settings.json"),
        "{\"env\": {\"CLAUDE_CODE_SHELL_PREFIX\": \"other\"}}",
    );
    write(&home.join("work/.env"), "A=1\n");
    write(&home.join("work/.overspill.toml"), "max_lines = 5\nmax_bytes = \"9MiB\"\n");
    // The user removed an entry of overspill.
    write(&home.join(".config/opencode/opencode.json"), "{}");
    std::fs::remove_file(super::links(home).join("overspill-sh")).unwrap();
    let text = said(home, 1);
    for line in [
        "✗ claude-code: ~/work/.claude/settings.json sets env.CLAUDE_CODE_SHELL_PREFIX to \"other\"",
        "✗ claude-code: /",
        "✗ gemini: ~/work/.env hides the file of `init`",
        "✗ opencode: ~/.config/opencode/opencode.json: shell = ",
        "! project: max_lines = 5 by ",
        "✗ settings: ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // overspill refuses a store that other users can write to.
    let store = home.join(".local/state/overspill");
    std::fs::set_permissions(&store, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    assert!(said(home, 1).contains("✗ store: "));
}

#[test]
fn variable_of_the_environment_that_hides_ours_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let said = well(dir.path(), &["init", "gemini", "--force"]);
    assert!(said.contains("and BASH_ENV in your environment"), "{said}");
    let doctor = |value: Option<&str>| {
        let mut command = super::bare(dir.path());
        command.arg("doctor").current_dir(dir.path()).envs(value.map(|value| ("BASH_ENV", value)));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(doctor(None).0, Some(0));
    let (code, text) = doctor(Some("/home/ada/mine.sh"));
    assert_eq!(code, Some(1));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "✗ gemini: BASH_ENV is set in the environment, so the host does not take it from ~/.gemini/.env";
    assert!(
        text.contains(line) && text.contains("fix: unset BASH_ENV, or start it with: PATH="),
        "{text}"
    );
}

#[test]
fn other_settings_of_opencode_and_kilo_that_hide_ours_are_named() {
    for (host, variable) in [("opencode", "OPENCODE_CONFIG"), ("kilo", "KILO_CONFIG")] {
        let dir = tempfile::tempdir().unwrap();
        well(dir.path(), &["init", host, "--force"]);
        let file = dir.path().join("other.json");
        let doctor = |text: &str| {
            write(&file, text);
            let mut command = super::bare(dir.path());
            command.arg("doctor").current_dir(dir.path()).env(variable, &file);
            let output = command.output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        let (code, text) = doctor("{\"theme\": \"dark\"}");
        assert_eq!(code, Some(0), "{text}");
        let (code, text) = doctor("{\"shell\": \"/bin/zsh\"}");
        let line = format!("✗ {host}: ~/other.json sets shell to \"/bin/zsh\"");
        assert!(code == Some(1) && text.contains(&line), "{text}");
    }
}

#[test]
fn settings_of_opencode_in_a_folder_of_the_project_that_hide_ours_are_named() {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "opencode", "--force"]);
    std::fs::create_dir_all(dir.path().join("work/.git")).unwrap();
    write(&dir.path().join("work/.opencode/opencode.json"), "{\"shell\": \"/bin/zsh\"}");
    let text = said(dir.path(), 1);
    let line = "✗ opencode: ~/work/.opencode/opencode.json sets shell to \"/bin/zsh\"";
    assert!(text.contains(line), "{text}");
}
