//! Help, manual pages and completions: all from the same definitions.

use std::fs;
use std::process::Command;

use crate::program::Test;

/// Returns what is printed, as wide as on a terminal of 100 columns.
fn help(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_overspill")).args(words).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands, as `--help` lists them.
fn commands() -> Vec<String> {
    let help = help(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let names = list
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = commands();
    for name in
        ["read", "grep", "list", "info", "diff", "rm", "pin", "gc", "stats", "completions", "man"]
    {
        assert!(commands.iter().any(|command| command == name), "{name}");
    }
    for command in &commands {
        let help = help(&[command, "--help"]);
        assert!(help.contains(&format!("\n  overspill {command}")), "{command}: {help}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let dir = tempfile::tempdir().unwrap();
    help(&["man", "--dir", dir.path().to_str().unwrap()]);
    for command in commands() {
        let page = fs::read_to_string(dir.path().join(format!("overspill-{command}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS") || page.contains(".SH SYNOPSIS"), "{command}");
    }
    assert!(help(&["man"]).contains(".TH overspill 1"));
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = help(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    Test::new(&["completions", "cmd.exe"]).run().code(2).stderr_contains("possible values");
}

#[test]
fn help_of_diff_is_as_we_want_it() {
    let expected = "\
Shows how two saved outputs differ, line by line

Usage: overspill diff [OPTIONS] <ID> [OTHER]

Arguments:
  <ID>     The output; with another one, the older of the two
  [OTHER]  The output it is compared with

Options:
      --from <LINE>  From this line of the differences on [default: 1]
      --json         As JSON
  -h, --help         Print help (see more with '--help')

Examples:
  overspill diff 01KA            what is different since the last time
  overspill diff 01KA 01KB       from 01KA to 01KB
";
    assert_eq!(help(&["diff", "-h"]), expected);
}
