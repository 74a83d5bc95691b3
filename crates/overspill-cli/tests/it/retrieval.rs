//! `read`, `grep`, `list` and the others that look at what is saved.

use std::fs;

use crate::program::{Test, numbered, saved_run};

#[test]
fn read_shows_a_page_and_the_command_for_the_next() {
    let done = saved_run();
    let id = done.id();
    let (code, page, _) = done.then(&["read", &id, "--lines", "3:5"]);
    let token = id[20..].to_lowercase();
    let next = format!("{} read {id} --lines 6:8", env!("CARGO_BIN_EXE_overspill"));
    assert_eq!(page, format!("3\n4\n5\n[overspill {token}: lines 3–5 of 5000; next: {next}]\n"));
    assert_eq!(code, 0);
    let (_, first, _) = done.then(&["read", &id]);
    assert!(first.len() <= 51_200 && first.lines().count() <= 2000);
    assert!(first.ends_with(&format!(" read {id} --lines 2000:3998]\n")), "{first}");
    let (_, tail, _) = done.then(&["read", &id, "--tail", "2"]);
    assert!(tail.starts_with("4999\n5000\n["), "{tail}");
    let (_, beyond, _) = done.then(&["read", &id, "--lines", "9000:9001"]);
    assert_eq!(beyond, format!("[overspill {token}: there are 5000 lines]\n"));
    let (_, raw, _) = done.then(&["read", &id, "--raw"]);
    assert_eq!(raw, numbered(5000));
}

#[test]
fn an_output_is_named_by_id_beginning_or_path() {
    let done = saved_run();
    let path = done.files()[0].to_str().unwrap().to_owned();
    for name in [done.id(), done.id()[..12].to_lowercase(), path] {
        let (code, text, error) = done.then(&["read", &name, "--lines", "1:1"]);
        assert!(code == 0 && text.starts_with("1\n["), "{name}: {error}");
    }
    done.then(&["run", "--", "seq", "1", "5000"]);
    let (code, _, error) = done.then(&["read", "0"]);
    assert!(code == 1 && error.contains("0 is the beginning of 2 outputs: 0"), "{error}");
    let (code, _, error) = done.then(&["read", "no-such-id"]);
    assert!(code == 1 && error.contains("there is no output no-such-id"), "{error}");
    let (code, _, error) = done.then(&["read", &done.id(), "--lines", "5:1"]);
    assert!(code == 2 && error.contains("expected two numbers"), "{error}");
}

#[test]
fn list_info_pin_and_rm_speak_of_what_is_saved() {
    let done = saved_run();
    let id = done.id();
    let (_, list, _) = done.then(&["list"]);
    assert!(list.starts_with(&id) && list.contains("23.3 KiB") && list.contains("   3 "), "{list}");
    assert!(list.trim_end().ends_with("sh -c 'seq 1 5000; exit 3'"), "{list}");
    let (_, info, _) = done.then(&["info", &id]);
    assert!(info.contains("state      whole, as it was saved"), "{info}");
    done.then(&["pin", &id]);
    let (_, json, _) = done.then(&["list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["pinned"], &json["record"]["exit"]), (&true.into(), &3.into()));
    assert_eq!(done.then(&["gc"]).1, "0 removed (0 B), 1 kept\n");
    assert_eq!(done.then(&["rm", &id]).0, 0);
    assert_eq!(done.then(&["list"]).1, "nothing is saved\n");
    assert_eq!(done.then(&["rm", &id]).0, 1);
}

#[test]
fn what_has_expired_is_remembered() {
    let done = saved_run();
    let id = done.id();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    fs::File::options().write(true).open(&done.files()[0]).unwrap().set_modified(old).unwrap();
    assert_eq!(done.then(&["gc"]).1, "1 removed (23.3 KiB), 0 kept\n");
    let (code, _, error) = done.then(&["read", &id]);
    assert!(code == 1 && error.contains(&format!("{id} expired on ")), "{error}");
    assert!(error.contains("it was 23.3 KiB of `sh -c 'seq 1 5000; exit 3'`"), "{error}");
}

#[test]
fn the_commands_in_a_notice_work_as_printed() {
    let done = Test::new(&["run", "--max-lines", "8", "--", "seq", "1", "5000"]).run().code(0);
    let text = done.text();
    let gap = text.lines().find(|line| line.contains("not shown")).unwrap();
    let command = gap.split_once("): ").unwrap().1.trim_end_matches(']');
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
fn grep_is_bounded_and_its_last_line_leads_on() {
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
fn grep_stays_bounded_with_a_long_pattern_and_many_outputs() {
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
