//! `overspill` without arguments.

use std::fs;

use crate::program::Test;

#[test]
fn overview_of_an_empty_store_says_how_to_begin() {
    let done = Test::new(&[]).run();
    let text = String::from_utf8(done.output.stdout.clone()).unwrap();
    assert_eq!(done.output.status.code(), Some(0));
    assert!(text.starts_with("No saved outputs yet."), "{text}");
    assert!(text.contains("\noverspill CMD …"), "{text}");
}

#[test]
fn overview_shows_the_last_outputs_and_the_totals() {
    let done = Test::new(&["run", "sh", "-c", "seq 1 5000; exit 3"]).run();
    assert_eq!(done.output.status.code(), Some(3));
    let short = done.id()[20..].to_lowercase();
    let (code, text, _) = done.then(&[]);
    assert_eq!(code, 0);
    let row = text.lines().nth(1).unwrap();
    assert!(row.starts_with(&short) && row.ends_with("sh -c 'seq 1 5000; exit 3'"), "{text}");
    assert!(row.contains("  3  23.3 KiB"), "{text}");
    assert!(text.contains("1 output shortened, 23.3 KiB → "), "{text}");
}

#[test]
fn overview_names_agents_that_are_found_and_set_up() {
    let done = Test::new(&[]).run();
    let home = done.test.dir.path();
    fs::create_dir(home.join(".codex")).unwrap();
    let (_, text, _) = done.then(&[]);
    assert!(text.contains("codex"), "{text}");
    assert!(text.contains("found, not set up: ") && text.contains("; overspill init "), "{text}");
    assert_eq!(done.then(&["init", "codex"]).0, 0);
    let (_, text, _) = done.then(&[]);
    assert!(text.contains("agents  set up: codex"), "{text}");
}
