//! The pager on a terminal.

use std::fs;

use crate::program::{Done, id_of, numbered, program, saved_run};
use crate::terminal::run_on_terminal;

/// Runs a command on a terminal of 33 lines. Returns the text on the screen, the exit code, and the
/// text that the pager got.
fn paged(done: &Done, args: &[&str], pager: &str) -> (String, Option<i32>, String) {
    let dir = done.test.dir.path();
    let file = dir.join("paged");
    let _ = fs::remove_file(&file);
    let mut command = program(dir);
    command.args(args).env("TERM", "xterm").env_remove("LESS").env("NO_COLOR", "1");
    command.env("FILE", &file).env("PAGER", pager);
    let (text, code) = run_on_terminal(command, (33, 77));
    (text, code, fs::read_to_string(&file).unwrap_or_default())
}

const TO_FILE: &str = "{ echo \"LESS=$LESS\"; cat; } > \"$FILE\"";

#[test]
fn read_gives_the_whole_output_to_the_pager() {
    let done = saved_run();
    let (screen, code, paged) = paged(&done, &["read"], TO_FILE);
    assert_eq!((screen.as_str(), code), ("", Some(0)));
    let text = paged.strip_prefix("LESS=FRX\n").unwrap();
    let end = text.strip_prefix(&numbered(5_000)).unwrap();
    assert!(end.starts_with("[overspill ") && end.contains("lines 1–5000 of 5000"), "{end}");
    assert!(!end.contains("next"), "{end}");
    // A person reads here and not a model, so nothing counts as read later.
    assert!(done.then(&["stats", "--json"]).1.contains("\"retrieved_bytes\":0,"));
}

#[test]
fn read_of_a_range_gives_the_range_to_the_pager() {
    let done = saved_run();
    let (_, _, paged) = paged(&done, &["read", "--lines", "11-4000"], TO_FILE);
    let lines: Vec<&str> = paged.lines().skip(1).collect();
    assert_eq!((lines[0], lines[3_989], lines.len()), ("11", "4000", 3_991));
    assert!(lines[3_990].contains("lines 11–4000 of 5000"), "{}", lines[3_990]);
}

#[test]
fn short_text_and_no_pager_and_cat_print_to_the_terminal() {
    let done = saved_run();
    for (args, pager) in [
        (&["read", "--lines", "1-5"][..], TO_FILE),
        (&["read", "--no-pager"], TO_FILE),
        (&["read"], "cat"),
        (&["read"], ""),
        (&["explain"], TO_FILE),
    ] {
        let (screen, code, paged) = paged(&done, args, pager);
        assert_eq!((code, paged.as_str()), (Some(0), ""), "{args:?}");
        assert!(!screen.is_empty(), "{args:?}");
    }
}

#[test]
fn pager_that_does_not_start_leaves_a_page_and_the_next_command() {
    let done = saved_run();
    let (screen, code, _) = paged(&done, &["read"], "/nowhere/pager");
    assert_eq!(code, Some(0));
    assert!(screen.contains("\n1999\n") && screen.contains("next: "), "{screen}");
}

#[test]
fn pager_that_is_closed_early_is_no_error() {
    let done = saved_run();
    let (screen, code, _) = paged(&done, &["read"], "head -1");
    assert_eq!((screen.as_str(), code), ("1\n", Some(0)));
}

#[test]
fn overspill_pager_comes_before_pager() {
    let done = saved_run();
    let mut command = program(done.test.dir.path());
    command.args(["read"]).env("TERM", "xterm").env("PAGER", "cat");
    command.env("OVERSPILL_PAGER", "tail -1");
    let (screen, _) = run_on_terminal(command, (33, 77));
    assert!(screen.starts_with("[overspill ") && screen.lines().count() == 1, "{screen}");
}

#[test]
fn agent_on_a_terminal_gets_no_pager() {
    let done = saved_run();
    let mut command = program(done.test.dir.path());
    command.args(["read"]).env("TERM", "xterm").env("PAGER", "tail -1").env("GEMINI_CLI", "1");
    let (screen, _) = run_on_terminal(command, (33, 77));
    assert!(screen.starts_with("1\n2\n") && screen.contains("next: "), "{screen}");
}

#[test]
fn diff_gives_all_differences_to_the_pager() {
    let done = saved_run();
    let old = done.id();
    let other = done.test.dir.path().join("other");
    fs::write(&other, numbered(5_000).replace('\n', "x\n")).unwrap();
    done.then(&["cut", "--max-lines", "3", other.to_str().unwrap()]);
    let new = done.files().iter().map(|file| id_of(file)).find(|id| *id != old).unwrap();
    let (_, code, paged) = paged(&done, &["diff", &old, &new], TO_FILE);
    assert_eq!(code, Some(0));
    assert!(paged.contains("\n-5000\n") && paged.contains("\n+5000x\n"), "{paged:.300}");
}
