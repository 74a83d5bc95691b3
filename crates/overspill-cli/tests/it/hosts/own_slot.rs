//! The user's own shell or prefix in the settings of a host: overspill calls it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{bare, links, read, run, well, write};

/// A program of the user that records its arguments and runs the command.
pub(super) fn wrapper(path: &Path, kind: &str) {
    let log = path.with_extension("log");
    let rest = match kind {
        "shell" => "exec /bin/bash \"$@\"",
        _ => "for last; do :; done; exec /bin/bash -c \"$last\"",
    };
    write(path, &format!("#!/bin/sh\nprintf '<%s>' \"$@\" >> '{}'\n{rest}\n", log.display()));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a program in the environment of a host that sets this variable.
fn called(home: &Path, program: &Path, words: &[&str], mark: &str) -> Output {
    let mut command = Command::new(program);
    for (name, value) in bare(home).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env(mark, "1").args(words).stdin(Stdio::null()).current_dir(home).output().unwrap()
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the string at a path of a JSON file.
pub(super) fn value(file: &Path, path: &str) -> String {
    let value: Value = serde_json::from_str(&read(file)).unwrap();
    value.pointer(path).unwrap().as_str().unwrap().to_owned()
}

const SHELLS: [(&str, &str, &str, &str); 3] = [
    ("opencode", ".config/opencode/opencode.json", "shell", "OPENCODE"),
    ("kilo", ".config/kilo/kilo.json", "shell", "KILO"),
    ("pi", ".pi/agent/settings.json", "shellPath", "PI_CODING_AGENT"),
];

#[test]
fn shell_of_the_user_runs_every_command() {
    for (host, file, key, mark) in SHELLS {
        let dir = tempfile::tempdir().unwrap();
        let (file, own) = (dir.path().join(file), dir.path().join("my own/zsh"));
        wrapper(&own, "shell");
        let before = format!("{{\n  \"{key}\": \"{}\" // mine\n}}\n", own.display());
        write(&file, &before);
        let said = well(dir.path(), &["init", host, "--force"]);
        let line = format!("your own shell still runs every command: {}", own.display());
        assert!(said.contains(&line), "{host}: {said}");
        let with = read(&file);
        let slot = PathBuf::from(with.split('"').nth(3).unwrap());
        // Hosts look at the name of the shell.
        assert!(slot.starts_with(links(dir.path())) && slot.ends_with("zsh"), "{slot:?}");
        let output = called(dir.path(), &slot, &["-c", "seq 1 40000; exit 3", "name"], mark);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let shown = text(&output.stdout);
        assert!(shown.contains("[overspill ") && shown.ends_with("\n40000\n"), "{shown}");
        let log = own.with_extension("log");
        assert!(read(&log).ends_with("<name>"), "{host}: {}", read(&log));
        // A script is not shortened, and goes through the same shell.
        assert_eq!(text(&called(dir.path(), &slot, &["-c", "echo $0"], "X").stdout), "/bin/bash\n");

        well(dir.path(), &["init", host, "--force"]);
        assert_eq!(read(&file), with, "{host}");
        well(dir.path(), &["uninstall", host]);
        assert_eq!(read(&file), before, "{host}");
        assert!(!dir.path().join(".config/overspill").exists());
    }
}

#[test]
fn prefix_of_the_user_gets_every_line() {
    let dir = tempfile::tempdir().unwrap();
    let (file, own) = (dir.path().join(".claude/settings.json"), dir.path().join("my own/prefix"));
    wrapper(&own, "prefix");
    let prefix = format!("{} -v", own.display());
    let before = format!("{{\"env\": {{\"CLAUDE_CODE_SHELL_PREFIX\": \"{prefix}\"}}}}\n");
    write(&file, &before);
    let said = well(dir.path(), &["init", "claude-code"]);
    let line = format!("your own prefix still runs every command: {prefix}");
    assert!(said.contains(&line), "{said}");
    let slot = PathBuf::from(value(&file, "/env/CLAUDE_CODE_SHELL_PREFIX"));
    let framed =
        "shopt -u extglob && eval 'seq 1 40000 | cat; exit 3' < /dev/null && pwd -P >| cwd";
    let output = called(dir.path(), &slot, &[framed], "CLAUDECODE");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let shown = text(&output.stdout);
    assert!(shown.contains("[overspill ") && shown.ends_with("\n40000\n"), "{shown}");
    let log = own.with_extension("log");
    assert!(read(&log).ends_with(&format!("<-v><{framed}>")), "{}", read(&log));
    // The line of a server or a hook also goes through the prefix.
    let served = called(dir.path(), &slot, &["echo served"], "CLAUDECODE");
    assert_eq!(text(&served.stdout), "served\n");
    assert!(read(&log).ends_with("<-v><echo served>"), "{}", read(&log));

    let doctor = text(&run(dir.path(), &["doctor"]).stdout);
    assert!(!doctor.contains("is gone"), "{doctor}");
    well(dir.path(), &["uninstall", "claude-code"]);
    assert_eq!(read(&file), before);
}

#[test]
fn prefix_in_a_file_of_variables_gets_every_line() {
    let dir = tempfile::tempdir().unwrap();
    let (file, own) = (dir.path().join(".qoder/.env"), dir.path().join("prefix"));
    wrapper(&own, "prefix");
    let before = format!("A=1\nQODER_SHELL_PREFIX='{}'\n", own.display());
    write(&file, &before);
    well(dir.path(), &["init", "qoder", "--force"]);
    let with = read(&file);
    let slot = with.lines().nth(1).unwrap().split('"').nth(1).unwrap();
    let output = called(dir.path(), Path::new(slot), &["echo served"], "X");
    assert_eq!(text(&output.stdout), "served\n");
    assert_eq!(read(&own.with_extension("log")), "<echo served>");
    well(dir.path(), &["init", "qoder", "--force"]);
    assert_eq!(read(&file), with);
    well(dir.path(), &["uninstall", "qoder"]);
    assert_eq!(read(&file), before);
}

#[test]
fn own_slot_that_the_user_changes_later_is_called_from_the_next_init_on() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(".config/opencode/opencode.json");
    write(&file, "{\"shell\": \"/bin/sh\"}\n");
    well(dir.path(), &["init", "opencode"]);
    let own = dir.path().join("bash");
    wrapper(&own, "shell");
    write(&file, &format!("{{\"shell\": \"{}\"}}\n", own.display()));
    let before = read(&file);
    well(dir.path(), &["init", "opencode"]);
    let output =
        called(dir.path(), Path::new(&value(&file, "/shell")), &["-c", "echo x"], "OPENCODE");
    assert_eq!(text(&output.stdout), "x\n");
    assert!(read(&own.with_extension("log")).contains("<echo x>"));
    well(dir.path(), &["uninstall", "opencode"]);
    assert_eq!(read(&file), before);
}

#[test]
fn shell_and_variable_of_the_user_go_on_by_the_alias() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("my-shell");
    wrapper(&own, "shell");
    let said = well(dir.path(), &["init", "continue", "cline", "kimi-code", "--force"]);
    let alias = |name: &str| {
        let line = said.lines().find(|line| line.contains(&format!("alias {name}="))).unwrap();
        let (_, words) = line.split_once("='").unwrap();
        words.strip_suffix(&format!(" {name}'")).unwrap().to_owned()
    };
    let bash = |line: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new("/bin/bash");
        command.envs(bare(dir.path()).get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.args(["-c", line]).envs(variables.iter().copied()).stdin(Stdio::null());
        let output = command.current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        text(&output.stdout)
    };
    // Continue runs `$SHELL -l -c`.
    let line = format!("{} bash -c '\"$SHELL\" -c \"seq 1 40000\"'", alias("cn"));
    let shown = bash(&line, &[("SHELL", own.to_str().unwrap())]);
    assert!(shown.contains("[overspill "), "{shown}");
    assert!(read(&own.with_extension("log")).contains("<seq 1 40000>"));
    // The user's own BASH_ENV is read by the shell of the command.
    write(&dir.path().join("mine.sh"), "MINE=yes\n");
    let mine = dir.path().join("mine.sh");
    for name in ["cline", "kimi"] {
        let line = format!("{} bash -c 'echo $MINE'", alias(name));
        let shown = bash(&line, &[("BASH_ENV", mine.to_str().unwrap())]);
        assert_eq!(shown, "yes\n", "{name}");
        // A host inside of a host passes on our file, which must not read itself for ever.
        let line = format!(
            "{0} bash -c \"{1} bash -c 'echo ok'\"",
            alias(name),
            alias(name).replace('"', "\\\"")
        );
        assert_eq!(bash(&line, &[]), "ok\n", "{name}");
    }
}
