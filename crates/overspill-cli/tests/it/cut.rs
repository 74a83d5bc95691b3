//! `overspill cut`, and what holds for every preview.

use crate::program::{Test, numbered};

#[test]
fn what_fits_passes_through() {
    Test::new(&["cut"])
        .stdin("a\0\x1b[31mb\r\n")
        .run()
        .code(0)
        .stdout("a\0\x1b[31mb\r\n")
        .nothing_saved();
    Test::new(&["cut"]).run().code(0).stdout("").nothing_saved();
    Test::new(&["run", "--", "printf", "x"]).run().code(0).stdout("x").nothing_saved();
}

#[test]
fn a_long_output_keeps_both_ends_and_is_saved() {
    let done = Test::new(&["cut", "--max-lines", "6"]).stdin(numbered(5000)).run().code(0);
    let text = done.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("[overspill "), "{text}");
    assert!(
        lines[0].contains(": 23,893 bytes in 5,000 lines; 4 lines shown. All of it: "),
        "{text}"
    );
    assert_eq!(lines[1..3], ["1", "2"]);
    assert!(lines[3].contains("lines 3–4,998 not shown (23,879 bytes)"), "{text}");
    assert_eq!(lines[4..], ["4999", "5000"]);
    done.saved(numbered(5000));
}

#[test]
fn every_limit_holds() {
    let cut = |flag: &str, most: u64| {
        let done = Test::new(&["cut", flag, &most.to_string()]).stdin(numbered(5000)).run();
        done.code(0).saved(numbered(5000)).text()
    };
    assert!(cut("--max-bytes", 300).len() <= 300);
    assert!(cut("--max-chars", 300).chars().count() <= 300);
    assert!(cut("--max-lines", 7).lines().count() <= 7);
    // A token of digits has at most three of them, and there is little else here.
    assert!(cut("--max-tokens", 150).len() <= 4 * 150);
    let done =
        Test::new(&["cut", "--keep", "tail", "--max-bytes", "1KiB"]).stdin(numbered(5000)).run();
    assert!(done.text().len() <= 1024 && done.text().ends_with("\n5000\n"));
    let none = Test::new(&["cut", "--max-lines", "none"]).stdin(numbered(5000)).run();
    none.stdout(numbered(5000)).nothing_saved();
}

#[test]
fn a_limit_of_zero_shows_nothing_and_loses_nothing() {
    Test::new(&["cut", "--max-bytes", "0"]).stdin("text").run().code(0).stdout("").saved("text");
}
