//! Requests of HTTP/1.1, as far as clients of MCP make them, and answers to them.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

/// What may be in the head of a request, and in its body.
const HEAD: usize = 64 << 10;
const BODY: u64 = 256 << 20;

/// A request, as far as we look at it.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    headers: HashMap<String, String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Reads the next request; nothing at the end of the connection.
    pub(super) fn read(
        from: &mut BufReader<&TcpStream>,
        to: &TcpStream,
    ) -> io::Result<Option<Request>> {
        let bad = |what: &str| io::Error::new(ErrorKind::InvalidData, what.to_owned());
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
            let before = head.len();
            from.by_ref().take((HEAD - before) as u64).read_until(b'\n', &mut head)?;
            match head.len() {
                0 => return Ok(None),
                len if len == before || len >= HEAD => return Err(bad("the head is too long")),
                _ => {}
            }
        }
        let mut headers = [httparse::EMPTY_HEADER; 100];
        let mut parsed = httparse::Request::new(&mut headers);
        parsed.parse(&head).map_err(|error| bad(&error.to_string()))?;
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            path: parsed.path.unwrap_or_default().to_owned(),
            ..Request::default()
        };
        for header in parsed.headers.iter() {
            let value = String::from_utf8_lossy(header.value).into_owned();
            request.headers.insert(header.name.to_ascii_lowercase(), value);
        }
        if request.header("expect").eq_ignore_ascii_case("100-continue") {
            let mut to = to;
            to.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if request.header("transfer-encoding").eq_ignore_ascii_case("chunked") {
            request.body = chunked(from)?;
        } else if let Ok(len) = request.header("content-length").parse::<u64>() {
            if len > BODY {
                return Err(bad("the body is too long"));
            }
            from.by_ref().take(len).read_to_end(&mut request.body)?;
        }
        Ok(Some(request))
    }
}

fn chunked(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let bad = || io::Error::from(ErrorKind::InvalidData);
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        from.by_ref().take(100).read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size, 16).map_err(|_| bad())?;
        if body.len() as u64 + size > BODY {
            return Err(bad());
        }
        from.by_ref().take(size).read_to_end(&mut body)?;
        line.clear();
        from.by_ref().take(100).read_line(&mut line)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

pub(super) const JSON: (&str, &str) = ("Content-Type", "application/json");
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
                      Transfer-Encoding: chunked\r\n";

/// Writes a message as an event.
pub(super) fn event(mut stream: &TcpStream, message: &[u8]) -> io::Result<()> {
    const AROUND: usize = "event: message\ndata: \n\n".len();
    let head = format!("{:x}\r\nevent: message\ndata: ", message.len() + AROUND);
    stream.write_all(&[head.as_bytes(), message, b"\n\n\r\n"].concat())
}

/// Answers with a status and a body; another request can follow.
pub(super) fn answer(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<bool> {
    let word = match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Bad Gateway",
    };
    let mut head = format!("HTTP/1.1 {status} {word}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(&[format!("{head}\r\n").as_bytes(), body].concat())?;
    Ok(true)
}

/// Begins an answer that comes as events, with these headers.
pub(super) fn begin_events(mut stream: &TcpStream, headers: &[(&str, &str)]) -> io::Result<()> {
    let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    stream.write_all(format!("{EVENTS}{}\r\n", headers.collect::<String>()).as_bytes())
}

/// Writes a sign of life.
pub(super) fn nothing_new(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"3\r\n:\n\n\r\n")
}

/// Ends an answer that came as events.
pub(super) fn end_events(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}
