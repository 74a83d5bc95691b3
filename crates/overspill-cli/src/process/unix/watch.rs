//! Runs a command to its end: one loop over its output, the signals and the clock.

use std::io;
use std::time::Instant;

use anyhow::Context;
use nix::sys::signal::Signal;
use rustix::io::Errno;

use super::Descriptors;
use super::ancestry::descends;
use super::child::{Child, ChildChange};
use super::extra::{start, stop_too, wait};
use super::linger::leave_reader;
use super::pipes::Pipes;
use super::pty::Pty;
use super::session;
use super::signals::{ReceivedSignal, Signals};
use super::stdio_target::{Group, StdioTarget};
use super::terminal_input::TerminalInput;
use super::times::{FIRST_LOOK, FIRST_REPORT, LATEST_LOOK, MERCY, Times};
use super::wait::{Interest, Watched};
use crate::process::Buffer;
use crate::process::{CommandSpec, Ended, How, Leftover, OutputEnd, ProcessEvent, Stream, Wanted};

/// Runs `asked`, reports each event to `hear`, and returns the end of the command.
pub(crate) fn run(
    asked: &CommandSpec,
    descriptors: Descriptors,
    hear: &mut dyn FnMut(ProcessEvent) -> Wanted,
) -> anyhow::Result<Ended> {
    let signals = Signals::take().context("signals cannot be collected")?;
    let mut pipes =
        Pipes::open_for(asked).context("cannot open a pipe for the command's output")?;
    let mut keys = TerminalInput::default();
    let group = match (&mut pipes.pty, asked.timeout) {
        (Some(pty), _) => {
            keys.open = pty.take_keys();
            Group::Session
        }
        (None, Some(_)) => Group::Own,
        (None, None) => Group::Ours,
    };
    let stdin = match &pipes.pty {
        Some(pty) if keys.open => StdioTarget::Terminal(pty),
        _ if descriptors.stdin_was_closed() => StdioTarget::Closed,
        _ => StdioTarget::Inherited,
    };
    let [out, err] = pipes.targets();
    let has_leader = keys.open && pipes.pty.as_ref().is_some_and(Pty::has_job_control);
    let led = if has_leader { session::led(&asked.words) } else { None };
    let words = led.as_ref().unwrap_or(&asked.words);
    let pid = start(words, [stdin, out, err], group, &signals, &asked.variables)?;
    pipes.hand_over();
    if led.is_some() {
        keys.wait_for_command(pid);
    }
    let until = match asked.until {
        // The last bytes reach our end of a terminal a moment later, and are not counted before.
        OutputEnd::After(_) if pipes.pty.is_some() => OutputEnd::USUAL,
        until => until,
    };
    let mut watch = Watch {
        child: Child::new(pid, group),
        signals,
        pipes,
        keys,
        buffer: Buffer::new(),
        times: Times {
            started: Instant::now(),
            limit: asked.timeout,
            until,
            first_look: asked.watched.then_some(FIRST_LOOK),
            next_report: asked.watched.then_some(FIRST_REPORT),
            every: asked.every,
            ..Times::default()
        },
        how: None,
        interrupted: false,
        leftover: asked.leftover,
        asked_to_end: false,
        reader_watched: true,
        has_leader,
        stopped: None,
        unread: 0,
    };
    watch.until_the_end(hear)
}

/// A running command.
struct Watch {
    child: Child,
    signals: Signals,
    pipes: Pipes,
    keys: TerminalInput,
    buffer: Buffer,
    times: Times,
    how: Option<How>,
    interrupted: bool,
    /// The use of output that background processes write after the end.
    leftover: Leftover,
    /// Tells whether a signal asked overspill to end, and this was not reported yet.
    asked_to_end: bool,
    /// Tells whether to watch for a closed standard output.
    reader_watched: bool,
    /// Tells whether a leader process runs the session of the command, so that keys can stop the
    /// command.
    has_leader: bool,
    /// The signal that stopped the command, until this process stops, too.
    stopped: Option<i32>,
    /// The number of bytes that were in the pipes at the end of the command and are not read yet.
    /// The command wrote them, so they are read even if that takes long.
    unread: u64,
}

impl Watch {
    fn until_the_end(
        &mut self,
        hear: &mut dyn FnMut(ProcessEvent) -> Wanted,
    ) -> anyhow::Result<Ended> {
        while self.how.is_none() || self.pipes.is_open() {
            self.keep_keys_in_foreground();
            let ready = self.wait().context("waiting for the command")?;
            if ready.signals {
                self.take_signals();
            }
            if ready.keys
                && let Some(pty) = &self.pipes.pty
            {
                self.keys.carry(pty);
            }
            for stream in ready.streams.into_iter().flatten() {
                self.read(stream, hear);
            }
            if ready.reader_gone {
                self.stop_reading();
            }
            if let Some(by) = self.stopped.take() {
                // The key that stopped the command also appears on the screen.
                self.read_available(hear);
                self.stop(by);
            }
            if self.is_time_up(hear) {
                break;
            }
        }
        self.child.take_terminal();
        if self.times.timed_out.is_some() {
            // Some processes of the group may have ignored the first signal.
            self.kill();
        }
        Ok(self.ended())
    }

    /// Takes the keys of our terminal only while a shell has this process in the foreground.
    fn keep_keys_in_foreground(&mut self) {
        let Some(pty) = self.pipes.pty.as_mut().filter(|_| self.has_leader) else { return };
        if self.keys.is_over {
            return;
        }
        self.keys.look_for_command(pty);
        match session::is_in_foreground() {
            is_in if is_in == self.keys.open => {}
            true => {
                self.keys.open = pty.take_keys();
                pty.resize();
            }
            // The shell has the terminal, with its own modes.
            false => {
                pty.forget_keys();
                self.keys.open = false;
            }
        }
    }

    /// Stops this process like the command, until a shell continues it.
    fn stop(&mut self, by: i32) {
        self.child.take_terminal();
        let pty = self.pipes.pty.as_mut().filter(|_| self.has_leader);
        // The leader of a session gets SIGTSTP, even if another signal stopped the command.
        let by = if pty.is_some() { Signal::SIGTSTP as i32 } else { by };
        if let Some(pty) = pty {
            pty.leave_keys();
            self.keys.open = false;
        }
        stop_too(by);
        self.child.give_terminal();
        self.keep_keys_in_foreground();
        self.child.send(Signal::SIGCONT);
    }

    /// Kills the command, and the group that it has put in the foreground of its terminal.
    fn kill(&self) {
        let foreground = self.pipes.pty.as_ref().filter(|_| self.has_leader);
        if let Some(group) = foreground.and_then(Pty::foreground) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        self.child.send(Signal::SIGKILL);
    }

    /// Returns the end of the command. Background processes that still write get a reader.
    fn ended(&mut self) -> Ended {
        let mut held = false;
        for stream in [Stream::Out, Stream::Err] {
            // The command may have ended before its closed output was noticed.
            if self.pipes.open(stream).is_some() && !self.pipes.is_at_end(stream) {
                held = true;
                if let Some(output) = self.pipes.close(stream) {
                    // Without overspill, later output would appear on our terminal, too.
                    let leftover =
                        if self.has_leader { Leftover::Forwarded } else { self.leftover };
                    leave_reader(output, leftover);
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

    /// Waits until something needs work.
    fn wait(&self) -> io::Result<Ready> {
        let mut watched = vec![Watched::new(self.signals.as_fd(), Interest::Read)];
        let streams = [Stream::Out, Stream::Err].map(|stream| {
            let fd = self.pipes.open(stream)?;
            watched.push(Watched::new(fd, Interest::Read));
            Some((stream, watched.len() - 1))
        });
        let keys = self.pipes.pty.as_ref().and_then(|pty| self.keys.watched(pty));
        let keys = keys.map(|keys| {
            watched.push(keys);
            watched.len() - 1
        });
        let reader = self.reader_watched.then(|| {
            watched.push(Watched::new(rustix::stdio::stdout(), Interest::HangUp));
            watched.len() - 1
        });
        let paused = self.has_leader.then(|| self.keys.next_look()).flatten();
        let due = [self.times.next(), paused].into_iter().flatten().min();
        wait(&mut watched, due)?;
        let is_ready = |at: usize| watched[at].ready;
        Ok(Ready {
            signals: is_ready(0),
            streams: streams
                .map(|found| found.filter(|(_, at)| is_ready(*at)).map(|(stream, _)| stream)),
            keys: keys.is_some_and(is_ready),
            reader_gone: reader.is_some_and(is_ready),
        })
    }

    fn take_signals(&mut self) {
        while let Some(came) = self.signals.next() {
            match came.signal {
                Signal::SIGCHLD => self.look_after_child(),
                Signal::SIGWINCH if self.pipes.pty.is_some() => {
                    // The command's own terminal informs the command.
                    self.pipes.pty.iter().for_each(|pty| pty.resize());
                }
                signal => {
                    // Another process may already have the number of an ended process.
                    if self.how.is_none() && !self.has_heard(&came) {
                        self.child.send(signal);
                    }
                    // A key of a terminal may be meant for the command alone.
                    let is_key = signal == Signal::SIGINT && came.by_terminal;
                    if matches!(signal, Signal::SIGTERM | Signal::SIGHUP | Signal::SIGINT) {
                        self.asked_to_end |= !is_key;
                    }
                    let ends = matches!(
                        signal,
                        Signal::SIGTERM | Signal::SIGHUP | Signal::SIGINT | Signal::SIGQUIT
                    );
                    if ends {
                        self.interrupted = true;
                        self.times.leave_soon();
                    }
                }
            }
        }
    }

    /// Tells whether a signal that came to this process has reached the command as well.
    fn has_heard(&self, came: &ReceivedSignal) -> bool {
        let by_terminal = came.by_terminal && self.child.hears_terminal();
        // The command, or a process that it started, sent the signal to the whole group.
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
                    self.unread = self.pipes.unread();
                }
                Some(ChildChange::Stopped(by)) => self.stopped = Some(by),
            }
        }
    }

    fn read(&mut self, stream: Stream, hear: &mut dyn FnMut(ProcessEvent) -> Wanted) {
        let Some(fd) = self.pipes.open(stream) else { return };
        match rustix::io::read(fd, self.buffer.space()) {
            Ok(0) => drop(self.pipes.close(stream)),
            Ok(len) => {
                self.times.first_heard.get_or_insert_with(Instant::now);
                if len == Buffer::PIPE {
                    self.pipes.widen(stream);
                }
                if hear(ProcessEvent::Bytes(stream, &self.buffer.space()[..len])) == Wanted::NoMore
                {
                    self.stop_reading();
                }
                if self.how.is_some() {
                    // The times begin after the bytes that the command left in the pipes are read.
                    let now = Instant::now();
                    if self.unread > 0 {
                        self.times.ended = Some(now);
                    }
                    self.times.last_heard = now;
                    self.unread = self.unread.saturating_sub(len as u64);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // A terminal reports an error after its last process has closed it.
            Err(_) => drop(self.pipes.close(stream)),
        }
    }

    /// Reads the bytes that are in the pipes now.
    fn read_available(&mut self, hear: &mut dyn FnMut(ProcessEvent) -> Wanted) {
        // A command that never stops printing must not keep this loop busy.
        let mut left = self.pipes.unread();
        for stream in [Stream::Out, Stream::Err] {
            while left > 0 && self.pipes.unread_of(stream) > 0 {
                let before = self.pipes.unread_of(stream);
                self.read(stream, hear);
                left = left.saturating_sub(before.min(Buffer::PIPE as u64));
            }
        }
    }

    /// Closes the output because the reader of our output is gone. The command's next write ends
    /// it.
    fn stop_reading(&mut self) {
        self.reader_watched = false;
        self.interrupted = true;
        drop(self.pipes.close(Stream::Out));
        drop(self.pipes.close(Stream::Err));
        if self.pipes.pty.is_some() {
            self.child.send(Signal::SIGHUP);
        }
    }

    /// Reports the events that are due. Tells whether to stop reading.
    fn is_time_up(&mut self, hear: &mut dyn FnMut(ProcessEvent) -> Wanted) -> bool {
        let now = Instant::now();
        if self.times.ended.is_some() {
            if self.unread > 0 && self.pipes.is_open() {
                return false;
            }
            if self.times.complete_at().is_some_and(|due| now >= due) {
                return true;
            }
            if !self.times.has_news() {
                return false;
            }
        }
        let is_look_due = |due: Instant| {
            now >= due && (self.pipes.unread() == 0 || now >= due + (LATEST_LOOK - FIRST_LOOK))
        };
        if self.times.look_at().is_some_and(is_look_due) {
            self.times.first_look = None;
            hear(ProcessEvent::FirstLook);
        }
        if let Some(after) =
            self.times.next_report.filter(|after| now >= self.times.started + *after)
        {
            self.times.next_report = after.checked_mul(2);
            hear(ProcessEvent::StillRunning);
        }
        if let Some(every) = self.times.every.filter(|_| now >= self.times.next_interval) {
            self.times.next_interval = now + every;
            hear(ProcessEvent::Interval);
        }
        if std::mem::take(&mut self.asked_to_end) {
            // The sender may now write its own line, and end this process at any moment.
            self.read_available(hear);
            hear(ProcessEvent::AskedToEnd);
        }
        match (self.times.limit, self.times.timed_out) {
            _ if self.times.ended.is_some() => {}
            (Some(limit), None) if now >= self.times.started + limit => {
                self.times.timed_out = Some(now);
                self.child.send(Signal::SIGTERM);
                // A stopped process gets signals only after it is continued.
                self.child.send(Signal::SIGCONT);
            }
            (_, Some(told)) if now >= told + MERCY => {
                self.times.timed_out = Some(now);
                self.kill();
            }
            _ => {}
        }
        false
    }
}

/// The sources that are ready.
struct Ready {
    signals: bool,
    streams: [Option<Stream>; 2],
    keys: bool,
    reader_gone: bool,
}
