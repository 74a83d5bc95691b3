//! Checks that every test exists that docs/promises.md names.

use std::fs;
use std::path::Path;

fn sources(directory: &Path, all: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_promise_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = String::new();
    sources(&root.join("crates"), &mut all);
    let promises = fs::read_to_string(root.join("docs/promises.md")).unwrap();
    let rows: Vec<&str> = promises.lines().filter(|line| line.starts_with("| ")).collect();
    let mut named = 0;
    for row in rows.iter().filter(|row| !row.starts_with("| promise") && !row.starts_with("| ---"))
    {
        let tests = row.rsplit("| ").next().unwrap();
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test for the promise {row}");
        for test in tests {
            assert!(all.contains(&format!("fn {test}(")), "there is no test {test}");
            named += 1;
        }
    }
    assert!(named > 50, "{named}");
}
