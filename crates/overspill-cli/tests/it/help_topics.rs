//! `overspill help TOPIC`: each example runs, and each option and setting that a page names exists.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use regex::Regex;

use crate::program::{Done, Test, program, short};

const TOPICS: [&str; 4] = ["limits", "keep", "ids", "settings"];

fn page(topic: &str) -> String {
    Test::new(&["help", topic]).run().code(0).text()
}

/// Returns the command lines of a page, without the remark behind each of them.
fn examples(page: &str) -> Vec<String> {
    let example = Regex::new(r"(?m)^  ((?:OVERSPILL_\S+ )?overspill .*?)(?:   *\S.*)?$").unwrap();
    example.captures_iter(page).map(|example| example[1].to_owned()).collect()
}

/// Returns a directory, and the short id of the oldest output in it. The directory has the file
/// `build.log` and three outputs. The command of the newest output failed.
fn home() -> (Done, String) {
    let done = Test::new(&["run", "--", "sh", "-c", "seq 1 4000; echo error"]);
    fs::write(done.dir.path().join("build.log"), "[1, 2]\n").unwrap();
    fs::create_dir(done.dir.path().join("bin")).unwrap();
    fs::create_dir(done.dir.path().join(".git")).unwrap();
    symlink(env!("CARGO_BIN_EXE_overspill"), done.dir.path().join("bin/overspill")).unwrap();
    let done = done.run().code(0);
    let id = short(&done.id());
    shell(&done, "overspill seq 1 3000");
    shell(&done, "overspill run --shell 'seq 1 5000; exit 3'");
    (done, id)
}

/// Runs a command line in that directory, and returns the exit code and everything that it prints.
fn shell(home: &Done, line: &str) -> (Option<i32>, String) {
    let dir = home.test.dir.path();
    let mut shell = Command::new("sh");
    for (name, value) in program(dir).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let path = format!("{}/bin:{}", dir.display(), std::env::var("PATH").unwrap());
    // A project file does not count in the home directory.
    shell.env("PATH", path).env("HOME", dir.join("home")).env("SHELL", "/bin/sh");
    let output = shell.args(["-c", line]).current_dir(dir).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn help_topic_examples_run() {
    for topic in TOPICS {
        let (home, id) = home();
        let examples = examples(&page(topic));
        assert!(examples.len() > 5, "{topic}: {examples:?}");
        for example in examples {
            let (code, text) = shell(&home, &example.replace("q7atzy", &id));
            assert_eq!(code, Some(0), "{topic}: {example}\n{text}");
        }
    }
}

#[test]
fn help_topic_names_only_options_that_exist() {
    let option = Regex::new(r"--[a-z][a-z-]*").unwrap();
    let help: String = ["run", "cut", "config", "explain", "read", "list", "rm"]
        .map(|command| Test::new(&[command, "--help"]).run().code(0).text())
        .concat();
    let known: Vec<&str> = option.find_iter(&help).map(|option| option.as_str()).collect();
    for topic in TOPICS {
        for option in option.find_iter(&page(topic)) {
            assert!(known.contains(&option.as_str()), "{topic}: {}", option.as_str());
        }
    }
}

#[test]
fn help_topic_names_only_settings_that_exist() {
    let setting = Regex::new(r"`([a-z]+\.[a-z_]+|max_[a-z]+|[a-z]+)`|\b(max_[a-z]+)").unwrap();
    let variable = Regex::new(r"OVERSPILL_([A-Z_]+)").unwrap();
    let others = ["bash", "none", "auto", "signal", "last", "read", "grep", "diff"];
    let listing = Test::new(&["config", "list", "--json"]).run().code(0).text();
    for topic in TOPICS {
        let page = page(topic);
        let mut named = 0;
        for found in setting.captures_iter(&page) {
            let name = found.get(1).or(found.get(2)).unwrap().as_str();
            if !others.contains(&name) {
                assert!(listing.contains(&format!("\"{name}\"")), "{topic}: {name}");
                named += 1;
            }
        }
        for found in variable.captures_iter(&page) {
            let name = found[1].to_lowercase();
            assert!(listing.contains(&format!("{name}\"")), "{topic}: {name}");
            named += 1;
        }
        assert!(named > 0 || topic == "keep", "{topic}");
    }
}

#[test]
fn help_of_a_command_is_the_same_as_its_help_option() {
    for words in [&["read"][..], &["config", "set"], &["ls"], &["help"]] {
        let help = Test::new(&[&["help"], words].concat()).run().code(0).text();
        Test::new(&[words, &["--help"]].concat()).run().code(0).stdout(help);
    }
    let help = Test::new(&["config", "help", "set"]).run().code(0).text();
    Test::new(&["help", "config", "set"]).run().code(0).stdout(help);
    let first = Test::new(&["--help"]).run().code(0).text();
    Test::new(&["help"]).run().code(0).stdout(&first);
    for topic in TOPICS {
        assert!(first.contains(&format!("\n  {topic} ")), "{topic}");
    }
}

#[test]
fn unknown_help_topic_is_an_error_with_a_hint() {
    for (words, message, hint) in [
        (&["limit"][..], "there is no command or topic \"limit\"", "`overspill help limits`?"),
        (&["lisst"], "there is no command or topic \"lisst\"", "`overspill help list`?"),
        (&["xyz"], "there is no command or topic \"xyz\"", "`overspill help` lists the commands"),
        (
            &["config", "sett"],
            "`overspill config` has no command \"sett\"",
            "`overspill help config`",
        ),
        (&["ids", "last"], "the topic ids has no part \"last\"", "`overspill help ids` shows"),
    ] {
        let done = Test::new(&[&["help"], words].concat()).run().code(2).stdout("");
        done.stderr_contains(message).stderr_contains(hint);
    }
}

#[test]
fn topic_keep_explains_every_way_of_keeping() {
    let rows = Test::new(&["config", "list", "--json"]).run().code(0).text();
    let row = rows.lines().find(|row| row.contains(r#""key":"keep""#)).unwrap();
    let row: serde_json::Value = serde_json::from_str(row).unwrap();
    let names = Regex::new(r#""([a-z]+)""#).unwrap();
    let allowed = row["allowed"].as_str().unwrap();
    let ways: Vec<_> = names.captures_iter(allowed).map(|name| name[1].to_owned()).collect();
    assert!(ways.len() >= 6, "{allowed}");
    let page = page("keep");
    for way in ways {
        assert!(page.contains(&format!("\n  {way} ")), "`overspill help keep` lacks {way}");
    }
}
