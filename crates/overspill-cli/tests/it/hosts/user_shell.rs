//! The shell or prefix that a host would use without overspill, also if it is set in another place
//! than the host's settings.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::own_slot::{text, value, wrapper};
use super::{bare, links, read, write};

/// Runs a program with this home and these variables.
fn called(home: &Path, program: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    for (name, value) in bare(home).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.envs(variables.iter().copied()).args(words).stdin(Stdio::null());
    command.current_dir(home).output().unwrap()
}

/// Runs overspill, which must succeed.
#[track_caller]
fn well(home: &Path, words: &[&str], variables: &[(&str, &str)]) -> String {
    let done = called(home, Path::new(env!("CARGO_BIN_EXE_overspill")), words, variables);
    assert!(done.status.success(), "{words:?}: {}{}", text(&done.stdout), text(&done.stderr));
    text(&done.stdout)
}

const HOSTS: [(&str, &str, &str); 2] = [
    ("opencode", ".config/opencode/opencode.json", "OPENCODE"),
    ("kilo", ".config/kilo/kilo.json", "KILO"),
];

#[test]
fn shell_of_the_user_runs_the_commands_if_the_host_would_run_it() {
    for (host, file, mark) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let (file, own) = (dir.path().join(file), dir.path().join("zsh"));
        let log = own.with_extension("log");
        wrapper(&own, "shell");
        let before = "{\n  \"x\": 1\n}\n";
        write(&file, before);
        let of_user = [("SHELL", own.to_str().unwrap()), (mark, "1")];
        well(dir.path(), &["init", host, "--force"], &of_user);
        let slot = PathBuf::from(value(&file, "/shell"));
        // Hosts look at the name of the shell.
        assert_eq!(slot, links(dir.path()).join("zsh"), "{host}");
        let output = called(dir.path(), &slot, &["-c", "seq 1 40000; exit 3"], &of_user);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(text(&output.stdout).contains("[overspill "), "{output:?}");
        assert!(read(&log).contains("seq 1 40000; exit 3"), "{host}: {}", read(&log));

        // The value of the variable at the time of the command applies. The line is for a login
        // shell of zsh.
        let told = read(&log);
        let now = [("SHELL", "/bin/bash"), (mark, "1")];
        let output = called(dir.path(), &slot, &["-c", "echo $0"], &now);
        assert_eq!(text(&output.stdout), "/bin/bash\n", "{host}");
        assert_eq!(read(&log), told);
        called(dir.path(), &slot, &["-l", "-c", "echo x", "name"], &of_user);
        assert!(read(&log).ends_with("<name>"), "{host}: {}", read(&log));

        // `doctor` may run in another shell.
        let own = Path::new(env!("CARGO_BIN_EXE_overspill"));
        let doctor = called(dir.path(), own, &["doctor"], &[]);
        assert!(doctor.status.success(), "{host}: {}", text(&doctor.stdout));

        // Another shell leaves no piece that `uninstall` does not know.
        std::fs::remove_dir_all(dir.path().join(".config/overspill/hosts")).unwrap();
        well(dir.path(), &["uninstall", host], &[]);
        assert_eq!(read(&file), before, "{host}");
    }
}

#[test]
fn shell_that_the_host_refuses_gives_way_to_bash() {
    for (host, file, mark) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("fish");
        wrapper(&own, "shell");
        for shell in [own.to_str().unwrap(), "/nowhere/zsh"] {
            let of_user = [("SHELL", shell), (mark, "1")];
            well(dir.path(), &["init", host, "--force"], &of_user);
            let slot = PathBuf::from(value(&dir.path().join(file), "/shell"));
            assert_eq!(slot, links(dir.path()).join("bash"), "{host} {shell}");
            let output = called(dir.path(), &slot, &["-c", "echo $BASH"], &of_user);
            assert!(text(&output.stdout).ends_with("/bash\n"), "{host} {shell}: {output:?}");
        }
        assert!(!own.with_extension("log").exists());
    }
}

#[test]
fn name_of_a_shell_in_the_path_means_this_shell() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("zsh");
    wrapper(&own, "shell");
    let of_user = [("SHELL", own.to_str().unwrap()), ("OPENCODE", "1")];
    well(dir.path(), &["init", "opencode", "goose", "--force"], &of_user);
    let path = format!("{}:/usr/bin:/bin", links(dir.path()).display());
    let variables = [of_user[0], of_user[1], ("PATH", &path)];
    let output =
        called(dir.path(), Path::new("/usr/bin/env"), &["bash", "-c", "echo $BASH"], &variables);
    assert!(text(&output.stdout).ends_with("/bash\n"), "{output:?}");
    assert!(!own.with_extension("log").exists());
}

const PREFIX: &str = "CLAUDE_CODE_SHELL_PREFIX";
const FRAMED: &str = "eval 'seq 1 40000; exit 3' < /dev/null && pwd -P >| cwd";

/// Runs a framed line with the prefix in a file of Claude Code, and checks that the user's program
/// gets it.
#[track_caller]
fn is_called_by(file: &Path, own: &Path, home: &Path) {
    let slot = PathBuf::from(value(file, "/env/CLAUDE_CODE_SHELL_PREFIX"));
    let output = called(home, &slot, &[FRAMED], &[("CLAUDECODE", "1")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text(&output.stdout).contains("[overspill "), "{output:?}");
    assert!(read(&own.with_extension("log")).contains(FRAMED));
}

#[test]
fn prefix_of_the_environment_gets_every_line() {
    let dir = tempfile::tempdir().unwrap();
    let (file, own) = (dir.path().join(".claude/settings.json"), dir.path().join("prefix"));
    wrapper(&own, "prefix");
    let before = "{\n  \"x\": 1\n}\n";
    write(&file, before);
    let set = [(PREFIX, own.to_str().unwrap())];
    // `doctor` names a prefix that was set after `init` ran.
    well(dir.path(), &["init", "claude-code"], &[]);
    let doctor = |variables: &[(&str, &str)]| {
        let own = Path::new(env!("CARGO_BIN_EXE_overspill"));
        text(&called(dir.path(), own, &["doctor"], variables).stdout)
    };
    let said = doctor(&set).split_whitespace().collect::<Vec<_>>().join(" ");
    let names = format!("the variable {PREFIX} names {}", own.display());
    assert!(
        said.contains(&names) && said.contains("run `overspill init claude-code` here"),
        "{said}"
    );
    assert!(!doctor(&[]).contains("names"), "{}", doctor(&[]));

    let said = well(dir.path(), &["init", "claude-code"], &set);
    let line = format!(
        "your own prefix still runs every command: {} (set in the variable {PREFIX})",
        own.display()
    );
    assert!(said.contains(&line), "{said}");
    is_called_by(&file, &own, dir.path());
    let with = read(&file);
    well(dir.path(), &["init", "claude-code"], &set);
    assert_eq!(read(&file), with);
    assert!(!doctor(&set).contains("names"), "{}", doctor(&set));
    // The value was never in the file.
    std::fs::remove_dir_all(dir.path().join(".config/overspill/hosts")).unwrap();
    well(dir.path(), &["uninstall", "claude-code"], &[]);
    assert_eq!(read(&file), before);
}

#[test]
fn prefix_of_the_user_gets_every_line_of_a_project() {
    for other in [".claude/settings.json", "work/.claude/settings.json"] {
        let dir = tempfile::tempdir().unwrap();
        let (other, own) = (dir.path().join(other), dir.path().join("prefix"));
        let work = dir.path().join("work");
        std::fs::create_dir_all(work.join(".git")).unwrap();
        wrapper(&own, "prefix");
        write(&other, &format!("{{\"env\": {{\"{PREFIX}\": \"{}\"}}}}\n", own.display()));
        let init = |words: &[&str]| {
            let mut command = bare(dir.path());
            let done = command.args(words).current_dir(&work).output().unwrap();
            assert!(done.status.success(), "{done:?}");
            text(&done.stdout)
        };
        let before = read(&other);
        let said = init(&["init", "claude-code", "--project", "--force"]);
        let line = format!("your own prefix still runs every command: {} (set in ", own.display());
        assert!(said.contains(&line) && said.contains("settings.json)"), "{said}");
        let file = work.join(".claude/settings.local.json");
        is_called_by(&file, &own, dir.path());
        assert_eq!(read(&other), before);
        // The same with our link in the settings of the user.
        init(&["init", "claude-code", "--force"]);
        init(&["init", "claude-code", "--project", "--force"]);
        is_called_by(&file, &own, dir.path());
        init(&["uninstall", "claude-code"]);
        assert_eq!(read(&other), before);
        assert!(!file.exists());
    }
}

#[test]
fn shell_of_the_global_file_runs_the_commands_of_a_project() {
    for (host, file, mark) in HOSTS {
        let dir = tempfile::tempdir().unwrap();
        let (global, own) = (dir.path().join(file), dir.path().join("my/zsh"));
        let work = dir.path().join("work");
        std::fs::create_dir_all(work.join(".git")).unwrap();
        wrapper(&own, "shell");
        write(&global, &format!("{{\"shell\": \"{}\"}}\n", own.display()));
        let mut command = bare(dir.path());
        command.args(["init", host, "--project", "--force"]).current_dir(&work);
        let said = text(&command.output().unwrap().stdout);
        assert!(said.contains("your own shell still runs every command: "), "{host}: {said}");
        let slot = PathBuf::from(value(&work.join(format!("{host}.json")), "/shell"));
        assert!(slot.ends_with("zsh"), "{slot:?}");
        called(dir.path(), &slot, &["-c", "echo x"], &[(mark, "1")]);
        assert!(read(&own.with_extension("log")).contains("<echo x>"), "{host}");
    }
}
