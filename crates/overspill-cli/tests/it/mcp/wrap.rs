//! `mcp wrap` and `mcp unwrap` in the files of clients.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::program::program;

/// A client's file in its own directory.
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

    /// Returns the number of proxies in the file.
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

/// The name of a file, its text, the place for another server, and that server.
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
fn servers_added_after_wrap_are_wrapped_and_restored() {
    for (name, text, place, with) in FILES {
        let file = File::new(name, text);
        file.run("wrap");
        let once = file.wrapped();
        fs::write(&file.path, file.text().replacen(place, with, 1)).unwrap();
        file.run("wrap");
        assert_eq!(file.wrapped(), once + 1, "{}", file.text());
        // The backup is the file without any proxy, not the half wrapped one.
        assert_eq!(fs::read_to_string(file.backup()).unwrap(), text);
        file.run("unwrap");
        let edited = text.replacen(place, with, 1);
        assert_eq!(file.text(), edited);
        // Now the file contains no proxy, so this text is the new backup.
        file.run("wrap");
        assert_eq!(fs::read_to_string(file.backup()).unwrap(), edited);
        file.run("unwrap");
        assert_eq!(file.text(), edited);
    }
}

#[test]
fn server_wrapped_by_hand_stays_wrapped() {
    let by_hand = r#"{"mcpServers":{"mine":{"command":"overspill","args":["mcp","--","x"]},"a":{"command":"y"}}}"#;
    let file = File::new(".mcp.json", by_hand);
    file.run("wrap");
    assert_eq!(file.wrapped(), 1);
    let said = file.run("unwrap");
    assert_eq!(file.text(), by_hand);
    assert!(said.contains("mine: left unchanged, it was wrapped before `wrap`"), "{said}");
    // Without the backup, overspill cannot tell the proxy that the user added by hand.
    fs::remove_file(file.backup()).unwrap();
    file.run("unwrap");
    assert_eq!(
        file.text(),
        r#"{"mcpServers":{"mine":{"command":"x","args":[]},"a":{"command":"y"}}}"#
    );
}

#[test]
fn wrap_backup_is_as_private_as_the_file() {
    let file = File::new(".mcp.json", r#"{"mcpServers":{"a":{"command":"y","env":{"KEY":"k"}}}}"#);
    fs::set_permissions(&file.path, Permissions::from_mode(0o600)).unwrap();
    file.run("wrap");
    for path in [&file.path, &file.backup()] {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}
