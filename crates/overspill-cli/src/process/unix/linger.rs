//! Keeps an output open for background processes that outlast their command, in a separate process.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::process::Leftover;

/// The hidden argument that starts this program as such a process.
const LINGER: &str = "__linger";

/// Tells whether this process was started only to read such an output.
pub(crate) fn is_to_linger(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|word| word == LINGER)
}

/// The argument after [`LINGER`] that makes the reader copy its input to standard output.
const FORWARD: &str = "forward";
/// The argument after [`LINGER`], before a number of milliseconds, that makes the reader keep
/// standard output open.
const HOLD: &str = "hold";

/// The time in which a host reads the file with the output after overspill has ended. Without
/// overspill, the host would not see later output of a background job either.
const READER_LOOKS_WITHIN: Duration = Duration::from_millis(50);
/// The longest wait for the end of the parent process.
const LONGEST_END: Duration = Duration::from_secs(2);

/// Starts a process that reads the output to its end.
///
/// Otherwise a server in the background would die at the next line that it prints.
pub(super) fn leave_reader(output: OwnedFd, leftover: Leftover) {
    use std::os::unix::process::CommandExt;
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg(LINGER).stdin(output).stdout(Stdio::null()).stderr(Stdio::null());
    match leftover {
        Leftover::Dropped => {}
        Leftover::Held(time) => {
            command.args([HOLD, &time.as_millis().to_string()]).stdout(Stdio::inherit());
        }
        Leftover::Forwarded => {
            command.arg(FORWARD).stdout(Stdio::inherit());
        }
    }
    // If the process cannot start, the output is closed.
    let _ = command.current_dir("/").process_group(0).spawn();
}

/// Reads standard input to its end, and copies it if the arguments ask for it.
pub(crate) fn linger(words: &[OsString]) {
    let is_asked = |option: &str| words.get(2).is_some_and(|word| word == option);
    let (mut forwards, mut has_dropped) = (is_asked(FORWARD), false);
    let mut chunk = vec![0; 64 << 10];
    let Ok(stdin) = rustix::io::dup(rustix::stdio::stdin()) else { return };
    let mut stdin = File::from(stdin);
    if forwards {
        wait_for_end_of_parent();
    }
    loop {
        match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(len) if forwards => {
                // A full disk must not end the writing process.
                forwards = io::stdout()
                    .write_all(&chunk[..len])
                    .and_then(|()| io::stdout().flush())
                    .is_ok();
            }
            Ok(_) => has_dropped = true,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
    if has_dropped && is_asked(HOLD) {
        let time = words.get(3).and_then(|word| word.to_str()?.parse().ok());
        std::thread::sleep(Duration::from_millis(time.unwrap_or_default()));
    }
}

/// Waits until the parent process has ended, and its reader has looked at the output.
fn wait_for_end_of_parent() {
    let parent = rustix::process::getppid();
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    while waited < LONGEST_END && rustix::process::getppid() == parent {
        std::thread::sleep(step);
        waited += step;
    }
    std::thread::sleep(READER_LOOKS_WITHIN);
}
