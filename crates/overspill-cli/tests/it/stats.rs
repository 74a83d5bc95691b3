//! `overspill stats`

use std::process::Stdio;

use crate::program::{Test, numbered, saved_run};
use crate::terminal::{seen, terminal};

#[test]
fn stats_count_what_was_shown_against_what_was_produced() {
    let done = saved_run();
    let stats = || -> serde_json::Value {
        let (code, json, error) = done.then(&["stats", "--json"]);
        assert_eq!(code, 0, "{error}");
        serde_json::from_str(&json).unwrap()
    };
    let before = stats();
    assert_eq!((&before["outputs"], &before["produced_bytes"]), (&1.into(), &23_893.into()));
    assert_eq!(before["retrieved_bytes"], 0);
    let (_, page, _) = done.then(&["read", &done.id(), "--lines", "1:100"]);
    let (_, found, _) = done.then(&["grep", "77", &done.id()]);
    let after = stats();
    assert_eq!(after["retrieved_bytes"], page.len() + found.len());
    let saved = before["saved_bytes"].as_u64().unwrap() - (page.len() + found.len()) as u64;
    assert_eq!(after["saved_bytes"], saved);
    assert_eq!(after["estimated_tokens"]["saved"], saved / 4);
    assert_eq!(after["by_tool"][0]["tool"], "run");

    let (_, text, _) = done.then(&["stats"]);
    assert!(text.starts_with("1 long output in the last 30 days (short ones are not counted)\n"));
    assert!(text.contains("≈ TOKENS") && text.contains("\nTOOL ") && text.contains("\nDAY (UTC)"));
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    assert_eq!(
        done.then(&["stats", "--days", "0"]).1,
        "No long outputs in the last 0 days. Short outputs are not counted.\n"
    );
}

#[test]
fn what_has_expired_is_still_counted() {
    let done = saved_run();
    done.then(&["read", &done.id(), "--lines", "1:100"]);
    let (_, before, _) = done.then(&["stats", "--json"]);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    let file = std::fs::File::options().write(true).open(&done.files()[0]).unwrap();
    file.set_modified(old).unwrap();
    assert!(done.then(&["gc"]).1.starts_with("1 output removed"));
    assert_eq!(done.then(&["stats", "--json"]).1, before);
}

fn stats(done: &crate::program::Done) -> serde_json::Value {
    serde_json::from_str(&done.then(&["stats", "--json"]).1).unwrap()
}

#[test]
fn stats_count_every_byte_that_went_out() {
    let done = Test::new(&["cut", "--max-lines", "8"]).stdin(numbered(5_000)).run().code(0);
    assert_eq!(stats(&done)["shown_bytes"], done.text().len());
    // A notice can be longer than a short output.
    let done = Test::new(&["cut", "--max-lines", "3"]).stdin(numbered(50)).run().code(0);
    let (shown, stats) = (done.text().len() as i64, stats(&done));
    assert_eq!(stats["saved_bytes"], 141 - shown);
    assert!(shown > 141, "{shown}");
}

#[test]
fn stats_report_terminals_apart() {
    let (person, program) = terminal();
    let test = Test::new(&["run", "--", "seq", "1", "5000"]);
    let mut command = test.command();
    let child = command.stdout(program).stderr(Stdio::piped()).stdin(Stdio::null()).spawn();
    drop(command);
    seen(person);
    child.unwrap().wait_with_output().unwrap();
    let run = |args: &[&str]| {
        let output = crate::program::program(test.dir.path()).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&run(&["stats", "--json"])).unwrap();
    assert_eq!((&json["outputs"], &json["saved_bytes"]), (&0.into(), &0.into()));
    assert_eq!(json["on_terminal"], serde_json::json!({"outputs": 1, "produced_bytes": 23_893}));
    assert!(run(&["stats"]).ends_with("not counted: 1 long output on a terminal (23.3 KiB)\n"));
}
