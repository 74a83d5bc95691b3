//! A standard output that takes no bytes: overspill reports the loss, and saves the output.

use std::fs;
use std::process::Stdio;

use crate::program::{Done, Test, numbered, saved_run};

/// Runs the program with a standard output that refuses every write.
fn full(words: &[&str], stdin: &str) -> Done {
    let test = Test::new(words);
    fs::write(test.dir.path().join("stdin"), stdin).unwrap();
    on_full(test)
}

fn on_full(test: Test) -> Done {
    let mut command = test.command();
    let stdin = test.dir.path().join("stdin");
    command.stdin(fs::File::open(stdin).map_or_else(|_| Stdio::null(), Stdio::from));
    command.stdout(fs::File::options().write(true).open("/dev/full").unwrap());
    let output = command.stderr(Stdio::piped()).output().unwrap();
    Done { output, test }
}

const REFUSED: &str = "error: cannot write to standard output: no space left on device\n";

#[test]
fn run_output_that_cannot_be_written_is_reported_and_saved() {
    let done = full(&["run", "--", "seq", "10"], "").code(1).stderr_contains(REFUSED);
    let done = done.saved(numbered(10)).stderr_contains(" read ");
    let (_, info, _) = done.then(&["info", "--json", &done.id()]);
    assert!(info.contains(r#""exit":0"#) && info.contains("seq 10"), "{info}");

    full(&["run", "--", "seq", "3000"], "").code(1).stderr_contains(REFUSED).saved(numbered(3000));
    full(&["run", "--stream", "--", "seq", "10"], "").code(1).saved(numbered(10));
    full(&["run", "--stream", "--", "seq", "3000"], "").code(1).saved(numbered(3000));
    // The command's own exit code says more, and without output nothing is lost.
    let done = full(&["run", "--", "sh", "-c", "echo x; exit 3"], "").code(3);
    done.stderr_contains(REFUSED).saved("x\n");
    let done = full(&["run", "--", "true"], "").code(0).nothing_saved();
    assert_eq!(String::from_utf8_lossy(&done.output.stderr), "");
}

#[test]
fn cut_output_that_cannot_be_written_is_reported_and_saved() {
    for words in [&["cut"][..], &["cut", "--json"]] {
        for lines in [10, 3000] {
            let done = full(words, &numbered(lines)).code(1).stderr_contains(REFUSED);
            done.stderr_contains(" read ").saved(numbered(lines));
        }
        // JSON is printed even for an empty input.
        let code = i32::from(words.len() > 1);
        full(words, "").code(code).nothing_saved();
    }
    full(&["cut", "--envelope"], "{}").code(1).stderr_contains(REFUSED);
}

#[test]
fn answer_that_cannot_be_written_is_an_error() {
    let Done { mut test, .. } = saved_run();
    for line in [
        "read 0",
        "grep 1",
        "list",
        "info 0",
        "stats",
        "config",
        "config get max_lines",
        "--version",
        "--help",
        "man",
    ] {
        test.args = line.split(' ').map(str::to_owned).collect();
        // A search exits like ripgrep.
        let done = on_full(test).code(if line.starts_with("grep") { 2 } else { 1 });
        assert_eq!(
            String::from_utf8_lossy(&done.output.stderr),
            format!("{REFUSED}hint: free space there, or write to another place\n"),
            "{line}"
        );
        test = done.test;
    }
}

#[test]
fn failed_write_does_not_count_as_shown() {
    for (words, stdin) in [
        (&["run", "--", "seq", "30000"][..], String::new()),
        (&["run", "--", "seq", "10"], String::new()),
        (&["run", "--stream", "--", "seq", "30000"], String::new()),
        (&["cut"], numbered(30_000)),
        (&["cut", "--json"], numbered(30_000)),
    ] {
        let done = full(words, &stdin).code(1).stderr_contains("; 0 lines shown");
        let (_, stats, _) = done.then(&["stats", "--json"]);
        let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
        assert_eq!((&stats["outputs"], &stats["shown_bytes"]), (&1.into(), &0.into()), "{words:?}");
        let (_, info, _) = done.then(&["info", "--json", &done.id()]);
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        assert_eq!(info["record"]["shown"]["bytes"], 0, "{words:?}: {info}");
    }
}
