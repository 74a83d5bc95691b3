//! Repeated options, and combinations of options that are errors.

use crate::program::{Test, numbered, saved_run};

#[test]
fn last_value_of_a_repeated_option_applies() {
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

#[test]
fn option_without_effect_is_an_error() {
    let saved = saved_run();
    let id = saved.id();
    let second = saved.then(&["run", "--", "seq", "4000"]);
    assert_eq!(second.0, 0);
    let refused = |words: &[&str], reason: &str| {
        let (code, out, said) = saved.then(words);
        assert!(matches!(code, 1 | 2) && out.is_empty(), "{words:?}: {code} {out}");
        assert!(said.contains(reason), "{words:?}: {said}");
    };
    let cannot = "not both";
    refused(&["mcp", "--header", "a: b", "--", "cat"], cannot);
    refused(&["mcp", "--header-env", "a: HOME", "--", "cat"], cannot);
    refused(&["mcp", "--serve", "--header", "a: b"], cannot);
    for address in ["ftp://localhost/mcp", "localhost:3001", "http://", "http:///mcp", "https://"] {
        refused(&["mcp", "--http", address], "expected an address such as");
    }
    refused(&["grep", "--from", "zz:3", "1"], "there is no output zz");
    refused(&["grep", "--from", ":3", "1"], "or an id and a line");
    refused(&["grep", "--from", "0:3", "1"], "0 is the beginning of 2 ids");
    refused(&["grep", "-c", "--from", "3", "1"], "--from: with -c and -l all lines");
    let other = saved.then(&["list", "--json", "--limit", "1"]).1;
    let other: serde_json::Value = serde_json::from_str(&other).unwrap();
    let from = format!("{}:3", other["id"].as_str().unwrap());
    refused(&["grep", "--from", &from, "1", &id], "is not the first of the outputs");
    refused(&["config", "path", "--tool", "x"], "--tool has no effect on this command");
    refused(&["config", "check", "--project"], "--project has no effect on this command");

    // Valid values still work: the start or the end of an id, and the id of an expired output.
    let found = |words: &[&str]| saved.then(words).1;
    assert_eq!(found(&["grep", "--from", &format!("{id}:3"), "^[345]$", &id]), "3:3\n4:4\n5:5\n");
    let end = format!("{}:4", &id[20..].to_lowercase());
    assert_eq!(
        found(&["grep", "--from", &end, "^[345]$"]),
        format!("{}\n4:4\n5:5\n", crate::program::short(&id))
    );
    assert!(found(&["grep", "--from", "01ZZZZZZZZZZZZZZZZZZZZZZZZ:3", "^1$"]).contains("\n1:1\n"));
}
