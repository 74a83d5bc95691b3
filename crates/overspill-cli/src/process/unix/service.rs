//! Helps a long-running server: ends process groups, takes signals, and notices a closed output.

use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Pid, kill_process_group};

use super::wait::{Interest, Watched, poll_all};
use crate::process::Ask;

/// Asks a process, and everything that it has started in its group, to end.
pub(crate) fn end_group(pid: u32, ask: Ask) {
    let signal = match ask {
        Ask::Kindly => rustix::process::Signal::TERM,
        Ask::Firmly => rustix::process::Signal::KILL,
    };
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Calls `ended` for each signal that asks this process to end. From then on, a write to a closed
/// pipe fails and does not end the process.
pub(crate) fn take_end_signals(ended: impl Fn(i32) + Send + 'static) {
    let asked: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    let all = asked | SigSet::from(Signal::SIGPIPE);
    if all.thread_block().is_ok() {
        std::thread::spawn(move || {
            while let Ok(signal) = asked.wait() {
                ended(signal as i32);
            }
        });
    }
}

/// Tells whether the reader of our standard output has closed it.
pub(crate) fn is_reader_gone() -> bool {
    let mut stdout = [Watched::new(rustix::stdio::stdout(), Interest::HangUp)];
    poll_all(&mut stdout, Some(Duration::ZERO)).is_ok() && stdout[0].ready
}
