//! A host that runs commands on a terminal and takes what it then shows.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::program::{numbered, program};
use crate::terminal::{seen, terminal};

fn shown(mark: &str, script: &str) -> (String, Option<i32>) {
    let dir = tempfile::tempdir().unwrap();
    let slot = dir.path().join("bash");
    symlink(env!("CARGO_BIN_EXE_overspill"), &slot).unwrap();
    let (host, theirs) = terminal();
    let mut command = Command::new(slot);
    for (name, value) in program(dir.path()).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let frame = if mark == "GEMINI_CLI" { "_bgpids_file=x\n" } else { "" };
    command.env(mark, "1").arg("-c").arg(format!("{frame}{script}"));
    let copy = || theirs.try_clone().unwrap();
    command.stdin(copy()).stdout(copy()).stderr(copy());
    let mut child = command.spawn().unwrap();
    // Whoever holds one waits for itself.
    drop((command, theirs));
    let text = seen(host);
    (text, child.wait().unwrap().code())
}

/// How a screen is emptied.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

#[test]
fn on_a_terminal_of_a_host_the_preview_takes_the_place_of_the_rest() {
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
fn what_fits_is_on_the_terminal_as_it_was_printed() {
    assert_eq!(shown("GEMINI_CLI", "seq 1 1500; exit 4"), (numbered(1_500), Some(4)));
    assert_eq!(shown("QWEN_CODE", "printf 'no line'"), ("no line".into(), Some(0)));
}

#[test]
fn a_program_that_takes_the_whole_screen_is_left_alone() {
    let (text, _) = shown("GEMINI_CLI", "printf '\\033[?1049h'; seq 1 5000; printf '\\033[?1049l'");
    assert_eq!(text, format!("\x1b[?1049h{}\x1b[?1049l", numbered(5_000)));
}

#[test]
fn elsewhere_a_terminal_is_for_people() {
    // A host that uses terminals only for people: the real shell has it.
    assert_eq!(shown("OPENCODE", "seq 1 5000"), (numbered(5_000), Some(0)));
}
