//! Runs a command to its end: one loop over its output, our signals and the clock.

use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::signal::Signal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Descriptors;
use super::child::{Child, ChildChange};
use super::linger::leave_reader;
use super::pipes::Pipes;
use super::signals::{ReceivedSignal, Signals, descends, stop_too};
use super::start::{Group, StdioTarget, start};
use super::terminal_input::TerminalInput;
use crate::buffer::Buffer;
use crate::process::{CommandSpec, Ended, How, ProcessEvent, Stream, Wanted};

/// How long nothing must come, after the command has ended, to call it all.
const IDLE: Duration = Duration::from_millis(250);
/// How long it is waited for at most, however much still comes.
const LONGEST_DRAIN: Duration = Duration::from_secs(2);
/// How long a command that was asked to end may take before we say what we have.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a command whose time is up may take before it is killed.
const MERCY: Duration = Duration::from_secs(2);

/// Runs `asked`, tells `hear` what comes of it, and returns how it ended.
pub(crate) fn run(
    asked: &CommandSpec,
    descriptors: Descriptors,
    hear: &mut dyn FnMut(ProcessEvent) -> Wanted,
) -> anyhow::Result<Ended> {
    let signals = Signals::take().context("signals cannot be taken")?;
    let mut wires = Pipes::lay(asked).context("there is no pipe for the command's output")?;
    let mut keys = TerminalInput::default();
    let group = match (&mut wires.pty, asked.timeout) {
        (Some(pty), _) => {
            keys.open = pty.take_keys();
            Group::Session
        }
        (None, Some(_)) => Group::Own,
        (None, None) => Group::Ours,
    };
    let stdin = match &wires.pty {
        Some(pty) if keys.open => StdioTarget::Terminal(&pty.path),
        _ if descriptors.stdin_was_closed() => StdioTarget::Closed,
        _ => StdioTarget::Inherited,
    };
    let [out, err] = wires.places();
    let pid = start(&asked.words, [stdin, out, err], group, &signals.mask, &asked.variables)?;
    wires.hand_over();
    let mut watch = Watch {
        child: Child::new(pid, group),
        signals,
        wires,
        keys,
        buffer: Buffer::new(),
        times: Times {
            started: Instant::now(),
            limit: asked.timeout,
            patience: asked.patience,
            ..Times::default()
        },
        how: None,
        interrupted: false,
        reader_watched: true,
        unread: 0,
    };
    watch.until_the_end(hear)
}

/// A command on its way.
struct Watch {
    child: Child,
    signals: Signals,
    wires: Pipes,
    keys: TerminalInput,
    buffer: Buffer,
    times: Times,
    how: Option<How>,
    interrupted: bool,
    /// It is still worth looking whether our own reader is there.
    reader_watched: bool,
    /// Bytes that were in the pipes when the command ended. They are its own, however long we take.
    unread: u64,
}

/// When things have happened, and so when something is due.
struct Times {
    started: Instant,
    limit: Option<Duration>,
    /// How long it may run before that is told on, unless it was.
    patience: Option<Duration>,
    /// When its time was up, and it was told so.
    timed_out: Option<Instant>,
    /// When it was last asked to end, unless that was told on.
    asked_to_end: Option<Instant>,
    ended: Option<Instant>,
    last_heard: Instant,
}

impl Default for Times {
    fn default() -> Times {
        let now = Instant::now();
        Times {
            started: now,
            limit: None,
            patience: None,
            timed_out: None,
            asked_to_end: None,
            ended: None,
            last_heard: now,
        }
    }
}

impl Watch {
    fn until_the_end(
        &mut self,
        hear: &mut dyn FnMut(ProcessEvent) -> Wanted,
    ) -> anyhow::Result<Ended> {
        while self.how.is_none() || self.wires.is_open() {
            let ready = self.wait().context("waiting for the command")?;
            if ready.signals {
                self.take_signals();
            }
            if ready.keys
                && let Some(pty) = &self.wires.pty
            {
                self.keys.carry(pty);
            }
            for stream in ready.streams.into_iter().flatten() {
                self.read(stream, hear);
            }
            if ready.reader_gone {
                self.stop_reading();
            }
            if self.is_time_up(hear) {
                break;
            }
        }
        self.child.take_terminal();
        if self.times.timed_out.is_some() {
            // Those of its group that did not listen.
            self.child.send(Signal::SIGKILL);
        }
        Ok(self.ended())
    }

    /// Says how it ended, and leaves whoever still writes a reader.
    fn ended(&mut self) -> Ended {
        let mut held = false;
        for stream in [Stream::Out, Stream::Err] {
            if self.wires.open(stream).is_some() {
                held = true;
                if let Some(output) = self.wires.close(stream) {
                    leave_reader(output);
                }
            }
        }
        Ended {
            how: self.how.unwrap_or(How::Code(1)),
            timed_out: self.times.timed_out.and(self.times.limit),
            interrupted: self.interrupted,
            held,
        }
    }

    /// Waits until there is something to do.
    fn wait(&self) -> Result<Ready, Errno> {
        let mut fds = vec![PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN)];
        let streams = [Stream::Out, Stream::Err].map(|stream| {
            let fd = self.wires.open(stream)?;
            fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
            Some((stream, fds.len() - 1))
        });
        let keys = self.wires.pty.as_ref().and_then(|pty| self.keys.watched(pty));
        let keys = keys.map(|fd| {
            fds.push(fd);
            fds.len() - 1
        });
        let reader = self.reader_watched.then(|| {
            let stdout = rustix::stdio::stdout();
            fds.push(PollFd::from_borrowed_fd(stdout, PollFlags::empty()));
            fds.len() - 1
        });
        let timeout = self.times.next().map(|wait| Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: i64::from(wait.subsec_nanos()),
        });
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        let any = |at: usize| !fds[at].revents().is_empty();
        Ok(Ready {
            signals: any(0),
            streams: streams
                .map(|found| found.filter(|(_, at)| any(*at)).map(|(stream, _)| stream)),
            keys: keys.is_some_and(any),
            reader_gone: reader.is_some_and(any),
        })
    }

    fn take_signals(&mut self) {
        while let Some(came) = self.signals.next() {
            match came.signal {
                Signal::SIGCHLD => self.look_after_child(),
                Signal::SIGWINCH if self.wires.pty.is_some() => {
                    // The command hears of it from its own terminal.
                    self.wires.pty.iter().for_each(|pty| pty.resize());
                }
                signal => {
                    if !self.has_heard(&came) {
                        self.child.send(signal);
                    }
                    if matches!(signal, Signal::SIGTERM | Signal::SIGHUP) {
                        self.times.asked_to_end = Some(Instant::now());
                    }
                    let ends = matches!(
                        signal,
                        Signal::SIGTERM | Signal::SIGHUP | Signal::SIGINT | Signal::SIGQUIT
                    );
                    self.interrupted |= ends;
                }
            }
        }
    }

    /// Tells whether a signal that came to us has come to the command as well.
    fn has_heard(&self, came: &ReceivedSignal) -> bool {
        let by_terminal = came.by_terminal && self.child.hears_terminal();
        // Who sends to its own group has sent to us too; it needs no answer.
        by_terminal || came.from.is_some_and(|from| descends(from, self.child.pid))
    }

    fn look_after_child(&mut self) {
        while self.how.is_none() {
            match self.child.change() {
                None => return,
                Some(ChildChange::Ended(how)) => {
                    self.how = Some(how);
                    let now = Instant::now();
                    (self.times.ended, self.times.last_heard) = (Some(now), now);
                    self.unread = self.wires.unread();
                }
                Some(ChildChange::Stopped(by)) => {
                    self.child.take_terminal();
                    stop_too(by);
                    self.child.give_terminal();
                    self.child.send(Signal::SIGCONT);
                }
            }
        }
    }

    fn read(&mut self, stream: Stream, hear: &mut dyn FnMut(ProcessEvent) -> Wanted) {
        let Some(fd) = self.wires.open(stream) else { return };
        match rustix::io::read(fd, self.buffer.space()) {
            Ok(0) => drop(self.wires.close(stream)),
            Ok(len) => {
                if len == Buffer::PIPE {
                    self.wires.widen(stream);
                }
                if hear(ProcessEvent::Bytes(stream, &self.buffer.space()[..len])) == Wanted::NoMore
                {
                    self.stop_reading();
                }
                if self.how.is_some() {
                    // The times begin when the bytes that the command left are read and shown.
                    let now = Instant::now();
                    if self.unread > 0 {
                        self.times.ended = Some(now);
                    }
                    self.times.last_heard = now;
                    self.unread = self.unread.saturating_sub(len as u64);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // A terminal says so when nobody has it open any more.
            Err(_) => drop(self.wires.close(stream)),
        }
    }

    /// Lets the command feel that nobody reads: its next write ends it, as it would without us.
    fn stop_reading(&mut self) {
        self.reader_watched = false;
        self.interrupted = true;
        drop(self.wires.close(Stream::Out));
        drop(self.wires.close(Stream::Err));
        if self.wires.pty.is_some() {
            self.child.send(Signal::SIGHUP);
        }
    }

    /// Does what is due; tells whether it is time to leave.
    fn is_time_up(&mut self, hear: &mut dyn FnMut(ProcessEvent) -> Wanted) -> bool {
        let now = Instant::now();
        if let Some(ended) = self.times.ended {
            if self.unread > 0 && self.wires.is_open() {
                return false;
            }
            return now >= (self.times.last_heard + IDLE).min(ended + LONGEST_DRAIN);
        }
        if self.times.patience.is_some_and(|patience| now >= self.times.started + patience) {
            self.times.patience = None;
            hear(ProcessEvent::StillRunning);
        }
        if self.times.asked_to_end.is_some_and(|asked| now >= asked + PATIENCE) {
            self.times.asked_to_end = None;
            hear(ProcessEvent::AskedToEnd);
        }
        match (self.times.limit, self.times.timed_out) {
            (Some(limit), None) if now >= self.times.started + limit => {
                self.times.timed_out = Some(now);
                self.child.send(Signal::SIGTERM);
                // What is stopped would not hear it.
                self.child.send(Signal::SIGCONT);
            }
            (_, Some(told)) if now >= told + MERCY => {
                self.times.timed_out = Some(now);
                self.child.send(Signal::SIGKILL);
            }
            _ => {}
        }
        false
    }
}

/// What there is to do.
struct Ready {
    signals: bool,
    streams: [Option<Stream>; 2],
    keys: bool,
    reader_gone: bool,
}

impl Times {
    /// Returns how long it is until something is due.
    fn next(&self) -> Option<Duration> {
        let due = match self.ended {
            Some(ended) => Some((self.last_heard + IDLE).min(ended + LONGEST_DRAIN)),
            None => {
                let end = match self.timed_out {
                    Some(told) => Some(told + MERCY),
                    None => self.limit.map(|limit| self.started + limit),
                };
                let say = self.asked_to_end.map(|asked| asked + PATIENCE);
                let still = self.patience.map(|patience| self.started + patience);
                end.into_iter().chain(say).chain(still).min()
            }
        };
        due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}
