//! Completion scripts: bash, zsh and fish load them and complete ids.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{Done, Test, program, skip};

/// Returns a home with two outputs and the program in `bin`, and the short ids of the outputs, the
/// newest first.
fn home() -> (Done, [String; 2]) {
    let done = Test::new(&["run", "--", "seq", "1", "5000"]).run().code(0);
    let bin = done.test.dir.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_overspill"), bin.join("overspill")).unwrap();
    let old = done.id();
    done.then(&["run", "--", "sh", "-c", "seq 1 6000; exit 4"]);
    let files = done.files();
    let new = files.iter().map(|file| crate::program::id_of(file)).find(|id| *id != old).unwrap();
    (done, [new, old].map(|id| id[20..].to_lowercase()))
}

/// Runs a shell in that home. Returns `None` if the shell is not installed.
fn shell(name: &str, args: &[&str], home: &Path, stdin: &str) -> Option<String> {
    let mut command = Command::new(name);
    for (variable, value) in program(home).get_envs() {
        match value {
            Some(value) => command.env(variable, value),
            None => command.env_remove(variable),
        };
    }
    let path = format!("{}:{}", home.join("bin").display(), std::env::var("PATH").unwrap());
    command.args(args).env("PATH", path).env("TERM", "dumb").current_dir(home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        skip(&format!("{name} is not installed"));
        return None;
    };
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn hidden_command_prints_ids_with_command_age_and_exit_code() {
    let (done, [new, old]) = home();
    let (code, text, error) = done.then(&["__complete", "ids"]);
    assert_eq!((code, &*error), (0, ""));
    let rows: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(rows[0].0, new);
    assert!(rows[0].1.starts_with("sh -c 'seq 1 6000; exit 4', "), "{text}");
    assert!(rows[0].1.ends_with(" s ago, exit 4"), "{text}");
    assert_eq!((rows[1].0, rows[2].0, rows[3].0), (&*old, "last", "failed"));
    // An unusable store prints no error into the line that the user types.
    let broken = program(done.test.dir.path())
        .args(["__complete", "ids"])
        .env("OVERSPILL_DIR", "/proc/none")
        .output()
        .unwrap();
    assert_eq!((broken.status.code(), &*broken.stderr), (Some(0), &b""[..]));
}

#[test]
fn bash_completes_an_id() {
    let (done, [new, old]) = home();
    let script = done.then(&["completions", "bash"]).1;
    let offered = |words: &[&str]| {
        let ask = r#"source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
            run=$(complete -p overspill | sed 's/.*-F \([^ ]*\) .*/\1/')
            $run overspill "${@: -1}" "${@: -2:1}"; printf '%s\n' "${COMPREPLY[@]}""#;
        let args = [&["-c", ask, "bash", "overspill"], words].concat();
        let text = shell("bash", &args, done.test.dir.path(), &script)?;
        Some(text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let Some(all) = offered(&["read", ""]) else { return };
    assert!(
        all[0].starts_with(&format!("{new}  sh -c 'seq")) && all[1].starts_with(&old),
        "{all:?}"
    );
    assert_eq!(offered(&["read", &old[..5]]).unwrap().join(" "), old);
    assert_eq!(offered(&["diff", &new, &old[..5]]).unwrap().join(" "), old);
    assert_eq!(offered(&["grep", "x", &old[..5]]).unwrap().join(" "), old);
    assert!(!offered(&["grep", ""]).unwrap().contains(&old));
    assert_eq!(offered(&["init", "claude"]).unwrap(), ["claude-code"]);
    assert_eq!(offered(&["config", "get", "max_l"]).unwrap(), ["max_lines"]);
    assert_eq!(offered(&["help", "lim"]).unwrap(), ["limits"]);
    assert_eq!(offered(&["help", "rea"]).unwrap(), ["read"]);
}

#[test]
fn fish_completes_an_id() {
    let (done, [new, old]) = home();
    let script = done.then(&["completions", "fish"]).1;
    let ask = |line: &str| {
        let ask = format!("source; complete -C '{line}'");
        shell("fish", &["--no-config", "-c", &ask], done.test.dir.path(), &script)
    };
    let Some(all) = ask("overspill read ") else { return };
    let lines: Vec<&str> = all.lines().collect();
    assert!(lines[0].starts_with(&format!("{new}\tsh -c")), "{all}");
    assert!(lines[1].starts_with(&format!("{old}\tseq 1 5000, ")), "{all}");
    let one = ask(&format!("overspill rm {}", &old[..5])).unwrap();
    assert!(one.starts_with(&old) && one.lines().count() == 1, "{one}");
    let hosts = ask("overspill init claude").unwrap();
    assert!(hosts.starts_with("claude-code"), "{hosts}");
}

#[test]
fn zsh_completes_an_id() {
    let (done, [_, old]) = home();
    let home = done.test.dir.path();
    // `timeout` exists also where zsh does not.
    if shell("zsh", &["-f", "-c", ":"], home, "").is_none() {
        return;
    }
    std::fs::write(home.join("_overspill"), done.then(&["completions", "zsh"]).1).unwrap();
    // A second zsh on another terminal, because completion works only in an interactive shell.
    let ask = format!(
        r#"zmodload zsh/zpty || exit 0
        zpty z zsh -f -i
        zpty -w z 'PS1=; autoload -U compinit; compinit -D -u; source ./_overspill; bindkey "^I" complete-word; print REA""DY'
        zpty -r z line '*READY*'
        zpty -w -n z "overspill read {}"$'\t'
        sleep 0.5
        zpty -w z ' --tail 1; print DO""NE'
        zpty -r z line '*DONE*'
        print -r -- "$line""#,
        &old[..5]
    );
    let Some(text) = shell("timeout", &["60", "zsh", "-f", "-c", &ask], home, "") else { return };
    if text.is_empty() {
        return skip("zsh has no zpty");
    }
    assert!(text.contains("5000") && text.contains(&format!("[overspill {old}: ")), "{text:?}");
}
