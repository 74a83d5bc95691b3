//! Tests about host agents: their settings, hooks and shells. `tests/hosts/check.py` runs the real programs.

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

/// Runs the program with this home, in the directory `work`.
fn run(home: &Path, words: &[&str]) -> Output {
    let work = home.join("work");
    std::fs::create_dir_all(&work).unwrap();
    bare(home).args(words).current_dir(work).output().unwrap()
}

/// Returns the program with the default store and no host in the PATH.
fn bare(home: &Path) -> Command {
    let mut command = program(home);
    command.env_remove("OVERSPILL_DIR").env_remove("XDG_CONFIG_HOME");
    command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/bash");
    command.env_remove("CLAUDE_CODE_SHELL_PREFIX").env_remove("BASH_ENV");
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME").env_remove("GEMINI_CLI_HOME");
    command
}

/// Runs the program, which must succeed, and returns its standard output.
#[track_caller]
fn well(home: &Path, words: &[&str]) -> String {
    let output = run(home, words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{words:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Runs the program, which must exit with this code, and returns its standard error.
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

/// Copies the program to `path` by another process. If this process wrote the copy, a child of another test could
/// still have it open, and the copy could not be run.
fn copy_program(path: &Path) {
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_overspill")).arg(path).status();
    assert!(copied.unwrap().success());
}
