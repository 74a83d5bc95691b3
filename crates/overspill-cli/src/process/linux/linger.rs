//! What becomes of an output that somebody still holds when the command has ended.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

/// What we are called to read on; no word of the command line.
const LINGER: &str = "__linger";

/// Tells whether we were started only to read on.
pub(crate) fn is_to_linger() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == LINGER)
}

/// Leaves somebody behind who reads what is still written, and forgets it.
///
/// A server that was started in the background must not die of the next line it prints.
pub(super) fn leave_reader(output: OwnedFd) {
    use std::os::unix::process::CommandExt;
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg(LINGER).stdin(output).stdout(Stdio::null()).stderr(Stdio::null());
    // If it cannot be started, the output closes, as it would have without us.
    let _ = command.current_dir("/").process_group(0).spawn();
}

/// Reads standard input to its end.
pub(crate) fn linger() {
    let mut chunk = vec![0; 64 << 10];
    let Ok(stdin) = rustix::io::dup(rustix::stdio::stdin()) else { return };
    let mut stdin = File::from(stdin);
    loop {
        match stdin.read(&mut chunk) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
