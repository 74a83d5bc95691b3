//! Tests of `overspill stats`.

use std::process::Stdio;

use crate::program::{Test, numbered, program, saved_run};
use crate::terminal::{seen, terminal};

#[test]
fn stats_count_produced_shown_and_retrieved_bytes() {
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
fn expired_output_is_still_counted() {
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
fn stats_count_every_byte_that_the_agent_got() {
    let done = Test::new(&["cut", "--max-lines", "8"]).stdin(numbered(5_000)).run().code(0);
    assert_eq!(stats(&done)["shown_bytes"], done.text().len());
    // A notice can be longer than a short output.
    let done = Test::new(&["cut", "--max-lines", "3"]).stdin(numbered(50)).run().code(0);
    let (shown, stats) = (done.text().len() as i64, stats(&done));
    assert_eq!(stats["saved_bytes"], 141 - shown);
    assert!(shown > 141, "{shown}");
}

#[test]
fn stats_report_terminals_separately() {
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

/// Runs `cut` in Codex, which shows 10,000 characters of a long output.
fn cut_in_codex(args: &[&str], stdin: String) -> crate::program::Done {
    Test::new(args).stdin(stdin).run_with(&[("CODEX_THREAD_ID", "1")]).code(0)
}

#[test]
fn saved_bytes_are_the_bytes_of_the_host_alone_minus_all_sent_bytes() {
    let done = cut_in_codex(&["cut", "--max-chars", "3000"], numbered(20_000));
    let (_, page, _) = done.then(&["read", &done.id(), "--lines", "500:600"]);
    let stats = stats(&done);
    let shown = done.text().len() + page.len();
    assert_eq!(stats["produced_bytes"], numbered(20_000).len());
    assert_eq!(stats["baseline_bytes"], 10_000);
    assert_eq!(stats["saved_bytes"], 10_000 - shown as i64);
    assert_eq!(stats["against_whole_output"]["outputs"], 0);
    assert_eq!(stats["by_host"][0]["host"], "codex");
    let (_, text, _) = done.then(&["stats"]);
    assert!(text.contains("is the text that the host agents alone would have shown.\n"), "{text}");
}

#[test]
fn output_of_an_unknown_host_is_compared_with_the_whole_output() {
    let done = cut_in_codex(&["cut"], numbered(20_000));
    let mut command = crate::program::program(done.test.dir.path());
    command.args(["run", "--max-lines", "9", "--", "seq", "1", "5000"]);
    let run = command.output().unwrap();
    let (json, (_, text, _)) = (stats(&done), done.then(&["stats"]));
    let apart = &json["against_whole_output"];
    assert_eq!((&apart["outputs"], &apart["baseline_bytes"]), (&1.into(), &23_893.into()));
    assert_eq!(apart["saved_bytes"], 23_893 - run.stdout.len() as i64);
    let row = |name: &str| text.lines().any(|line| line.trim_start().starts_with(name));
    assert!(row("host known") && row("host not known"), "{text}");
    let names: Vec<&str> = json["by_host"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["host"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["codex", "(not known)"]);
    assert_eq!(json["by_command"][1]["command"], "seq");
}

#[test]
fn unread_failure_lines_are_counted_until_a_page_shows_them() {
    let line = |at: u32| match at {
        700 => "error: the disk /dev/sda_77 is full\n".to_owned(),
        _ => format!("part {at} is built\n"),
    };
    let log: String = (0..3_000).map(line).collect();
    let done = Test::new(&["cut", "--keep", "ends", "--max-lines", "9"]).stdin(log.clone()).run();
    assert_eq!(stats(&done)["unseen_failure_lines"], 0, "`ends` looks for no signs of failure");
    let errors: String =
        (0..400).map(|at| format!("error: part_{at}.c:{at}: no such file\n")).collect();
    let done = Test::new(&["cut", "--max-bytes", "2000"]).stdin(log + &errors).run();
    let json = stats(&done);
    let unseen = json["unseen_failure_lines"].as_u64().unwrap();
    assert!(unseen > 100, "{json}");
    assert_eq!(json["unseen_failures"][0]["id"], done.id());
    let (_, text, _) = done.then(&["stats"]);
    assert!(text.contains("with a sign of failure in 1 output were cut and never read."), "{text}");
    done.then(&["grep", "error: part_3", &done.id()]);
    assert!(stats(&done)["unseen_failure_lines"].as_u64().unwrap() < unseen);
}

#[test]
fn stats_print_prices_and_csv() {
    let done = cut_in_codex(&["cut", "--max-chars", "2000"], numbered(20_000));
    let (_, json, _) = done.then(&["stats", "--json", "--price", "4"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["price"]["per_million_tokens"], 4.0);
    // 10,000 bytes are 2,500 tokens.
    assert_eq!(json["price"]["baseline"], 0.01);
    assert!(done.then(&["stats", "--price", "4"]).1.contains("COST"));
    for bad in ["-1", "x", "inf", ""] {
        assert_eq!(done.then(&["stats", "--price", bad]).0, 2, "{bad}");
    }
    let (_, csv, _) = done.then(&["stats", "--csv"]);
    let rows: Vec<&str> = csv.split("\r\n").collect();
    assert!(rows[0].starts_with("by,name,outputs,produced_bytes,baseline_bytes,"), "{csv}");
    assert!(rows[1].starts_with("all,,1,108894,10000,"), "{csv}");
    assert!(rows.iter().any(|row| row.starts_with("host,codex,1,")), "{csv}");
}

#[test]
fn csv_has_no_characters_that_control_a_terminal() {
    let done = Test::new(&["cut", "--tool", "a\u{1b}]0;x\u{7}\u{202e}\nb", "--max-lines", "5"])
        .stdin(numbered(5_000))
        .run();
    let (_, csv, _) = done.then(&["stats", "--csv"]);
    assert!(csv.contains("\r\ntool,a\\u{1b}]0;x\\u{7}\\u{202e}\\nb,1,"), "{csv}");
}

/// overspill records the sizes of an output when its command ends.
#[test]
fn unfinished_output_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.args(["run", "--", "sh", "-c", "seq 1 30000; exec sleep 60"]).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let list = || {
        let output = program(dir.path()).args(["list", "--json"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let wait_for = |state: &str| {
        let is_there = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            list().contains(state)
        });
        assert!(is_there, "{state}: {}", list());
    };
    let outputs = || -> serde_json::Value {
        let output = program(dir.path()).args(["stats", "--json"]).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["outputs"].clone()
    };
    wait_for("\"running\":true");
    assert_eq!(outputs(), 0, "the command runs");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("\"cut_short\":true");
    assert_eq!(outputs(), 0, "overspill was killed");
}
