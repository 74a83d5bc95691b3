//! Tests of reading test names from reports.

use super::*;

#[test]
fn outcome_of_every_runner_is_read_with_its_name() {
    for (line, name, failed) in [
        ("test parse::numbers ... ok", "parse::numbers", false),
        ("test src/lib.rs - parse (line 3) ... FAILED", "src/lib.rs - parse (line 3)", true),
        ("test_parse (tests.Parse) ... ERROR", "test_parse (tests.Parse)", true),
        ("    PASS [   0.012s] (3/40) core::it laws::total", "core::it laws::total", false),
        ("    FAIL [   0.012s] core laws::total", "core laws::total", true),
        ("tests/a.py::test_b PASSED     [ 12%]", "tests/a.py::test_b", false),
        ("tests/a.py::test_b[x y] FAILED [100%]", "tests/a.py::test_b[x y]", true),
        ("FAILED tests/a.py::test_b - assert 1 == 2", "tests/a.py::test_b", true),
        ("ERROR tests/a.py::test_b", "tests/a.py::test_b", true),
        ("    --- FAIL: TestParse/empty (0.00s)", "TestParse/empty", true),
        ("--- PASS: TestParse (1.20s)", "TestParse", false),
        ("not ok 12 - rejects a key", "rejects a key", true),
        ("ok 3 - reads # time=1.2ms", "reads", false),
        ("  ✓ parses numbers (3 ms)", "parses numbers", false),
        ("  \x1b[31m✕\x1b[39m parses words 12ms", "parses words", true),
        ("   × parses words", "parses words", true),
    ] {
        let read = read(line);
        assert_eq!(read.into_iter().collect::<Vec<_>>(), [(name.to_owned(), failed)], "{line}");
    }
    for line in [
        "running 3 tests",
        "test result: FAILED. 1 passed; 1 failed",
        "ok 4 - later # SKIP no network",
        "not ok 5 - later # TODO",
        "error: ok",
        "FAILED (failures=1)",
        "PASS src/a.test.js",
        "1..12",
        "building ... done",
    ] {
        assert!(read(line).is_empty(), "{line}");
    }
}

#[test]
fn testcases_of_junit_are_read() {
    let xml = r#"<testsuite><testcase classname="a.B" name="one" time="1"/>
      <testcase classname="a.B" name="two"><failure message="no">x</failure></testcase>
      <testcase name="three"><skipped/></testcase><testcase name="four"><error/></testcase></testsuite>"#;
    let expected = [("a.B.one", false), ("a.B.two", true), ("four", true)];
    let expected: Vec<_> = expected.map(|(name, failed)| (name.to_owned(), failed)).into();
    assert_eq!(read(xml).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn changes_tell_fixed_new_and_still_failing_apart() {
    let of = |text: &str| read(text);
    let before = of("test a ... FAILED\ntest b ... FAILED\ntest c ... ok\ntest gone ... FAILED");
    let after = of("test a ... ok\ntest b ... FAILED\ntest c ... FAILED\ntest d ... FAILED");
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let expected = TestChanges {
        fixed: names(&["a"]),
        new: names(&["c", "d"]),
        still: names(&["b"]),
        not_run: names(&["gone"]),
    };
    assert_eq!(changes(&before, &after), expected);
    // A quiet report names only failures.
    let quiet = of("FAILED t.py::b - x");
    let before = of("FAILED t.py::a - x\nFAILED t.py::b - x");
    assert_eq!(changes(&before, &quiet).fixed, names(&["t.py::a"]));
}

#[test]
fn cargo_names_with_colons_are_read_without_their_outcome() {
    let report = read("test m::t1 ... FAILED\ntest m::t2 ... ok\n");
    let expected = [("m::t1".to_owned(), true), ("m::t2".to_owned(), false)];
    assert_eq!(report.into_iter().collect::<Vec<_>>(), expected);
}
