//! Outputs larger than `store.max_output`: line numbers are those of the original, and commands
//! report the missing lines.

use std::process::Stdio;

use crate::program::{Done, Test, numbered};

/// Returns 1001 lines, of which only line 501 is important. With the limit, lines 278–751 are in
/// the hole.
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

/// Returns the printed text without marks and without the last line of overspill.
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
    assert!(beyond.contains("the output has 1001 lines"), "{beyond}");
    let start = output().find("ERROR").unwrap();
    let bytes = format!("{start}:{}", start + 5);
    let (_, page, _) = done.then(&["read", &id, "--bytes", &bytes]);
    assert!(page.starts_with("ERROR\n["), "{page}");
    let (_, page, _) = done.then(&["read", &id, "--bytes", "3900:3905"]);
    assert!(page.starts_with(&format!("{}\n[", output()[3900..3905].trim_end())), "{page}");
    assert!(page.contains("of 3910"), "{page}");
}

#[test]
fn read_in_the_hole_reports_the_missing_lines() {
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
    // A tail that reaches into the hole has a mark for the missing lines.
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
    // Other programs find the line in the file, too.
    let file = std::fs::read_to_string(&done.files()[0]).unwrap();
    assert!(file.contains("\nERROR: the cause\n"), "{file}");
    let at = |line: &str| file.find(line).unwrap();
    assert!(at("\n277\n") < at("ERROR") && at("ERROR") < at("\n753\n"));
    assert!(done.then(&["info", &id]).1.contains("the first and the last part"));
}

#[test]
fn grep_of_a_partial_output_reports_lines_it_did_not_search() {
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

/// Saves a text with this limit and returns the result.
fn saved_text(text: &str, limit: &str) -> Done {
    let test = Test::new(&["cut", "--max-bytes", "600"]);
    let mut command = test.command();
    command.env("OVERSPILL_MAX_OUTPUT", limit).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    Done { output: child.wait_with_output().unwrap(), test }
}

#[test]
fn grep_and_diff_name_each_hole() {
    let done = saved();
    let id = done.id();
    let (_, found, error) = done.then(&["grep", "ERROR", &id]);
    for text in [&found, &error] {
        assert!(text.contains("lines 278–") && !text.contains("278–751"), "{text}");
        let (_, rest) = text.split_once("lines 278–").unwrap();
        let (holes, _) = rest.split_once(" (").unwrap();
        // Line 501 was kept, so no hole contains it.
        for hole in format!("278–{holes}").split(", ") {
            let (first, last) = hole.split_once('–').unwrap_or((hole, hole));
            let number = |text: &str| text.split(' ').next().unwrap().parse::<u64>().unwrap();
            assert!(!(number(first)..=number(last)).contains(&501), "{hole}: {text}");
        }
        assert!(text.contains("were not kept and not searched"), "{text}");
    }
    let (_, json, _) = done.then(&["grep", "--json", "ERROR", &id]);
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    let holes = last["not_searched"]["holes"].as_array().unwrap();
    assert!(holes.len() > 1 && holes[0][0] == 278, "{last}");
    // The other output has no hole.
    let mut other = done.test.command();
    other.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = other.spawn().unwrap();
    let text = output().replace("1000", "new");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    child.wait().unwrap();
    let (_, listed, _) = done.then(&["list", "--json"]);
    let new: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let (_, differences, _) = done.then(&["diff", &id, new["id"].as_str().unwrap()]);
    assert!(differences.contains("lines 278–"), "{differences}");
    assert!(!differences.contains("278–751"), "{differences}");
    assert!(differences.contains("were not kept and not compared"), "{differences}");
}

#[test]
fn many_holes_are_counted_after_the_first_few() {
    let lines: String = (1..=3000)
        .map(|n| match n % 300 {
            0 => format!("ERROR: cause {n}\n"),
            _ => format!("line {n}\n"),
        })
        .collect();
    let done = saved_text(&lines, "4000");
    let (_, found, _) = done.then(&["grep", "ERROR", &done.id()]);
    let last = found.lines().last().unwrap();
    assert!(last.contains(" and ") && last.contains(" more (") && last.len() < 250, "{last}");
    assert_eq!(last.matches('–').count(), 3, "{last}");
}

#[test]
fn grep_of_a_line_that_is_partly_kept_marks_the_cut() {
    let lines: String = (1..=3000).map(|n| format!("line {n} of many\n")).collect();
    // With one of these limits, each edge of the hole is in the middle of a line.
    let mut cuts = [0, 0];
    for limit in 4000..4020 {
        let done = saved_text(&lines, &limit.to_string());
        let id = done.id();
        // This pattern matches every whole line.
        let (_, rest, _) = done.then(&["grep", "-v", "^line [0-9]+ of many$", &id]);
        for line in rest.lines().filter(|line| !line.starts_with("[overspill ")) {
            let (number, text) = line.split_once(':').unwrap();
            let whole = lines.lines().nth(number.parse::<usize>().unwrap() - 1).unwrap();
            let inner = text.trim_matches('…');
            assert!(text != inner && whole.contains(inner), "{line}");
            assert_eq!(whole.starts_with(inner), !text.starts_with('…') || inner.is_empty());
            cuts[usize::from(text.starts_with('…'))] += 1;
            // An anchor does not match at the cut, but other patterns match within the part.
            let anchored = format!("^{inner}$");
            let (_, found, _) = done.then(&["grep", &anchored, &id]);
            assert!(!found.contains(&format!("{number}:")), "{anchored}: {found}");
            let (count, ..) = (done.then(&["grep", "-c", &anchored, &id]).1, ());
            assert_eq!(count.lines().next(), Some("0"), "{anchored}");
            if !inner.is_empty() {
                let (_, found, _) = done.then(&["grep", "-F", inner, &id]);
                assert!(found.contains(&format!("{number}:{text}\n")), "{inner}: {found}");
            }
        }
    }
    assert!(cuts[0] > 0 && cuts[1] > 0, "{cuts:?}");
}

#[test]
fn grep_of_one_long_line_with_a_hole_finds_both_ends() {
    let line = format!("{{\"start\":1,{}\"end\":2}}\n", "\"x\":0,".repeat(5000));
    let done = saved_text(&line, "4000");
    let (_, found, _) = done.then(&["grep", "-o", "\"(start|end)\":[0-9]", &done.id()]);
    assert!(found.contains("1:\"start\":1"), "{found}");
    assert!(found.contains("a part of line 1 ("), "{found}");
    let (_, found, _) = done.then(&["grep", "-o", "\"end\":[0-9]", &done.id()]);
    assert!(found.contains("1:\"end\":2"), "{found}");
}

#[test]
fn json_of_a_partial_output_reports_the_missing_part() {
    let item = |n: u32| format!("{{\"n\":{n},\"text\":\"{}\"}}", "x".repeat(50));
    let items: Vec<String> = (0..500).map(item).collect();
    let done = saved_text(&format!("{{\"items\":[{}]}}\n", items.join(",")), "4000");
    let (code, _, error) = done.then(&["read", &done.id(), "--json", "$.items[499].n"]);
    assert!(code == 1 && error.contains("was not kept (`store.max_output`)"), "{error}");
    assert!(error.contains("hint: ") && !error.contains("does not end"), "{error}");
    // JSON Lines: `read --json` reads the saved lines and reports the missing ones.
    let done = saved_text(&format!("{}\n", items.join("\n")), "4000");
    let (code, found, error) = done.then(&["read", &done.id(), "--json", "$.n"]);
    assert!(code == 0 && found.starts_with("1:0\n"), "{found}{error}");
    assert!(found.contains("were not kept"), "{found}");
}

#[test]
fn next_range_of_bytes_is_behind_the_hole() {
    let done = saved();
    let id = done.id();
    let (_, page, _) = done.then(&["read", &id, "--bytes", "1100:1120"]);
    assert!(page.contains("bytes 1100–1120 were not kept"), "{page}");
    let (_, next) = page.split_once("--bytes ").unwrap();
    let next = next.trim_end().trim_end_matches(']');
    assert_ne!(next, "1120:1140");
    let (_, page, _) = done.then(&["read", &id, "--bytes", next]);
    assert!(!lines(&page).is_empty() && !page.contains("not kept"), "{next}: {page}");
}

#[test]
fn read_beyond_the_only_line_counts_one_line() {
    let done = saved_text(&format!("{}\n", "x".repeat(5000)), "4000");
    let (_, page, _) = done.then(&["read", &done.id(), "--lines", "5:9"]);
    assert!(page.contains("the output has 1 line]"), "{page}");
}
