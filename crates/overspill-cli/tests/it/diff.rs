//! `overspill diff`: differences between two outputs, pages, and changes of test reports.

use overspill::Call;
use overspill::store::{Disk, DiskOptions, Store};

use crate::program::{Done, Test, id_of, saved_run};

/// Returns the ids of all outputs, in the order they were saved.
fn ids(done: &Done) -> Vec<String> {
    let mut ids: Vec<String> = done.files().iter().map(|file| id_of(file)).collect();
    ids.sort();
    ids
}

const COUNT: &str = "seq 1 5000; cat extra 2>/dev/null; exit 3";

/// Runs the same command twice. The second run prints one line more.
fn two_runs() -> (Done, Vec<String>) {
    let done = Test::new(&["run", "--", "sh", "-c", COUNT]).run();
    let more = "seq 1 4000; echo more; seq 4001 5000";
    done.then(&["run", "--", "sh", "-c", more]);
    let ids = ids(&done);
    (done, ids)
}

#[test]
fn diff_shows_the_changes_and_both_outputs() {
    let (done, ids) = two_runs();
    let (code, text, error) = done.then(&["diff", &ids[0], &ids[1]]);
    assert_eq!((code, error.as_str()), (0, ""));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(&format!("--- {}  2", crate::program::short(&ids[0]))), "{text}");
    assert!(lines[0].ends_with(&format!(" UTC  exit 3  sh -c '{COUNT}'")), "{text}");
    assert!(lines[1].starts_with(&format!("+++ {}  2", crate::program::short(&ids[1]))), "{text}");
    let changes =
        ["@@ -3998,6 +3998,7 @@", " 3998", " 3999", " 4000", "+more", " 4001", " 4002", " 4003"];
    assert_eq!(lines[2..10], changes);
    let token = ids[1][20..].to_lowercase();
    assert_eq!(lines[10], format!("[overspill {token}: 1 line added, 0 lines removed]"));
    let (code, same, _) = done.then(&["diff", &ids[0], &ids[0]]);
    assert!(code == 0 && same.ends_with("are the same]\n"), "{same}");
    let (_, json, _) = done.then(&["diff", "--json", &ids[0], &ids[1]]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["added"], &json["old"]["exit"]), (&1.into(), &3.into()));
}

#[test]
fn diff_with_one_output_takes_the_previous_run() {
    let done = saved_run();
    let (code, _, error) = done.then(&["diff", &done.id()]);
    assert!(code == 1 && error.contains("there is no earlier run of the same command"), "{error}");
    done.then(&["run", "--", "sh", "-c", "seq 1 5000; exit 3"]);
    done.then(&["run", "--", "seq", "1", "5000"]);
    let ids = ids(&done);
    let (_, text, _) = done.then(&["diff", &ids[1]]);
    assert!(
        text.contains(&format!(
            "{} and {} are the same",
            crate::program::short(&ids[0]),
            crate::program::short(&ids[1])
        )),
        "{text}"
    );
    assert_eq!(done.then(&["diff", &ids[2]]).0, 1);
}

#[test]
fn long_differences_come_in_pages() {
    let done = Test::new(&["run", "--", "seq", "1", "5000"]).run();
    done.then(&["run", "--", "seq", "5001", "2", "15000"]);
    let ids = ids(&done);
    let mut args: Vec<String> = vec!["diff".into(), ids[0].clone(), ids[1].clone()];
    let (mut removed, mut added) = (0, 0);
    loop {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, page, error) = done.then(&words);
        assert!(code == 0 && page.len() <= 51_200 && page.lines().count() <= 2000, "{error}");
        let count = |mark: &str, not: &str| {
            page.lines().filter(|line| line.starts_with(mark) && !line.starts_with(not)).count()
        };
        removed += count("-", "---");
        added += count("+", "+++");
        let Some((_, next)) = page.rsplit_once("; next: ") else { break };
        args = next.trim_end_matches("]\n").split(' ').skip(1).map(str::to_owned).collect();
    }
    assert_eq!((removed, added), (5000, 5000));
}

#[test]
fn diff_of_too_large_outputs_is_refused_with_a_way_to_compare_parts() {
    let done = Test::new(&["run", "--", "seq", "1", "5000"]).run();
    let old = done.id();
    let store = Disk::new(done.test.dir.path().join("store"), DiskOptions::default());
    let mut draft = store.create(&Call::default()).unwrap();
    draft.append(&vec![b'x'; 67_108_866]).unwrap();
    let new = draft.publish().unwrap().id.to_string();
    for words in [&["diff", &old, &new][..], &["diff", &new, &old], &["diff", "--json", &old, &new]]
    {
        let (code, text, error) = done.then(words);
        let is_json = words.contains(&"--json");
        assert!(code == 1 && text.starts_with(r#"{"version":1,"error""#) == is_json, "{error}");
        let lines: Vec<&str> = error.lines().collect();
        assert!(
            lines[0].contains(&format!("{} has 23893 bytes", crate::program::short(&old))),
            "{error}"
        );
        assert!(
            lines[0].contains(&format!("{} has 67108866 bytes", crate::program::short(&new))),
            "{error}"
        );
        assert!(lines[0].ends_with("diff compares at most 67108864 bytes each"), "{error}");
        let hint = lines[1].strip_prefix("hint: `diff <(").unwrap();
        assert!(
            hint.contains(&format!(" read {} --lines 1:2000)", crate::program::short(&old))),
            "{error}"
        );
        assert!(
            hint.contains(&format!(" read {} --lines 1:2000)", crate::program::short(&new))),
            "{error}"
        );
    }
}

#[test]
fn diff_of_test_reports_names_fixed_new_and_still_failing_tests() {
    let rows: String = (0..3_000).map(|n| format!("test case_{n} ... ok\n")).collect();
    let report = |tests: &str| format!("{rows}{tests}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report");
    let run = |done: &crate::program::Done, tests: &str| {
        std::fs::write(&file, report(tests)).unwrap();
        done.then(&["run", "--", "cat", file.to_str().unwrap()]);
    };
    let done = saved_run();
    let other = done.id();
    run(&done, "test a ... FAILED\ntest b ... FAILED\ntest c ... ok\n");
    run(&done, "test a ... ok\ntest b ... FAILED\ntest c ... FAILED\ntest d ... FAILED\n");
    let (code, text, error) = done.then(&["diff"]);
    assert_eq!(code, 0, "{error}");
    let expected =
        "fixed 1, new 2, still failing 1\n  new      c\n  new      d\n  still    b\n  fixed    a\n";
    assert!(text.contains(expected) && !text.contains("@@"), "{text}");
    let (_, lines, _) = done.then(&["diff", "--lines"]);
    assert!(lines.contains(expected) && lines.contains("-test a ... FAILED\n"), "{lines}");
    let (_, json, _) = done.then(&["diff", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let tests =
        serde_json::json!({"fixed": ["a"], "new": ["c", "d"], "still": ["b"], "not_run": []});
    assert_eq!(json["tests"], tests);
    // Other outputs are no test reports.
    let (_, text, _) = done.then(&["diff", &other, &other]);
    assert!(!text.contains("still failing"), "{text}");
}
