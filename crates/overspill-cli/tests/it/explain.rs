//! `overspill explain`

use crate::program::Test;

fn log() -> String {
    let mut lines: Vec<String> =
        (1..=9000).map(|n| format!("[{n}] compiling module number {n} of the project")).collect();
    lines[4321] = "src/parser.rs:88:13: error: cannot find value `token` in this scope".into();
    lines.join("\n") + "\n"
}

#[test]
fn each_part_says_why_it_is_shown() {
    let done = Test::new(&["cut", "--keep", "signal", "--max-bytes", "4KiB"]).stdin(log()).run();
    assert!(done.text().contains("error: cannot find value"), "{}", done.text());
    let words = ["explain", &done.id(), "--keep", "signal", "--max-bytes", "4KiB"];
    let (code, table, _) = done.then(&words);
    assert_eq!(code, 0);
    let row = table.lines().find(|line| line.contains("cannot find value")).unwrap();
    assert!(row.contains("  4322  ") && row.contains("error word"), "{table}");
    assert!(table.contains("last lines"), "{table}");
    let (_, json, _) = done.then(&[&words[..], &["--json"]].concat());
    let parts: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(parts.len(), table.lines().count() - 1);
    assert!(parts.iter().any(|part| part["line"] == 4322));
}

#[test]
fn what_is_kept_for_its_place_says_so() {
    let done = Test::new(&["cut", "--keep", "ends", "--max-lines", "20"]).stdin(log()).run();
    let (_, table, _) = done.then(&["explain", &done.id(), "--keep", "ends", "--max-lines", "20"]);
    assert!(table.contains("first lines") && table.contains("last lines"), "{table}");
    let (_, fits, _) =
        done.then(&["explain", &done.id(), "--max-bytes", "none", "--max-lines", "none"]);
    assert_eq!(fits, "it fits, and all of it is shown\n");
}
