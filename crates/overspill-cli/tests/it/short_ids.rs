//! Short ids: people and models see six characters. `--json` prints whole ids for programs.

use crate::program::{Done, Test, numbered, program};

/// Saves two runs of one command, and a JSON output.
fn saved() -> Done {
    let done = Test::new(&["run", "sh", "-c", "seq 1 5000; date +%N"]).run();
    done.then(&["run", "sh", "-c", "seq 1 5000; date +%N"]);
    let json: Vec<String> = (0..9_000).map(|n| format!("{{\"a\": {n}}}")).collect();
    std::fs::write(done.test.dir.path().join("json"), format!("[{}]", json.join(","))).unwrap();
    let file = done.test.dir.path().join("json");
    done.then(&["cut", file.to_str().unwrap()]);
    done
}

/// Returns the full ids in a text, except those in paths.
fn full_ids(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"/_-.".contains(c));
    words.filter(|word| word.len() == 26 && word.starts_with("01")).collect()
}

#[test]
fn commands_print_short_ids() {
    let done = saved();
    let [json, new, old] = ["last", "last~1", "last~2"];
    for args in [
        &["read", old][..],
        &["read", old, "--lines", "1-3"],
        &["read", old, "--hex", "0:16"],
        &["read", json],
        &["read", json, "--json", "$[*].a"],
        &["read", json, "--json", "$.none"],
        &["read", old, "--json", "$.none"],
        &["grep", "7"],
        &["grep", "-l", "7"],
        &["grep", "-c", "7"],
        &["grep", "7", old, new],
        &["grep", "--from", "last:1", "7", old],
        &["diff", old, new],
        &["diff", old, old],
        &["diff", old, json],
        &["list"],
        &[],
        &["info", old],
        &["explain", old],
        &["read", "0"],
        &["pin", old],
        &["rm", old],
        &["pin", "--off", old],
        &["rm", old],
    ] {
        let (_, stdout, stderr) = done.then(args);
        let text = stdout + &stderr;
        assert!(full_ids(&text).is_empty(), "{args:?}: {:?}\n{text}", full_ids(&text));
        assert!(!text.is_empty(), "{args:?}");
    }
    let (_, json, _) = done.then(&["list", "--json"]);
    assert_eq!(full_ids(&json).len(), 2, "{json}");
}

#[test]
fn command_for_the_next_page_works_with_the_short_id() {
    let done = Test::new(&["run", "seq", "1", "100000"]).run();
    let mut page = done.then(&["read"]).1;
    for _ in 0..3 {
        let (_, next) = page.rsplit_once("next: ").unwrap();
        let words: Vec<&str> = next.trim_end_matches("]\n").split(' ').skip(1).collect();
        assert_eq!(words[1].len(), 6, "{next}");
        let (code, text, error) = done.then(&words);
        assert_eq!((code, error.as_str()), (0, ""));
        assert_ne!(text, page);
        page = text;
    }
    let (_, found, _) = done.then(&["grep", "1"]);
    let (_, next) = found.rsplit_once("next: ").unwrap();
    let words: Vec<&str> = next.trim_end_matches("]\n").split(' ').skip(1).collect();
    assert_eq!(done.then(&words).0, 0, "{next}");
}

#[test]
fn outputs_with_the_same_short_id_are_told_apart() {
    let done = Test::new(&["cut", "--max-lines", "3"]).stdin(numbered(50)).run();
    let id = done.id();
    let file = done.files().remove(0);
    let twin = format!("{}{}", if id.ends_with('0') { "01" } else { "00" }, &id[2..]);
    std::fs::copy(&file, file.with_file_name(format!("{twin}.txt"))).unwrap();
    let (code, _, error) = done.then(&["read", &id[20..].to_lowercase()]);
    assert_eq!(code, 1);
    if full_ids(&error).len() < 2 {
        // The ids in both rows must work.
        panic!("{error}");
    }
    let _ = program(done.test.dir.path());
}

#[test]
fn first_four_characters_of_a_short_id_name_an_output() {
    let done = Test::new(&["run", "seq", "1", "5000"]).run();
    let short = crate::program::short(&done.id());
    for length in 4..=6 {
        let (code, page, error) = done.then(&["read", &short[..length], "--lines", "7"]);
        assert!(code == 0 && page.starts_with("7\n"), "{short} {length}: {error}");
    }
    assert_eq!(done.then(&["read", &short[..3]]).0, 1);
    // An error names both outputs with the same start.
    let files = done.files();
    let path = files.iter().find(|path| path.ends_with(format!("{}.txt", done.id()))).unwrap();
    let last = if short.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &done.id()[..25]);
    std::fs::copy(path, path.with_file_name(format!("{other}.txt"))).unwrap();
    let (code, _, error) = done.then(&["read", &short[..5]]);
    let said = format!("{} is the beginning of 2 ids", &short[..5]);
    assert!(code == 1 && error.contains(&said) && error.contains(&short), "{error}");
}
