//! Splits the output for a client into messages, one per line. A long line waits in a file.

use std::io::{self, Write};
use std::sync::Arc;

use overspill::core::internal::json::JsonToken;

use super::super::probe::{Id, MessageProbe};
use super::super::spooled_buffer::SpooledBuffer;
use super::super::walk::JsonWalk;
use super::routes::Heard;
use super::session::{Session, locked};
use crate::env::Env;
use crate::serve::{REQUESTS, ServerEvent};

/// The number of bytes of one message of a server. overspill drops a longer message and sends an
/// error.
const LONGEST_MESSAGE: u64 = 1 << 30;

/// A writer for the output of a server. It sends each message to the stream that waits for it.
pub(super) struct Post {
    session: Arc<Session>,
    env: Env,
    line: Line,
    longest: u64,
}

/// A line that has not ended yet, and the answers in it.
struct Line {
    buffer: SpooledBuffer,
    walk: JsonWalk,
    probe: MessageProbe,
    is_json: bool,
    /// The ids of the answers in the line.
    answers: Vec<Id>,
}

impl Post {
    pub(super) fn new(session: Arc<Session>, env: Env) -> Post {
        let line = Line::new(env.clone());
        Post { session, env, line, longest: LONGEST_MESSAGE }
    }

    fn end_line(&mut self) {
        let line = std::mem::replace(&mut self.line, Line::new(self.env.clone()));
        let is_too_long = line.buffer.len() > self.longest;
        // Text that is not JSON is not a message for an event stream either.
        if !is_too_long && (!line.is_json || !line.walk.is_done()) {
            return;
        }
        // overspill did not read all of an overlong line, so the probe may still have its id.
        let mut answers = line.answers;
        if is_too_long && let Some(id) = &line.probe.message().id {
            answers.push(id.clone());
        }
        let mut routes = locked(&self.session.routes);
        match line.buffer.into_parts() {
            _ if is_too_long => {
                let most = self.longest >> 20;
                routes.fail(answers, &format!("the server's answer is longer than {most} MiB"));
            }
            Ok((start, rest)) => {
                let bytes = start.len();
                routes.deliver(
                    Heard { event: ServerEvent { start, rest }, bytes, answers: 0 },
                    answers,
                );
            }
            Err(reason) => {
                let reason = format!("overspill could not buffer the server's answer: {reason}");
                routes.fail(answers, &reason);
            }
        }
    }
}

impl Write for Post {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_end) =
                part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            self.line.push(text, self.longest);
            if is_end {
                self.end_line();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Line {
    fn new(env: Env) -> Line {
        let buffer = SpooledBuffer::new(env);
        let (walk, probe) = (JsonWalk::default(), MessageProbe::default());
        Line { buffer, walk, probe, is_json: true, answers: Vec::new() }
    }

    /// Adds bytes to the line. Drops all bytes of a line that is not JSON or longer than `longest`.
    fn push(&mut self, bytes: &[u8], longest: u64) {
        let was_too_long = self.buffer.len() > longest;
        if !self.is_json || was_too_long {
            return;
        }
        self.look(bytes);
        if self.buffer.len() + bytes.len() as u64 > longest || !self.is_json {
            let len = longest + 1;
            self.buffer.drop_all(if self.is_json { len } else { 0 });
        } else {
            self.buffer.push(bytes);
        }
    }

    /// Collects the ids of the answers in the line.
    fn look(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Ok(step) = self.walk.next(bytes) else {
                self.is_json = false;
                return;
            };
            self.probe.see(&step, bytes);
            let is_end = step.token == JsonToken::Close && step.path.is_empty() && step.in_message;
            bytes = &bytes[step.len..];
            if is_end {
                let message = std::mem::take(&mut self.probe);
                let message = message.message();
                if message.is_answer()
                    && self.answers.len() < REQUESTS
                    && let Some(id) = &message.id
                {
                    self.answers.push(id.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::super::session::Waiter;
    use super::*;
    use crate::serve::EventSource;

    /// Returns the next message of a stream that has one.
    fn next(waiter: &mut Waiter) -> String {
        let Poll::Ready(Some(event)) = waiter.poll_next(&mut Context::from_waker(Waker::noop()))
        else {
            panic!("no message")
        };
        let mut text = event.start;
        event.rest.inspect(|mut file| drop(io::Read::read_to_end(&mut file, &mut text)));
        String::from_utf8(text).unwrap()
    }

    fn id(id: u32) -> Id {
        Id(id.to_string())
    }

    fn answer(id: u32, len: usize) -> String {
        format!("{{\"id\":{id},\"result\":\"{}\"}}\n", "x".repeat(len))
    }

    #[test]
    fn long_line_waits_in_a_file_and_comes_whole() {
        let (session, ..) = Session::new();
        let mut waiter = session.wait_for(&[id(1)]).unwrap();
        let mut post = Post::new(session, Env::of_process());
        let long = answer(1, 2 * SpooledBuffer::HELD);
        for chunk in long.as_bytes().chunks(100_000) {
            post.write_all(chunk).unwrap();
            assert!(post.line.buffer.in_memory_len() <= SpooledBuffer::HELD);
        }
        assert!(next(&mut waiter) == long.trim_end());
    }

    #[test]
    fn line_over_the_limit_becomes_an_error() {
        let (session, ..) = Session::new();
        let mut waiter = session.wait_for(&[id(1)]).unwrap();
        let mut other = session.wait_for(&[id(2)]).unwrap();
        let mut post = Post { longest: 1_000, ..Post::new(session, Env::of_process()) };
        post.write_all(&answer(1, 2_000).as_bytes()[..1_500]).unwrap();
        post.write_all(&[b'x'; 5_000]).unwrap();
        assert_eq!(post.line.buffer.in_memory_len(), 0);
        post.write_all(b"\"}\n").unwrap();
        let error = next(&mut waiter);
        assert!(error.contains("\"id\":1") && error.contains("longer than"), "{error}");
        post.write_all(answer(2, 10).as_bytes()).unwrap();
        assert_eq!(next(&mut other), answer(2, 10).trim_end());
    }

    #[test]
    fn line_over_the_limit_without_an_id_fails_every_request() {
        let (session, ..) = Session::new();
        let mut waiters = [1, 2].map(|n| session.wait_for(&[id(n)]).unwrap());
        let mut post = Post { longest: 100, ..Post::new(session, Env::of_process()) };
        post.write_all(format!("{{\"result\":\"{}", "x".repeat(200)).as_bytes()).unwrap();
        post.write_all(b"\",\"id\":1}\n").unwrap();
        for waiter in &mut waiters {
            assert!(next(waiter).contains("longer than"));
        }
    }

    #[test]
    fn answer_for_a_stream_that_is_not_read_becomes_an_error_at_the_limit() {
        let (session, ..) = Session::new();
        let ids: Vec<Id> = (0..100).map(id).collect();
        let mut waiter = session.wait_for(&ids).unwrap();
        let mut post = Post::new(session, Env::of_process());
        for n in 0..100 {
            post.write_all(answer(n, 1 << 20).as_bytes()).unwrap();
        }
        assert!(waiter.queued() < 20 << 20, "{}", waiter.queued());
        let all: Vec<String> = (0..100).map(|_| next(&mut waiter)).collect();
        assert!(all[0].contains("xxx") && all[99].contains("reads too slowly"), "{}", all[99]);
        let end = waiter.poll_next(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(end, Poll::Ready(None)));
    }

    #[test]
    fn notifications_for_a_stream_that_is_not_read_wait_up_to_the_limit() {
        let (session, ..) = Session::new();
        let mut listener = session.wait_for(&[]).unwrap();
        let mut post = Post::new(session.clone(), Env::of_process());
        let notification = format!("{{\"method\":\"{}\"}}\n", "x".repeat(1 << 20));
        for _ in 0..300 {
            post.write_all(notification.as_bytes()).unwrap();
        }
        assert!(session.held() < 200 << 20, "{}", session.held());
        // Reading makes room for the waiting messages.
        for _ in 0..30 {
            next(&mut listener);
        }
        post.write_all(answer(1, 1).as_bytes()).unwrap();
    }
}
