//! `read`, `grep`, `list` and other commands that read saved outputs.

use std::fs;

use crate::program::{Done, Test, id_of, numbered, saved_run, short};

const NOTHING_SAVED: &str = "No saved outputs yet. overspill saves an output when it is too long to show. \
                             Try: overspill seq 100000\n";

#[test]
fn read_shows_a_page_and_the_command_for_the_next() {
    let done = saved_run();
    let id = done.id();
    let (code, page, _) = done.then(&["read", &id, "--lines", "3:5"]);
    let token = id[20..].to_lowercase();
    let next = format!("{} read {token} --lines 6:8", env!("CARGO_BIN_EXE_overspill"));
    assert_eq!(page, format!("3\n4\n5\n[overspill {token}: lines 3–5 of 5000; next: {next}]\n"));
    assert_eq!(code, 0);
    let (_, first, _) = done.then(&["read", &id]);
    assert!(first.len() <= 51_200 && first.lines().count() <= 2000);
    assert!(first.ends_with(&format!(" read {token} --lines 2000:3998]\n")), "{first}");
    let (_, tail, _) = done.then(&["read", &id, "--tail", "2"]);
    assert!(tail.starts_with("4999\n5000\n["), "{tail}");
    let (_, beyond, _) = done.then(&["read", &id, "--lines", "9000:9001"]);
    assert_eq!(beyond, format!("[overspill {token}: the output has 5000 lines]\n"));
    let (_, raw, _) = done.then(&["read", &id, "--raw"]);
    assert_eq!(raw, numbered(5000));
}

#[test]
fn output_is_found_by_id_start_of_id_or_path() {
    let done = saved_run();
    let path = done.files()[0].to_str().unwrap().to_owned();
    for name in [done.id(), done.id()[..12].to_lowercase(), path] {
        let (code, text, error) = done.then(&["read", &name, "--lines", "1:1"]);
        assert!(code == 0 && text.starts_with("1\n["), "{name}: {error}");
    }
    done.then(&["run", "--", "seq", "1", "5000"]);
    let (code, _, error) = done.then(&["read", "0"]);
    assert!(code == 1 && error.contains("0 is the beginning of 2 ids\n  "), "{error}");
    assert!(error.contains("  seq 1 5000\n") && error.contains("  sh -c 'seq"), "{error}");
    let (code, _, error) = done.then(&["read", "no-such-id"]);
    assert!(code == 1 && error.contains("there is no output no-such-id"), "{error}");
    let (code, _, error) = done.then(&["read", &done.id(), "--lines", "5:1"]);
    assert!(code == 2 && error.contains("expected two numbers"), "{error}");
}

#[test]
fn list_info_pin_and_rm_work_on_saved_outputs() {
    let done = saved_run();
    let id = done.id();
    let (_, list, _) = done.then(&["list"]);
    let short = id[20..].to_lowercase();
    let expected = format!(
        "ID          SIZE  LINES  USED  EXIT  TOOL  COMMAND\n{short}  23.3 KiB   5000   0 s     3  run   \
         sh -c 'seq 1 5000; exit 3'\n"
    );
    assert_eq!(list.replace("  1 s  ", "  0 s  "), expected);
    let (_, info, _) = done.then(&["info", &id]);
    assert!(info.contains("state      whole, as it was saved"), "{info}");
    done.then(&["pin", &id]);
    let (_, json, _) = done.then(&["list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["pinned"], &json["record"]["exit"]), (&true.into(), &3.into()));
    assert!(done.then(&["list"]).1.contains("  pinned  run "));
    assert_eq!(done.then(&["gc"]).1, "0 outputs removed (0 B), 1 kept\n");
    let (_, pinned, _) = done.then(&["pin", "--off", "--json", &id]);
    assert_eq!(pinned, format!("{{\"version\":1,\"id\":\"{id}\",\"pinned\":false}}\n"));
    assert_eq!(
        done.then(&["rm", &id]).1,
        format!("removed {} (23.3 KiB)\n", crate::program::short(&id))
    );
    assert_eq!(done.then(&["list"]).1, NOTHING_SAVED);
    assert_eq!(done.then(&["rm", &id]).0, 1);
}

#[test]
fn expired_id_is_reported_as_expired() {
    let done = saved_run();
    let id = done.id();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    fs::File::options().write(true).open(&done.files()[0]).unwrap().set_modified(old).unwrap();
    let (_, would, _) = done.then(&["gc", "--dry-run"]);
    assert_eq!(would, "1 output would be removed (23.3 KiB), 0 kept\n");
    assert_eq!(done.then(&["gc"]).1, "1 output removed (23.3 KiB), 0 kept\n");
    let (code, _, error) = done.then(&["read", &id]);
    assert!(code == 1 && error.contains(&format!("{id} expired on ")), "{error}");
    assert!(error.contains("it was 23.3 KiB of `sh -c 'seq 1 5000; exit 3'`"), "{error}");
    let short = crate::program::short(&id);
    let (code, _, error) = done.then(&["read", &short]);
    assert!(code == 1 && error.contains(&format!("{short} expired on ")), "{error}");
}

#[test]
fn commands_in_a_notice_work_as_printed() {
    let done = Test::new(&["run", "--max-lines", "8", "--", "seq", "1", "5000"]).run().code(0);
    let text = done.text();
    let gap = text.lines().find(|line| line.ends_with(" cut]")).unwrap();
    let command = text.split("; ").find_map(|part| part.strip_suffix("A-B")).unwrap();
    let command = format!("{command}{}", gap.split(' ').nth(2).unwrap());
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], env!("CARGO_BIN_EXE_overspill"));
    let (code, page, error) = done.then(&words[1..]);
    assert!(code == 0 && page.starts_with("4\n5\n6\n"), "{command}: {error}");
}

#[test]
fn grep_finds_lines_as_ripgrep_shows_them() {
    let done = saved_run();
    let id = done.id();
    assert_eq!(done.then(&["grep", "^49[89]$", &id]).1, "498:498\n499:499\n");
    let around = done.then(&["grep", "-C", "1", "-F", "2500", &id]).1;
    assert_eq!(around, "2499-2499\n2500:2500\n2501-2501\n");
    assert_eq!(done.then(&["grep", "-c", "7", &id]).1, "1355\n");
    assert_eq!(done.then(&["grep", "-m", "2", "."]).1, "1:1\n2:2\n");
    let (code, text, _) = done.then(&["grep", "no such line", &id]);
    assert_eq!((code, text.as_str()), (1, ""));
    let (code, _, error) = done.then(&["grep", "a(b", &id]);
    assert!(code == 2 && error.contains("unclosed group"), "{error}");
}

#[test]
fn grep_page_is_within_the_limit_and_has_the_next_command() {
    let done = saved_run();
    let mut args: Vec<String> = vec!["grep".into(), "-i".into(), "[0-9]".into(), done.id()];
    let mut seen = 0;
    for _ in 0..9 {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, page, error) = done.then(&words);
        assert!(code == 0 && page.len() <= 51_200 && page.lines().count() <= 2000, "{error}");
        seen += page.lines().filter(|line| !line.starts_with('[')).count();
        let Some((_, next)) = page.split_once("; next: ") else { break };
        let next = next.trim_end().trim_end_matches(']').replace('\'', "");
        args = next.split(' ').skip(1).map(str::to_owned).collect();
    }
    assert_eq!(seen, 5000);
}

#[test]
fn grep_page_with_a_long_pattern_and_many_outputs_is_within_the_limit() {
    let done = saved_run();
    for _ in 0..3 {
        done.then(&["run", "--", "seq", "1", "5000"]);
    }
    let pattern = format!("[0-9]|{}", "x".repeat(20_000));
    let (code, page, error) = done.then(&["grep", &pattern]);
    assert!(code == 0 && page.len() <= 51_200 && page.lines().count() <= 2000, "{error}");
    assert!(page.contains("3 more outputs not searched; next: "), "{}", &page[page.len() - 200..]);
    let (_, counts, _) = done.then(&["grep", "-c", "7"]);
    assert_eq!(counts.lines().filter(|line| line.ends_with(":1355")).count(), 4);
    let (_, first, _) = done.then(&["grep", "-m", "3000", ".", &done.id()]);
    let next = first.lines().last().unwrap();
    let shown = first.lines().count() as u64 - 1;
    assert!(next.contains(&format!(" -m {} ", 3000 - shown)), "{next}");
}

#[test]
fn grep_max_count_applies_to_all_pages_together() {
    let done = saved_run();
    done.then(&["run", "--", "seq", "1", "5000"]);
    let ids: Vec<String> = done.files().iter().map(|file| id_of(file)).collect();
    for outputs in [&[][..], &[ids[0].as_str(), &ids[1]]] {
        let pages = all_pages(&done, &[&["grep", "-m", "2500", "."], outputs].concat());
        assert!(pages.len() > 2);
        let matches = pages.iter().flat_map(|page| page.lines()).filter(|line| line.contains(':'));
        assert_eq!(matches.count(), 5000, "{outputs:?}");
    }
}

/// Runs a command and the commands for all next pages. Returns all pages without their last lines.
fn all_pages(done: &Done, first: &[&str]) -> Vec<String> {
    let mut args: Vec<String> = first.iter().map(|word| (*word).to_owned()).collect();
    let mut pages = Vec::new();
    loop {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, page, error) = done.then(&words);
        assert!(code == 0, "{args:?}: {error}");
        assert!(page.len() <= 51_200 && page.lines().count() <= 2000, "{args:?}");
        let Some((text, footer)) =
            page.trim_end().rsplit_once('\n').filter(|_| page.ends_with("]\n"))
        else {
            pages.push(page);
            return pages;
        };
        pages.push(format!("{text}\n"));
        let Some((_, next)) = footer.split_once("; next: ") else { return pages };
        // None of these commands has quotes, so splitting at blanks is enough.
        let next = next.trim_end_matches(']').replace('\'', "");
        args = next.split(' ').skip(1).map(str::to_owned).collect();
        assert!(pages.len() < 50, "{args:?}");
    }
}

#[test]
fn grep_goes_on_through_all_outputs() {
    let done = saved_run();
    done.then(&["run", "--", "seq", "1", "4000"]);
    done.then(&["run", "--", "seq", "1", "3000"]);
    let pages = all_pages(&done, &["grep", "[0-9]"]).concat();
    assert_eq!(pages.lines().filter(|line| line.contains(':')).count(), 5000 + 4000 + 3000);
    let ids: Vec<String> = done.files().iter().map(|file| id_of(file)).collect();
    let two = all_pages(&done, &["grep", "-C", "4", "[05]$", &ids[0], &ids[1]]).concat();
    let whole = done.then(&["grep", "-c", ".", &ids[0], &ids[1]]).1;
    let counts: usize = whole.lines().map(|line| line[7..].parse::<usize>().unwrap()).sum();
    assert_eq!(two.lines().filter(|line| line.contains([':', '-'])).count(), counts);
}

#[test]
fn grep_loses_nothing_between_pages_of_lines_that_do_not_match() {
    let done = Test::new(&["run", "--", "seq", "1", "100000"]).run();
    let id = done.id();
    let pages = all_pages(&done, &["grep", "-v", "1", &id]).concat();
    let found: Vec<String> = (1..=100_000_u32)
        .map(|n| n.to_string())
        .filter(|n| !n.contains('1'))
        .map(|n| format!("{n}:{n}\n"))
        .collect();
    assert!(pages == found.concat(), "{} of {}", pages.lines().count(), found.len());
    assert_eq!(done.then(&["grep", "-v", "-c", "-m", "5", "1", &id]).1, "5\n");
    assert_eq!(done.then(&["grep", "-v", "-m", "2", "1", &id]).1, "2:2\n3:3\n");
    assert_eq!(done.then(&["grep", "-m", "0", "-A", "2", "1", &id]).1, "");
}

#[test]
fn short_id_of_a_notice_names_the_output() {
    let done = saved_run();
    let id = done.id();
    let short = id[20..].to_lowercase();
    for typed in [&short, &id[20..], &id[10..]] {
        let (code, page, error) = done.then(&["read", typed, "--lines", "3:3"]);
        assert!(code == 0 && page.starts_with("3\n[") && page.contains(&short), "{error}");
    }
    assert!(done.then(&["info", &short]).1.contains(&id));
    // Fewer characters are the start of a whole id, or unknown.
    let (code, _, error) = done.then(&["read", &id[21..]]);
    assert!(code == 1 && error.contains("there is no output"), "{error}");
}

#[test]
fn unusable_store_is_named_once() {
    let done = saved_run();
    let dir = done.test.dir.path();
    // A name that no file system accepts, so that even root cannot open it.
    let long = dir.join("x".repeat(300));
    for command in [["list", "--json"], ["gc", "--dry-run"], ["read", "01KA"], ["grep", "x"]] {
        let said = |directory: &std::path::Path| {
            let output = crate::program::program(dir)
                .args(command)
                .env("OVERSPILL_DIR", directory)
                .output()
                .unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            // A search exits as ripgrep does.
            let expected = if command[0] == "grep" { 2 } else { 1 };
            assert!(output.status.code() == Some(expected), "{error}");
            error
        };
        let error = said(&long);
        assert!(error.starts_with(&format!("error: {}: ", long.display())), "{error}");
        let first = error.lines().next().unwrap();
        let (_, reason) = first.rsplit_once(": ").unwrap();
        assert_eq!(error.matches(reason).count(), 1, "{error}");
        if cfg!(target_os = "linux") && command[0] != "gc" {
            assert_eq!(
                said("/proc/foo".as_ref()).lines().next().unwrap(),
                "error: /proc/foo: there is no such directory, and none can be made in /proc"
            );
        }
    }
}

#[test]
fn grep_answers_programs_and_bad_patterns() {
    let done = saved_run();
    let id = done.id();
    let (_, json, _) = done.then(&["grep", "--json", "-A", "1", "^42$", &id]);
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let line = |number: u64, text: &str, matches: bool| serde_json::json!({ "version": 1, "id": id, "line": number, "match": matches, "text": text });
    assert_eq!(lines, [line(42, "42", true), line(43, "43", false)]);
    let (_, json, _) = done.then(&["grep", "--json", ".", &id]);
    assert!(
        json.len() <= 51_200
            && json.lines().last().unwrap().starts_with("{\"version\":1,\"next\":")
    );
    let (code, _, error) = done.then(&["grep", "a(b", &id]);
    assert_eq!(code, 2);
    assert_eq!(
        error,
        "error: the pattern is not a regular expression: unclosed group\n\n    a(b\n     ^\n\
         hint: -F searches for plain text: `overspill grep -F 'a(b'`\n"
    );
    assert_eq!(done.then(&["grep", "-e", "-5", &id]).0, 1);
    assert_eq!(done.then(&["grep", "--", "-5", &id]).0, 1);
    assert_eq!(done.then(&["grep", "-c", "-e", "^5$", &id]).1, "1\n");
    let binary =
        Test::new(&["run", "--max-lines", "2", "--", "printf", "a\\0b\\nc\\nd\\ne\\n"]).run();
    assert_eq!(binary.then(&["grep", "b"]).1, "1:a␀b\n");
}

#[test]
fn pattern_and_id_in_the_other_order_are_explained() {
    let done = Test::new(&["run", "--", "seq", "1", "5000"]).run();
    let id = done.id();
    let (code, _, stderr) = done.then(&["grep", &id, "4 2"]);
    assert_eq!(code, 2);
    let hint = format!("hint: did you mean `overspill grep '4 2' {id}`?");
    assert!(
        stderr.contains("the pattern comes before the id") && stderr.contains(&hint),
        "{stderr}"
    );
}

#[test]
fn commands_have_the_names_that_people_type() {
    let done = Test::new(&["run", "--", "seq", "1", "5000"]).run();
    let id = done.id();
    let same = |alias: &[&str], name: &[&str]| {
        assert_eq!(done.then(alias).1, done.then(name).1, "{alias:?}");
    };
    same(&["show", &id, "--tail", "1"], &["read", &id, "--tail", "1"]);
    same(&["cat", &id, "--raw"], &["read", &id, "--raw"]);
    same(&["search", "^42$", &id], &["grep", "^42$", &id]);
    same(&["rg", "^42$", &id], &["grep", "^42$", &id]);
    same(&["ls"], &["list"]);
    same(&["prune", "--dry-run"], &["gc", "--dry-run"]);
    assert_eq!(done.then(&["pin", &id]).0, 0);
    assert_eq!(done.then(&["unpin", &id]).1, format!("no longer pinned: {}\n", short(&id)));
    assert_eq!(done.then(&["unpin", &id]).1, format!("was not pinned: {}\n", short(&id)));
}

#[test]
fn last_and_failed_name_the_newest_outputs() {
    let done = Test::new(&["run", "sh", "-c", "seq 1 5000; exit 3"]).run();
    done.then(&["run", "seq", "1", "6000"]);
    done.then(&["run", "seq", "1", "7000"]);
    let tail = |words: &[&str]| {
        let words = [&["read"], words, &["--tail", "1"]].concat();
        done.then(&words).1.lines().next().map(str::to_owned)
    };
    assert_eq!(tail(&[]).as_deref(), Some("7000"));
    assert_eq!(tail(&["last"]).as_deref(), Some("7000"));
    assert_eq!(tail(&["last~1"]).as_deref(), Some("6000"));
    assert_eq!(tail(&["failed"]).as_deref(), Some("5000"));
    let (code, _, stderr) = done.then(&["read", "failed~1"]);
    assert!(code == 1 && stderr.contains("there is no output failed~1"), "{stderr}");
    assert!(done.then(&["info"]).1.contains("seq 1 7000"));
    assert!(done.then(&["explain"]).1.contains("keep auto"));
    assert_eq!(done.then(&["grep", "-c", "^42$", "failed"]).1, "1\n");
    let (_, listed, _) = done.then(&["list", "--failed"]);
    assert!(listed.lines().count() == 2 && listed.contains("exit 3"), "{listed}");
    assert_eq!(
        done.then(&["list", "--since", "1h", "--larger", "30k", "--json"]).1.lines().count(),
        1
    );
    assert_eq!(done.then(&["rm"]).1.lines().count(), 1);
    assert_eq!(tail(&[]).as_deref(), Some("6000"));
}

#[test]
fn pinned_output_is_removed_only_by_force() {
    let done = Test::new(&["run", "--", "seq", "1", "5000"]).run();
    let id = done.id();
    done.then(&["run", "--", "seq", "1", "6000"]);
    assert_eq!(done.then(&["pin", &id]).0, 0);
    let (code, _, stderr) = done.then(&["rm", &id]);
    assert!(
        code == 1
            && stderr
                .contains(&format!("hint: `overspill rm --force {}`", id[20..].to_lowercase())),
        "{stderr}"
    );
    assert_eq!(done.then(&["rm", "--all"]).1.lines().count(), 1);
    assert_eq!(
        done.then(&["rm", "--force", &id]).1,
        format!("removed {} (23.3 KiB)\n", short(&id))
    );
    assert_eq!(done.then(&["list", "--json"]).1, "");
}

#[test]
fn read_follows_paths_into_json() {
    let rows: Vec<String> =
        (0..20_000).map(|n| format!("{{\"id\": {n}, \"x y\": [{n}.50]}}")).collect();
    let text = format!("{{\"rows\": [{}]}}", rows.join(",\n"));
    let done = Test::new(&["cut"]).stdin(text).run();
    let id = done.id();
    let read = |path: &str| done.then(&["read", &id, "--json", path]);
    let token = id[20..].to_lowercase();
    let expected = format!("[19999.50]\n[overspill {token}: the only value]\n");
    assert_eq!(read("$.rows[-1]['x y']").1, expected);
    assert_eq!(read("/rows/19999/x y").1, expected);
    let (code, _, error) = read("$.nothing");
    assert!(code == 1 && error.starts_with(&format!("error: {token} has no value at $.nothing\n")));
    let (code, _, error) = read("$.rows[");
    assert!(code == 2 && error.contains("at character 8 of the path"), "{error}");
    let ids = all_pages(&done, &["read", &id, "--json", "$.rows[*].id"]).concat();
    assert_eq!(ids, (0..20_000).map(|n| format!("{n}\n")).collect::<String>());
    let (_, last, _) = done.then(&["read", &id, "--json", "$.rows[*].id", "--from", "20000"]);
    assert!(last.starts_with("19999\n[") && !last.contains("next"), "{last}");
    let text = saved_run();
    let (code, _, error) = text.then(&["read", &text.id(), "--json", "$.a"]);
    assert!(code == 1 && error.contains("has no value at $.a"), "numbers are JSON: {error}");
    let text =
        Test::new(&["run", "--max-lines", "2", "--", "printf", "{\\n\"a\": b}\\n\\n\\n"]).run();
    let (code, _, error) = text.then(&["read", &text.id(), "--json", "$.a"]);
    assert!(
        code == 1 && error.contains("not JSON: expected a value at line 2, byte 6\nhint: "),
        "{error}"
    );
}

#[test]
fn offset_past_the_end_reports_the_size() {
    let done = saved_run();
    let (code, page, _) = done.then(&["read", &done.id(), "--bytes", "99999999:"]);
    assert!(code == 0 && page.ends_with(": the output has 23893 bytes]\n"), "{page}");
    let (code, _, error) = done.then(&["read", &done.id(), "--json", "$", "--from", "9000"]);
    assert!(code == 1 && error.contains(" has no value at "), "{error}");
}

#[test]
fn list_filters_by_its_options() {
    let done = saved_run();
    let none = "No saved output matches. `overspill list` lists the newest outputs.\n";
    assert_eq!(done.then(&["list", "--tool", "cut"]).1, none);
    assert_eq!(done.then(&["list", "--command", "make"]).1, none);
    let rows = |args: &[&str]| done.then(args).1.lines().count();
    assert_eq!(rows(&["list", "--tool", "run", "--command", "seq 1", "--here"]), 2);
    done.then(&["run", "--", "seq", "1", "4000"]);
    assert!(
        done.then(&["list", "--limit", "1"]).1.ends_with("and 1 more; `--limit 2` shows them\n")
    );
    assert_eq!(rows(&["list", "--limit", "1", "--json"]), 1);
}

#[test]
fn unusable_store_error_has_the_reason() {
    let done = saved_run();
    let run = |store: &str, args: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_overspill"))
            .args(args)
            .env_clear()
            .env("OVERSPILL_DIR", store)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let file = done.files()[0].to_str().unwrap().to_owned();
    for args in
        [&["list"][..], &["read", "01"], &["grep", "x"], &["gc"], &["stats"], &["diff", "01"]]
    {
        let (code, error) = run(&file, args);
        // A search exits as ripgrep does.
        let expected = Some(if args[0] == "grep" { 2 } else { 1 });
        assert!(code == expected && error.contains("it is not a directory"), "{args:?}: {error}");
    }
    let (code, error) = run("/no/such/place", &["read", "01"]);
    assert!(code == Some(1) && error.contains("there is no output 01"), "{error}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_do_not_panic() {
    use std::os::unix::ffi::OsStrExt;
    let done = saved_run();
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    for (words, code) in
        [(&["read"][..], 1), (&["info"], 1), (&["rm"], 1), (&["grep"], 2), (&["diff"], 1)]
    {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_overspill"))
            .args(words)
            .arg(odd)
            .env("OVERSPILL_DIR", done.test.dir.path().join("store"))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(code) && !error.contains("panicked"),
            "{words:?} {error}"
        );
    }
}

#[test]
fn grep_knows_the_options_of_grep() {
    let done = saved_run();
    let id = done.id();
    let grep = |words: &[&str]| done.then(&[&["grep"], words, &[&id]].concat());
    let found = |words: &[&str]| grep(words).1;
    assert_eq!(found(&["-e", "^7$", "-e", "^9$"]), "7:7\n9:9\n");
    assert_eq!(found(&["-F", "-e", "4999", "-e", "(", "-n"]), "4999:4999\n");
    assert_eq!(found(&["-c", "-e", "^7$", "-e", "^9$"]), "2\n");
    assert_eq!(found(&["-c", "-e", "^7$", "-e", ""]), "5000\n");
    assert_eq!(found(&["-o", "^1[0-2]|9$", "-m", "3"]), "9:9\n10:10\n11:11\n");
    assert_eq!(found(&["-o", "--json", "^499"]).lines().count(), 11);
    assert_eq!(found(&["-l", "^4999$"]), format!("{}\n", short(&id)));
    assert_eq!(grep(&["-l", "none"]), (1, String::new(), String::new()));
    assert_eq!(found(&["-E", "-w", "(7|9)", "-m", "2"]), "7:7\n9:9\n");
    let context = found(&["-B", "1", "-A1", "-i", "^7$"]);
    assert_eq!((found(&["-C1", "^7$"]), &*context), (context.clone(), "6-6\n7:7\n8-8\n"));

    // The command for the next page has the same options.
    let text = found(&["-o", "-e", "[0-9]$", "-e", "^x y"]);
    let last = text.lines().last().unwrap();
    assert!(last.contains(" grep -o -e '[0-9]$' -e '^x y' "), "{last}");
    let next: u64 = last.rsplit("--from ").next().unwrap().trim_end_matches(']').parse().unwrap();
    assert_eq!(text.lines().count() as u64, next, "{last}");

    let refused = |words: &[&str], reason: &str| {
        let (code, _, said) = grep(words);
        assert!(code == 2 && said.contains(reason), "{words:?}: {said}");
    };
    refused(&["-o", "-v", "x"], "not both");
    refused(&["-o", "-C", "2", "x"], "not both");
    refused(&["-P", "x"], "look-around and back-references are not supported");
    refused(&["-rn", "x"], "hint: without an ID all outputs are searched");
    refused(&["-3", "x"], "hint: -C N shows");
    refused(&["-q", "x"], "hint: the exit code is 0 for a match");
    refused(&["-e", "x", "-e", "("], "unclosed group");
}

#[test]
fn grep_files_with_matches_lists_the_outputs() {
    let done = saved_run();
    let id = done.id();
    let (_, list, _) = done.then(&["run", "--", "seq", "100000", "103000"]);
    assert!(list.contains("overspill "));
    assert_eq!(done.then(&["grep", "-l", "^5000$"]).1, format!("{}\n", short(&id)));
    let both = done.then(&["grep", "-l", "1"]).1;
    assert!(both.lines().count() == 2 && both.ends_with(&format!("\n{}\n", short(&id))), "{both}");
}
