//! How far something is that takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use crate::process;

/// What is done by then needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(100);
const BAR: usize = 30;

/// A bar on standard error while it lives, if somebody looks there and it lives for long.
pub(crate) struct Progress(Option<Running>);

struct Running {
    state: Arc<State>,
    drawing: Option<JoinHandle<()>>,
    thread: Thread,
}

#[derive(Default)]
struct State {
    done: AtomicU64,
    /// How much there is to do; 0 if nobody knows.
    all: AtomicU64,
    over: AtomicBool,
}

impl Progress {
    /// Begins something that may take long.
    pub(crate) fn of(what: &'static str) -> Progress {
        Progress::begin(what, Neighbours::None)
    }

    /// Like [`Progress::of`], while other programs may write to the same terminal, or ask there.
    pub(crate) fn beside_others(what: &'static str) -> Progress {
        Progress::begin(what, Neighbours::Others)
    }

    fn begin(what: &'static str, neighbours: Neighbours) -> Progress {
        if !io::stderr().is_terminal() || super::is_captured() {
            return Progress(None);
        }
        let state = Arc::new(State::default());
        let shared = state.clone();
        // The thread must get no signal: those of a command are collected elsewhere.
        let started = process::without_signals(|| {
            thread::Builder::new().spawn(move || draw(&shared, what, neighbours))
        });
        // Without a thread there is no bar, and that is all.
        Progress(started.ok().map(|drawing| {
            let thread = drawing.thread().clone();
            Running { state, drawing: Some(drawing), thread }
        }))
    }

    /// Returns what shows nothing.
    pub(crate) fn hidden() -> Progress {
        Progress(None)
    }

    /// Tells how many bytes came, if nobody knows how many will.
    pub(crate) fn came(&self, bytes: u64) {
        if let Some(running) = &self.0 {
            running.state.done.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Tells how far it is.
    pub(crate) fn at(&self, done: u64, all: u64) {
        if let Some(running) = &self.0 {
            running.state.all.store(all, Ordering::Relaxed);
            running.state.done.store(done, Ordering::Relaxed);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(running) = &mut self.0 {
            running.state.over.store(true, Ordering::Release);
            running.thread.unpark();
            let _ = running.drawing.take().map(JoinHandle::join);
        }
    }
}

fn draw(state: &State, what: &str, neighbours: Neighbours) {
    let started = Instant::now();
    let (patience, every) = neighbours.times();
    let mut drawn = false;
    while !state.over.load(Ordering::Acquire) {
        let waited = started.elapsed();
        if waited < patience {
            thread::park_timeout(patience - waited);
            continue;
        }
        // A program that asks for a password, or draws on the terminal, has changed its modes.
        if process::is_terminal_plain() {
            let line = super::short(&line(state, what, waited.as_secs()), width());
            let (before, after) = neighbours.frame(!drawn);
            let _ = write!(io::stderr(), "{before}\r\x1b[K{line}{after}");
            drawn = true;
        }
        thread::park_timeout(every);
    }
    if drawn {
        // An answer to a question has moved the cursor below our line, so the rest of the screen goes, too.
        let up = if neighbours == Neighbours::Others { "\x1b[A\x1b[J" } else { "" };
        let _ = write!(io::stderr(), "\r\x1b[K{up}");
    }
}

/// Who else writes to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbours {
    None,
    /// A command, or those before us in a pipeline.
    Others,
}

impl Neighbours {
    /// Returns when the first line is drawn, and how often after that.
    fn times(self) -> (Duration, Duration) {
        match self {
            Neighbours::None => (PATIENCE, EVERY),
            Neighbours::Others => (PATIENCE, PATIENCE),
        }
    }

    /// Returns what stands around our line. Beside others it has a line of its own, so that a question stays on the
    /// screen, and text of others may write over it.
    fn frame(self, is_first: bool) -> (&'static str, &'static str) {
        match self {
            Neighbours::None => ("", ""),
            Neighbours::Others => (if is_first { "\n" } else { "" }, "\r"),
        }
    }
}

/// Returns the columns of the terminal, without the last one: some terminals break the line there.
fn width() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(79, |(terminal_size::Width(columns), _)| usize::from(columns).saturating_sub(1))
}

fn line(state: &State, what: &str, seconds: u64) -> String {
    let (done, all) = (state.done.load(Ordering::Relaxed), state.all.load(Ordering::Relaxed));
    if all == 0 {
        let came = if done > 0 { format!(", {}", super::size(done)) } else { String::new() };
        return format!("{what}, {seconds} s{came}");
    }
    let part = done.min(all) as f64 / all as f64;
    let full = (part * BAR as f64) as usize;
    format!("{what} {}{} {:.0} %", "█".repeat(full), "░".repeat(BAR - full), part * 100.0)
}
