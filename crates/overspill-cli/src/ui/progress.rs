//! How far something is that takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

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
        if !io::stderr().is_terminal() {
            return Progress(None);
        }
        let state = Arc::new(State::default());
        let shared = state.clone();
        let started = thread::Builder::new().spawn(move || draw(&shared, what));
        // Without a thread there is no bar, and that is all.
        Progress(started.ok().map(|drawing| {
            let thread = drawing.thread().clone();
            Running { state, drawing: Some(drawing), thread }
        }))
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

fn draw(state: &State, what: &str) {
    let started = Instant::now();
    let mut drawn = false;
    while !state.over.load(Ordering::Acquire) {
        let waited = started.elapsed();
        if waited < PATIENCE {
            thread::park_timeout(PATIENCE - waited);
            continue;
        }
        let line = line(state, what, waited.as_secs());
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
        drawn = true;
        thread::park_timeout(EVERY);
    }
    if drawn {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

fn line(state: &State, what: &str, seconds: u64) -> String {
    let (done, all) = (state.done.load(Ordering::Relaxed), state.all.load(Ordering::Relaxed));
    if all == 0 {
        return format!("{what}, {seconds} s");
    }
    let part = done.min(all) as f64 / all as f64;
    let full = (part * BAR as f64) as usize;
    format!("{what} {}{} {:.0} %", "█".repeat(full), "░".repeat(BAR - full), part * 100.0)
}
