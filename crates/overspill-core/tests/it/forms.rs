//! Rules about the form of rows: each test has an output in which only the form tells what matters.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Kind, Limits, Policy};

fn kind_and_preview(output: &str, bytes: u64) -> (Kind, String) {
    let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Auto);
    let oversized = policy.measure(output.as_bytes()).unwrap();
    (oversized.kind().unwrap(), oversized.preview(&common::saved()).text)
}

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Returns the diff of a file in a merge with two parents, with one conflict.
fn merged(n: usize) -> String {
    let same = many(20, |line| format!("  let kept_{n}_{line} = {line};\n"));
    let ours = many(20, |line| format!("- let ours_{n}_{line} = {line};\n"));
    let theirs = many(20, |line| format!(" -let theirs_{n}_{line} = {line};\n"));
    let new = many(20, |line| format!("++let merged_{n}_{line} = {line};\n"));
    format!(
        "diff --cc src/part_{n}.rs\nindex 1111111,2222222..0000000\n--- a/src/part_{n}.rs\n\
         +++ b/src/part_{n}.rs\n@@@ -1,40 -1,40 +1,40 @@@\n{same}{ours}{theirs}{new}"
    )
}

#[test]
fn diff_of_a_merge_names_every_file() {
    let (kind, preview) = kind_and_preview(&many(12, merged), 2000);
    assert_eq!(kind, Kind::Diff);
    for n in 0..12 {
        assert!(preview.contains(&format!("diff --cc src/part_{n}.rs\n")), "{n}: {preview}");
    }
}

#[test]
fn log_with_dates_after_file_names_is_no_search() {
    let log = many(900, |n| {
        let (minute, second) = (n / 60, n % 60);
        let level = if n == 500 { "ERROR pool: connection refused" } else { "INFO api: served" };
        format!("api.log.1.2026-05-16_13:53:08 2026-05-16 00:{minute:02}:{second:02} {level} {n}\n")
    });
    let (kind, preview) = kind_and_preview(&log, 2000);
    assert_ne!(kind, Kind::Search);
    assert!(preview.contains("connection refused"), "{preview}");
}

#[test]
fn report_that_frames_quoted_source_is_no_source() {
    let boxed = |n: usize| {
        format!(
            "lib/a.js:{n}:12 lint/rule ━━━━━━━━━━\n\n  × Unexpected value.\n\n    {n} │ function f{n}() {{\n  \
             > {n} │   return x{n};\n      │          ^^^^^\n    {n} │ }}\n\n"
        )
    };
    let framed = |n: usize| {
        format!(
            "  ! rule: Parameter is not used.\n     ,-[a.js:{n}:12]\n {n} |   call(a, b);\n {n} |   return x{n};\n     \
             :          |\n     :          `-- declared here\n {n} | }}\n     `----\n"
        )
    };
    for report in [many(90, boxed), many(90, framed)] {
        let (kind, preview) = kind_and_preview(&report, 2000);
        assert_ne!(kind, Kind::Source, "{preview}");
    }
}

#[test]
fn comments_without_code_are_no_source() {
    let steps =
        many(90, |n| format!("-- Looking for part_{n}.h\n-- Looking for part_{n}.h - found\n"));
    let log = format!(
        "{steps}Error at settings.txt:60 (find):\n  Could not find a package of the name \"widget\"\n\n{}",
        many(20, |n| format!("-- Wrote part_{n}.log\n"))
    );
    let (kind, preview) = kind_and_preview(&log, 1000);
    assert_ne!(kind, Kind::Source);
    assert!(preview.contains("Could not find a package of the name \"widget\"\n"), "{preview}");
    let code = many(90, |n| format!("-- Returns part {n}.\nlocal part_{n} = parts[{n}]\n"));
    assert_eq!(kind_and_preview(&code, 1000).0, Kind::Source);
}

#[test]
fn lines_between_the_start_of_a_test_and_its_failed_row_are_shown() {
    let name = |file: usize, n: usize| {
        format!("spec/cart{file}_spec.lua @ {n}: fails on bad input case {n}")
    };
    let passed = |file: usize, n: usize| {
        let name = name(file, n);
        format!("[ RUN      ] {name}\n[       OK ] {name} (0.0{n} ms)\n")
    };
    let details = many(8, |n| format!("the basket of customer {n} has {} items\n", n * 13 % 7));
    let file = |file: usize| {
        let name = name(file, 28);
        let failed = format!("[ RUN      ] {name}\n{details}[  FAILED  ] {name} (0.38 ms)\n");
        let failed = if file == 13 { failed } else { String::new() };
        let tests = many(25, |n| passed(file, n));
        format!("[----------] Running tests from spec/cart{file}_spec.lua\n{tests}{failed}\n")
    };
    let (_, preview) = kind_and_preview(&many(20, file), 8000);
    assert!(preview.contains(&details), "{preview}");
}

#[test]
fn row_with_a_rare_word_in_a_column_is_shown() {
    let row = |n: usize| {
        let (kind, reason) = match n {
            141 => ("Warning", "NoVolume"),
            n => ("Normal", ["Scheduled", "Pulled", "Started"][n % 3]),
        };
        format!("{:<12}{kind:<10}{reason:<20}pod/shop-{:x}\n", format!("{n}s"), n * 7919)
    };
    let table =
        format!("{:<12}{:<10}{:<20}OBJECT\n{}", "LAST SEEN", "TYPE", "REASON", many(260, row));
    let (kind, preview) = kind_and_preview(&table, 1500);
    assert_eq!(kind, Kind::Columns);
    assert!(preview.contains("NoVolume"), "{preview}");
}

#[test]
fn paths_after_sizes_dates_and_hashes_are_a_listing() {
    let path = |n: usize| format!("src/{}/part_{n}.rs", ["io", "net", "ui"][n / 100]);
    let hash = |n: usize| format!("{:040x}", (n as u128 + 1) * 0x9e37_79b9_7f4a_7c15_f39c_c060);
    let lists = [
        many(300, |n| format!("{} 2026-05-{:02} ./{}\n", n * 37, n % 28 + 1, path(n))),
        many(300, |n| format!("100644 blob {}\t{}\n", hash(n), path(n))),
        many(300, |n| format!("100644 {} 0\t{}\n", hash(n), path(n))),
        many(300, |n| format!("{}  {}\n", hash(n), path(n))),
    ];
    for list in lists {
        let (kind, preview) = kind_and_preview(&list, 1500);
        assert_eq!(kind, Kind::Listing, "{preview}");
        for folder in ["src/io/", "src/net/", "src/ui/"] {
            assert!(preview.contains(folder), "{folder}: {preview}");
        }
    }
    let log = many(300, |n| format!("2026-05-16 13:00:{:02} opened {}\n", n % 60, path(n)));
    assert_ne!(kind_and_preview(&log, 1500).0, Kind::Listing);
}

#[test]
fn comment_in_a_block_of_code_is_no_heading() {
    let example = |n: usize| {
        format!("```python\n# input:\n\ncall_{n}(a)\n\n# output:\n\ncall_{n}(\n    a,\n)\n```\n\n")
    };
    let section = |n: usize| {
        let text =
            many(24, |line| format!("The reader of part_{n} finds the rule {line} in the list.\n"));
        format!("## Section {n}\n\n{text}\n{}", many(2, example))
    };
    let page = many(20, section);
    // A part of a page may begin within a block of code.
    let part = format!("call(a)\n```\n\n{page}");
    for text in [page, part] {
        let (kind, preview) = kind_and_preview(&text, 4000);
        assert_eq!(kind, Kind::Prose);
        let named = (0..20).filter(|n| preview.contains(&format!("## Section {n}\n"))).count();
        assert!(named >= 12, "{named} of 20: {preview}");
    }
}

#[test]
fn table_in_a_frame_shows_its_header_and_the_failed_row() {
    let frame = "+-----+--------------+---------+\n";
    let row = |n: usize| {
        let status = if n == 233 { "failed" } else { "ok" };
        format!("| {n:<3} | customer {n:<3} | {status:<7} |\n")
    };
    let framed =
        format!("{frame}| id  | name         | status  |\n{frame}{}{frame}", many(400, row));
    let ruled = format!(" id  | name         | status \n-----+--------------+--------\n{}", {
        many(400, |n| row(n).trim_start_matches('|').replace(" |\n", "\n"))
    });
    for table in [framed, ruled] {
        let (kind, preview) = kind_and_preview(&table, 900);
        assert_eq!(kind, Kind::Table, "{preview}");
        for text in ["status", "customer 233 | failed", "customer 0 ", "customer 399 "] {
            assert!(preview.contains(text), "{text}: {preview}");
        }
    }
}
