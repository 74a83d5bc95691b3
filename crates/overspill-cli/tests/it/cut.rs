//! `overspill cut`, and rules that apply to every preview.

use std::fs;

use serde_json::{Value, json};

use crate::home::Home;
use crate::program::{Test, numbered, program};

#[test]
fn short_input_of_cut_is_unchanged() {
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
fn cut_of_a_long_output_shows_both_ends_and_saves_it() {
    let done = Test::new(&["cut", "--max-lines", "6"]).stdin(numbered(5000)).run().code(0);
    let text = done.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("[overspill "), "{text}");
    assert!(lines[0].contains(": plain, 5,000 lines, 23,893 bytes, 4 lines shown; "), "{text}");
    assert_eq!(lines[1..3], ["1", "2"]);
    assert!(lines[3].ends_with(": lines 3-4998 cut]"), "{text}");
    assert_eq!(lines[4..], ["4999", "5000"]);
    done.saved(numbered(5000));
}

#[test]
fn cut_applies_every_limit() {
    let cut = |flag: &str, most: u64| {
        let done = Test::new(&["cut", flag, &most.to_string()]).stdin(numbered(5000)).run();
        done.code(0).saved(numbered(5000)).text()
    };
    assert!(cut("--max-bytes", 300).len() <= 300);
    assert!(cut("--max-chars", 300).chars().count() <= 300);
    assert!(cut("--max-lines", 7).lines().count() <= 7);
    // A token has at most three digits, and the output is almost only digits.
    assert!(cut("--max-tokens", 150).len() <= 4 * 150);
    let done =
        Test::new(&["cut", "--keep", "tail", "--max-bytes", "1KiB"]).stdin(numbered(5000)).run();
    assert!(done.text().len() <= 1024 && done.text().ends_with("\n5000\n"));
    let none = Test::new(&["cut", "--max-lines", "none"]).stdin(numbered(5000)).run();
    none.stdout(numbered(5000)).nothing_saved();
}

#[test]
fn limit_of_zero_shows_nothing_and_saves_everything() {
    Test::new(&["cut", "--max-bytes", "0"]).stdin("text").run().code(0).stdout("").saved("text");
}

fn outcome(args: &[&str], stdin: impl Into<Vec<u8>>) -> Value {
    let done = Test::new(&[&["cut", "--json"], args].concat()).stdin(stdin).run().code(0);
    let text = done.text();
    assert_eq!(text.lines().count(), 1);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn cut_json_reports_the_whole_outcome() {
    let whole = json!({
        "version": 1, "spilled": false, "text": "é\u{0}\n", "lossy": false, "id": null, "path": null,
        "complete": true, "total": { "bytes": 4, "lines": 1, "chars": 3 },
        "shown": { "bytes": 4, "lines": 1, "chars": 3 },
        "pieces": [{ "bytes": [0, 4], "lines": [1, 1] }], "gaps": [],
        "left_out": null, "limit": null, "error": null,
        "pending": null, "masked": 0,
    });
    assert_eq!(outcome(&[], "é\0\n"), whole);
    assert_eq!(outcome(&[], "")["pieces"], json!([]));
    let broken = outcome(&[], b"a\xff\n");
    assert_eq!((&broken["text"], &broken["lossy"]), (&json!("a\u{fffd}\n"), &json!(true)));

    let mut cut = outcome(&["--max-lines", "5"], numbered(3000));
    let (id, path) = (cut["id"].as_str().unwrap(), cut["path"].as_str().unwrap());
    let (folder, file) = path.rsplit_once('/').unwrap();
    assert_eq!(file, format!("{id}.txt"));
    assert!(folder.rsplit_once('/').unwrap().0.ends_with("/store"), "{path}");
    assert!(cut["text"].as_str().unwrap().contains(&id[20..].to_lowercase()));
    for field in ["id", "path", "text"] {
        cut[field] = Value::Null;
    }
    let rest = json!({
        "version": 1, "spilled": true, "text": null, "lossy": false, "id": null, "path": null,
        "complete": true, "total": { "bytes": 13893, "lines": 3000, "chars": 13893 },
        "shown": { "bytes": 12, "lines": 3, "chars": 12 },
        "pieces": [
            { "bytes": [0, 2], "lines": [1, 1] }, { "bytes": [13883, 13893], "lines": [2999, 3000] },
        ],
        "gaps": [{ "bytes": [2, 13883], "lines": [2, 2998] }],
        "left_out": { "unit": "bytes", "count": 13881 }, "limit": "lines", "error": null,
        "pending": null, "masked": 0,
    });
    assert_eq!(cut, rest);
}

#[test]
fn cut_envelope_shortens_the_text_of_a_response() {
    let response =
        json!({ "status": "success", "text": "line\n".repeat(3000), "stats": { "n": 1 } });
    let cut = |args: &[&str], stdin: String| {
        Test::new(&[&["cut", "--envelope", "--tool", "LS"], args].concat()).stdin(stdin).run()
    };
    let done = cut(&[], response.to_string()).code(0);
    let answer: Value = serde_json::from_str(&done.text()).unwrap();
    assert_eq!((&answer["status"], &answer["stats"]), (&json!("partial"), &json!({ "n": 1 })));
    let truncation = &answer["data"]["truncation"];
    assert_eq!(truncation["original_lines"], 3001);
    let saved = fs::read_to_string(truncation["full_output_path"].as_str().unwrap()).unwrap();
    assert_eq!(saved, response.to_string());

    let small = r#"{"status":"success","text":"x"}"#;
    cut(&[], small.into()).code(0).stdout(small).nothing_saved();
    let none = cut(&[], "{\n  oops".into()).code(1).stdout("{\n  oops");
    none.stderr_contains(
        "standard input: not JSON at line 2, column 3, so it was shortened as text",
    );
    let none = cut(&["--max-lines", "20"], numbered(3000)).code(1);
    assert_eq!(serde_json::from_str::<Value>(&none.text()).unwrap()["status"], "partial");
}

/// `--profile` gives the notices, file names and directories of each system.
#[test]
fn profile_answers_like_its_system() {
    let home = Home::new();
    let cut = |profile: &str| {
        let stdin = home.path("stdin");
        fs::write(&stdin, numbered(2500)).unwrap();
        let output = program(home.dir.path())
            .env_remove("OVERSPILL_DIR")
            .current_dir(home.path("project/deep"))
            .args(["cut", "--profile", profile, "--tool", "Read"])
            .stdin(fs::File::open(stdin).unwrap())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    };
    let only_file = |below: &str| {
        let files = fs::read_dir(home.path(below)).unwrap().map(|file| file.unwrap().path());
        let mut files = files.filter(|path| path.is_file() && !path.ends_with(".gitignore"));
        let file = files.next().unwrap();
        assert_eq!((files.next(), fs::read_to_string(&file).unwrap()), (None, numbered(2500)));
        file.display().to_string()
    };
    let look =
        "Use Grep to search the full content or Read with offset/limit to view specific sections.";
    let start = numbered(2000);

    let said = cut("opencode");
    let path = only_file(".local/share/opencode/tool-output");
    assert_eq!(
        said,
        format!(
            "{start}\n...501 lines truncated...\n\nThe tool call succeeded but the output was \
             truncated. Full output saved to: {path}\n{look}"
        )
    );
    let said = cut("takumi");
    let path = only_file(".takumi/tool-output");
    assert_eq!(
        said,
        format!("{start}\n...501 lines truncated...\n\nFull output saved to: {path}\n{look}")
    );
    let said = cut("agent-v2");
    let path = only_file("project/deep/data/truncation");
    assert!(said.ends_with(&format!("Full output saved to: {path}\n{look}")), "{said}");
    let said: Value = serde_json::from_str(&cut("unified")).unwrap();
    let path = only_file("project/tool-output");
    assert_eq!(said["data"]["preview"].as_str(), start.strip_suffix('\n'));
    let relative = said["data"]["truncation"]["full_output_path"].as_str().unwrap();
    assert_eq!(home.path("project").join(relative).display().to_string(), path);
    assert!(relative.starts_with("tool-output/tool_") && relative.ends_with("_Read.json"));
    // The limit of klaude is in characters, and 40,000 are within it.
    assert_eq!(cut("klaude"), numbered(2500));
}

/// S3-21: an output that cannot be saved is unchanged, also through a pipe.
#[test]
fn agent_v2_returns_the_original_if_saving_fails() {
    let home = Home::new();
    fs::write(home.path("project/deep/down/data"), "in the way").unwrap();
    let home = home.with("OVERSPILL_DIR", "data/truncation");
    let (_, stdout, _) = home.run_with(&["cut", "--profile", "agent-v2"], &numbered(2500));
    assert_eq!(stdout, numbered(2500));
}

#[test]
fn cut_of_an_unreadable_file_is_an_error() {
    let said = |path: &str, stderr: &str| {
        Test::new(&["cut", path]).run().code(1).stdout("").stderr_contains(stderr);
    };
    said(
        "/",
        "error: /: is a directory\nhint: name a file; `overspill run ls /` lists a directory\n",
    );
    said("/no/such/file", "error: /no/such/file: no such file or directory\n");
    said("/etc/passwd/x", "error: /etc/passwd/x: not a directory\n");
    let words = Test::new(&["cut", "--profile", "claude"]).run().code(2);
    words.stderr_contains("expected overspill, klaude, unified, takumi, agent-v2, opencode\n");
}

#[test]
fn named_pipe_is_read_to_its_end() {
    let home = Home::new();
    let line = format!("{} cut <(seq 1 10)", env!("CARGO_BIN_EXE_overspill"));
    let output = std::process::Command::new("bash")
        .args(["-c", &line])
        .env("HOME", home.dir.path())
        .output();
    let Ok(output) = output else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout), numbered(10));
}

#[test]
fn notice_without_room_goes_to_stderr() {
    for limit in [["--max-lines", "0"], ["--max-lines", "1"], ["--max-bytes", "10"]] {
        let cut = Test::new(&["cut", limit[0], limit[1]]).stdin(numbered(500)).run();
        let run = Test::new(&["run", limit[0], limit[1], "--", "seq", "500"]).run();
        for done in [cut, run] {
            assert!(done.output.stdout.len() <= 10, "{limit:?}");
            done.stderr_contains("1,892 bytes in 500 lines").stderr_contains(" read ");
        }
    }
    let roomy = Test::new(&["cut", "--max-lines", "6"]).stdin(numbered(500)).run();
    assert_eq!(String::from_utf8_lossy(&roomy.output.stderr), "");
}
