//! Turns the bodies of HTTP responses into frames, one per line.

use std::io::{self, Read};
use std::sync::mpsc::Sender;

/// A body that is one JSON text, put on one line. An empty body gives no line.
pub(super) struct OneLine<R> {
    from: R,
    is_begun: bool,
}

impl<R> OneLine<R> {
    pub(super) fn new(from: R) -> OneLine<R> {
        OneLine { from, is_begun: false }
    }
}

impl<R: Read> Read for OneLine<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let len = self.from.read(into)?;
        if len == 0 && std::mem::take(&mut self.is_begun) {
            into[0] = b'\n';
            return Ok(1);
        }
        self.is_begun |= len > 0;
        // Between JSON values a line feed counts as a blank, and a JSON string contains none.
        for byte in &mut into[..len] {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        Ok(len)
    }
}

/// A stream of server-sent events, each of which becomes a frame.
pub(super) struct Events<R> {
    from: R,
    /// The channel for the address to which an old server wants its messages sent.
    endpoint: Option<Sender<String>>,
    raw: Vec<u8>,
    at: usize,
    line: Line,
    /// Tells whether the event has data that is not empty; some events only have an id.
    has_data: bool,
    event: Vec<u8>,
    address: Vec<u8>,
}

/// The position within the current line of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    /// In the name of the field, which has these bytes so far.
    Name(Vec<u8>),
    /// After the colon.
    Start(Field),
    /// In the value.
    Value(Field),
}

/// A field of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    Other,
}

impl<R: Read> Events<R> {
    pub(super) fn new(from: R, endpoint: Option<Sender<String>>) -> Events<R> {
        Events {
            from,
            endpoint,
            raw: Vec::new(),
            at: 0,
            line: Line::Name(Vec::new()),
            has_data: false,
            event: Vec::new(),
            address: Vec::new(),
        }
    }

    /// Takes one byte; returns the byte that the frame gets, if any.
    fn take(&mut self, byte: u8) -> Option<u8> {
        if byte == b'\r' {
            return None;
        }
        match (&mut self.line, byte) {
            (Line::Name(name), b'\n') if name.is_empty() => return self.event_ends(),
            (_, b'\n') => self.line = Line::Name(Vec::new()),
            (Line::Name(name), b':') => {
                // A stream may begin with a byte order mark.
                let field = match name.strip_prefix(b"\xef\xbb\xbf").unwrap_or(name) {
                    b"data" => Field::Data,
                    b"event" => Field::Event,
                    _ => Field::Other,
                };
                self.line = Line::Start(field);
                // Two lines of data are two lines of JSON, so a blank can separate them.
                if field == Field::Data && self.has_data {
                    return Some(b' ');
                }
            }
            (Line::Name(name), _) => {
                if name.len() < 16 {
                    name.push(byte);
                }
            }
            (Line::Start(field), b' ') => self.line = Line::Value(*field),
            (Line::Start(field) | Line::Value(field), _) => {
                let field = *field;
                self.line = Line::Value(field);
                match field {
                    Field::Event if self.event.len() < 32 => self.event.push(byte),
                    Field::Data if self.event == b"endpoint" => {
                        if self.address.len() < 4096 {
                            self.address.push(byte);
                        }
                    }
                    Field::Data => {
                        self.has_data = true;
                        return Some(byte);
                    }
                    Field::Event | Field::Other => {}
                }
            }
        }
        None
    }

    fn event_ends(&mut self) -> Option<u8> {
        let event = std::mem::take(&mut self.event);
        let had_data = std::mem::take(&mut self.has_data);
        if event == b"endpoint" {
            let address = String::from_utf8_lossy(&std::mem::take(&mut self.address)).into_owned();
            if let Some(endpoint) = &self.endpoint {
                let _ = endpoint.send(address);
            }
            return None;
        }
        had_data.then_some(b'\n')
    }
}

impl<R: Read> Read for Events<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut len = 0;
            while self.at < self.raw.len() && len < into.len() {
                // Plain data is copied in one step, up to the end of its line.
                if self.line == Line::Value(Field::Data) && self.event != b"endpoint" {
                    let rest = &self.raw[self.at..];
                    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                    let count = end.min(into.len() - len);
                    into[len..len + count].copy_from_slice(&rest[..count]);
                    (self.at, len) = (self.at + count, len + count);
                    if count > 0 {
                        self.has_data = true;
                        continue;
                    }
                }
                let byte = self.raw[self.at];
                self.at += 1;
                if let Some(byte) = self.take(byte) {
                    into[len] = byte;
                    len += 1;
                }
            }
            if len > 0 {
                return Ok(len);
            }
            self.raw.resize(64 << 10, 0);
            let read = self.from.read(&mut self.raw)?;
            self.raw.truncate(read);
            self.at = 0;
            if read == 0 {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_become_frames_in_any_chunks() {
        let stream = "id: 6\ndata: \n\nevent: message\r\nid: 7\r\ndata: {\"a\":1}\r\n\r\n: a comment\n\nevent: endpoint\ndata: /post?x\n\ndata:{\ndata: }\n\nretry: 10\n\n";
        for room in [1, 2, 7, 1000] {
            let (send, endpoint) = std::sync::mpsc::channel();
            let mut events = Events::new(stream.as_bytes(), Some(send));
            let (mut all, mut chunk) = (Vec::new(), vec![0; room]);
            loop {
                let len = events.read(&mut chunk).unwrap();
                if len == 0 {
                    break;
                }
                all.extend_from_slice(&chunk[..len]);
            }
            assert_eq!(String::from_utf8(all).unwrap(), "{\"a\":1}\n{ }\n");
            assert_eq!(endpoint.try_recv().unwrap(), "/post?x");
        }
    }

    #[test]
    fn byte_order_mark_is_skipped() {
        let mut all = String::new();
        let stream = "\u{feff}data: {}\n\n";
        Events::new(stream.as_bytes(), None).read_to_string(&mut all).unwrap();
        assert_eq!(all, "{}\n");
    }

    #[test]
    fn json_of_many_lines_is_one_frame() {
        let mut all = String::new();
        let mut body = OneLine::new(&b"{\n \"a\": 1\r\n}"[..]);
        body.read_to_string(&mut all).unwrap();
        assert_eq!(all, "{  \"a\": 1  }\n");
        assert_eq!(OneLine::new(&b""[..]).read_to_string(&mut all).unwrap(), 0);
    }
}
