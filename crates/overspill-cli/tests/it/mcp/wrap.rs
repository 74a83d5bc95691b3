//! The proxy in the files of clients, and out of them again.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::program::program;

/// A client's file in a directory of its own.
struct File {
    dir: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    fn new(name: &str, text: &str) -> File {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        File { dir, path }
    }

    #[track_caller]
    fn run(&self, action: &str) -> String {
        let mut command = program(self.dir.path());
        let output = command.args(["mcp", action]).arg(&self.path).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// How often the proxy stands in it.
    fn wrapped(&self) -> usize {
        self.text().matches(env!("CARGO_BIN_EXE_overspill")).count()
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }

    fn backup(&self) -> PathBuf {
        self.path.with_file_name(format!(
            "{}.before-overspill",
            self.path.file_name().unwrap().to_str().unwrap()
        ))
    }
}

/// A file's name, its text, and the same with one more server: where that goes, and what it is.
const FILES: [(&str, &str, &str, &str); 4] = [
    (
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},\n    \"b\": {\"command\": \"y\", \"args\": [\"1\"]}\n  }\n}\n",
        "{\n    \"a\"",
        "{\n    \"c\": {\"command\": \"z\"},\n    \"a\"",
    ),
    (
        "opencode.jsonc",
        "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\", \"command\": [\"x\"]}, // one\n  },\n}\n",
        "// one\n",
        "// one\n    \"c\": {\"type\": \"local\", \"command\": [\"z\", \"1\"]},\n",
    ),
    (
        "config.toml",
        "# mine\n[mcp_servers.a]\ncommand = \"x\" # why\n\n[mcp_servers.b]\ncommand = 'y'\nargs = [ \"1\" ]\n",
        "\n[mcp_servers.b]",
        "\n[mcp_servers.c]\ncommand = \"z\"\n\n[mcp_servers.b]",
    ),
    (
        "config.yaml",
        "extensions:\n  a:\n    cmd: x\n    envs: {}\n  b:\n    cmd: y\n    args:\n    - '1'\nGOOSE_MODE: auto\n",
        "  b:\n",
        "  c:\n    cmd: z\n  b:\n",
    ),
];

#[test]
fn servers_that_came_later_come_out_as_they_went_in() {
    for (name, text, place, with) in FILES {
        let file = File::new(name, text);
        file.run("wrap");
        let once = file.wrapped();
        fs::write(&file.path, file.text().replacen(place, with, 1)).unwrap();
        file.run("wrap");
        assert_eq!(file.wrapped(), once + 1, "{}", file.text());
        // What is kept beside it is the file without anything of ours, not the one half wrapped.
        assert_eq!(fs::read_to_string(file.backup()).unwrap(), text);
        file.run("unwrap");
        let edited = text.replacen(place, with, 1);
        assert_eq!(file.text(), edited);
        // Now there is nothing of ours in it, and so this is how it was before us.
        file.run("wrap");
        assert_eq!(fs::read_to_string(file.backup()).unwrap(), edited);
        file.run("unwrap");
        assert_eq!(file.text(), edited);
    }
}

#[test]
fn what_was_wrapped_by_hand_stays_so() {
    let by_hand = r#"{"mcpServers":{"mine":{"command":"overspill","args":["mcp","--","x"]},"a":{"command":"y"}}}"#;
    let file = File::new(".mcp.json", by_hand);
    file.run("wrap");
    assert_eq!(file.wrapped(), 1);
    let said = file.run("unwrap");
    assert_eq!(file.text(), by_hand);
    assert!(said.contains("mine: was so before `wrap`, and stays"), "{said}");
    // Nobody knows it where there is no such file; then it is one of all.
    fs::remove_file(file.backup()).unwrap();
    file.run("unwrap");
    assert_eq!(
        file.text(),
        r#"{"mcpServers":{"mine":{"command":"x","args":[]},"a":{"command":"y"}}}"#
    );
}

#[test]
fn what_is_kept_beside_a_file_is_as_private_as_the_file() {
    let file = File::new(".mcp.json", r#"{"mcpServers":{"a":{"command":"y","env":{"KEY":"k"}}}}"#);
    fs::set_permissions(&file.path, Permissions::from_mode(0o600)).unwrap();
    file.run("wrap");
    for path in [&file.path, &file.backup()] {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}
