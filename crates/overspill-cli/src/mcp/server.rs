//! The server's process.

use std::ffi::OsString;
use std::fs::File;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::process::{Unstartable, restore_signals};
use crate::settings::variables;

#[cfg(unix)]
use std::os::fd::OwnedFd as Owned;
#[cfg(windows)]
use std::os::windows::io::OwnedHandle as Owned;

/// The server's process, and its two pipes.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: File,
}

impl Server {
    /// Starts it. Its stderr is ours. It does not get the token that our clients must send.
    pub(super) fn start(words: &[OsString]) -> Result<Server, Unstartable> {
        let failed =
            |source| Unstartable { program: words[0].to_string_lossy().into_owned(), source };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env_remove(variables::MCP_TOKEN);
        // A group of its own, so that it can be ended together with what it starts.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        restore_signals(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => {
                let stdout = File::from(Owned::from(stdout));
                Ok(Server { child, stdin, stdout })
            }
            _ => Err(failed(std::io::ErrorKind::BrokenPipe.into())),
        }
    }
}

/// How hard a process is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    Kindly,
    Firmly,
}

/// Asks a server, and all that it has started, to end.
#[cfg(target_os = "linux")]
pub(super) fn end(pid: u32, ask: Ask) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match ask {
        Ask::Kindly => Signal::TERM,
        Ask::Firmly => Signal::KILL,
    };
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end(pid: u32, _: Ask) {
    let kill = if cfg!(windows) { "taskkill" } else { "kill" };
    let words: &[&str] = if cfg!(windows) { &["/F", "/T", "/PID"] } else { &[] };
    let _ = Command::new(kill).args(words).arg(pid.to_string()).status();
}

/// Keeps a reader that has gone from ending us, and takes what would: `ended` is told of it.
#[cfg(target_os = "linux")]
pub(super) fn take_signals(ended: impl Fn(i32) + Send + 'static) {
    use nix::sys::signal::{SigSet, Signal};
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

#[cfg(not(target_os = "linux"))]
pub(super) fn take_signals(_: impl Fn(i32) + Send + 'static) {}

/// Makes a pipe hold as much as it can for anybody: large frames pass with fewer waits.
#[cfg(target_os = "linux")]
pub(super) fn widen(pipe: &impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn widen<T>(_: &T) {}

/// Tells whether nobody reads our standard output any more.
#[cfg(target_os = "linux")]
pub(super) fn is_unread() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = rustix::stdio::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = PollFlags::ERR | PollFlags::HUP;
    poll(&mut fds, Some(&at_once)).is_ok() && fds[0].revents().intersects(gone)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_unread() -> bool {
    false
}
