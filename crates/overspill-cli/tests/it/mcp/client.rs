//! A client of the proxy that sends exact frames, and returns the exact answers.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::program;

pub(crate) struct Client {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
}

/// Returns the path of the test server that does everything it is told.
pub(crate) fn chaos() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_overspill"));
    let path = program.with_file_name("examples").join("chaos");
    assert!(path.exists(), "build it first: cargo build -p overspill-cli --example chaos");
    path
}

impl Client {
    /// Starts the proxy in front of the test server.
    pub(crate) fn new() -> Client {
        Client::with(&[], &[chaos().to_str().unwrap()], |_| {})
    }

    pub(crate) fn with(
        options: &[&str],
        server: &[&str],
        more: impl FnOnce(&mut Command),
    ) -> Client {
        let dir = tempfile::tempdir().unwrap();
        let mut command = program(dir.path());
        command.arg("mcp").args(options);
        if !server.is_empty() {
            command.arg("--").args(server);
        }
        command.current_dir(dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        more(&mut command);
        Client::of(dir, command)
    }

    pub(crate) fn of(dir: tempfile::TempDir, mut command: Command) -> Client {
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|len| len > 0) {
                if send.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Client { dir, child, stdin, lines }
    }

    pub(crate) fn send(&mut self, frame: impl AsRef<[u8]>) -> &mut Client {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(frame.as_ref()).unwrap();
        stdin.write_all(b"\n").unwrap();
        self
    }

    /// Calls a tool without waiting for it.
    pub(crate) fn ask(&mut self, id: u64, tool: &str, arguments: Value) -> &mut Client {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
                .to_string(),
        )
    }

    /// Calls a tool and returns the answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(77, tool, arguments);
        self.json()
    }

    /// Makes the server answer with exactly this frame, and returns the line that the client gets.
    pub(crate) fn raw(&mut self, frame: &str) -> String {
        self.ask(77, "raw", json!({"frame": format!("{frame}\n")}));
        self.line()
    }

    /// Returns the next line without its end.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        let line = self.next().expect("a line within 20 seconds");
        String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned()
    }

    pub(crate) fn next(&self) -> Option<Vec<u8>> {
        self.lines.recv_timeout(Duration::from_secs(20)).ok()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Checks that the proxy and the server still answer.
    #[track_caller]
    pub(crate) fn is_well(&mut self) {
        let answer = self.call("text", json!({"text": "well"}));
        assert_eq!(answer["result"]["content"][0]["text"], "well");
    }

    /// Closes the input, and returns the exit code.
    pub(crate) fn end(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap()
    }

    pub(crate) fn saved(&self) -> Vec<Vec<u8>> {
        let files = crate::program::outputs(&self.dir.path().join("store"));
        files.into_iter().map(|file| std::fs::read(file).unwrap()).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns all text of a result.
pub(crate) fn text_of(answer: &Value) -> String {
    let parts = answer["result"]["content"].as_array().unwrap();
    let texts = parts.iter().filter_map(|part| part["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the id in a notice.
pub(crate) fn id_in(text: &str) -> String {
    let (_, rest) = text.split_once("{\"id\":\"").expect("a notice");
    rest.split('"').next().unwrap().to_owned()
}

pub(crate) fn lines(count: u32) -> String {
    (1..=count).map(|n| format!("line {n} of a long text\n")).collect()
}
