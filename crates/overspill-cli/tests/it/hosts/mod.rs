//! Host agents: what they send and get, and what is written into their settings.
//!
//! The programs themselves are run by `tests/hosts/check.py`.

mod cached_program;
mod doctor;
mod hook;
mod init;
mod jobs;
mod own_slot;
mod plugins;
mod pointer;
mod reading;
mod receipts;
mod shell;
mod terminal;
mod untouched;
mod user_shell;
mod without_receipt;
mod wrappers;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::program;

/// Runs the program at home in `home`, in a directory of work.
fn run(home: &Path, words: &[&str]) -> Output {
    let work = home.join("work");
    std::fs::create_dir_all(&work).unwrap();
    bare(home).args(words).current_dir(work).output().unwrap()
}

/// The program with the outputs where they usually are, and no host in the PATH.
fn bare(home: &Path) -> Command {
    let mut command = program(home);
    command.env_remove("OVERSPILL_DIR").env_remove("XDG_CONFIG_HOME");
    command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/bash");
    command.env_remove("CLAUDE_CODE_SHELL_PREFIX").env_remove("BASH_ENV");
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME").env_remove("GEMINI_CLI_HOME");
    command
}

/// Runs it and wants it to go well.
#[track_caller]
fn well(home: &Path, words: &[&str]) -> String {
    let output = run(home, words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{words:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Runs it and wants this exit code; returns what it says on standard error.
#[track_caller]
fn wrong(home: &Path, words: &[&str], code: i32) -> String {
    let output = run(home, words);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {text}");
    text
}

fn links(home: &Path) -> PathBuf {
    home.join(".config/overspill/bin")
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Puts a copy of the program at `path`. Written by us, it might be held open by a child that another
/// test starts just now, and then it could not be run.
fn copy_program(path: &Path) {
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_overspill")).arg(path).status();
    assert!(copied.unwrap().success());
}
