//! Tables and lists on terminals of 40, 80 and 120 columns.

use std::fmt::Write;

use crate::program::{Done, Test, numbered, program};
use crate::terminal::on_terminal;

/// Saves three outputs: of a failed run, of a tool with a long name, and of a pipe.
fn saved() -> Done {
    let done = Test::new(&["run", "sh", "-c", "seq 1 100000; exit 3"]).run();
    done.then(&["run", "--tool", "a-tool-with-a-long-name-indeed", "seq", "1", "5000"]);
    std::fs::write(done.test.dir.path().join("long"), numbered(3_000)).unwrap();
    let file = done.test.dir.path().join("long");
    done.then(&["cut", file.to_str().unwrap()]);
    done.then(&["pin", "last"]);
    done
}

fn at_width(done: &Done, args: &[&str], columns: u16) -> String {
    let mut command = program(done.test.dir.path());
    command.args(args).env("TERM", "xterm").env("NO_COLOR", "1").env("PAGER", "cat");
    // `doctor` reports the PATH.
    command.env("PATH", "/usr/bin:/bin");
    on_terminal(command, (50, columns))
}

/// Replaces texts that differ between runs by fixed texts of the same length.
fn stable(text: &str, done: &Done) -> String {
    let mut text = text.to_owned();
    for file in done.files() {
        let id = crate::program::id_of(&file);
        text = text.replace(&id[20..].to_lowercase(), "SHORT_").replace(&id, &"ID".repeat(13));
    }
    let day = |line: &str| {
        let is_day = line.len() > 10 && line.starts_with("20") && line.as_bytes()[4] == b'-';
        if is_day { format!("YYYY-MM-DD{}", &line[10..]) } else { line.to_owned() }
    };
    // Ages and sizes of notices differ.
    let digits = |line: String| -> String {
        line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
    };
    text.lines().map(|line| digits(day(line)) + "\n").collect()
}

#[test]
fn tables_fit_terminals_of_40_80_and_120_columns() {
    let done = saved();
    for columns in [40, 80, 120] {
        let mut all = String::new();
        for args in [&["list"][..], &["stats"], &[], &["grep", "-m", "1", "99"]] {
            let text = at_width(&done, args, columns);
            let _ = write!(all, "$ overspill {}\n{}\n", args.join(" "), stable(&text, &done));
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(columns), "{widest} at {columns}: {args:?}\n{text}");
        }
        insta::assert_snapshot!(format!("tables-{columns}"), all);
    }
}

#[test]
fn settings_and_checks_fit_narrow_terminals() {
    let done = saved();
    for columns in [40, 80, 120] {
        for args in [
            &["config"][..],
            &["doctor"],
            &["explain"],
            &["explain", "--keep", "signal", "--max-lines", "9"],
            &["init"],
            &["init", "--force", "--dry-run", "claude-code"],
            &["config", "--changed"],
            &["uninstall", "--all"],
            &["stats", "--days", "0"],
        ] {
            let text = at_width(&done, args, columns);
            // A path is one word, and words are not broken.
            let long = |line: &&str| line.split(' ').all(|word| word.chars().count() < 30);
            let widest = text.lines().filter(long).map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(columns), "{widest} at {columns}: {args:?}\n{text}");
        }
    }
}

#[test]
fn list_sorted_by_size_shows_the_largest_first() {
    let done = saved();
    let (_, text, _) = done.then(&["list", "--sort", "size"]);
    let sizes: Vec<&str> = text.lines().skip(1).filter_map(|line| line.get(8..17)).collect();
    assert_eq!(sizes, ["575.1 KiB", " 23.3 KiB", " 13.6 KiB"], "{text}");
}
