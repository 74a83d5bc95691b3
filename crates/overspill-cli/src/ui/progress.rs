//! A progress bar on stderr for work that takes longer than a second.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use crate::process;

/// The time before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(100);
const BAR: usize = 30;

/// A progress bar on standard error. It appears only on a terminal, and disappears when the value
/// is dropped.
pub(crate) struct Progress(Option<Running>);

struct Running {
    state: Arc<State>,
    drawing: Option<JoinHandle<()>>,
    thread: Thread,
}

#[derive(Default)]
struct State {
    done: AtomicU64,
    /// The total amount of work; 0 if it is unknown.
    all: AtomicU64,
    over: AtomicBool,
}

impl Progress {
    /// Starts a bar for work that may take long. `what` names the work.
    pub(crate) fn of(what: &'static str) -> Progress {
        Progress::begin(what, Neighbours::None)
    }

    /// Like [`Progress::of`], for a terminal on which other programs print or ask questions.
    pub(crate) fn beside_others(what: &'static str) -> Progress {
        Progress::begin(what, Neighbours::Others)
    }

    fn begin(what: &'static str, neighbours: Neighbours) -> Progress {
        if !super::is_error_seen() || super::is_captured() {
            return Progress(None);
        }
        let state = Arc::new(State::default());
        let shared = state.clone();
        // Another thread handles the signals, so this thread blocks them.
        let started = process::without_signals(|| {
            thread::Builder::new().spawn(move || draw(&shared, what, neighbours))
        });
        // If no thread can be started, the work continues without a bar.
        Progress(started.ok().map(|drawing| {
            let thread = drawing.thread().clone();
            Running { state, drawing: Some(drawing), thread }
        }))
    }

    /// Returns a bar that never appears.
    pub(crate) fn hidden() -> Progress {
        Progress(None)
    }

    /// Adds to the number of received bytes. The total is unknown.
    pub(crate) fn came(&self, bytes: u64) {
        if let Some(running) = &self.0 {
            running.state.done.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Sets the amount of finished work and the total.
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
        // A program that asks for a password, or draws on the screen, has changed the modes of the
        // terminal.
        if process::is_terminal_plain() {
            let line = super::short(&line(state, what, waited.as_secs()), width());
            let (before, after) = neighbours.frame(!drawn);
            let _ = write!(io::stderr(), "{before}\r\x1b[K{line}{after}");
            drawn = true;
        }
        thread::park_timeout(every);
    }
    if drawn {
        // An answer to a question moves the cursor below the bar, so the screen is cleared from the
        // bar down.
        let up = if neighbours == Neighbours::Others { "\x1b[A\x1b[J" } else { "" };
        let _ = write!(io::stderr(), "\r\x1b[K{up}");
    }
}

/// Other programs that write to the same terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbours {
    None,
    /// A command, or earlier stages of a pipeline.
    Others,
}

impl Neighbours {
    /// Returns the time before the bar is drawn first, and the time between two drawings.
    fn times(self) -> (Duration, Duration) {
        match self {
            Neighbours::None => (PATIENCE, EVERY),
            Neighbours::Others => (PATIENCE, PATIENCE),
        }
    }

    /// Returns the texts before and after the bar. Beside other programs the bar has its own line,
    /// so that a question stays on the screen, and other text may overwrite the bar.
    fn frame(self, is_first: bool) -> (&'static str, &'static str) {
        match self {
            Neighbours::None => ("", ""),
            Neighbours::Others => (if is_first { "\n" } else { "" }, "\r"),
        }
    }
}

/// Returns the number of columns of the terminal minus one: some terminals break the line in the
/// last column.
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
