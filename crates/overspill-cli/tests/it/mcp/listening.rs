//! The proxy as an HTTP server (`mcp --listen`), and requests to it over a raw socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::client::{Client, chaos};
use crate::program::program;

/// The first message of a client.
pub(crate) const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

/// The proxy as an HTTP server, its address, and the token that it expects.
pub(crate) struct Listening {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
    /// The lines that the proxy printed at its start.
    pub(crate) said: String,
}

/// A status, a head in lower case, and a body.
pub(crate) type Answer = (u16, String, String);

impl Listening {
    pub(crate) fn start(
        dir: &Path,
        options: &[&str],
        more: impl FnOnce(&mut Command),
    ) -> Listening {
        Listening::at("127.0.0.1:0", dir, options, more)
    }

    pub(crate) fn at(
        address: &str,
        dir: &Path,
        options: &[&str],
        more: impl FnOnce(&mut Command),
    ) -> Listening {
        let mut command = program(dir);
        command.args(["mcp", "--listen", address]).args(options).current_dir(dir);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        more(&mut command);
        let given = command.get_envs().find(|(name, _)| *name == "OVERSPILL_MCP_TOKEN");
        let given = given.and_then(|(_, value)| value?.to_str().map(str::to_owned));
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        while !said.contains("http://") && stderr.read_line(&mut said).unwrap() > 0 {}
        if given.is_none() && token_file(dir).exists() {
            stderr.read_line(&mut said).unwrap();
        }
        std::thread::spawn(move || drop(stderr.read_to_end(&mut Vec::new())));
        let address = said.split("http://").nth(1).unwrap_or_else(|| panic!("{said}"));
        let address = address.split("/mcp").next().unwrap().to_owned();
        let token = given.or_else(|| std::fs::read_to_string(token_file(dir)).ok());
        let token = token.unwrap_or_default().trim().to_owned();
        Listening { child, address, token, said }
    }

    /// Starts the proxy in front of the test server that does everything it is told.
    pub(crate) fn chaos(dir: &Path) -> Listening {
        Listening::start(dir, &["--", chaos().to_str().unwrap()], |_| {})
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Returns the value of the header `Authorization`.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Returns a client over stdio, with another proxy between it and this one.
    pub(crate) fn client(&self) -> Client {
        let options = ["--http", &self.url(), "--header-env", "Authorization: AUTH"];
        Client::with(&options, &[], |command| {
            command.env("AUTH", self.bearer());
        })
    }

    /// Sends a request with the token and these headers.
    pub(crate) fn ask(&self, method: &str, headers: &str, body: &str) -> Answer {
        self.ask_without_token(
            method,
            &format!("Authorization: {}\r\n{headers}", self.bearer()),
            body,
        )
    }

    /// Sends a request with only these headers.
    pub(crate) fn ask_without_token(&self, method: &str, headers: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        let (address, len) = (&self.address, body.len());
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
        write!(
            stream,
            "{method} /mcp HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {len}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        answer_of(&mut stream)
    }

    /// Sends these exact bytes; returns the answer up to the end of the connection.
    pub(crate) fn send(&self, bytes: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(bytes.as_bytes()).unwrap();
        answer_of(&mut stream)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer up to the end of the connection.
#[track_caller]
pub(crate) fn answer_of(stream: &mut impl Read) -> Answer {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

/// Returns the file with the token of the program, if its home is `dir`.
pub(crate) fn token_file(dir: &Path) -> PathBuf {
    dir.join(".local/state/overspill/mcp-token")
}

/// Returns the header of the session that an answer begins.
pub(crate) fn session_in(head: &str) -> String {
    let id = head.split("mcp-session-id: ").nth(1).unwrap().split("\r\n").next().unwrap();
    format!("Mcp-Session-Id: {id}\r\n")
}
