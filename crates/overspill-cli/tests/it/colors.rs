//! Colours of the commands.

use crate::program::{Done, Test, numbered, program, saved_run};
use crate::terminal::on_terminal;

const RED: &str = "\u{1b}[31m";
const END: &str = "\u{1b}[0m";

fn colored(done: &Done, args: &[&str]) -> String {
    done.then(&[&["--color", "always"], args].concat()).1
}

#[test]
fn grep_colors_numbers_and_matches() {
    let done = saved_run();
    let text = colored(&done, &["grep", "-m", "1", "242", &done.id()]);
    let line = "\u{1b}[32m242\u{1b}[0m:\u{1b}[1m\u{1b}[31m242\u{1b}[0m\n";
    assert_eq!(text, line);
    // A line of context and an inverted search have no match.
    let text = colored(&done, &["grep", "-v", "-m", "1", "7", &done.id()]);
    assert_eq!(text, "\u{1b}[32m1\u{1b}[0m:1\n");
}

#[test]
fn list_and_overview_show_failed_runs_in_red() {
    let done = Test::new(&["run", "sh", "-c", "seq 1 5000; exit 3"]).run();
    let failed = format!("{RED}sh -c 'seq 1 5000; exit 3'{END}");
    for args in [&["list"][..], &[]] {
        let text = colored(&done, args);
        assert!(text.contains(&format!("{RED}3{END}")) && text.contains(&failed), "{text}");
    }
    let done = Test::new(&["run", "seq", "1", "5000"]).run();
    assert!(!colored(&done, &["list"]).contains(RED));
}

#[test]
fn diff_colors_added_and_removed_lines() {
    let done = Test::new(&["cut", "--max-lines", "3"]).stdin(numbered(50)).run();
    let old = done.id();
    std::fs::write(done.test.dir.path().join("new"), numbered(51).replace("7\n", "x\n")).unwrap();
    let new = done.test.dir.path().join("new");
    done.then(&["cut", "--max-lines", "3", new.to_str().unwrap()]);
    let text = colored(&done, &["diff", &old, "last"]);
    assert!(text.contains("\u{1b}[31m-7\u{1b}[0m\n\u{1b}[32m+x\u{1b}[0m\n"), "{text}");
}

#[test]
fn doctor_colors_its_marks_and_puts_the_fix_on_a_line() {
    let done = Test::new(&["--color", "always", "doctor"]).run();
    assert!(done.text().contains("\u{1b}[32m✓\u{1b}[0m store: "), "{}", done.text());
    let test = Test::new(&["doctor"]);
    let output = test.command().env("OVERSPILL_MAX_LINE", "3").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().position(|line| line.starts_with("✗ settings: ")).unwrap();
    assert!(text.lines().nth(line + 1).unwrap().starts_with("    fix: "), "{text}");
}

#[test]
fn json_and_pipes_have_no_colors() {
    let done = saved_run();
    for args in [&["list"][..], &["grep", "7"], &["stats"], &["info"], &[]] {
        assert!(!done.then(args).1.contains('\u{1b}'), "{args:?}");
    }
    for args in [&["list", "--json"][..], &["grep", "7", "--json"], &["stats", "--json"]] {
        assert!(!colored(&done, args).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn terminal_has_colors_unless_no_color_is_set() {
    let done = saved_run();
    let list = |variables: &[(&str, &str)]| {
        let mut command = program(done.test.dir.path());
        command.arg("list").env_remove("NO_COLOR").env("TERM", "xterm");
        command.envs(variables.iter().copied());
        on_terminal(command, (33, 77))
    };
    assert!(list(&[]).contains("\u{1b}[35m"), "{}", list(&[]));
    assert!(!list(&[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(!list(&[("TERM", "dumb")]).contains('\u{1b}'));
}

#[test]
fn config_dims_defaults_only() {
    let done = Test::new(&["config", "set", "max_lines", "500"]).run();
    let text = colored(&done, &["config"]);
    let line = |key: &str| text.lines().find(|line| line.contains(key)).unwrap().to_owned();
    assert!(line("max_bytes").starts_with("\u{1b}[2mmax_bytes\u{1b}[0m"), "{text}");
    assert!(line("max_lines").starts_with("max_lines "), "{text}");
}
