//! Options of all commands: which hold, and which are refused.

use crate::program::{Test, numbered, saved_run};

#[test]
fn of_an_option_that_is_given_twice_the_last_holds() {
    let cut = ["cut", "--max-lines", "5", "--keep", "head", "--max-lines", "9", "--keep=tail"];
    let done = Test::new(&cut).stdin(numbered(100)).run().code(0);
    assert_eq!(done.text().lines().count(), 9);
    assert!(done.text().ends_with("\n99\n100\n"), "{}", done.text());

    let run = ["run", "--max-lines", "5", "--stderr", "pass", "--stderr", "merged"];
    let run = [&run[..], &["--max-lines=9", "--", "seq", "100"]].concat();
    assert_eq!(Test::new(&run).run().code(0).text().lines().count(), 9);
    Test::new(&["run", "--shell", "echo a", "--shell", "echo b"]).run().code(0).stdout("b\n");

    let saved = saved_run();
    let said = |words: &[&str]| saved.then(words).1;
    let id = saved.id();
    assert!(said(&["read", &id, "--lines", "1:2", "--lines", "7:8"]).starts_with("7\n8\n"));
    assert_eq!(said(&["grep", "-m", "5", "-C9", "-C", "0", "-m1", "^1$"]), "1:1\n");
    assert_eq!(
        said(&["list", "--limit", "0", "--json", "--limit", "1", "--json"]).lines().count(),
        1
    );
    let (code, text, _) = saved.then(&["config", "get", "--tool", "x", "--tool", "y", "max_lines"]);
    assert_eq!((code, &*text), (0, "2000\n"));
}
