//! `init` and `uninstall` for all hosts: the changes, and the exact way back.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{links, read, run, well, write, wrong};

/// Files that users may have before `init`: the host, the path and the text.
const FILES: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        ".claude/settings.json",
        "{\n  // mine\n  \"env\": {\"A\": \"b\"}, /* and */\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\", // ls\n    ],\n  },\n}\n",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        "{\"permissions\":{\"deny\":[]},\"hooks\":{\"PostToolUse\":[{\"matcher\":\"X\"}]}}",
    ),
    ("claude-code", ".claude/settings.json", "\u{feff}{\r\n\t\"model\": \"x\"\r\n}\r\n"),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"x\" # why\n\n[shell_environment_policy]\ninherit = \"all\"\nset = { A = \"b\" } # c\n\n[mcp_servers.a]\ncommand = \"npx\"\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[shell_environment_policy.set]\nBASH_ENV = '/old.sh' # mine\n",
    ),
    ("codex", ".codex/config.toml", "model = \"x\"\r\n"),
    ("gemini", ".gemini/.env", "# keys\nGEMINI_API_KEY=x\nexport BASH_ENV = /old.sh\nLAST=1"),
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{\n  // servers\n  \"shell\": \"/bin/zsh\",\n  \"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"x\", \"y\"],},},\n}\n",
    ),
    ("pi", ".pi/agent/settings.json", "{}"),
    (
        "cursor",
        ".cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"command\": \"mine\"}]}}\n",
    ),
];

/// All options that add layers.
const ALL: [&str; 4] = ["--force", "--mcp", "--hooks", "--rules"];

fn init(home: &Path, host: &str) -> String {
    well(home, &[&["init", host], &ALL[..]].concat())
}

#[test]
fn uninstall_restores_every_file_exactly() {
    for (host, file, text) in FILES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        init(dir.path(), host);
        let with = read(&path);
        assert!(with.contains(".config/overspill/bin/"), "{with}");
        // A second `init` changes nothing, also with fewer options.
        init(dir.path(), host);
        well(dir.path(), &["init", host, "--force"]);
        assert_eq!(read(&path), with);
        well(dir.path(), &["uninstall", host]);
        assert_eq!(read(&path), *text, "{host}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(left(dir.path()), [path], "{host}");
    }
}

/// Every file in a home, without outputs.
fn left(home: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut open = vec![home.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with(".local") => {}
                true => open.push(path),
                // Our links lead to the program.
                false if path.is_symlink() && path.starts_with(home.join(".config/overspill")) => {}
                false => all.push(path),
            }
        }
    }
    all
}

#[test]
fn uninstall_of_every_host_leaves_no_file() {
    for host in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        init(dir.path(), host);
        assert!(dir.path().join(format!(".config/overspill/hosts/{host}.json")).exists());
        well(dir.path(), &["uninstall", host]);
        assert_eq!(left(dir.path()), [] as [PathBuf; 0], "{host}");
        // The directories that `init` made are gone, too.
        let there: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(there, [dir.path().join("work")], "{host}");
    }
}

/// The names of all hosts.
const HOSTS: [&str; 20] = [
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
    "windsurf",
    "qoder",
    "droid",
    "auggie",
    "amp",
    "crush",
];

#[test]
fn edits_after_init_stay_after_uninstall() {
    for (host, file, text) in FILES.iter().filter(|(_, file, _)| file.ends_with("json")) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        init(dir.path(), host);
        let edited = read(&path).replacen('{', "{\"mine\": [1],", 1);
        write(&path, &edited);
        well(dir.path(), &["uninstall", host]);
        let back = read(&path);
        assert!(back.contains("\"mine\": [1]") && !back.contains("overspill"), "{host}: {back}");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".codex/config.toml");
    write(&path, "# mine\nmodel = \"x\"\n");
    init(dir.path(), "codex");
    write(&path, &format!("new = 1\n{}", read(&path)));
    well(dir.path(), &["uninstall", "codex"]);
    assert_eq!(read(&path), "new = 1\n# mine\nmodel = \"x\"\n");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".gemini/.env");
    write(&path, "A=1\nBASH_ENV=/old.sh\n");
    init(dir.path(), "gemini");
    write(&path, &format!("{}B=2\n", read(&path)));
    well(dir.path(), &["uninstall", "gemini"]);
    assert_eq!(read(&path), "A=1\nBASH_ENV=/old.sh\nB=2\n");
}

#[test]
fn bash_env_file_of_the_user_is_still_read() {
    let dir = tempfile::tempdir().unwrap();
    let old = dir.path().join("old.sh");
    write(&old, "export OLD=read\n");
    let text =
        format!("[shell_environment_policy]\nset = {{ BASH_ENV = \"{}\" }}\n", old.display());
    write(&dir.path().join(".codex/config.toml"), &text);
    init(dir.path(), "codex");
    let mut bash = Command::new("/bin/bash");
    bash.env("HOME", dir.path()).env("BASH_ENV", links(dir.path()).join("codex.sh"));
    let output =
        bash.args(["-c", "echo $OLD; seq 1 20000"]).stdin(std::process::Stdio::null()).output();
    let shown = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(shown.contains("\nread\n") && shown.contains("[overspill "), "{shown}");
}

#[test]
fn init_adds_only_the_permission_to_read_saved_outputs() {
    for host in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        init(dir.path(), host);
        let receipts = dir.path().join(".config/overspill/hosts");
        for path in left(dir.path()).iter().filter(|path| !path.starts_with(&receipts)) {
            let text = read(path).to_lowercase();
            let store =
                format!("read(/{}/.local/state/overspill/**)", dir.path().display()).to_lowercase();
            let text = text.replace(&store, "").replace("\"allow\"", "");
            for word in ["allow", "approv", "trust", "yolo", "bypass"] {
                assert!(!text.contains(word), "{host}: {word} in {}", path.display());
            }
        }
    }
}

#[test]
fn init_dry_run_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".claude/settings.json");
    write(&path, "{}\n");
    let said = well(dir.path(), &["init", "claude-code", "--dry-run"]);
    assert!(said.contains("~/.claude/settings.json (would be changed)"), "{said}");
    assert!(said.contains("env.CLAUDE_CODE_SHELL_PREFIX = "), "{said}");
    assert_eq!((read(&path).as_str(), left(dir.path())), ("{}\n", vec![path.clone()]));
    well(dir.path(), &["init", "claude-code"]);
    let with = read(&path);
    let said = well(dir.path(), &["uninstall", "claude-code", "--dry-run"]);
    assert!(said.contains("restored") && said.contains("dry run"), "{said}");
    assert_eq!(read(&path), with);
    let said = well(dir.path(), &["init", "claude-code", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["files"][0]["changes"], false);
}

#[test]
fn settings_of_a_host_that_do_not_parse_stay() {
    for (host, file, text, place) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  \"a\": 1,\n  b\n}",
            "line 3, column 3 is not JSON",
        ),
        ("claude-code", ".claude/settings.json", "[]", "the file is not an object"),
        ("claude-code", ".claude/settings.json", "{\"env\": 7}", "env is not an object"),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"permissions\": {\"allow\": {}}}",
            "permissions.allow is not a list",
        ),
        ("codex", ".codex/config.toml", "a = 1\nb\n", "line 2, column 2 is not TOML"),
        ("codex", ".codex/config.toml", "shell_environment_policy = 1\n", "is not a table there"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        write(&path, text);
        let said = wrong(dir.path(), &["init", host], 2);
        assert!(said.contains(place) && said.contains(&format!("~/{file}")), "{said}");
        assert!(said.contains("the file is unchanged"), "{said}");
        assert_eq!((read(&path).as_str(), left(dir.path())), (text, vec![path.clone()]));
    }
    // The other host of the same call is unchanged, too.
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join(".claude/settings.json"), "{");
    wrong(dir.path(), &["init", "codex", "claude-code", "--force"], 2);
    assert!(!dir.path().join(".codex").exists());
    // `uninstall` does not change a file that was broken after `init`.
    well(dir.path(), &["init", "codex", "--force"]);
    write(&dir.path().join(".codex/config.toml"), "broken");
    wrong(dir.path(), &["uninstall", "codex"], 2);
    assert_eq!(read(&dir.path().join(".codex/config.toml")), "broken");
}

#[test]
fn host_that_is_not_installed_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let said = wrong(dir.path(), &["init", "claude"], 2);
    assert!(said.contains("did you mean `overspill init claude-code`?"), "{said}");
    let said = wrong(dir.path(), &["init", "xyz"], 2);
    assert!(HOSTS.iter().all(|host| said.contains(host)), "{said}");
    let said = wrong(dir.path(), &["init", "codex"], 1);
    assert!(said.contains("Codex CLI is not installed here") && said.contains("--force"), "{said}");
    assert_eq!(left(dir.path()), [] as [PathBuf; 0]);
    let said = well(dir.path(), &["uninstall", "codex"]);
    assert_eq!(said, "Codex CLI: not set up\n");
    assert_eq!(
        well(dir.path(), &["uninstall", "--all"]),
        "No agent is set up. `overspill init` lists the agents on this machine.\n"
    );
}

#[test]
fn init_that_would_change_nothing_is_an_error() {
    for host in ["windsurf", "droid", "auggie", "amp", "crush"] {
        let dir = tempfile::tempdir().unwrap();
        let said = wrong(dir.path(), &["init", "codex", host, "--force"], 1);
        assert!(said.contains("nothing was changed"), "{said}");
        assert!(said.contains(&format!("`overspill init {host} --mcp --rules`")), "{said}");
        assert_eq!(left(dir.path()), [] as [PathBuf; 0], "{host}");
        let said = well(dir.path(), &["init"]);
        assert!(!said.contains(&format!("\n{host} ")), "{said}");
        // A later `init` without options updates the links to the program.
        well(dir.path(), &["init", host, "--force", "--mcp", "--rules"]);
        well(dir.path(), &["init", host, "--force"]);
    }
}

#[test]
fn init_without_a_name_lists_the_hosts_on_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".gemini")).unwrap();
    write(&dir.path().join(".claude/settings.json"), "{}");
    well(dir.path(), &["init", "claude-code"]);
    let said = well(dir.path(), &["init"]);
    let row = |name: &str| said.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("claude-code").contains("  yes  ") && row("claude-code").ends_with("~/.claude"));
    assert!(row("gemini").contains("  no  "), "{said}");
    assert!(row("not found: ").contains("codex"), "{said}");
}

#[test]
fn init_in_a_home_that_cannot_be_written_is_an_error() {
    // Not even root can make a directory there.
    let output =
        super::bare(Path::new("/proc")).args(["init", "codex", "--force"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("~/.config/overspill/bin"), "{said}");
}

#[test]
fn settings_that_are_a_link_stay_one() {
    let dir = tempfile::tempdir().unwrap();
    let (real, link) =
        (dir.path().join("dotfiles/claude.json"), dir.path().join(".claude/settings.json"));
    write(&real, "{}\n");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&real, &link).unwrap();
    well(dir.path(), &["init", "claude-code"]);
    assert!(link.is_symlink() && read(&real).contains("SHELL_PREFIX"));
    well(dir.path(), &["uninstall", "claude-code"]);
    assert!(link.is_symlink());
    assert_eq!(read(&real), "{}\n");
}

#[test]
fn init_project_writes_only_settings_of_the_project() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    well(dir.path(), &["init", "opencode", "claude-code", "--project", "--force"]);
    assert!(read(&work.join("opencode.json")).contains("/bin/bash"));
    // The private file of the user, because the paths are those of this machine.
    assert!(read(&work.join(".claude/settings.local.json")).contains("overspill-sh"));
    assert!(!dir.path().join(".claude/settings.json").exists());
    well(dir.path(), &["uninstall", "--all"]);
    assert!(
        !work.join("opencode.json").exists() && !work.join(".claude/settings.local.json").exists()
    );
    let said = wrong(dir.path(), &["init", "codex", "--project", "--force"], 1);
    assert!(said.contains("no project settings"), "{said}");
}

#[test]
fn init_follows_no_link_out_of_a_project() {
    let dir = tempfile::tempdir().unwrap();
    let (work, outside) = (dir.path().join("work"), dir.path().join("outside"));
    for path in [&work.join(".git"), &outside] {
        std::fs::create_dir_all(path).unwrap();
    }
    symlink(&outside, work.join(".claude")).unwrap();
    symlink(outside.join("new.json"), work.join("opencode.json")).unwrap();
    for host in ["claude-code", "opencode"] {
        let said = wrong(dir.path(), &["init", host, "--project", "--force"], 1);
        assert!(said.contains("leads out of the project"), "{said}");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn existing_file_is_replaced_only_with_force() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".copilot/hooks/overspill.json");
    write(&path, "mine");
    let said = wrong(dir.path(), &["init", "copilot"], 1);
    assert!(said.contains("another file of this name"), "{said}");
    well(dir.path(), &["init", "copilot", "--force"]);
    well(dir.path(), &["uninstall", "copilot"]);
    assert_eq!(read(&path), "mine");
}

#[test]
fn init_of_another_program_takes_over_the_links() {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "opencode", "--force"]);
    let with = read(&dir.path().join(".config/opencode/opencode.json"));
    let other = dir.path().join("new/overspill");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    super::copy_program(&other);
    let mut command = Command::new(&other);
    command.env("HOME", dir.path()).args(["init", "opencode", "--force"]);
    assert!(command.env_remove("XDG_CONFIG_HOME").status().unwrap().success());
    assert_eq!(std::fs::read_link(links(dir.path()).join("bash")).unwrap(), other);
    // The settings name the link, so they do not change.
    assert_eq!(read(&dir.path().join(".config/opencode/opencode.json")), with);
    let output = run(dir.path(), &["doctor"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("leads to another program"), "{said}");
}

#[test]
fn uninstall_refuses_a_receipt_with_a_path_that_init_never_writes() {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "claude-code", "--force"]);
    let own = dir.path().join("precious.txt");
    write(&own, "mine");
    let receipt = dir.path().join(".config/overspill/hosts/claude-code.json");
    for path in [own.clone(), dir.path().join("work/../precious.txt")] {
        let text = format!(r#"{{"files":[{{"path":{path:?},"before":null,"after":"mine"}}]}}"#);
        write(&receipt, &text);
        let said = wrong(dir.path(), &["uninstall", "claude-code"], 1);
        assert!(said.contains("precious.txt") && said.contains("hint:"), "{said}");
        assert_eq!(read(&own), "mine");
    }
}

#[test]
fn uninstall_follows_no_link_out_of_a_project() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    well(dir.path(), &["init", "opencode", "--project", "--force"]);
    let (file, outside) = (work.join("opencode.json"), dir.path().join("outside.json"));
    std::fs::rename(&file, &outside).unwrap();
    symlink(&outside, &file).unwrap();
    let before = read(&outside);
    let said = wrong(dir.path(), &["uninstall", "opencode"], 1);
    assert!(said.contains("link"), "{said}");
    assert_eq!(read(&outside), before);
}

#[test]
fn plugin_is_not_written_through_links() {
    let dir = tempfile::tempdir().unwrap();
    let (plugin, outside) = (dir.path().join("work/plugin"), dir.path().join("outside"));
    std::fs::create_dir_all(&plugin).unwrap();
    std::fs::create_dir_all(dir.path().join("work/.git")).unwrap();
    write(&outside.join("hooks.json"), "mine");
    symlink(&outside, plugin.join("hooks")).unwrap();
    symlink(outside.join("hooks.json"), plugin.join(".mcp.json")).unwrap();
    let said = wrong(dir.path(), &["init", "claude-code", "--plugin", "plugin"], 1);
    assert!(said.contains("link"), "{said}");
    assert_eq!(read(&outside.join("hooks.json")), "mine");
    well(dir.path(), &["init", "claude-code", "--plugin", "new/plugin"]);
    assert!(dir.path().join("work/new/plugin/hooks/hooks.json").exists());
}
