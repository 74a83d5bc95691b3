//! Previews by kind of output: `git log`, listings, source, quiet logs, rows of data with a trace
//! among them.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{Keep, Kind, KindHint, Limits, Policy};

fn preview(output: &str, chars: u64) -> String {
    let policy = Policy::new(Limits::NONE.chars(chars), Keep::Auto);
    policy.measure(output.as_bytes()).unwrap().preview(&common::saved()).text
}

/// Returns a commit as `git log` prints it, with a long body.
fn commit(n: u32) -> String {
    let body: String = (0..12)
        .map(|line| format!("    The reader_{n}_{line} of section_{line} knows src/part_{n}.rs.\n"))
        .collect();
    format!(
        "commit {n:040x}\nAuthor: Ada Lovelace <ada@example.org>\nDate:   Tue Nov 17 12:00:00 2026 +0000\n\n    parser: step {n}\n\n{body}\n"
    )
}

fn patch(n: u32) -> String {
    let lines: String = (0..40).map(|line| format!("+let value_{n}_{line} = {line};\n")).collect();
    format!(
        "diff --git a/src/part_{n}.rs b/src/part_{n}.rs\nindex 1..2 100644\n--- a/src/part_{n}.rs\n+++ b/src/part_{n}.rs\n@@ -1,0 +1,40 @@\n{lines}\n"
    )
}

#[test]
fn git_log_names_every_commit_and_its_subject() {
    let log: String = (0..20).map(commit).collect();
    let patches: String = (0..20).map(|n| commit(n) + &patch(n)).collect();
    for output in [log, patches] {
        let preview = preview(&output, 9500);
        for n in 0..20 {
            assert!(preview.contains(&format!("commit {n:040x}\n")), "{n}: {preview}");
            assert!(preview.contains(&format!("    parser: step {n}\n")), "{n}: {preview}");
        }
    }
}

#[test]
fn git_log_with_patches_names_every_file() {
    let patches: String = (0..20).map(|n| commit(n) + &patch(n)).collect();
    let preview = preview(&patches, 9500);
    for n in 0..20 {
        assert!(preview.contains(&format!("diff --git a/src/part_{n}.rs")), "{n}: {preview}");
    }
}

#[test]
fn diff_with_a_message_at_its_end_shows_the_message() {
    let diff: String = (0..99).map(patch).collect();
    let preview = preview(&format!("{diff}\nThe tool saved everything as /tmp/full.txt\n"), 2000);
    assert!(preview.contains("/tmp/full.txt"), "{preview}");
}

const TRACE: &str = "Traceback (most recent call last):\n  File \"/app/run.py\", line 12, in main\n    \
    load(path)\nKeyError: 'amount'\n";

#[test]
fn trace_among_rows_of_data_is_a_failure() {
    let records = |n: u32| match n {
        900 => TRACE.to_owned(),
        n if n % 50 == 0 => format!("{{\"n\":{n},\"level\":\"error\",\"msg\":\"slow\"}}\n"),
        n => format!("{{\"n\":{n},\"level\":\"info\",\"msg\":\"served\"}}\n"),
    };
    let rows = |n: u32| match n {
        0 => "id,name,status,amount,day\n".to_owned(),
        900 => TRACE.to_owned(),
        n if n % 50 == 0 => format!("{n},smith,failed,3,monday\n"),
        n => format!("{n},smith,ok,7,monday\n"),
    };
    for output in [(0..2000).map(records).collect::<String>(), (0..2000).map(rows).collect()] {
        let preview = preview(&output, 1500);
        assert!(preview.contains(TRACE), "{preview}");
    }
}

#[test]
fn listing_shows_lines_of_every_folder() {
    let folders = ["src/io", "src/parse", "tests", "src/errors", "docs", "src/failure"];
    let paths: String = folders
        .iter()
        .flat_map(|folder| (0..90).map(move |n| format!("./{folder}/Part{n}FailedTest.java\n")))
        .collect();
    let recursive: String = folders
        .iter()
        .map(|folder| {
            let files: String = (0..90).map(|n| format!("Part{n}FailedTest.java\n")).collect();
            format!("./{folder}:\n{files}\n")
        })
        .collect();
    for output in [paths, recursive] {
        let preview = preview(&output, 1200);
        for folder in folders {
            assert!(preview.contains(&format!("./{folder}")), "{folder}: {preview}");
        }
    }
}

#[test]
fn listing_with_a_message_shows_the_message() {
    let mut output: String = (0..900).map(|n| format!("./src/part_{}/f{n}.rs\n", n / 30)).collect();
    output.push_str("find: './private': Permission denied\n");
    output.extend((900..1800).map(|n| format!("./src/part_{}/f{n}.rs\n", n / 30)));
    let preview = preview(&output, 1200);
    assert!(preview.contains("Permission denied"), "{preview}");
}

#[test]
fn quiet_log_shows_the_line_that_stands_out() {
    let line = |n: u32| match n {
        1500 => "src/module_7/view.py needs formatting\n".to_owned(),
        n => {
            format!("Processing src/module_{}/handler_{n}.py in {} ms\n", n * 7919 % 10_007, n % 90)
        }
    };
    let preview = preview(&(0..3000).map(line).collect::<String>(), 4000);
    assert!(preview.contains("src/module_7/view.py needs formatting"), "{preview}");
}

/// Returns a fixture of `tests/kinds`.
fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/kinds/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

fn kind_with(output: &[u8], hint: KindHint) -> Option<Kind> {
    let policy = Policy { hint, ..Policy::new(Limits::NONE.chars(2000), Keep::Auto) };
    policy.measure(output).unwrap().kind()
}

const FIXTURES: [(&str, Kind); 9] = [
    ("archive.bin", Kind::Binary),
    ("cargo-test.txt", Kind::TestRun),
    ("grep-heading.txt", Kind::Search),
    ("grep.txt", Kind::Search),
    ("ls-files.txt", Kind::Listing),
    ("ls-long.txt", Kind::Listing),
    ("man.txt", Kind::Prose),
    ("markdown.txt", Kind::Prose),
    ("source.txt", Kind::Source),
];

#[test]
fn kind_of_a_real_output_is_found_by_its_text() {
    for (name, kind) in FIXTURES {
        assert_eq!(kind_with(&fixture(name), KindHint::NONE), Some(kind), "{name}");
    }
}

#[test]
fn wrong_hint_does_not_change_what_the_text_says() {
    for (name, kind) in FIXTURES {
        for likely in Kind::ALL.map(Some) {
            let hint = KindHint { likely, succeeded: Some(true), forced: None };
            assert_eq!(kind_with(&fixture(name), hint), Some(kind), "{name} as {likely:?}");
        }
    }
}

#[test]
fn forced_kind_is_believed() {
    for kind in Kind::ALL {
        let hint = KindHint { forced: Some(kind), ..KindHint::NONE };
        assert_eq!(kind_with(&fixture("markdown.txt"), hint), Some(kind));
    }
}

#[test]
fn failing_log_is_recognised_although_its_command_succeeded() {
    let log = format!(
        "{}error: cannot find value `x`\n --> src/a.rs:1:2\n",
        "   Compiling a\n".repeat(400)
    );
    let hint = KindHint { succeeded: Some(true), ..KindHint::NONE };
    assert_eq!(kind_with(log.as_bytes(), hint), Some(Kind::FailingLog));
}

#[test]
fn linter_report_is_not_a_search() {
    let row = |n: u32| format!("mypy/main.py:{n}:61: E501 line too long (76 > 60 characters)\n");
    let report: String = (1..200).map(row).collect();
    assert_ne!(kind_with(report.as_bytes(), KindHint::NONE), Some(Kind::Search));
}

#[test]
fn search_shows_matches_of_many_files() {
    let many = |n: u32| format!("src/first.rs:{n}:    let reader_{n} = open_{n}(path);\n");
    let few = |n: u32| format!("src/part_{n}.rs:7:    let reader_{n} = open_{n}(path);\n");
    let output: String =
        (1..300).map(many).chain((1..12).map(few)).chain((300..500).map(many)).collect();
    let preview = preview(&output, 2000);
    for n in 1..12 {
        assert!(preview.contains(&format!("src/part_{n}.rs:7:")), "{n}: {preview}");
    }
}

#[test]
fn prose_shows_its_headings() {
    let preview = preview(&String::from_utf8(fixture("man.txt")).unwrap(), 1600);
    for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SUBCOMMANDS", "VERSION"] {
        assert!(preview.contains(&format!("\n{heading}\n")), "{heading}: {preview}");
    }
}

#[test]
fn manual_page_is_prose_whatever_its_text_says() {
    let mut page = String::from(
        "TOOL(1)          Tool Manual          TOOL(1)\n\nNAME\n       tool - does things\n\nOPTIONS\n",
    );
    for option in 0..400 {
        page += &format!(
            "       --option-{option}\n           Sets the value of this option in the file.\n\n"
        );
        if option % 40 == 7 {
            page += "       fatal: the test failed with an unexpected error\n           Cannot be combined with others.\n\n";
        }
    }
    assert_eq!(kind_with(page.as_bytes(), KindHint::NONE), Some(Kind::Prose));
}

#[test]
fn help_with_words_of_failure_is_prose() {
    let mut help = String::from("Usage: tool [OPTION]...\n\n");
    for option in 0..200 {
        help += &format!(
            "  -o{option}, --option-{option}   sets the value\n                     of this option\n"
        );
        if option % 40 == 7 {
            help += "  --fail-fast        stop with an error if a test failed\n";
        }
    }
    assert_eq!(kind_with(help.as_bytes(), KindHint::NONE), Some(Kind::Prose));
}

/// Returns a Python module: comments between blank lines, and functions that raise errors.
fn python() -> String {
    let function = |n: u32| {
        format!(
            "\n\n## Part {n}\n\ndef read_part_{n}(path, mode=\"r\"):\n    \"\"\"Reads part {n} of a file.\n\n    \
             Fails if the file cannot be read.\n    \"\"\"\n    with open(path, mode) as file:\n        \
             header = file.readline()\n        if not header:\n            \
             raise ValueError(\"error: cannot read part {n}, assertion failed\")\n        \
             return header\n"
        )
    };
    (0..40).map(function).collect()
}

/// Returns a TypeScript module whose text mentions failures.
fn typescript() -> String {
    let function = |n: u32| {
        format!(
            "export async function load{n}(path: string): Promise<Part> {{\n  try {{\n    \
             return await read(path)\n  }} catch (error) {{\n    console.error('Error: load{n} FAILED', error)\n    \
             throw new Error('fatal: 1 test failed, build failed')\n  }}\n}}\n\n"
        )
    };
    (0..60).map(function).collect()
}

/// Returns lines with their numbers, as file tools print them.
fn numbered(text: &str, first: usize, separator: &str) -> String {
    text.lines()
        .enumerate()
        .map(|(n, line)| format!("{:6}{separator}{line}\n", first + n))
        .collect()
}

#[test]
fn source_is_recognised_with_and_without_line_numbers() {
    for text in [python(), typescript()] {
        let part: String =
            text.lines().skip(99).take(300).map(|line| format!("{line}\n")).collect();
        let mut outputs = vec![text.clone(), part.clone()];
        for separator in ["\t", "→"] {
            outputs.extend([numbered(&text, 1, separator), numbered(&part, 100, separator)]);
        }
        for output in outputs {
            assert_eq!(
                kind_with(output.as_bytes(), KindHint::NONE),
                Some(Kind::Source),
                "{output}"
            );
        }
    }
}

#[test]
fn numbered_log_is_a_failing_log() {
    let log = format!(
        "{}error: cannot find value `x` in this scope\n --> src/a.rs:1:2\n\nerror: could not compile `a`\n",
        "   Compiling a\n".repeat(400)
    );
    let output = numbered(&log, 1, "\t");
    assert_eq!(kind_with(output.as_bytes(), KindHint::NONE), Some(Kind::FailingLog));
}

#[test]
fn numbers_alone_are_no_line_numbers() {
    for error_at in [10, 90_000] {
        let line = |n: u32| match n {
            n if n == error_at => "error: cannot open the file\n".to_owned(),
            n => format!("{n}\n"),
        };
        let output: String = (1..150_000).map(line).collect();
        assert_eq!(kind_with(output.as_bytes(), KindHint::NONE), Some(Kind::FailingLog));
        assert!(preview(&output, 2000).contains("error: cannot open the file\n"));
    }
}

#[test]
fn headings_make_prose_whatever_its_text_says() {
    let section = |n: u32| {
        format!(
            "- Fixed a fatal error: the build failed with an unexpected exception ({n})\n- Faster reads\n\n"
        )
    };
    let markdown: String = (0..60).map(|n| format!("## 1.{n}.0\n\n{}", section(n))).collect();
    let underlined: String =
        (10..70).map(|n| format!("Version {n}\n----------\n\n{}", section(n))).collect();
    for output in [markdown.clone(), underlined, numbered(&markdown, 1, "\t")] {
        assert_eq!(kind_with(output.as_bytes(), KindHint::NONE), Some(Kind::Prose), "{output}");
    }
}

#[test]
fn search_with_headings_and_context_is_a_search() {
    let context = |n: u32| {
        format!(
            "src/part_{n}.rs\n6-\n7:    let error = open_{n}(path);\n8-    read(error);\n--\n20-{{\n21:    error\n22-}}\n\n"
        )
    };
    let follow = |n: u32| {
        format!(
            "src/part_{n}.rs\n1:use std::fmt;\n2:use std::io;\n3:use std::error;\n4:use std::fs;\n9:use std::env;\n\n"
        )
    };
    for output in [(0..60).map(context).collect::<String>(), (0..60).map(follow).collect()] {
        assert_eq!(kind_with(output.as_bytes(), KindHint::NONE), Some(Kind::Search), "{output}");
    }
}

#[test]
fn sizes_and_paths_are_a_listing() {
    let path = |n: u32| format!("./src/part_{}/errors_{n}.rs", n / 30);
    let outputs = [
        (0..900).map(|n| format!("{}\t{}\n", n * 4, path(n))).collect::<String>(),
        (0..900).map(|n| format!("{} {}\n", n * 37, path(n))).collect(),
        (0..900)
            .map(|n| format!(" {n}  4 -rw-r--r--   1 root  root  {n} Nov 17 16:02 {}\n", path(n)))
            .collect(),
    ];
    for output in outputs {
        assert_eq!(kind_with(output.as_bytes(), KindHint::NONE), Some(Kind::Listing), "{output}");
        let preview = preview(&output, 6000);
        for folder in 0..30 {
            assert!(preview.contains(&format!("part_{folder}/")), "{folder}: {preview}");
        }
    }
}

#[test]
fn help_with_long_texts_is_prose() {
    let option = |n: u32| {
        format!(
            "    --option-{n}\n{}\n",
            "        This text says when an error is fatal: if the test failed.\n".repeat(12)
        )
    };
    let help = format!(
        "tool 1.0\n\nUSAGE:\n    tool [OPTIONS]\n\n{}",
        (0..60).map(option).collect::<String>()
    );
    assert_eq!(kind_with(help.as_bytes(), KindHint::NONE), Some(Kind::Prose));
}

#[test]
fn style_sheet_with_properties_of_its_own_is_source() {
    let properties: String =
        (0..200).map(|n| format!("  --color-{n}: #{n:06x};\n  --width-{n}: {n}px;\n")).collect();
    let sheet = format!(":root {{\n{properties}}}\n");
    assert_eq!(kind_with(sheet.as_bytes(), KindHint::NONE), Some(Kind::Source));
}

#[test]
fn gap_that_is_smaller_than_its_mark_is_shown() {
    let output = String::from_utf8(fixture("grep-heading.txt")).unwrap();
    for chars in [1000, 2000, 3000, 5000, 8000] {
        let text = preview(&output, chars);
        let cut = text
            .lines()
            .filter(|line| line.starts_with("[3f9c2e: line ") && line.ends_with(" cut]"));
        for mark in cut {
            let number: usize = mark.split_whitespace().nth(2).unwrap().parse().unwrap();
            let line = output.lines().nth(number - 1).unwrap();
            assert!(line.len() >= mark.len(), "{mark} instead of {line:?}");
        }
    }
}

/// Returns the bytes of the lines that a mark stands for.
fn bytes_cut(mark: &str, output: &str) -> usize {
    let range = mark.split_whitespace().nth(2).unwrap();
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
    output.split_inclusive('\n').skip(first - 1).take(last - first + 1).map(str::len).sum()
}

#[test]
fn gap_in_a_structure_that_is_smaller_than_its_mark_is_shown() {
    let record = |n: u32| match n % 7 {
        0 => format!("{{\"n\":{n},\"level\":\"error\"}}\n"),
        _ => "{\"n\":1}\n".to_owned(),
    };
    let row = |n: u32| match n % 7 {
        0 => format!("{n},failed,x\n"),
        _ => "1,ok,x\n".to_owned(),
    };
    let test = |n: u32| match n % 5 {
        0 => format!("not ok {n} - reads\n  ---\n  a: 1\n  ...\n"),
        _ => format!("ok {n} - a\n"),
    };
    let hunk =
        |n: u32| format!("diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n");
    let outputs = [
        (1..900).map(record).collect::<String>(),
        format!("id,status,name\n{}", (1..900).map(row).collect::<String>()),
        format!("TAP version 13\n{}", (1..900).map(test).collect::<String>()),
        (1..200).map(hunk).collect(),
    ];
    for output in outputs {
        for chars in [600, 1000, 2000, 4000, 7000] {
            let policy = Policy::new(Limits::NONE.chars(chars).lines(2000), Keep::Auto);
            let text = policy.measure(output.as_bytes()).unwrap().preview(&common::saved()).text;
            let marks = text.lines().filter(|line| line.starts_with("[3f9c2e: line"));
            for mark in marks {
                let bytes = bytes_cut(mark, &output);
                assert!(bytes > mark.len(), "{mark} instead of {bytes} bytes at {chars}: {text}");
            }
        }
    }
}

#[test]
fn tree_shows_every_folder() {
    let folder = |n: u32| {
        let files: String = (0..40).map(|file| format!("│   ├── file_{file}.rs\n")).collect();
        format!("├── part_{n}\n{files}")
    };
    let output = format!(".\n{}└── last\n", (0..8).map(folder).collect::<String>());
    assert_eq!(kind_with(output.as_bytes(), KindHint::NONE), Some(Kind::Listing));
    let preview = preview(&output, 1200);
    for n in 0..8 {
        assert!(preview.contains(&format!("├── part_{n}\n")), "{n}: {preview}");
    }
}

#[test]
fn notice_names_the_kind() {
    let preview = preview(&String::from_utf8(fixture("grep.txt")).unwrap(), 4000);
    let notice = preview.lines().next().unwrap();
    assert!(
        notice.starts_with("[overspill 3f9c2e: search, exit 1, ") && notice.len() <= 150,
        "{notice}"
    );
}

#[test]
fn list_of_records_with_failure_words_in_names_is_no_failing_log() {
    let symbols = |n: usize| match n {
        789 => "                 U _dl_exception_create@GLIBC_PRIVATE\n".to_owned(),
        790 => "                 U _dl_fatal_printf@GLIBC_PRIVATE\n".to_owned(),
        n => format!("{:016x} T section_{}@@LIB_2.{}\n", n * 32, n % 40, n % 9),
    };
    let packages = |n: usize| match n {
        700 => {
            "ii  libgpg-error0:amd64     1.46-1  amd64  GnuPG runtime error messages\n".to_owned()
        }
        n => {
            format!("ii  lib{}-{n}     1.{n}-2  amd64  library\n", ["audio", "curl", "xml"][n % 3])
        }
    };
    let of = |line: &dyn Fn(usize) -> String| (0..900).map(line).collect::<String>();
    let outputs = [of(&symbols), of(&packages)];
    for output in outputs {
        let kind = kind_with(output.as_bytes(), KindHint::NONE);
        assert!(kind.is_some_and(|kind| kind != Kind::FailingLog), "{kind:?}: {}", &output[..300]);
    }
}
