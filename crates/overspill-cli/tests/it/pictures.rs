//! What the documentation shows is what the program prints.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::program::program;

/// Returns commands of a page, each with what is shown below it.
fn pictures(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```console\n$ ").skip(1);
    let blocks = blocks.map(|rest| rest.split("\n```").next().unwrap());
    blocks.map(|block| block.split_once('\n').unwrap()).collect()
}

/// Returns a preview with another name in the place of its own, which is new each time.
fn unnamed(shown: &str) -> String {
    let token = shown.get("[overspill ".len()..).and_then(|rest| rest.get(..6));
    shown.trim_end().replace(token.unwrap_or("there is none"), "token")
}

#[test]
fn the_pictures_of_previews_are_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/previews.md")).unwrap();
    let pictures = pictures(&page);
    assert_eq!(pictures.len(), 3);
    let dir = tempfile::tempdir().unwrap();
    symlink(env!("CARGO_BIN_EXE_overspill"), dir.path().join("overspill")).unwrap();
    for (line, shown) in pictures {
        let mut command = Command::new("sh");
        for (name, value) in program(dir.path()).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("PATH", format!("{}:/usr/bin:/bin", dir.path().display()));
        let output = command.args(["-c", line]).current_dir(&root).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(unnamed(&printed), unnamed(shown), "{line}");
    }
}
