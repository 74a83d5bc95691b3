//! `overspill explain`: the reasons for each part of a preview.

use crate::program::Test;

fn log() -> String {
    let mut lines: Vec<String> =
        (1..=9000).map(|n| format!("[{n}] compiling module number {n} of the project")).collect();
    lines[4321] = "src/parser.rs:88:13: error: cannot find value `token` in this scope".into();
    lines.join("\n") + "\n"
}

#[test]
fn explain_gives_a_reason_for_each_part() {
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
    // The first line has the limits, and the second line has the titles.
    assert_eq!(parts.len(), table.lines().count() - 2);
    assert!(parts.iter().any(|part| part["line"] == 4322));
}

#[test]
fn explain_of_both_ends_names_the_ends() {
    let done = Test::new(&["cut", "--keep", "ends", "--max-lines", "20"]).stdin(log()).run();
    let (_, table, _) = done.then(&["explain", &done.id(), "--keep", "ends", "--max-lines", "20"]);
    assert!(table.contains("first lines") && table.contains("last lines"), "{table}");
    let (_, fits, _) =
        done.then(&["explain", &done.id(), "--max-bytes", "none", "--max-lines", "none"]);
    assert_eq!(fits, "The output is within the limits, so overspill shows all of it.\n");
}

#[test]
fn explain_uses_the_recorded_kind_and_room() {
    for (option, room) in [("--kind=plain", 9_500), ("--fill", 51_200)] {
        let most = room.to_string();
        let done = Test::new(&["cut", option, "--max-bytes", &most]).stdin(log()).run();
        let (_, explained, _) = done.then(&["explain", &done.id()]);
        let words = ["explain", &done.id(), option, "--max-bytes", &most];
        assert_eq!(explained, done.then(&words).1, "{option}");
        let (_, without, _) = done.then(&["explain", &done.id(), "--max-bytes", &most]);
        assert_ne!(explained, without, "{option}: the option changes nothing");
    }
}

/// Saves an output under small limits, then makes the settings much wider.
fn saved_before_settings_changed(keep: &str) -> crate::program::Done {
    let done = Test::new(&["cut", "--keep", keep, "--max-lines", "10"]).stdin(log()).run();
    let (code, _, error) = done.then(&["config", "set", "max_lines", "5000"]);
    assert_eq!(code, 0, "{error}");
    let (code, _, error) = done.then(&["config", "set", "keep", "head"]);
    assert_eq!(code, 0, "{error}");
    done
}

#[test]
fn explain_reports_the_recorded_policy_and_parts() {
    for (keep, kind) in [("signal", "lines that matter"), ("ends", "first and last lines")] {
        let done = saved_before_settings_changed(keep);
        let (code, text, error) = done.then(&["explain", &done.id()]);
        assert_eq!(code, 0, "{error}");
        let first = text.lines().next().unwrap();
        assert!(first.contains("10 lines") && first.contains(&format!("keep {keep}")), "{text}");
        assert!(first.contains(kind), "{text}");
        let (_, json, _) = done.then(&["explain", &done.id(), "--json"]);
        let parts: Vec<serde_json::Value> =
            json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        // The lines that the reader saw.
        let shown: Vec<u64> = done.text().lines().filter_map(number_of).collect();
        let explained = parts.iter().flat_map(|part| {
            part["first_line"].as_u64().unwrap()..=part["last_line"].as_u64().unwrap()
        });
        assert_eq!(explained.collect::<Vec<u64>>(), shown, "{json}\n{}", done.text());
        assert!(parts.iter().all(|part| part["limits"]["lines"] == 10 && part["keep"] == keep));
    }
}

/// Returns the number of a line of [`log`].
fn number_of(line: &str) -> Option<u64> {
    match line.strip_prefix('[').and_then(|line| line.split_once(']')) {
        Some((number, _)) => number.parse().ok(),
        None => line.starts_with("src/parser.rs").then_some(4322),
    }
}

#[test]
fn explain_with_options_uses_the_options() {
    let done = saved_before_settings_changed("signal");
    for words in [&["--now"][..], &["--keep", "head", "--max-lines", "5000"]] {
        let (code, text, error) = done.then(&[&["explain", &done.id()], words].concat());
        assert_eq!(code, 0, "{error}");
        assert!(text.starts_with("limits 5000 lines"), "{text}");
        assert!(text.contains("first lines"), "{text}");
    }
}

#[test]
fn explain_of_an_outline_reports_its_kind() {
    let items: Vec<String> = (0..5000).map(|n| format!("{{\"id\":{n}}}")).collect();
    let json = format!("[{}]", items.join(","));
    let done = Test::new(&["cut", "--max-bytes", "2000"]).stdin(json).run();
    let (code, text, _) = done.then(&["explain", &done.id()]);
    assert_eq!(code, 0);
    assert!(text.contains("2000 bytes") && text.contains("shorter JSON"), "{text}");
    let (_, json, _) = done.then(&["explain", &done.id(), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["kind"], "json");
    // A new preview has a size, so that two limits can be compared.
    let bytes = |most: &str| {
        let (_, json, _) = done.then(&["explain", &done.id(), "--json", "--max-bytes", most]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["bytes"].as_u64().unwrap()
    };
    let (small, large) = (bytes("2000"), bytes("8000"));
    assert!(small > 500 && small <= 2000 && large > 2 * small && large <= 8000, "{small} {large}");
}

#[test]
fn explain_of_an_output_that_is_not_text_names_the_notice() {
    let done = Test::new(&["cut", "--max-bytes", "2000"]).stdin("\0".repeat(9_000)).run();
    let (code, text, _) = done.then(&["explain", &done.id()]);
    assert_eq!(code, 0);
    assert!(text.contains("shown: only a notice, because the output is not text"), "{text}");
}

#[test]
fn explain_of_a_record_without_a_policy_uses_the_current_settings() {
    let done = saved_before_settings_changed("ends");
    let records = done.test.dir.path().join("store/.overspill/records");
    let record = records.join(format!("{}.record", done.id()));
    let bytes = std::fs::read(&record).unwrap();
    let line = bytes.windows(2).rposition(|two| two == b"\n{").unwrap() + 1;
    // Older versions did not write `preview`.
    let mut fields: serde_json::Value = serde_json::from_slice(&bytes[line..]).unwrap();
    assert!(fields.as_object_mut().unwrap().remove("preview").is_some(), "{fields}");
    std::fs::write(&record, [&bytes[..line], format!("{fields}\n").as_bytes()].concat()).unwrap();
    let (code, text, error) = done.then(&["explain", &done.id()]);
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("current settings"), "{error}");
    assert!(text.starts_with("limits 5000 lines"), "{text}");
}

#[test]
fn record_has_the_tool_that_the_notice_names() {
    for (mark, tool) in [("CLAUDECODE", Some("Read")), ("CODEX_THREAD_ID", None)] {
        let test = crate::program::Test::new(&["run", "--", "seq", "1", "5000"]);
        let output = test.command().env(mark, "1").output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert_eq!(shown.contains("; Read /"), tool.is_some(), "{shown}");
        let mut list = crate::program::program(test.dir.path());
        let list = list.args(["list", "--json"]).output().unwrap();
        let row: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
        assert_eq!(row["record"]["preview"]["file_tool"].as_str(), tool, "{row}");
        // `explain` uses the same tool in another directory.
        let mut explain = crate::program::program(test.dir.path());
        let explained = explain.args(["explain", "--json"]).output().unwrap();
        assert!(explained.status.success(), "{explained:?}");
    }
}

#[test]
fn explain_knows_the_command_that_printed_the_output() {
    // The text alone does not tell the kind. The command shows that it is source code.
    let mut test = Test::new(&["run", "--max-bytes", "4KiB", "--", "cat"]);
    let file = test.dir.path().join("notes.rs");
    let text: String = (1..=9000).map(|n| format!("item {n} of the shop\n")).collect();
    std::fs::write(&file, text).unwrap();
    test.args.push(file.to_str().unwrap().to_owned());
    let done = test.run().code(0);
    for words in [&[][..], &["--max-bytes", "4KiB"]] {
        let (_, text, error) = done.then(&[&["explain", "last"], words].concat());
        assert!(text.contains("kind source"), "{text}{error}");
    }
}
