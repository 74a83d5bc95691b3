//! Keeps an output open that background processes of an ended command still write to.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

/// The argument that starts this program as such a reader. It is no part of the command line.
const LINGER: &str = "__linger";

/// Tells whether this process was started only to read such an output.
pub(crate) fn is_to_linger(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|word| word == LINGER)
}

/// Follows that argument if the reader writes on to standard output what it reads.
const FORWARD: &str = "forward";

/// Starts a process that reads the output to its end. It discards what it reads, or writes it on to our standard
/// output.
///
/// Otherwise a server in the background would die of the next line that it prints.
pub(super) fn leave_reader(output: OwnedFd, forwards: bool) {
    use std::os::unix::process::CommandExt;
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg(LINGER).stdin(output).stdout(Stdio::null()).stderr(Stdio::null());
    if forwards {
        command.arg(FORWARD).stdout(Stdio::inherit());
    }
    // If it cannot be started, the output is closed.
    let _ = command.current_dir("/").process_group(0).spawn();
}

/// Reads standard input to its end, and writes it on if the arguments say so.
pub(crate) fn linger(words: &[OsString]) {
    let mut forwards = words.get(2).is_some_and(|word| word == FORWARD);
    let mut chunk = vec![0; 64 << 10];
    let Ok(stdin) = rustix::io::dup(rustix::stdio::stdin()) else { return };
    let mut stdin = File::from(stdin);
    loop {
        match stdin.read(&mut chunk) {
            Ok(0) => return,
            Ok(len) if forwards => {
                // The process that writes must not end because of a full disk.
                forwards = io::stdout()
                    .write_all(&chunk[..len])
                    .and_then(|()| io::stdout().flush())
                    .is_ok();
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
