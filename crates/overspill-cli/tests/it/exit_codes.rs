//! Exit codes of commands, and the order of outputs after `grep`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::program::{Done, Test, program, saved_run};

/// Saves one more output.
fn save(done: &Done, command: &str) -> String {
    let before = done.files();
    done.then(&["run", "--", "sh", "-c", command]);
    let new = done.files().into_iter().find(|file| !before.contains(file)).unwrap();
    crate::program::id_of(&new)
}

fn listed(done: &Done, args: &[&str]) -> Vec<String> {
    let (_, list, error) = done.then(&[&["list"], args].concat());
    let ids = list.lines().skip(1).map(|line| line.split(' ').next().unwrap().to_owned());
    let ids: Vec<String> = ids.collect();
    assert!(!ids.is_empty(), "{error}");
    ids
}

#[test]
fn grep_marks_only_outputs_with_shown_lines_as_used() {
    let done = saved_run();
    let first = done.id();
    let second = save(&done, "seq 1 5000; echo needle");
    let third = save(&done, "seq 1 5001");
    let short = |id: &String| id[20..].to_lowercase();
    let newest_first = [short(&third), short(&second), short(&first)];
    let used = |id: &str| {
        let path = done.files().into_iter().find(|file| file.to_string_lossy().contains(id));
        fs::metadata(path.unwrap()).unwrap().modified().unwrap()
    };
    let before = [&first, &second, &third].map(|id| used(id));
    for args in [&["grep", "nothing like it"][..], &["grep", "-c", "zzz"], &["grep", "-l", "zzz"]] {
        done.then(args);
    }
    assert_eq!([&first, &second, &third].map(|id| used(id)), before);
    done.then(&["grep", "needle"]);
    assert_eq!([used(&first), used(&third)], [before[0], before[2]]);
    assert!(used(&second) > before[1]);
    assert_eq!(listed(&done, &[]), newest_first);
    assert_eq!(listed(&done, &["--sort", "saved"]), newest_first);
    assert_eq!(listed(&done, &["--sort", "used"]), [&second, &third, &first].map(short));
}

#[test]
fn grep_exits_like_ripgrep() {
    let done = saved_run();
    let id = done.id();
    assert_eq!(done.then(&["grep", "^5$", &id]).0, 0);
    assert_eq!(done.then(&["grep", "nothing", &id]).0, 1);
    assert_eq!(done.then(&["grep", "a(b", &id]).0, 2);
    assert_eq!(done.then(&["grep", "5", "no-such-id"]).0, 2);
    let output = program(done.test.dir.path())
        .args(["grep", "5"])
        .env("OVERSPILL_DIR", "/proc/none")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn run_without_standard_output_fails_like_the_bare_command() {
    for (script, code) in [
        ("exec \"$0\" run -- seq 1 3 >&-", 1),
        ("exec \"$0\" run -- seq 1 50000 >&-", 1),
        ("exec \"$0\" run -- true >&-", 0),
        ("exec \"$0\" run -- sh -c 'exit 7' >&-", 7),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        let ours = program(dir.path());
        command.args(["-c", script]).arg(ours.get_program());
        command.env("OVERSPILL_DIR", dir.path().join("store")).env("HOME", dir.path());
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{script}: {error}");
        assert_eq!(error.contains("ad file descriptor"), code == 1, "{script}: {error}");
    }
}

#[test]
fn list_json_has_an_exit_code_for_a_signal() {
    let done = Test::new(&["run", "--", "sh", "-c", "seq 1 5000; kill -9 $$"]).run();
    let (_, json, _) = done.then(&["list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["record"]["exit"], &json["record"]["signal"]), (&137.into(), &9.into()));
    let (_, info, _) = done.then(&["info", "--json", &done.id()]);
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["record"]["exit"], 137);
}

#[test]
fn cut_names_the_reason_if_the_store_cannot_be_used() {
    let test = Test::new(&["cut", "--max-bytes", "400"]).stdin("x\n".repeat(3_000));
    let store = test.dir.path().join("store");
    fs::create_dir(&store).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o755)).unwrap();
    let done = test.run();
    let error = String::from_utf8_lossy(&done.output.stderr).into_owned();
    assert!(done.text().contains("could not be saved"), "{}", done.text());
    let said = format!("{}{error}", done.text());
    assert!(said.contains("0755") || said.contains("others"), "{said}");
}
