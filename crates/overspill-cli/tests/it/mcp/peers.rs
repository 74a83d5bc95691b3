//! Official clients and servers, with the proxy between them. `tests/peers/install` installs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::{program, skip};

fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/mcp")
}

/// Returns the path of a peer, or reports that it is not installed.
pub(super) fn peer(path: &str) -> Option<PathBuf> {
    let found = tools().join(path);
    if found.exists() {
        return Some(found);
    }
    skip(&format!("{path} is not installed; crates/overspill-cli/tests/peers/install does it"));
    None
}

/// Runs a peer with `dir` as its home.
pub(super) fn run(dir: &Path, peer: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(peer);
    for (name, value) in program(dir).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(words).output().unwrap()
}

#[track_caller]
pub(super) fn is_well(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn python_client_works_with_the_reference_server() {
    let everything = peer("node_modules/.bin/mcp-server-everything");
    let (Some(python), Some(server)) = (peer("python/bin/python"), everything) else { return };
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/client.py");
    let overspill = env!("CARGO_BIN_EXE_overspill");
    let words =
        [script.to_str().unwrap(), "stdio", overspill, "mcp", "--", server.to_str().unwrap()];
    is_well(&run(dir.path(), &python, &words));
}

#[test]
fn rust_client_works_with_the_rust_server() {
    let Some(peer) = peer("rmcp/debug/overspill-rmcp-peer") else { return };
    let dir = tempfile::tempdir().unwrap();
    let peer_path = peer.to_str().unwrap();
    let overspill = env!("CARGO_BIN_EXE_overspill");
    let words = ["client", "stdio", overspill, "mcp", "--", peer_path, "serve", "stdio"];
    is_well(&run(dir.path(), &peer, &words));
}

#[test]
fn inspector_works_with_the_file_server() {
    let files = peer("node_modules/.bin/mcp-server-filesystem");
    let (Some(inspector), Some(server)) = (peer("node_modules/.bin/mcp-inspector"), files) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let numbers: String = (1..=20_000).map(|n| format!("{n}\n")).collect();
    let file = dir.path().join("numbers.txt");
    std::fs::write(&file, numbers).unwrap();
    // The inspector takes arguments that begin with a dash for its own.
    let script = dir.path().join("server");
    let line = format!(
        "#!/bin/sh\nexec '{}' mcp -- '{}' '{}'\n",
        env!("CARGO_BIN_EXE_overspill"),
        server.display(),
        dir.path().display()
    );
    std::fs::write(&script, line).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&script, mode).unwrap();
    let ask = |words: &[&str]| {
        let all = [&["--cli", script.to_str().unwrap(), "--method"], words].concat();
        is_well(&run(dir.path(), &inspector, &all))
    };
    let tools = ask(&["tools/list"]);
    assert!(
        tools.contains("\"read_text_file\"") && tools.contains("\"overspill_grep\""),
        "{tools}"
    );
    let path = format!("path={}", file.display());
    let answer = ask(&["tools/call", "--tool-name", "read_text_file", "--tool-arg", &path]);
    assert!(answer.contains("overspill_read") && answer.len() < 40_000, "{}", answer.len());
    assert!(answer.contains("20000"));
}
