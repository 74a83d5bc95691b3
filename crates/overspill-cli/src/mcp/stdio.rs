//! Relays messages between a client and a server through their standard streams.

use std::io::{self, Read, Write};
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::answers::{SERVER_GONE, error};
use super::frames::{Frames, Read1};
use super::long;
use super::probe::Look;
use super::proxy::{Proxy, Question};
use super::server::{self, Ask, Server};

/// An event during the relay.
#[derive(Debug)]
enum RelayEvent {
    /// The client has closed its output.
    ClientSilent,
    /// The client no longer reads.
    ClientGone,
    /// The server has closed its output.
    ServerSilent,
    /// The server has ended with this exit code.
    ServerEnded(u8),
    /// This process got this signal, which asks it to end.
    Asked(i32),
    /// The proxy has answered a request itself.
    Answered,
}

/// The time to wait for more output of a server that has ended. Time in which the proxy works on
/// received output does not count.
const DRAIN: Duration = Duration::from_millis(400);
/// The time that [`DRAIN`] may take in total, because a client may not read.
const DRAIN_IN_ALL: Duration = Duration::from_secs(10);
/// The time that a server may take to end after its client has, if no request waits for an answer.
const LEAVE: Duration = Duration::from_secs(2);
/// The time that a server may take to end after its client has, while requests wait for an answer.
const LEAVE_BUSY: Duration = Duration::from_secs(10);
/// The time that a server may take to end after a signal.
const OBEY: Duration = Duration::from_secs(1);
/// The pause between two checks.
const TICK: Duration = Duration::from_millis(50);

/// The stream to the client.
pub(super) type Out = Arc<Mutex<Box<dyn Write + Send>>>;

/// The two streams of a client.
pub(super) struct ClientLine {
    pub(super) input: Box<dyn Read + Send>,
    pub(super) out: Out,
    /// A channel that closes when the client is gone. Some streams notice this only while the
    /// server reads.
    pub(super) hung_up: Option<Receiver<()>>,
    /// Tells whether these are the standard streams of this process.
    pub(super) is_ours: bool,
}

impl ClientLine {
    /// Returns the standard streams of this process.
    pub(super) fn ours() -> ClientLine {
        let out = Arc::new(Mutex::new(our_output()));
        ClientLine { input: our_input(), out, hung_up: None, is_ours: true }
    }
}

/// Relays between a client and a server until one of them ends; returns the exit code.
pub(super) fn relay(proxy: Arc<Proxy>, server: Server, line: ClientLine) -> u8 {
    let ClientLine { input, out, hung_up, is_ours } = line;
    let Server { mut child, stdin, stdout } = server;
    let pid = child.id();
    let (news, heard) = channel();
    let tell = news.clone();
    if is_ours {
        server::take_signals(move |signal| drop(tell.send(RelayEvent::Asked(signal))));
    }
    if let Some(hung_up) = hung_up {
        spawn(&news, move |news| {
            let _ = hung_up.recv();
            let _ = news.send(RelayEvent::ClientSilent);
        });
    }
    let (questions, asked) = channel();
    spawn(&news, {
        let (proxy, out) = (proxy.clone(), out.clone());
        move |news| answer(&proxy, &asked, &out, news)
    });
    spawn(&news, {
        let proxy = proxy.clone();
        move |news| {
            let _ = from_client(&proxy, input, stdin, &questions);
            let _ = news.send(RelayEvent::ClientSilent);
        }
    });
    let is_working = Arc::new(AtomicBool::new(false));
    spawn(&news, {
        let (proxy, out, working) = (proxy.clone(), out.clone(), is_working.clone());
        move |news| {
            let from = Awaited { from: &stdout, is_working: working };
            let ended = from_server(&proxy, from, &out, || server::widen(&stdout));
            let gone = ended.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
            let _ = news.send(if gone { RelayEvent::ClientGone } else { RelayEvent::ServerSilent });
        }
    });
    spawn(&news, move |news| {
        let code = child.wait().map_or(1, |status| code_of(&status));
        let _ = news.send(RelayEvent::ServerEnded(code));
    });
    let mut watch = Watch {
        proxy: &proxy,
        out: &out,
        heard,
        pid,
        is_ours,
        ended: None,
        silent: false,
        is_working,
    };
    watch.until_the_end()
}

fn spawn(news: &Sender<RelayEvent>, work: impl FnOnce(&Sender<RelayEvent>) + Send + 'static) {
    let news = news.clone();
    std::thread::spawn(move || work(&news));
}

/// The state of a relay. It ends both sides after one of them has ended.
struct Watch<'a> {
    proxy: &'a Proxy,
    out: &'a Out,
    heard: Receiver<RelayEvent>,
    pid: u32,
    is_ours: bool,
    ended: Option<u8>,
    /// Tells whether the server has closed its output.
    silent: bool,
    /// Tells whether a thread works on output of the server instead of waiting for more.
    is_working: Arc<AtomicBool>,
}

/// A stream that tells whether a thread waits for its next bytes.
struct Awaited<R> {
    from: R,
    is_working: Arc<AtomicBool>,
}

impl<R: Read> Read for Awaited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_working.store(false, Ordering::Relaxed);
        let read = self.from.read(buffer);
        self.is_working.store(true, Ordering::Relaxed);
        read
    }
}

impl Watch<'_> {
    fn until_the_end(&mut self) -> u8 {
        let mut client_silent = None;
        loop {
            let busy = self.proxy.pending().is_waited_for();
            let patience = if busy { LEAVE_BUSY } else { LEAVE };
            let is_late = client_silent.is_some_and(|since: Instant| since.elapsed() > patience);
            if is_late || client_silent.is_some() && self.is_ours && server::is_unread() {
                return self.end_server().unwrap_or(0);
            }
            match self.next(if client_silent.is_some() { TICK } else { Duration::MAX }) {
                Some(RelayEvent::ClientSilent) => {
                    client_silent.get_or_insert_with(Instant::now);
                }
                Some(RelayEvent::ClientGone) => return self.end_server().unwrap_or(0),
                Some(RelayEvent::Asked(signal)) => {
                    self.end_server();
                    return (128 + signal) as u8;
                }
                _ => {}
            }
            if self.ended.is_some() || self.silent {
                break;
            }
        }
        // A server that ends causes two events. The second one comes soon or not at all.
        let since = Instant::now();
        let mut idle = since;
        while (self.ended.is_none() || !self.silent)
            && idle.elapsed() < DRAIN
            && since.elapsed() < DRAIN_IN_ALL
        {
            self.next(TICK);
            if self.is_working.load(Ordering::Relaxed) {
                idle = Instant::now();
            }
        }
        let how = match self.ended {
            Some(code) => format!("the server ended with exit code {code} before it answered"),
            None => "the server closed its output before it answered".into(),
        };
        self.give_up(&how);
        let code = self.ended.or_else(|| self.end_server());
        code.unwrap_or(1)
    }

    fn next(&mut self, within: Duration) -> Option<RelayEvent> {
        let news = match within {
            Duration::MAX => self.heard.recv().ok(),
            _ => self.heard.recv_timeout(within).ok(),
        };
        match news {
            Some(RelayEvent::ServerEnded(code)) => self.ended = Some(code),
            Some(RelayEvent::ServerSilent) => self.silent = true,
            _ => {}
        }
        news
    }

    /// Sends an error for every request that the server can no longer answer.
    fn give_up(&self, reason: &str) {
        let left = self.proxy.pending().give_up();
        let answers = left.iter().flat_map(|id| error(Some(id), SERVER_GONE, reason));
        let answers: Vec<u8> = answers.collect();
        let since = Instant::now();
        while !answers.is_empty() {
            // Another thread may have the lock and wait for a server that is gone.
            match self.out.try_lock() {
                Ok(mut out) => {
                    let _ = out.write_all(&answers).and_then(|()| out.flush());
                    return;
                }
                Err(_) if since.elapsed() < DRAIN => std::thread::sleep(TICK / 10),
                Err(_) if !self.is_ours => return,
                Err(_) => {
                    let _ = our_output().write_all(&[b"\n", &answers[..]].concat());
                    return;
                }
            }
        }
    }

    /// Asks the server to end, first with a gentle signal. Returns its exit code if the server had
    /// ended before.
    fn end_server(&mut self) -> Option<u8> {
        let code_before = self.ended;
        for ask in [Ask::Kindly, Ask::Firmly] {
            let since = Instant::now();
            if self.ended.is_none() {
                server::end(self.pid, ask);
            }
            while self.ended.is_none() && since.elapsed() < OBEY {
                self.next(TICK);
            }
        }
        code_before
    }
}

/// Passes on the messages of the client until its end, and then closes the input of the server.
fn from_client(
    proxy: &Proxy,
    input: Box<dyn Read + Send>,
    mut server: ChildStdin,
    questions: &Sender<Question>,
) -> io::Result<()> {
    let mut frames = Frames::new(input);
    let mut forward = Vec::new();
    while let Some(read) = frames.next()? {
        match read {
            Read1::Whole(frame) => {
                let found = proxy.client_says(frame);
                forward.extend_from_slice(&found.forward);
                found.questions.into_iter().for_each(|question| drop(questions.send(question)));
            }
            Read1::Long(start) => {
                server.write_all(&std::mem::take(&mut forward))?;
                let mut look = Look::default();
                let mut chunk = start.to_vec();
                loop {
                    look.push(&chunk);
                    // The server may answer as soon as it has read the last byte.
                    if chunk.ends_with(b"\n") {
                        let mut pending = proxy.pending();
                        look.messages().for_each(|message| pending.asked(message));
                    }
                    server.write_all(&chunk)?;
                    match frames.more()? {
                        Some(more) => chunk = more.to_vec(),
                        None => break,
                    }
                }
            }
        }
        if !forward.is_empty() && !frames.has_frame() {
            server.write_all(&forward)?;
            forward.clear();
        }
    }
    Ok(())
}

/// Passes on the messages of the server until its end.
pub(super) fn from_server(
    proxy: &Proxy,
    from: impl Read,
    out: &Out,
    widen: impl Fn(),
) -> io::Result<()> {
    let mut frames = Frames::new(from);
    let mut forward = Vec::new();
    let write = |bytes: &mut Vec<u8>| -> io::Result<()> {
        if !bytes.is_empty() {
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            out.write_all(bytes)?;
            out.flush()?;
            bytes.clear();
        }
        Ok(())
    };
    let mut is_wide = false;
    while let Some(read) = frames.next()? {
        match read {
            Read1::Whole(frame) => {
                forward.extend_from_slice(&proxy.server_says(frame));
                // The last line of an interrupted server may lack its line feed.
                if !forward.is_empty() && !forward.ends_with(b"\n") {
                    forward.push(b'\n');
                }
            }
            Read1::Long(start) => {
                write(&mut forward)?;
                let start = start.to_vec();
                if !std::mem::replace(&mut is_wide, true) {
                    widen();
                }
                long::pass(proxy, &start, &mut frames, out)?;
            }
        }
        if !frames.has_frame() {
            write(&mut forward)?;
        }
    }
    write(&mut forward)
}

/// Answers the requests for the retrieval tools, one after the other.
fn answer(proxy: &Proxy, asked: &Receiver<Question>, out: &Out, news: &Sender<RelayEvent>) {
    while let Ok(question) = asked.recv() {
        let answer = proxy.answer(&question);
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(&answer).and_then(|()| out.flush());
        let _ = news.send(RelayEvent::Answered);
    }
}

fn code_of(status: &std::process::ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(status) {
        return (128 + signal) as u8;
    }
    status.code().unwrap_or(1) as u8
}

/// Returns the standard output of this process, without a buffer.
#[cfg(unix)]
pub(super) fn our_output() -> Box<dyn Write + Send> {
    use std::os::fd::AsFd;
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(std::fs::File::from(fd)),
        Err(_) => Box::new(io::stdout()),
    }
}

#[cfg(not(unix))]
pub(super) fn our_output() -> Box<dyn Write + Send> {
    Box::new(io::stdout())
}

/// Returns the standard input of this process, without a buffer.
#[cfg(unix)]
pub(super) fn our_input() -> Box<dyn Read + Send> {
    use std::os::fd::AsFd;
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(std::fs::File::from(fd)),
        Err(_) => Box::new(io::stdin()),
    }
}

#[cfg(not(unix))]
pub(super) fn our_input() -> Box<dyn Read + Send> {
    Box::new(io::stdin())
}
