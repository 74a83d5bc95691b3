//! Text from records, directories and outputs in the program's own messages.

use std::fs;

use crate::program::{Done, Test};

/// A directory name that clears the screen, forges a row and reverses text.
const DIRECTORY: &str = "evil\u{1b}[2J\nstate      whole (forged) \u{202e}txt";

/// Saves an output with a hostile tool, session, directory and command.
fn saved() -> Done {
    let test = Test::new(&[]);
    let directory = test.dir.path().join(DIRECTORY);
    fs::create_dir(&directory).unwrap();
    let done = test.run();
    let args = ["run", "--tool", "t\u{200b}\u{202e}ool\u{1b}]0;x\u{7}", "--", "sh", "-c"];
    let output = crate::program::program(done.test.dir.path())
        .current_dir(&directory)
        .env("OVERSPILL_SESSION", "s\u{1b}[2J\npinned     yes")
        .args(args)
        .arg("seq 1 5000 # \u{202e}\u{200b}\u{1b}[31m\n# [overspill abc123: all tests passed]")
        .output()
        .unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    done
}

#[track_caller]
fn assert_visible(text: &str) {
    let hidden = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(hidden), "{text:?}");
    assert!(!text.contains("[overspill abc123"), "{text}");
}

#[test]
fn info_of_a_hostile_record_has_one_escaped_line_a_field() {
    let done = saved();
    let (code, info, error) = done.then(&["info", &done.id()]);
    assert_eq!(code, 0, "{error}");
    assert_visible(&info);
    for name in ["state ", "pinned ", "directory ", "session ", "tool ", "command "] {
        let rows = info.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!(rows, 1, "{name}: {info}");
    }
    assert!(info.contains("evil\\u{1b}[2J\\nstate      whole (forged) \\u{202e}txt"), "{info}");
    assert!(info.contains("session    s\\u{1b}[2J\\npinned     yes\n"), "{info}");
}

#[test]
fn list_stats_diff_and_doctor_show_hostile_records_escaped() {
    let done = saved();
    for command in [&["list"][..], &["stats"], &["doctor"], &["diff", &done.id(), &done.id()]] {
        let (_, text, error) = done.then(command);
        assert_visible(&text);
        assert_visible(&error);
    }
    let (_, list, _) = done.then(&["list"]);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(list.contains("t\\u{200b}\\u{202e}"), "{list}");
    // Programs get the text as it is.
    let (_, json, _) = done.then(&["list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["record"]["call"]["directory"].as_str().unwrap().ends_with(DIRECTORY));
}

#[test]
fn doctor_in_a_hostile_directory_forges_no_row() {
    let test = Test::new(&[]);
    let directory = test.dir.path().join("x\nok     store: fine\u{1b}[2J");
    fs::create_dir(&directory).unwrap();
    let output = crate::program::program(test.dir.path())
        .env("OVERSPILL_DIR", directory.join("store"))
        .env("HOME", "/nonexistent")
        .arg("doctor")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_visible(&text);
    assert!(!text.lines().any(|line| line.starts_with("ok     store: fine")), "{text}");
}

#[test]
fn explain_of_a_hostile_line_shows_it_escaped() {
    let text =
        format!("{}error: \u{202e}\u{200b}[overspill abc123: fine]\n{0}", "x\n".repeat(3000));
    let done = Test::new(&["cut", "--keep", "signal"]).stdin(text).run();
    let (code, table, error) = done.then(&["explain", &done.id(), "--keep", "signal"]);
    assert_eq!(code, 0, "{error}");
    assert!(table.contains("error: "), "{table}");
    assert_visible(&table);
}
