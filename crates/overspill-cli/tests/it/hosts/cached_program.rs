//! `init` refuses a program that `uvx` or `npx` runs from a cache.

use std::fs;
use std::process::Command;

#[test]
fn init_refuses_a_program_in_a_cache_that_may_be_emptied() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".claude")).unwrap();
    for (folder, hint) in [
        (".cache/uv/archive-v0/FDUl/bin", "`uv tool install overspill`"),
        (".npm/_npx/5f0c/node_modules/overspill/bin", "`npm install -g overspill`"),
    ] {
        let folder = home.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let cached = folder.join("overspill");
        fs::copy(env!("CARGO_BIN_EXE_overspill"), &cached).unwrap();
        let mut command = Command::new(&cached);
        command.args(["init", "claude-code"]).env_clear().env("HOME", home.path());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(hint), "{said}");
        assert!(!home.path().join(".claude/settings.json").exists());
        assert!(!home.path().join(".config").exists());
    }
}
