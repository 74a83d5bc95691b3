//! `uninstall` without a receipt removes everything that `init` wrote.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{links, read, well, write};

/// Returns every file and directory below a directory, with the bytes of files.
fn tree(root: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !path.is_symlink() {
                left.push(path);
                found.insert(name, None);
            } else {
                found.insert(name, Some(std::fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// Returns the names of all hosts.
fn names(home: &Path) -> Vec<String> {
    let said = well(home, &["init", "--json"]);
    let rows = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| row["host"].as_str().unwrap().to_owned()).collect()
}

fn forget(home: &Path) {
    std::fs::remove_dir_all(home.join(".config/overspill/hosts")).unwrap();
}

const OPTIONS: [&[&str]; 4] = [
    &[],
    &["--hooks", "--mcp", "--rules", "--allow-read"],
    &["--project"],
    &["--project", "--hooks", "--mcp", "--rules", "--allow-read"],
];

#[test]
fn uninstall_without_a_receipt_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for host in names(dir.path()) {
        for options in OPTIONS {
            let home = dir.path().join(format!("{host}{}", options.join("")));
            std::fs::create_dir_all(home.join("work/.git")).unwrap();
            let before = tree(&home);
            let words = [&["init", &host, "--force"], options].concat();
            if !super::run(&home, &words).status.success() {
                // Not every host has settings of a project, and some hosts need an option.
                assert!(options.contains(&"--project") || options.is_empty(), "{host}");
                continue;
            }
            forget(&home);
            well(&home, &["uninstall", &host]);
            assert_eq!(tree(&home), before, "{host} {options:?}");
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn uninstall_without_a_receipt_keeps_the_links_of_other_hosts() {
    let dir = tempfile::tempdir().unwrap();
    well(dir.path(), &["init", "goose", "opencode", "--force"]);
    let file = dir.path().join(".config/opencode/opencode.json");
    let with = read(&file);
    forget(dir.path());
    let said = well(dir.path(), &["uninstall", "goose"]);
    assert!(said.contains("not set up"), "{said}");
    assert!(links(dir.path()).join("bash").exists());
    assert_eq!(read(&file), with);
}

#[test]
fn uninstall_without_a_receipt_keeps_files_with_something_else() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(".claude/settings.json");
    for before in ["{\n  // mine\n}\n", "{\"env\": {\"A\": \"1\"}}\n"] {
        write(&file, before);
        well(dir.path(), &["init", "claude-code"]);
        forget(dir.path());
        well(dir.path(), &["uninstall", "claude-code"]);
        assert_eq!(read(&file), before);
    }
}
