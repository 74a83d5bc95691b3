//! Tests of the scanner.

use super::*;

/// Returns the line with `^` at each place.
fn marked(line: &str) -> String {
    let mut marked = line.to_owned();
    for place in places(line).iter().rev() {
        marked.insert(place.after, '^');
    }
    marked
}

#[test]
fn foreground_pipelines_get_a_place_after_their_first_stage() {
    for line in [
        "cargo test 2>&1 |^ tail -5",
        "a |^ b | c",
        "a |& b",
        "a || b |^ c && d |^ e",
        "a; b |^ c\nd |^ e",
        "a |^\n b |\n c\nd |^ e",
        "x=1 y=$(a | b) c |^ d",
        "! a |^ b; time c |^ d",
        "(a | b; exit 7) |^ cat",
        "echo 'a | b' \"c | $(d | e) | ${f:-g | h}\" |^ cat",
        "cat <<'E' |^ tail -1\na | b\nE\nc |^ d",
        "cat <<-E |^ tail -1\n\ta | b\n\tE",
        "cat <<<'x' |^ tail",
        "a > f 2>&1 |^ b; c &>> g |^ d",
        "cat <(a | b) |^ c # d | e",
        "a\\ b\\|c |^ d",
        "a |^ b &&\n c |^ d",
        "a \\\n b |^ c \\\n | d",
        "[ a ] |^ b",
    ] {
        let line = line.replace("|& b", "|&^ b");
        assert_eq!(marked(&line.replace('^', "")), line);
    }
}

#[test]
fn background_pipelines_get_no_place() {
    assert_eq!(marked("a | b & c | d"), "a | b & c |^ d");
    assert_eq!(marked("a | b && c & d"), "a | b && c & d");
    assert_eq!(marked("a | b &&\n c & d"), "a | b &&\n c & d");
}

#[test]
fn lines_with_unknown_grammar_get_no_place() {
    for line in [
        "if a | b; then c; fi",
        "for i in 1; do a | b; done",
        "case x in a) b | c;; esac",
        "(case x in a) b | c\nesac)",
        "{ a | b; }",
        "f() { a | b; }; f | c",
        "a | b; x=(1 2)",
        "a `b` | c",
        "a $'b' | c",
        "alias x=y; x | z",
        "[[ a ]] | b",
        "((1)) | b",
        "cat <<E | tail\nno end",
        "cat <<E\"x\" | tail\nEx",
        "cat <<$E | tail\n$E",
        "a 'open | b",
        "a \"open | b",
        "a $(open | b",
        "a | b )",
        "(a; cat <<E) | b\nE",
        "(a # )\n) | b",
        "a\\\nb | c",
        "a[ 0 | 1 ]=y; b | c",
        "x=1 a[ 0 | 1 ]=y; b | c",
        "time|a",
        "!|a",
        "a | ! b",
        "a | b; time",
        "a | | b",
        "| a",
        "a |",
        "a | b &&",
        "a | b && && c",
        "a > | b",
        "; a | b",
        "echo $[1|2] | b",
        "a[1|2]=5; b | c",
        "echo \"$(case a in a) echo \"x | y\"; esac)\" | cat",
    ] {
        assert_eq!(places(line), [], "{line}");
    }
    assert_eq!(places(&format!("a {}| b", "(".repeat(60_000))), []);
}

#[test]
fn next_command_follows_only_where_the_scanner_is_sure() {
    for (line, expected) in [
        ("a | b", Some("; ")),
        ("a | b;", Some(" ")),
        ("a | b &", Some(" ")),
        ("a | b\n", Some(" ")),
        ("ls | cat; find . -exec echo {} \\;", Some("; ")),
        ("a | b # c", Some("\n")),
        ("cat <<E | b\nx\nE", Some("\n")),
        ("a | b &&", None),
        ("a |", None),
        ("for i in 1; do a | b; done", None),
        ("a 'b | c", None),
        ("a | b \\", None),
    ] {
        assert_eq!(before_next(line), expected, "{line}");
    }
}

#[test]
fn last_command_differs_from_a_last_pipeline() {
    for (line, expected) in [
        ("a | b", true),
        ("a | b;\n", true),
        ("a | b; c", false),
        ("a | b && c d", false),
        ("a | b || c d", false),
        ("a | b || exit 1", true),
        ("a | b || c | d", true),
        ("a | b && c || d", false),
        ("a && b | c || d", false),
        ("a && b | c || echo d", true),
        ("a | b || c; d", false),
        ("a `x` | b || c", false),
        ("a `x` || b | c", true),
        ("a `x` | b && c", false),
        ("a || b", false),
        ("a | b & c", false),
        ("a; b | c # d", true),
        ("for i in 1; do a | b; done", true),
        ("for i in 1; do a | b; done; c", false),
        ("cat <<E | b\nx\nE", true),
    ] {
        assert_eq!(needs_event_at_end(line), expected, "{line}");
    }
}

#[test]
fn lines_end_inside_of_zsh_with_a_pipeline_or_a_builtin() {
    for (line, expected) in [
        ("a | b", true),
        ("a | b; echo x", true),
        ("a | b || exit 1", true),
        ("a | b; make", false),
        ("a | b || make", false),
        ("a | b &", false),
        ("a | b; (exit 4)", false),
        ("a | b; for i in 1; do c; done", false),
        ("a | b;\n", true),
    ] {
        assert_eq!(ends_inside_shell(line), expected, "{line}");
    }
}

#[test]
fn stages_are_known_if_one_pipeline_has_their_number() {
    assert_eq!(stages_of("cd x && a 'b | c' | d", 2), Some(vec!["a 'b | c'", "d"]));
    assert_eq!(stages_of("a | b && c | d", 2), None);
    assert_eq!(stages_of("a | b || c", 2), Some(vec!["a", "b"]));
    assert_eq!(stages_of("a | b", 3), None);
}

#[test]
fn first_stage_is_known_by_its_text() {
    let line = "cd x && cargo test 2>&1 | tail -5; (exit 7) | cat";
    let stages = places(line).into_iter().map(|place| line[place.stage].trim().to_owned());
    assert_eq!(stages.collect::<Vec<_>>(), ["cargo test 2>&1", "(exit 7)"]);
}
