//! Hosts that run commands on a terminal and read its screen.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use super::jobs::make_background_log;
use crate::program::{numbered, program};
use crate::terminal::{seen, terminal};

fn shown(mark: &str, script: &str) -> (String, Option<i32>) {
    let dir = tempfile::tempdir().unwrap();
    let (host, mut child) = start(dir.path(), mark, script);
    let text = seen(host);
    (text, child.wait().unwrap().code())
}

/// Runs a command on a terminal of the host. Returns the text on the terminal and the exit code.
fn start(directory: &Path, mark: &str, script: &str) -> (File, Child) {
    let slot = directory.join("bash");
    symlink(env!("CARGO_BIN_EXE_overspill"), &slot).unwrap();
    let (host, theirs) = terminal();
    let mut command = Command::new(slot);
    for (name, value) in program(directory).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let frame = if mark == "GEMINI_CLI" { "_bgpids_file=x\n" } else { "" };
    command.env(mark, "1").arg("-c").arg(format!("{frame}{script}"));
    let copy = || theirs.try_clone().unwrap();
    command.stdin(copy()).stdout(copy()).stderr(copy()).current_dir(directory);
    // Reading ends when all copies of the terminal are closed, so the command must own the last
    // one.
    (host, command.spawn().unwrap())
}

/// The escape sequences that clear the screen.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

#[test]
fn preview_replaces_the_long_output_on_a_terminal_of_a_host() {
    for (mark, most) in [("GEMINI_CLI", 39_500), ("QWEN_CODE", 28_000)] {
        let (text, code) =
            shown(mark, "test -t 1 && echo terminal; stty size; seq 1 40000; exit 3");
        assert_eq!(code, Some(3));
        let (before, after) = text.split_once(CLEAR).unwrap();
        assert!(before.starts_with("terminal\n33 77\n") && before.len() < most, "{before}");
        assert!(after.starts_with("[overspill ") && after.ends_with("\n40000\n"), "{after}");
        assert!(after.chars().count() <= most);
    }
}

#[test]
fn short_output_on_a_terminal_of_a_host_is_unchanged() {
    assert_eq!(shown("GEMINI_CLI", "seq 1 1500; exit 4"), (numbered(1_500), Some(4)));
    assert_eq!(shown("QWEN_CODE", "printf 'no line'"), ("no line".into(), Some(0)));
}

#[test]
fn full_screen_program_on_a_terminal_of_a_host_is_unchanged() {
    let (text, _) = shown("GEMINI_CLI", "printf '\\033[?1049h'; seq 1 5000; printf '\\033[?1049l'");
    assert_eq!(text, format!("\x1b[?1049h{}\x1b[?1049l", numbered(5_000)));
}

#[test]
fn terminal_of_other_hosts_runs_the_real_shell() {
    // This host uses terminals only for people, so the real shell runs.
    assert_eq!(shown("OPENCODE", "seq 1 5000"), (numbered(5_000), Some(0)));
}

#[test]
fn command_on_a_terminal_that_the_host_moves_to_the_background_shows_everything() {
    let dir = tempfile::tempdir().unwrap();
    // The output is already over the limit, so the rest is in the store.
    let script = "seq 1 40000; : > ready; n=0; \
                  while [ ! -e go ] && [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done; echo done";
    let (mut host, mut child) = start(dir.path(), "GEMINI_CLI", script);
    while !dir.path().join("ready").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    make_background_log(dir.path(), child.id());
    let (mut shown, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(len @ 1..) = host.read(&mut part) {
        shown.extend_from_slice(&part[..len]);
        if shown.ends_with(b"\n40000\r\n") {
            std::fs::write(dir.path().join("go"), "").unwrap();
        }
    }
    child.wait().unwrap();
    let text = String::from_utf8(shown).unwrap().replace("\r\n", "\n");
    let end = &text[text.len().saturating_sub(300)..];
    assert!(text == format!("{}done\n", numbered(40_000)), "{} bytes: {end}", text.len());
}
