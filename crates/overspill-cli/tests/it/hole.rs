//! Outputs larger than `store.max_output`: numbers are those of the original, and what was not
//! kept is reported.

use std::process::Stdio;

use crate::program::{Done, Test, numbered};

/// 1001 lines; line 501 is the only one that matters. The limit leaves lines 278–751 in the hole.
fn output() -> String {
    let numbers = numbered(1000);
    numbers.replacen("\n501\n", "\nERROR: the cause\n501\n", 1)
}

fn saved() -> Done {
    let test = Test::new(&["cut", "--max-bytes", "600"]);
    let mut command = test.command();
    command.env("OVERSPILL_MAX_OUTPUT", "2000").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), output().as_bytes()).unwrap();
    Done { output: child.wait_with_output().unwrap(), test }
}

/// Returns what was printed without the marks and the last line of the program.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("[overspill ")).collect()
}

#[test]
fn read_of_a_partial_output_counts_lines_as_the_original() {
    let done = saved();
    let (id, all) = (done.id(), output());
    let all: Vec<&str> = all.lines().collect();
    for (range, first, last) in [("1:3", 1, 3), ("900:903", 900, 903), ("1000:2000", 1000, 1001)] {
        let (_, page, _) = done.then(&["read", &id, "--lines", range]);
        assert_eq!(lines(&page), all[first - 1..last], "{page}");
        assert!(page.contains(&format!("lines {first}–{last} of 1001")), "{page}");
    }
    let (_, tail, _) = done.then(&["read", &id, "--tail", "2"]);
    assert!(tail.starts_with("999\n1000\n["), "{tail}");
    let (_, beyond, _) = done.then(&["read", &id, "--lines", "1002:1010"]);
    assert!(beyond.contains("there are 1001 lines"), "{beyond}");
    let start = output().find("ERROR").unwrap();
    let bytes = format!("{start}:{}", start + 5);
    let (_, page, _) = done.then(&["read", &id, "--bytes", &bytes]);
    assert!(page.starts_with("ERROR\n["), "{page}");
    let (_, page, _) = done.then(&["read", &id, "--bytes", "3900:3905"]);
    assert!(page.starts_with(&format!("{}\n[", output()[3900..3905].trim_end())), "{page}");
    assert!(page.contains("of 3910"), "{page}");
}

#[test]
fn read_in_the_hole_says_what_was_not_kept() {
    let done = saved();
    let id = done.id();
    let (code, page, _) = done.then(&["read", &id, "--lines", "300:310"]);
    assert!(code == 0 && lines(&page).is_empty(), "{page}");
    assert!(page.contains("lines 300–310 were not kept (`store.max_output`)"), "{page}");
    let (_, page, _) = done.then(&["read", &id, "--lines", "275:300"]);
    assert_eq!(lines(&page), ["275", "276", "277"], "{page}");
    assert!(page.contains("277\n[overspill ") && page.contains(": lines 278–300 were not kept"));
    let (_, page, _) = done.then(&["read", &id, "--bytes", "1100:1200"]);
    assert!(page.contains("bytes 1100–1200 were not kept (`store.max_output`)"), "{page}");
    let (_, page, _) = done.then(&["read", &id, "--bytes", "990:1200"]);
    assert!(page.contains("\n277\n[overspill ") && page.contains("bytes 1000–1200 were not kept"));
    // A tail that reaches into the hole shows a mark where lines are missing.
    let (_, page, _) = done.then(&["read", &id, "--tail", "300"]);
    assert!(page.contains("were not kept") && page.contains("\n752\n753\n"), "{page}");
}

#[test]
fn lines_of_a_preview_are_kept_in_the_hole() {
    let done = saved();
    let id = done.id();
    let shown: Vec<String> = done.text().lines().map(str::to_owned).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).filter(|l| !l.contains('[')).collect();
    assert!(shown.contains(&"ERROR: the cause"), "{shown:?}");
    for line in shown {
        let (code, found, _) = done.then(&["grep", &format!("^{line}$"), &id]);
        let number = output().lines().position(|other| other == line).unwrap() + 1;
        let expected = format!("{number}:{line}\n");
        assert!(code == 0 && found.starts_with(&expected), "{line}: {found}");
    }
    let (_, page, _) = done.then(&["read", &id, "--lines", "501:501"]);
    assert_eq!(lines(&page), ["ERROR: the cause"], "{page}");
    // Any other tool finds it, too.
    let file = std::fs::read_to_string(&done.files()[0]).unwrap();
    assert!(file.contains("\nERROR: the cause\n"), "{file}");
    let at = |line: &str| file.find(line).unwrap();
    assert!(at("\n277\n") < at("ERROR") && at("ERROR") < at("\n753\n"));
    assert!(done.then(&["info", &id]).1.contains("first and last part"));
}

#[test]
fn grep_of_a_partial_output_says_what_it_did_not_search() {
    let done = saved();
    let id = done.id();
    let (code, found, error) = done.then(&["grep", "ERROR", &id]);
    assert!(code == 0 && found.starts_with("501:ERROR: the cause\n"), "{found}");
    assert!(error.contains("were not kept and not searched"), "{error}");
    let last = found.lines().last().unwrap();
    assert!(last.contains("lines 278–") && last.contains("not kept and not searched"), "{found}");
    let (_, found, _) = done.then(&["grep", "-C", "1", "^999$", &id]);
    assert!(found.starts_with("999-998\n1000:999\n1001-1000\n"), "{found}");
    let (code, found, error) = done.then(&["grep", "no such line", &id]);
    assert!(code == 1 && lines(&found).is_empty(), "{found}");
    assert!(error.contains("not searched"), "{error}");
    let (_, json, _) = done.then(&["grep", "--json", "^900$", &id]);
    let json: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json[0]["line"], 901);
    assert_eq!(json.last().unwrap()["not_searched"]["lines"][0], 278, "{json:?}");
    let (_, count, error) = done.then(&["grep", "-c", ".", &id]);
    assert!(count.trim().parse::<u64>().unwrap() < 1001 && error.contains("not searched"));
    let (_, next, _) = done.then(&["grep", "0$", "--from", "990", &id]);
    assert!(next.starts_with("991:990\n1001:1000\n"), "{next}");
}
